package chrome

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/store"
)

// Slices in picoseconds whose writer had their times as doubles, and wrote all digits of these, nest as they did: an end that two of them share is at one time.
func TestTimesOfDoubles(t *testing.T) {
	longer := 0
	rapid.Check(t, func(t *rapid.T) {
		var events, want []string
		add := func(name string, from, to int64) {
			us := func(ps int64) string { return fmt.Sprintf("%.17g", float64(ps)/1e6) }
			events = append(events, fmt.Sprintf(`{"ph":"X","pid":1,"tid":1,"name":%q,"ts":%s,"dur":%s}`, name, us(from), us(to-from)))
			want = append(want, fmt.Sprint(name, " ", from, " to ", to))
			longer += strings.Count(us(from), "99999") + strings.Count(us(from), "00000")
		}
		at := rapid.Int64Range(0, 1e12).Draw(t, "begin") // up to a second
		for i := range rapid.IntRange(1, 20).Draw(t, "slices") {
			long := rapid.Int64Range(2, 1e9).Draw(t, "length")
			inner := rapid.Int64Range(1, long-1).Draw(t, "begin of the inner one")
			add(fmt.Sprint("outer ", i), at, at+long)
			add(fmt.Sprint("inner ", i), at+inner, at+long)
			at += long // where the next one begins
		}
		a := mustOpen(t, []byte("["+strings.Join(events, ",\n")+"]"))
		if w := a.Warnings(); len(w) > 0 {
			t.Fatal(w)
		}
		if got := callTimes(t, pandoOf(t, a)); !cmp.Equal(got, want) {
			t.Fatalf("%s\n%s", events, cmp.Diff(want, got))
		}
	})
	if longer == 0 {
		t.Error("no time had all digits of a double")
	}
}

// callTimes lists calls in picoseconds, by their begins.
func callTimes(t *rapid.T, r *store.Reader) (list []string) {
	t.Helper()
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	const perSecond = 1e12
	unit, epoch := int64(perSecond/r.Meta().Resolution), int64(r.Meta().Epoch)
	for c, err := range r.All().CallsByStart() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(defs.RegionName(c.Region), " ", (c.Start+epoch)*unit, " to ", (c.End+epoch)*unit))
	}
	return list
}
