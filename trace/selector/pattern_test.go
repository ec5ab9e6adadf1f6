package selector

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pandotrace/pando/trace"
)

func TestRegions(t *testing.T) {
	d := trace.NewDefinitions(nil)
	for id, names := range map[uint64][2]string{1: {"MPI_Send", ""}, 2: {"MPI_Recv", "mpi_recv_"}, 30: {"a/[b]*", "x"}} {
		d.Strings[10*id], d.Strings[10*id+1] = names[0], names[1]
		d.Add([]trace.Record{{Kind: trace.KindRegion, Words: []uint64{id, 10 * id, 0, 0, 0, 0, 10*id + 1, 0, 0, 0}}})
	}
	for patterns, want := range map[string][]uint64{
		"MPI_*": {1, 2}, "1": {1}, "mpi_recv?": {2}, "a/[b]*": {30}, "*": {1, 2, 30}, "x|1": {1, 30}, "3": nil, "": nil, "[": nil, "1|3": nil,
		"\xff": nil, "*|MPI_\xc3": nil,
	} {
		got, err := Regions(d, strings.Split(patterns, "|"))
		if (err == nil) != (want != nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", patterns, got, err, want)
		}
	}
}

// TestPatternsRefuse: what is not UTF-8 is refused by all that take patterns, and the error shows the bytes.
func TestPatternsRefuse(t *testing.T) {
	d := trace.NewDefinitions(nil)
	_, locations := Locations(d, nil, []string{"\xff"})
	_, regions := Regions(d, []string{"a", "\xff"})
	_, kinds := Kinds(trace.Standard, []string{"\xff"})
	for _, err := range []error{locations, regions, kinds} {
		if err == nil || !strings.Contains(err.Error(), `"\xff" is not UTF-8`) {
			t.Errorf("%v", err)
		}
	}
}

// FuzzPatterns holds patterns against regular expressions of the same meaning.
func FuzzPatterns(f *testing.F) {
	for _, seed := range [][2]string{
		{"MPI_*", "MPI_Send"}, {"a*b*c", "aXbbXbc"}, {"*a", "aab"}, {"??", "é\xff"}, {"\xff", "\xff"}, {"\ufffd", "\xff"}, {"[a-z].+\\", "[a-z].+\\"},
		{"**?**", "x"}, {"", ""}, {"ſ\u212a*", "sk"}, {"*\n*", "a\nb"}, {"a*ab*abc", "aababababcabc"},
	} {
		f.Add(seed[0], seed[1], false)
		f.Add(seed[0], seed[1], true)
	}
	f.Fuzz(func(t *testing.T, pattern, name string, fold bool) {
		if !utf8.ValidString(pattern) || len(pattern) > 100 || len(name) > 1000 {
			return
		}
		flags := "(?s)"
		if fold {
			flags = "(?si)"
		}
		glob := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
		want := name != "" && (name == pattern || regexp.MustCompile(flags+"^(?:"+glob+")$").MatchString(name))
		p := newPattern(pattern, fold)
		if got := p.fits(name); got != want {
			t.Errorf("%q, fold %v, fits %q: %v, want %v", pattern, fold, name, got, want)
		}
	})
}
