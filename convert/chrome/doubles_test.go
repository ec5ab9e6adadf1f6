package chrome

import (
	"fmt"
	"math"
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

// Names of threads and a large event stand before the first times; these tell, too, that times are doubles.
func TestDoublesBehindOthers(t *testing.T) {
	const slice = `{"ph":"X","pid":1,"tid":1,"name":"a","ts":68.948999999999998,"dur":1}`
	names := strings.Repeat(`{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"one"}},`+"\n", 2000)
	large := `{"ph":"M","pid":1,"tid":1,"name":"large","args":{"text":"` + strings.Repeat("x", 1<<19) + `"}},` + "\n"
	for what, before := range map[string]string{"nothing": "", "names": names, "a large event": large, "names and a large event": names + large} {
		a := mustOpen(t, []byte("["+before+slice+"]"))
		for _, w := range a.Warnings() {
			if strings.HasPrefix(w.Kind, "digits") {
				t.Errorf("behind %s: %v", what, w)
			}
		}
		if at := firstTimes(t, pandoOf(t, a)); len(at) != 1 || at[0]+int64(a.Meta().Epoch) != 68949 || a.Meta().Resolution != 1e9 {
			t.Errorf("behind %s: at %d, %d ticks per second", what, at, a.Meta().Resolution)
		}
	}
}

// Times that were computed with doubles keep their order, however many digits each was written with.
func TestOrderOfDoubles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := []float64{rapid.Float64Range(1e5, 1e8).Draw(t, "first")}
		events := []string{`{"ph":"X","pid":1,"tid":0,"name":"first","ts":0.12345678901,"dur":1}`}
		for range rapid.IntRange(1, 30).Draw(t, "times") {
			last := times[len(times)-1]
			next := math.Nextafter(last, math.Inf(1))
			times = append(times, rapid.SampledFrom([]float64{last, next, next + 1e-9, last + 1e-6/3, last + 1e-3/3}).Draw(t, "next"))
		}
		for i, at := range times {
			format := rapid.SampledFrom([]string{"%.17g", "%v", "%.20g"}).Draw(t, "format")
			events = append(events, fmt.Sprintf(`{"ph":"i","s":"t","pid":1,"tid":%d,"name":"n","ts":`+format+`}`, i+1, at))
		}
		a := mustOpen(t, []byte("["+strings.Join(events, ",\n")+"]"))
		last := int64(math.MinInt64)
		for i, at := range firstTimes(t, pandoOf(t, a)) {
			if i > 0 && at < last {
				t.Fatalf("event %d, at tick %d, comes before one at %d:\n%s", i, at, last, strings.Join(events, "\n"))
			}
			last = at
		}
	})
}

// firstTimes lists the time of each location's first event.
func firstTimes(t tester, r *store.Reader) (list []int64) {
	t.Helper()
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		for e, err := range r.All().WithLocations(id).Events() {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, e.Batch.Times[e.Index])
			break
		}
	}
	return list
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
