package segment_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// steps makes a trace of locations that run a loop of calls of step, each with a call of a second region inside.
func steps(locations, times int, inner string, skew int64) trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	main, step, inside := t.Region("main"), t.Region("step"), t.Region(inner)
	process := t.Process("process")
	for i := range locations {
		b := t.Location(uint64(i), process)
		now := int64(0)
		put := func(kind trace.Kind, region uint64, ticks int64) {
			now += ticks
			b.Append(kind, now+int64(i)*skew, region)
		}
		put(trace.KindEnter, main, 10)
		for range times {
			put(trace.KindEnter, step, 10)
			put(trace.KindEnter, inside, 1000)
			put(trace.KindLeave, inside, 500)
			put(trace.KindLeave, step, 10)
		}
		put(trace.KindLeave, main, 10)
	}
	return t
}

// Every trace gets an answer, or a sentence that says why there is none.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		src    trace.Source
		opt    segment.Options
		window [2]int64
		own    int64 // of each segment, 0 if there are none
		err    string
	}{
		{"synchronisation", steps(3, 10, "MPI_Barrier", 0), segment.Options{}, [2]int64{}, 1010, ""},
		{"no synchronisation", steps(3, 10, "work", 0), segment.Options{}, [2]int64{}, 1510, ""},
		{"one location", steps(1, 10, "MPI_Barrier", 0), segment.Options{}, [2]int64{}, 1010, ""},
		{"clocks that differ", steps(3, 10, "MPI_Barrier", -3000), segment.Options{}, [2]int64{}, 1010, ""},
		{"cut at both ends", steps(3, 10, "MPI_Barrier", 0), segment.Options{}, [2]int64{2000, 13000}, 1010, ""},
		{"a single iteration", steps(3, 1, "MPI_Barrier", 0), segment.Options{}, [2]int64{}, 0, "no region and no group of calls has 4 segments or more on most of the locations where it occurs: nothing repeats that could be compared"},
		{"no calls", tracegen.New(trace.Meta{Resolution: 1}), segment.Options{}, [2]int64{}, 0, "the window has no calls"},
		{"a window without calls", steps(3, 10, "work", 0), segment.Options{}, [2]int64{-20, -10}, 0, "the window has no calls"},
		{"a region that does not repeat", steps(3, 10, "work", 0), segment.Options{Region: "main"}, [2]int64{}, 0, "main has fewer than 4 whole calls on most of the locations where it occurs"},
		{"a region that waits", steps(3, 10, "MPI_Barrier", 0), segment.Options{Region: "MPI_Barrier"}, [2]int64{}, 0, "MPI_Barrier synchronises: it has no time of its own"},
		{"a region that is not there", steps(3, 10, "work", 0), segment.Options{Region: "stop"}, [2]int64{}, 0, `no region "stop" has calls in the window; did you mean "step"?`},
		{"a group that is not there", steps(3, 10, "work", 0), segment.Options{Group: "stop"}, [2]int64{}, 0, `no loop begins with "stop"; did you mean "step"?`},
		{"no finer", steps(3, 10, "MPI_Barrier", 0), segment.Options{Finer: 1}, [2]int64{}, 0, "nothing inside of step repeats and has time of its own"},
		{"no so much finer", steps(3, 10, "work", 0), segment.Options{Finer: 3}, [2]int64{}, 0, "inside of step there is 1 finer level, not 3: work"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := stored.Source(t, c.src, store.Options{})
			w := r.All()
			if c.window != [2]int64{} {
				w = r.Window(c.window[0], c.window[1])
			}
			a, err := segment.Find(t.Context(), r, w, c.opt)
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Fatalf("got %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range a.Level.Lines {
				if len(l.Own) < 4 {
					t.Errorf("%d segments", len(l.Own))
				}
				for _, own := range l.Own {
					if own != c.own {
						t.Errorf("SOS time of %d, want %d", own, c.own)
					}
				}
			}
			if found := a.Judge(); len(found) > 0 || a.Waits != strings.Contains(c.name, "synchronisation") && a.Waits == (c.name == "no synchronisation") {
				t.Errorf("found %+v, synchronises: %v", found, a.Waits)
			}
		})
	}
}

// The answer is the same on any number of cores, and when files are cut otherwise.
func TestIndependence(t *testing.T) {
	var before *segment.Analysis
	for _, cores := range []int{1, 4} {
		for _, opt := range []store.Options{{}, {SliceEvents: 100, LaneLocations: 1, Fanout: 2}} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				r := stored.Source(t, tracegen.Ring(4, 200, 3), opt)
				a, err := segment.Find(t.Context(), r, r.All(), segment.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if before == nil {
					before = a
				}
				same := cmp.Options{cmpopts.IgnoreUnexported(segment.Analysis{}, segment.Candidate{}), cmp.Comparer(func(x, y trace.Sum) bool { return x == y })}
				if diff := cmp.Diff(before, a, same); diff != "" {
					t.Errorf("%d cores, %+v: %s", cores, opt, diff)
				}
			}()
		}
	}
}

// z is that of the definition: the distance from the median in units of the median distance.
func TestZ(t *testing.T) {
	a := analysisOf(5, 1, func(i, _ int) float64 { return []float64{10, 12, 13, 15, 40}[i] })
	columns := a.Level.Columns()
	for i, want := range []float64{-3 / (1.4826 * 2), -1 / (1.4826 * 2), 0, 2 / (1.4826 * 2), 27 / (1.4826 * 2)} {
		if got := columns.At(0).Z(a.Level.Lines[i].Own[0]); math.Abs(got-want) > 1e-12 {
			t.Errorf("z of %d is %g, want %g", i, got, want)
		}
	}
	if waste, own := columns.Waste(); waste != trace.SumOf(5*40-90) || own != trace.SumOf(90) {
		t.Errorf("a waste of %v, of %v", waste, own)
	}
	if line, share := columns.Recurrence(); line != 4 || share != 1 {
		t.Errorf("line %d is slowest in %g", line, share)
	}
}
