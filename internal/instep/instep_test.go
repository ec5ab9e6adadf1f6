package instep

import (
	"errors"
	"io"
	"reflect"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/trace"
)

// One worker always takes the thing that is furthest behind, and takes all things to their ends.
func TestRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.SliceOf(rapid.Int64Range(0, 50)), 1, 10).Draw(t, "steps")
		things, covered, left := make([]int, len(steps)), make([]int64, len(steps)), len(steps)
		for i := range things {
			things[i], covered[i] = i, -1
		}
		done := make([]bool, len(steps))
		err := Run(1, things, func(i int) (int64, error) {
			for j, c := range covered {
				if !done[j] && c < covered[i] {
					t.Fatalf("thing %d at %d, while thing %d is at %d", i, covered[i], j, c)
				}
			}
			if len(steps[i]) == 0 {
				done[i] = true
				left--
				return 0, io.EOF
			}
			covered[i], steps[i] = max(covered[i], 0)+steps[i][0], steps[i][1:]
			return covered[i], nil
		})
		if err != nil || left != 0 {
			t.Fatal(left, err)
		}
	})
}

// Several workers do all of it, each thing by one at a time; an error ends it.
func TestInStepWorkers(t *testing.T) {
	const things, steps = 20, 200
	type thing struct {
		busy atomic.Bool
		at   int64
	}
	problem := errors.New("no more")
	for _, fails := range []bool{false, true} {
		all := make([]*thing, things)
		for i := range all {
			all[i] = &thing{}
		}
		var ends, after atomic.Int64
		err := Run(4, all, func(x *thing) (int64, error) {
			if !x.busy.CompareAndSwap(false, true) {
				t.Error("two workers are at one thing")
			}
			defer x.busy.Store(false)
			if x.at++; x.at > steps {
				ends.Add(1)
				return 0, io.EOF
			}
			if fails && x.at > steps/2 {
				after.Add(1)
				return 0, problem
			}
			return x.at, nil
		})
		if fails && (!errors.Is(err, problem) || after.Load() > 4) {
			t.Errorf("%v; %d steps failed", err, after.Load())
		}
		if !fails && (err != nil || ends.Load() != things) {
			t.Errorf("%v; %d of %d things came to an end", err, ends.Load(), things)
		}
	}
}

func TestEventGroups(t *testing.T) {
	stream := func(class trace.StreamClass, location uint64, group uint32) trace.StreamInfo {
		return trace.StreamInfo{StreamID: trace.StreamID{Class: class, Location: location}, Group: group}
	}
	got := Groups([]trace.StreamInfo{stream(0, 7, 3), stream(0, 1, 0), stream(trace.StreamMarkers, 0, 3), stream(0, 2, 3)})
	want := [][]trace.StreamInfo{{stream(0, 7, 3), stream(0, 2, 3)}, {stream(0, 1, 0)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}
