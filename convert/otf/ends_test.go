package otf

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

const cutOff = "event file that may be cut off"

// TestWholeFilesAreNotCut reads traces as the library wrote them.
func TestWholeFilesAreNotCut(t *testing.T) {
	for _, path := range indices(t) {
		if a, _, err := readAll(path, Options{}); err != nil || seen(a, cutOff) > 0 {
			t.Errorf("%s: %v, %v", path, a.Warnings(), err)
		}
	}
}

// TestWholeLargerFilesAreNotCut does the same with the traces below $PANDO_TRACES.
func TestWholeLargerFilesAreNotCut(t *testing.T) {
	for _, path := range larger(t) {
		if a, _, err := readAll(path, Options{}); err != nil || seen(a, cutOff) > 0 {
			t.Errorf("%s: %v, %v", path, a.Warnings(), err)
		}
	}
}

// endsWithTime is how the library ends a file: with a time and a process.
var endsWithTime = regexp.MustCompile(`(^|\n)[0-9a-f]+\n\*[0-9a-f]+\n$`)

// TestCutAtLine cuts event files of recorded traces at the ends of lines. There is a warning, unless what is left ends like a whole
// file.
func TestCutAtLine(t *testing.T) {
	files, warned := 0, 0
	for _, path := range indices(t) {
		for _, name := range plainEvents(t, path) {
			files++
			whole, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dice := rand.New(rand.NewPCG(1, uint64(len(whole))))
			index, copied := copyTrace(t, path, name)
			for range 12 {
				n := bytes.IndexByte(whole[dice.IntN(len(whole)-1):], '\n') // at least one byte from the end
				at := min(len(whole)-1, dice.IntN(len(whole)-1)+n)
				at = bytes.LastIndexByte(whole[:at], '\n') + 1
				if err := os.WriteFile(copied, whole[:at], 0o644); err != nil {
					t.Fatal(err)
				}
				a, _, err := readAll(index, Options{WindowBytes: []int{0, 64, 300}[dice.IntN(3)]})
				if err != nil {
					t.Fatal(err)
				}
				want := !endsWithTime.Match(whole[:at])
				if got := seen(a, cutOff) > 0; got != want {
					t.Errorf("%s cut at byte %d: warning %v, %q", name, at, got, whole[max(0, at-30):at])
				}
				if want {
					warned++
				}
			}
		}
	}
	if files == 0 || warned == 0 {
		t.Errorf("%d files, %d warnings", files, warned)
	}
}

// A compressed event file that is cut anywhere is named, unless it is cut where the compressor paused: also where the text that comes out
// of it ends as that of a whole file does.
func TestCutCompressed(t *testing.T) {
	const whole = "0\n*1\nENTER 1\n5\n*1\nLEAVE \n9\n*1\n"
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := io.WriteString(w, whole); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	paused := b.Len()
	if _, err := io.WriteString(w, "COUNTER 1 VALUE 5\nc\n*1\nCOUNTER 1 VALUE 77\nd\n*1\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	index := write(t, map[string]string{".otf": "1:1\n", ".0.def": "", ".1.events.z": ""})
	file := strings.TrimSuffix(index, ".otf") + ".1.events.z"
	for at := 3; at <= b.Len(); at++ {
		if err := os.WriteFile(file, b.Bytes()[:at], 0o644); err != nil {
			t.Fatal(err)
		}
		a, _, err := readAll(index, Options{})
		if err != nil {
			t.Fatal(err)
		}
		told := seen(a, cutOff) > 0 || seen(a, "last line without an end") > 0
		if want := at != paused && at != b.Len(); told != want {
			t.Errorf("cut at byte %d of %d: warning %v", at, b.Len(), told)
		}
	}
}

// plainEvents returns some event files of a trace that are not compressed.
func plainEvents(t *testing.T, index string) []string {
	t.Helper()
	names, err := filepath.Glob(strings.TrimSuffix(index, ".otf") + ".*.events")
	if err != nil {
		t.Fatal(err)
	}
	return names[:min(len(names), 2)]
}

// copyTrace links the files of a trace into a folder of the test, except for one. It returns where the index and that one are there.
func copyTrace(t *testing.T, index, but string) (copiedIndex, copied string) {
	t.Helper()
	dir := t.TempDir()
	names, err := filepath.Glob(strings.TrimSuffix(index, "otf") + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name == but {
			continue
		}
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.Base(index)), filepath.Join(dir, filepath.Base(but))
}

// TestEnds: what the ends of files tell where the version does not say how they end.
func TestEnds(t *testing.T) {
	const call, begun, ending = "5\n*1\nE1\n6\n*1\nL1\n", "5\n*1\nE1\nE1\n", "7\n*1\n"
	tests := []struct {
		about, first, second string
		version              string
		want                 string // "" for no warning
	}{
		{"two files that end with a time", call + ending, "5\n*2\nE1\n6\n*2\nL1\n7\n*2\n", "", ""},
		{"no file ends with a time, all calls are left", call, "", "", ""},
		{"one file does not end with a time", call, "7\n*2\n", "", ".1.events ends without the time that ends such files"},
		{"calls that are not left", begun, "", "", ".1.events, calls that are not left: 2"},
		{"calls that are not left when measuring ended", begun + ending, "7\n*2\n", "", ""},
		{"a version whose files end with a time", call, "7\n*2\n", "DV1.c.5\"x\"\n", ".1.events ends without the time that ends such files"},
		{"an older version", call, "", "DV1.b.0\"x\"\n", ""},
		{"the file that was cut is the second", call + ending, "5\n*2\nE1\n", "", ".2.events ends without the time that ends such files, calls that are not left: 1"},
		{"an empty file", call + ending, "", "DV1.c.5\"x\"\n", ".2.events ends without the time that ends such files"},
	}
	for _, tt := range tests {
		index := write(t, map[string]string{".otf": "1:1\n2:2\n", ".0.def": head + tt.version, ".1.events": tt.first, ".2.events": tt.second})
		for range 2 {
			a, _, err := readAll(index, Options{})
			if err != nil {
				t.Fatalf("%s: %v", tt.about, err)
			}
			got := ""
			for _, w := range a.Warnings() {
				if w.Kind == cutOff {
					got = w.Example
				}
			}
			if got = strings.TrimPrefix(got, strings.TrimSuffix(index, ".otf")); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.about, got, tt.want)
			}
		}
	}
}

// besidesCut returns the warnings except for that of files that may be cut off: texts of tests seldom end as files do.
func besidesCut(a *Archive) (list []trace.Warning) {
	for _, w := range a.Warnings() {
		if w.Kind != cutOff {
			list = append(list, w)
		}
	}
	return list
}
