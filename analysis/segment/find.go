package segment

import (
	"cmp"
	"context"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options of [Find]. The zero value means the defaults.
type Options struct {
	// Region is the name of the region whose calls are the segments, Group that of the first call of a group. If both are empty, the candidate
	// that covers most is taken.
	Region, Group string
	// AnyGroup takes the group that covers most.
	AnyGroup bool
	// Finer is the number of steps down the chain, see [Analysis.Chain].
	Finer int
	// Memory bounds the memory, in bytes. 0 means [memory.Usual]. Segments that would take more become one with their neighbours.
	Memory int64
	// Progress counts events.
	Progress trace.Progress
}

// Analysis is the segments of a window.
type Analysis struct {
	// Candidates are what the window can be cut into, the one that covers most first.
	Candidates []Candidate
	// Chain are places of candidates: the one that was asked for, or covers most, and then each the one that covers most inside of the one before.
	Chain []int
	// Chosen is the candidate that the chain was followed to, as a place in Candidates; Level has its segments.
	Chosen int
	Level  Level
	// Resolution is the number of ticks per second.
	Resolution uint64
	// Waits says that the window has calls that synchronise. Without them, SOS times are durations.
	Waits bool

	reader *store.Reader
	window *store.Window
	defs   *trace.Definitions
	within []Level // candidates inside of the chosen one, as far as there was room for them
}

// Level is the segments of a candidate.
type Level struct {
	// Candidate is a place in [Analysis.Candidates].
	Candidate int
	// Stride is the number of neighbouring segments that are one entry of a line: 1, or more where they would take too much memory.
	Stride int64
	// Lines are the locations with segments, in the order of definition.
	Lines []Line
}

// Line is the segments of a location. Entry i is number First+i; equal numbers belong together on all locations.
type Line struct {
	Place trace.Place
	First int64
	// Starts are the begins of segments, Durations their lengths, Own their SOS times, in ticks.
	Starts, Durations, Own []int64
}

// At returns the entry of a number; ok is false if the line has none.
func (l *Line) At(number int64) (entry int, ok bool) {
	i := number - l.First
	return int(i), i >= 0 && i < int64(len(l.Starts))
}

// segmentBytes is the memory of a segment.
const segmentBytes = 24

// Find cuts a window into segments. Of the window's filters, only that of locations counts. A window without candidates, or without the one
// that the options name, is a [NoneError]; one with too many different calls is a [calltree.MemoryError]. The work ends with the context.
func Find(ctx context.Context, r *store.Reader, w *store.Window, opt Options) (*Analysis, error) {
	r, w = r.WithContext(ctx), w.WithContext(ctx)
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	f := &finding{ctx: ctx, opt: opt, reader: r, window: w, defs: defs, memory: cmp.Or(opt.Memory, memory.Usual)}
	if err := f.read(); err != nil {
		return nil, err
	}
	recorded, err := f.follow(f.eager())
	if err != nil {
		return nil, err
	}
	a := &Analysis{Resolution: r.Meta().Resolution, Candidates: f.candidates, Waits: f.waits, reader: r, window: w, defs: defs}
	if err := f.choose(a); err != nil {
		return nil, err
	}
	chosen := &a.Candidates[a.Chosen]
	of := func(c *record) bool { return c.want == want{chosen.name, chosen.group} }
	whole := func(c *record) bool { return of(c) && (c.stride == 1 || chosen.Segments > uint64(f.room())) }
	if !slices.ContainsFunc(recorded, whole) {
		if recorded, err = f.follow([]want{{chosen.name, chosen.group}}); err != nil {
			return nil, err
		}
	}
	inside := f.structure.inside(chosen)
	for _, r := range recorded {
		switch at := slices.IndexFunc(a.Candidates, func(c Candidate) bool { return r.want == want{c.name, c.group} }); {
		case at < 0:
		case of(r):
			a.Level, err = f.level(at, r)
		case f.structure.lies(&a.Candidates[at], chosen, inside):
			var inner Level
			inner, err = f.level(at, r)
			a.within = append(a.within, inner)
		}
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// finding is an analysis that is being made.
type finding struct {
	ctx        context.Context
	opt        Options
	reader     *store.Reader
	window     *store.Window
	defs       *trace.Definitions
	memory     int64
	structure  structure
	events     *calltree.Events
	candidates []Candidate
	waits      bool
	done       int64
}

// want is what is recorded: calls of a name, or the segments of a group that the name begins.
type want struct {
	name  calltree.Name
	group int // none for a region
}

// read reads the structure and finds out what may be recorded.
func (f *finding) read() error {
	forest := calltree.NewForest()
	opt := calltree.ReadOptions{Memory: f.memory / 2, Progress: f.opt.Progress}
	locations, err := forest.Read(f.ctx, f.reader, f.window, opt)
	if err != nil {
		return err
	}
	f.structure = structure{forest, locations, groupsOf(forest, locations), map[uint64]calltree.Node{}}
	for _, l := range locations {
		f.structure.roots[l.ID] = l.Root
	}
	f.events = forest.Events(f.defs, nil)
	return nil
}
