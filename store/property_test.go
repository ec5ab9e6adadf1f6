package store_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// The property tests write random traces with random options, and compare all that can be asked of the file with the
// answers of the naive model. A failure names its seed: run it alone with -property.first=SEED -property.seeds=1. Without flags some seeds are
// tried; .ci/run tries the next ones, and make soak all.
var (
	firstSeed = flag.Uint64("property.first", 0, "first seed of the property tests")
	seeds     = flag.Uint64("property.seeds", uint64(thrift.Of(12, 40)), "number of seeds of the property tests")
)

// subject is a trace with all answers.
type subject struct {
	open  func() trace.Source
	model *model.Trace

	calls    []trace.Call
	matching *model.Matching
	events   []model.Event
	times    map[model.EventID]int64
	instants map[int64]int // number of events at each time
}

func newSubject(t *testing.T, open func() trace.Source) *subject {
	t.Helper()
	src := open()
	defer src.Close()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{open: open, model: m, calls: m.Calls(), matching: m.Match(), events: m.Events(), times: map[model.EventID]int64{}, instants: map[int64]int{}}
	for i := range s.events {
		s.times[s.events[i].ID()] = s.events[i].Time
		s.instants[s.events[i].Time]++
	}
	return s
}

func randomSubject(t *testing.T, seed uint64) *subject {
	t.Helper()
	return newSubject(t, func() trace.Source { return tracegen.Random(seed, tracegen.RandomKnobs(seed)) })
}

// divisors are sizes of groups, by the number of children of a node: some begin in one node and end in the next, or are half a node.
var divisors = map[int]int{6: 4, 16: 8}

func randomOptions(r *rand.Rand) store.Options {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	fanout := pick(2, 3, 6, 16)
	return store.Options{
		SliceEvents: pick(1, 7, 64, 1024, 0), LaneLocations: pick(1, 3, 64), Fanout: fanout, GroupSlices: pick(0, 0, 1, fanout*fanout, divisors[fanout]), PageEntries: pick(0, 5, 40), PageLocations: pick(0, 1, 3),
		EpochSlices: pick(1, 5, 128), EpochBytes: pick(1, 500, 0), Workers: pick(1, 4), ID: format.FileID{1, 2, 3},
		Hashes: r.IntN(2) == 0,
	}
}

// forSeeds runs a test for each seed.
func forSeeds(t *testing.T, test func(t *testing.T, seed uint64)) {
	n := *seeds
	if testing.Short() {
		n = min(n, 10)
	}
	for seed := *firstSeed; seed < *firstSeed+n; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			test(t, seed)
		})
	}
}

// forOptions runs a test for some options, which depend on the seed and, so that it does not take too long, on the number
// of events: there are enough slices for two epochs of the largest kind, and for three levels of the largest fanout.
func forOptions(t *testing.T, seed uint64, events, n int, test func(t *testing.T, opt store.Options)) {
	r, most := rand.New(rand.NewPCG(seed, 1)), thrift.Of(260, 500) // slices
	for range n {
		opt := randomOptions(r)
		if opt.SliceEvents > 0 && opt.SliceEvents < events/most {
			opt.SliceEvents = events / most
		}
		t.Run(optionsName(opt), func(t *testing.T) { test(t, opt) })
	}
}

func optionsName(opt store.Options) string {
	return fmt.Sprintf("slice=%d,lane=%d,fanout=%d,epoch=%d/%d,workers=%d", opt.SliceEvents, opt.LaneLocations, opt.Fanout,
		opt.EpochSlices, opt.EpochBytes, opt.Workers)
}

// write copies a source into a file in memory.
func write(t *testing.T, src trace.Source, opt store.Options) []byte {
	t.Helper()
	defer src.Close()
	scaleFor(&opt)
	var file bytes.Buffer
	w, err := store.NewWriter(t.Context(), &file, src.Meta(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Copy(t.Context(), w, src, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// scaleFor lets files have more summaries than they would, or not, by their options.
func scaleFor(opt *store.Options) {
	if opt.SummaryFactor == 0 {
		opt.SummaryFactor = []int{1, 10, 1000}[(opt.SliceEvents+opt.Fanout+opt.LaneLocations)%3]
	}
}

// read opens a file: a small one with a cache that holds next to nothing, or one of the default size.
func read(t *testing.T, file []byte) *store.Reader {
	t.Helper()
	r := open(t, file)
	t.Cleanup(func() { r.Close() })
	return r
}

// open is read for who closes the reader: a test of very many files would keep all of them.
func open(t *testing.T, file []byte) *store.Reader {
	t.Helper()
	cache := int64(0)
	if len(file) < 30_000 {
		cache = int64(len(file)%3) * 5000
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{CacheBytes: cache})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Random traces come back whole, and every query has the naive answer.
func TestPropertyRandom(t *testing.T) {
	t.Parallel()
	options, windows := thrift.Of(1, 3), thrift.Of(8, 12) // of each seed, and of each file
	forSeeds(t, func(t *testing.T, seed uint64) {
		s := randomSubject(t, seed)
		forOptions(t, seed, len(s.events), options, func(t *testing.T, opt store.Options) {
			newChecker(t, s, write(t, s.open(), opt), opt).everything(windows)
		})
	})
}

// The file does not depend on the number of goroutines that made it.
func TestPropertyWorkers(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		open := func() trace.Source { return tracegen.Random(seed, tracegen.RandomKnobs(seed)) }
		forOptions(t, seed, 0, 1, func(t *testing.T, opt store.Options) {
			opt.Workers = 1
			one := write(t, open(), opt)
			several := [][]int{{2, 4}, {4, 2}}[seed%2]
			for _, opt.Workers = range several[:thrift.Of(1, 2)] {
				if many := write(t, open(), opt); !bytes.Equal(one, many) {
					t.Errorf("%d workers write another file than one: %d and %d bytes, first difference at %d",
						opt.Workers, len(many), len(one), firstDifference(one, many))
				}
			}
		})
	})
}

func firstDifference(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// Longer regular traces reach what the random ones are too small for: several epochs and levels, repeated shapes.
func TestPropertyRing(t *testing.T) {
	t.Parallel()
	s := newSubject(t, func() trace.Source { return tracegen.Ring(6, 200, 5) })
	for _, opt := range []store.Options{{}, {SliceEvents: 512, Fanout: 4, EpochSlices: 8, LaneLocations: 4}, {SliceEvents: 50, Fanout: 2, EpochSlices: 3, LaneLocations: 2}} {
		t.Run(optionsName(opt), func(t *testing.T) {
			newChecker(t, s, write(t, s.open(), opt), opt).everything(thrift.Of(3, 12))
		})
	}
}

// Instants may hold many times more events than a slice, on several locations.
func TestPropertyInstant(t *testing.T) {
	t.Parallel()
	k := tracegen.RandomKnobs(0)
	k.Processes, k.Threads, k.Length, k.Regions = 4, 2, 20, 5
	k.Burst, k.Messages, k.Any, k.Recursion, k.Repeat = 3000, 4000, 0.1, 20, 4
	s := newSubject(t, func() trace.Source { return tracegen.Random(3, k) })
	for _, opt := range []store.Options{{SliceEvents: 300, LaneLocations: 2, Fanout: 4}, {SliceEvents: 2000, EpochSlices: 2, Fanout: 2}, {}} {
		t.Run(optionsName(opt), func(t *testing.T) {
			newChecker(t, s, write(t, s.open(), opt), opt).everything(12)
		})
	}
}

// A reader may be asked from several goroutines at once.
func TestPropertyConcurrentReading(t *testing.T) {
	s := newSubject(t, func() trace.Source { return tracegen.Ring(5, 60, 8) })
	opt := store.Options{SliceEvents: 200, LaneLocations: 2, Fanout: 3, EpochSlices: 6}
	shared := newChecker(t, s, write(t, s.open(), opt), opt)
	for i := range uint64(4) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			own := *shared
			own.T, own.rand = t, rand.New(rand.NewPCG(i, 0))
			for range 10 {
				own.window(own.randomWindow())
			}
			own.stacks()
			own.wholeTrace()
		})
	}
}
