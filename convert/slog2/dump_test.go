package slog2

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// files returns the SLOG-2 files of all traces that have some, bundled and larger ones.
func files(t testing.TB) []string {
	t.Helper()
	names := tracetest.BundledOf(t, "clog2")
	if os.Getenv("PANDO_TRACES") != "" {
		names = append(names, tracetest.LargerOf(t, "clog2")...)
		names = append(names, tracetest.LargerOf(t, "slog2")...)
	}
	var found []string
	for _, name := range names {
		err := filepath.WalkDir(tracetest.Dir(t, name), func(path string, _ fs.DirEntry, err error) error {
			if filepath.Ext(path) == ".slog2" && !slices.Contains(found, path) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(found) < 5 {
		t.Fatalf("only %d files", len(found))
	}
	return found
}

// printed is a line of slog2print about a drawable.
var printed = regexp.MustCompile(`(?s)^\d+: Primitive\[ infobox\[ TimeBBox\(([^,]+),([^)]+)\) Category=Category\[ index=(-?\d+), name=(.*?), topo=.*?count=\d+ \]: (.*)\] \(\S+, (\d+)\) (?:\(\S+, (\d+)\) )?\] bsize=\d+$`)

// floats are numbers in printed cargo that are no integers: their digits differ between languages.
var floats = regexp.MustCompile(`-?\d+\.\d+(E-?\d+)?|NaN`)

// TestPlainDecoder holds the plain decoder that the other tests depend on against what slog2print prints. That leaves out the last
// drawable, and ends at one that has no cargo where its category has hexadecimal numbers.
func TestPlainDecoder(t *testing.T) {
	dumps := 0
	for _, path := range files(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := readPlain(t, path)
			dump := path + "print.txt.zst"
			if _, err := os.Stat(dump); err != nil {
				t.Skip("there is no dump")
			}
			dumps++
			f.compare(t, string(tracetest.Inflated(t, dump)))
		})
	}
	if dumps < 3 {
		t.Errorf("only %d dumps", dumps)
	}
}

func (f *plainFile) compare(t *testing.T, dump string) {
	t.Helper()
	have := map[string]int{}
	for i := range f.drawables {
		have[f.print(&f.drawables[i])]++
	}
	lines := drawableLines(dump)
	for _, line := range lines {
		m := printed.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("a line of another form: %q", line)
		}
		number := func(s string) float64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		end := m[7]
		if end == "" {
			end = m[6]
		}
		index, _ := strconv.Atoi(m[3])
		c := f.categories[int32(index)]
		key := fmt.Sprintf("%s %s %v %v %s %s: %s", m[3], m[4], number(m[1]), number(m[2]), m[6], end, c.withoutFloats(m[5]))
		if have[key]--; have[key] < 0 {
			t.Fatalf("printed: %q\nas %q: it is not in the file", line, key)
		}
	}
	if missing := len(f.drawables) - len(lines); missing != 1 && !f.isFatal(have) {
		t.Errorf("%d drawables were printed of %d", len(lines), len(f.drawables))
	}
}

// drawableLines are the lines about drawables; text in cargo may have line ends in it.
func drawableLines(dump string) (lines []string) {
	for line := range strings.SplitSeq(dump, "\n") {
		switch {
		case strings.Contains(line, ": Primitive["):
			lines = append(lines, line)
		case len(lines) > 0 && !strings.Contains(lines[len(lines)-1], "bsize="):
			lines[len(lines)-1] += "\n" + line
		}
	}
	return lines
}

// withoutFloats replaces the floats in a cargo by their type, as the plain decoder prints them.
func (c *plainCategory) withoutFloats(text string) string {
	for _, letter := range c.letters {
		name := map[rune]string{'e': "<float>", 'E': "<double>"}[letter]
		if at := floats.FindStringIndex(text); name != "" && at != nil {
			text = text[:at[0]] + name + text[at[1]:]
		}
	}
	return text
}

// isFatal reports whether what was not printed has a drawable that ends the printing.
func (f *plainFile) isFatal(left map[string]int) bool {
	for i := range f.drawables {
		d := &f.drawables[i]
		if c := f.categories[d.category]; d.cargo == "" && strings.ContainsAny(c.letters, "xX") && left[f.print(d)] > 0 {
			return true
		}
	}
	return false
}

// TestFloatsInCargo holds the floats of cargo, which the other test leaves out, against what was printed.
func TestFloatsInCargo(t *testing.T) {
	path := tracetest.Files(t, "clog2.cpilog_4", ".slog2")[0]
	f := readPlain(t, path)
	var want, got []float64
	for _, line := range drawableLines(string(tracetest.Inflated(t, path+"print.txt.zst"))) {
		m := printed.FindStringSubmatch(line)
		if number := floats.FindString(m[5]); number != "" {
			v, err := strconv.ParseFloat(number, 64)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
	}
	for _, d := range f.drawables {
		if strings.HasPrefix(f.categories[d.category].letters, "E") && d.cargo != "" {
			got = append(got, math.Float64frombits(binary.BigEndian.Uint64([]byte(d.cargo))))
		}
	}
	slices.SortFunc(got, cmp.Compare)
	slices.SortFunc(want, cmp.Compare)
	if !slices.Equal(got, want) || len(got) < 10 {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestPreviews: the previews in the root stand for what is in the nodes below.
func TestPreviews(t *testing.T) {
	for _, path := range files(t) {
		f := readPlain(t, path)
		counts := int64(0)
		for index, c := range f.categories {
			if index >= 0 {
				counts += c.count
			}
		}
		if n := int64(len(f.drawables)); n != counts || f.shadows > n {
			t.Errorf("%s: %d drawables, %d in the categories, %d in the previews", path, n, counts, f.shadows)
		}
	}
}
