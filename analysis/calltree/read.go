package calltree

import (
	"cmp"
	"context"
	"errors"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// ReadOptions are options of [Forest.Read]. The zero value means the defaults.
type ReadOptions struct {
	// Events are those of the window's trace in the forest, nil for the usual ones.
	Events *Events
	// Memory bounds the memory of the forest, in bytes, with what it had before. 0 means 256 MiB. A window with more is a [MemoryError].
	Memory int64
	// Levels is the number of levels of calls that are added, 0 for all: calls further in are as if they were not there.
	Levels int
	// Progress counts events.
	Progress trace.Progress
}

// Location is a location with its calls.
type Location struct {
	ID   uint64
	Root Node
	// Open is the number of calls around the window's begin: outermost, they come first.
	Open int
}

// Read adds the calls of a window, and returns the locations that have some, in the order of definition. Calls that the window cuts, and
// those that are never left, are calls as others are; a leave without a call is none. Of the window's filters, only that of locations
// counts. Values are decoded only in slices that the window cuts. The work ends with the context.
func (f *Forest) Read(ctx context.Context, r *store.Reader, w *store.Window, opt ReadOptions) ([]Location, error) {
	w = w.WithContext(ctx)
	defs, err := r.WithContext(ctx).Definitions()
	if err != nil {
		return nil, err
	}
	g := &reading{
		extent: newExtent(r, w), forest: f, progress: opt.Progress, names: cmp.Or(opt.Events, f.Events(defs, nil)),
		budget: &budget{ctx: ctx, forest: f, memory: cmp.Or(opt.Memory, memory.Usual)}, levels: allLevels,
	}
	if opt.Levels > 0 {
		g.levels = int32(min(opt.Levels, allLevels))
	}
	open, err := g.read()
	if errors.Is(err, ErrPeersVary) {
		open, err = g.read()
	}
	if err != nil {
		return nil, err
	}
	ids, err := r.LocationIDs()
	if err != nil {
		return nil, err
	}
	var all []Location
	for _, id := range ids {
		if p := g.places[id]; p != nil {
			root := p.root(f)
			if f.Size(root) > 1 {
				all = append(all, Location{id, root, open[id]})
			}
		}
	}
	return all, nil
}

// reading is a window whose calls are added to a forest.
type reading struct {
	extent
	forest   *Forest
	names    *Events
	budget   *budget
	places   map[uint64]*rising
	lanes    map[uint32]*growth
	levels   int32
	progress trace.Progress
	done     int64
}

// read follows the window, and returns how many calls each location has open at its begin. An error that is ErrPeersVary is no more where the
// method is called once more: then the fields of events are read.
func (g *reading) read() (open map[uint64]int, err error) {
	g.places, g.lanes, g.budget.kept, g.done = map[uint64]*rising{}, map[uint32]*growth{}, 0, 0
	if open, err = g.begin(); err != nil {
		return nil, err
	}
	if !g.names.steps.vary {
		return open, g.follow(g.structure, g.times)
	}
	for run, err := range g.names.Runs(g.window) {
		if err != nil {
			return nil, err
		}
		if err := g.events(run); err != nil {
			return nil, err
		}
	}
	return open, nil
}

func (g *reading) place(location uint64) *rising {
	p := g.places[location]
	if p == nil {
		p = newRising(g.levels)
		g.places[location] = p
	}
	return p
}

// begin enters the calls that are open when the window begins, and returns how many each location has.
func (g *reading) begin() (map[uint64]int, error) {
	calls, err := g.window.OpenCalls()
	if err != nil {
		return nil, err
	}
	open := map[uint64]int{}
	for i := range calls {
		e := g.names.OfCall(&calls[i])
		g.place(calls[i].Location).enter(e.Key, e.Name)
		open[calls[i].Location]++
	}
	return open, nil
}

// structure follows the tokens of a lane in a slice.
func (g *reading) structure(s *store.LaneStructure) error {
	lane := g.lanes[s.Lane]
	if lane == nil || lane.view != shapes(s.Shapes) {
		if lane != nil {
			lane.drop()
		}
		lane = newGrowth(newGraph(g.names.steps, s.Shapes), g.forest, g.names.name, g.budget)
		if g.lanes[s.Lane] = lane; g.names.steps.vary {
			return ErrPeersVary
		}
	}
	for i := range s.Runs {
		r := &s.Runs[i]
		if err := lane.follow(g.place(r.Location), r.Tokens); err != nil {
			return err
		}
		g.advance(int64(r.Events))
	}
	return nil
}

// times follows the events of a run in a slice that the window cuts.
func (g *reading) times(t *store.TimeRun) error {
	r, err := g.names.run(t)
	if err != nil {
		return err
	}
	return g.events(&r)
}

// events follows the events of a run.
func (g *reading) events(run *EventRun) error {
	p := g.place(run.Location)
	for _, leaf := range run.Leaves {
		switch e := &run.Events[leaf]; e.Class {
		case Enter:
			p.enter(e.Key, e.Name)
		case Instant:
			p.instant(g.forest, e.Name, 1)
		case Leave:
			p.leave(g.forest, e.Key)
		}
		if err := g.budget.step(p); err != nil {
			return err
		}
	}
	g.advance(int64(len(run.Leaves)))
	return nil
}

func (g *reading) advance(events int64) {
	g.done += events
	g.progress.Report(g.done, 0)
}
