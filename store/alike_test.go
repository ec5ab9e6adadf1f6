package store_test

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace"
)

// variants are ways to write the same trace. The first one is what the others are held against.
func variants() []store.Options {
	all := []store.Options{{SliceEvents: 100, Fanout: 2, EpochSlices: 4, LaneLocations: 2}}
	for _, change := range []func(*store.Options){
		func(o *store.Options) { o.SliceEvents = 333 },
		func(o *store.Options) { o.SliceEvents = 0 },
		func(o *store.Options) { o.Fanout = 7 },
		func(o *store.Options) { o.EpochSlices, o.EpochBytes = 128, 1 },
		func(o *store.Options) { o.LaneLocations = 1 },
		func(o *store.Options) { o.LaneLocations = 64 },
		func(o *store.Options) { o.PageLocations = 1 },
		func(o *store.Options) { o.Workers = 4 },
		func(o *store.Options) { o.Memory = 1 },
	} {
		opt := all[0]
		change(&opt)
		all = append(all, opt)
	}
	return all
}

// The same trace answers alike, however it is written and read.
func TestAlike(t *testing.T) {
	t.Parallel()
	k := tracegen.Knobs{
		Processes: 3, Threads: 2, Length: 300, Regions: 4, Messages: 300, Talk: 0.3, Step: 100, Lattice: 1, SameTime: 0.1, Mismatch: 0.1,
		Any: 0.1, Recursion: 10, Repeat: 4, Attributes: 0.1, Residuals: 0.1, Contexts: true, Auxiliary: true, Late: true,
	}
	seeds := uint64(2)
	if os.Getenv("PANDO_SOAK") != "" {
		seeds = 100
	}
	for seed := range seeds {
		var want answers
		for _, opt := range variants() {
			name := fmt.Sprintf("seed %d, %s, memory %d", seed, optionsName(opt), opt.Memory)
			file := write(t, tracegen.Random(seed, k), opt)
			if want == nil {
				want = alike(t, file)
				if fine := want["fine timeline"].value.(*trace.Timeline); slices.Min(fine.Errors) > 0 || len(fine.Cells) < 1000 {
					t.Fatalf("%s: %d cells of a fine timeline, off by %d at least", name, len(fine.Cells), slices.Min(fine.Errors))
				}
				if n := len(want["calls of all"].value.([]trace.Call)); n < 100 {
					t.Fatalf("%s: only %d calls", name, n)
				}
			} else {
				mustBeAlike(t, name, want, alike(t, file))
			}
		}
		readAlike(t, want, write(t, tracegen.Random(seed, k), variants()[0]))
	}
}

// alike asks a file everything whose answer does not depend on how it was written.
func alike(t *testing.T, file []byte) answers {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return whatIsAlike(t, r)
}

func whatIsAlike(t *testing.T, r *store.Reader) answers {
	t.Helper()
	all := ask(r)
	fine, err := r.All().Timeline(5000)
	all["fine timeline"] = answer{fine, err}
	for i := range all["locations"].value.([]store.LocationInfo) {
		all["locations"].value.([]store.LocationInfo)[i].Lane = 0
	}
	i := r.Info()
	all["info"] = answer{[]any{i.Events, i.Definitions, i.First, i.Last, i.SHA256, i.AuxStreams}, nil}
	for what, a := range all {
		if a.err != nil {
			t.Fatalf("%s: %v", what, a.err)
		}
		if summary, ok := a.value.(*trace.Summary); ok { // sums of floats are rounded, here and there in another place
			for i := range summary.Metrics {
				summary.Metrics[i].FloatIntegral = 0
			}
		}
	}
	return all
}

func mustBeAlike(t *testing.T, name string, want, got answers) {
	t.Helper()
	for what, a := range want {
		if timeline, ok := a.value.(*trace.Timeline); ok {
			timelineAlike(t, name+", "+what, timeline, got[what].value.(*trace.Timeline))
		} else if !reflect.DeepEqual(got[what].value, a.value) {
			t.Errorf("%s: other %s", name, what)
		}
	}
}

// timelineAlike compares timelines pixel by pixel, up to the errors that they speak of, and all pixels together exactly: which bins there
// are depends on how the trace is written.
func timelineAlike(t *testing.T, name string, want, got *trace.Timeline) {
	t.Helper()
	if !slices.Equal(want.Locations, got.Locations) || !slices.Equal(want.Regions, got.Regions) || want.Pixels != got.Pixels {
		t.Errorf("%s: other locations, regions or pixels", name)
		return
	}
	sums := map[[2]uint64]int64{}                  // got - want, by location and region
	for cell, off := range difference(want, got) { // of location, region and pixel
		sums[[2]uint64{cell[0], cell[1]}] += off
		if p := cell[2]; off > int64(want.Errors[p]+got.Errors[p]) || -off > int64(want.Errors[p]+got.Errors[p]) {
			t.Errorf("%s: pixel %d of location %d, region %d: %d ticks more, with errors of %d and %d", name, p, cell[0], cell[1], off, want.Errors[p], got.Errors[p])
		}
	}
	for k, off := range sums {
		if off != 0 {
			t.Errorf("%s: location %d, region %d: %d ticks more in all pixels", name, k[0], k[1], off)
		}
	}
}

// difference returns how many more ticks the cells of a timeline have than those of another: by place of the location, region, pixel.
func difference(want, got *trace.Timeline) map[[3]uint64]int64 {
	off := map[[3]uint64]int64{}
	for sign, timeline := range map[int64]*trace.Timeline{1: got, -1: want} {
		for i := range timeline.Locations {
			for _, c := range timeline.Cells[timeline.Starts[i]:timeline.Starts[i+1]] {
				off[[3]uint64{uint64(i), uint64(c.Region), uint64(c.Pixel)}] += sign * int64(c.Ticks)
			}
		}
	}
	return off
}

// readAlike reads a file in all ways there are.
func readAlike(t *testing.T, want answers, file []byte) {
	t.Helper()
	plain, err := damage.Plain(file)
	if err != nil {
		t.Fatal(err)
	}
	mustBeAlike(t, "without compression", want, alike(t, plain))
	mustBeAlike(t, "what was saved", want, alike(t, savedAgain(t, file)))
	for _, cache := range []int64{1, 1 << 40} {
		r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{CacheBytes: cache})
		if err != nil {
			t.Fatal(err)
		}
		mustBeAlike(t, fmt.Sprintf("with a cache of %d bytes", cache), want, whatIsAlike(t, r))
		mustBeAlike(t, "asked again", want, whatIsAlike(t, r))
	}
	remote, err := remote.OpenReader(t.Context(), serve(t, file).URL, nil, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer remote.Close()
	mustBeAlike(t, "over HTTP", want, whatIsAlike(t, remote))
	inParts(t, want, remote)
}

// savedAgain saves a file of which the directory is lost.
func savedAgain(t *testing.T, file []byte) []byte {
	t.Helper()
	cut := file[:damage.Blocks(file)[len(damage.Blocks(file))-1].Offset]
	return saved(t, cut, func(*store.Recovery) store.Options { return store.Options{SliceEvents: 200} })
}

// inParts reads the events window by window: there is none too many, and none is missing.
func inParts(t *testing.T, want answers, r *store.Reader) {
	t.Helper()
	var all []model.Event
	first, last := r.Info().First, r.Info().Last
	const parts = 7
	for n := range int64(parts) {
		from, to := first+(last+1-first)/parts*n, first+(last+1-first)/parts*(n+1)
		if n == parts-1 {
			to = last + 1
		}
		events, err := collect(eventsOf(r, r.Window(from, to).Events()))
		if err != nil {
			t.Fatal(err)
		}
		all = slices.Concat(all, events)
	}
	if !reflect.DeepEqual(all, want["events of all"].value) {
		t.Error("other events in parts")
	}
}
