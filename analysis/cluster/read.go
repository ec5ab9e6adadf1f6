package cluster

import (
	"context"
	"errors"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Side is what is clustered of a trace: the locations of a window.
type Side struct {
	Name   string // of the file, if there are several
	Reader *store.Reader
	Window *store.Window
}

// found is a location with what its calls have.
type found struct {
	side     int
	location uint64
	traits   traits
	counts   []uint64 // by name
	text     content.Hash
}

// reading is a side on the way through its structure.
type reading struct {
	Side
	defs     *trace.Definitions
	names    *calltree.Events
	know     *knowledge
	budget   *budget
	progress *counter
	before   int64 // events of other sides
	places   map[uint64]*place
	lanes    map[uint32]*lane
	peers    *calltree.Peers // if groups are by messages
	points   map[*shape.View][]content.Hash
}

// read returns the locations of a side that have calls, and the ids of those that have none, in the order of definition.
func read(ctx context.Context, number int, s Side, b *budget, progress *counter) (all []found, empty []uint64, err error) {
	s.Window = s.Window.WithContext(ctx)
	defs, err := s.Reader.WithContext(ctx).Definitions()
	if err != nil {
		return nil, nil, err
	}
	g := &reading{Side: s, defs: defs, names: b.know.forest.Events(defs, nil), know: b.know, budget: b, progress: progress, before: progress.done}
	if b.know.by == Messages {
		g.peers = calltree.NewPeers(defs)
	}
	err = g.follow()
	if errors.Is(err, calltree.ErrPeersVary) {
		err = g.followEvents()
	}
	if err != nil {
		return nil, nil, err
	}
	return g.end(number)
}

// begin enters the calls that are open when the window begins.
func (g *reading) begin() error {
	g.places, g.lanes = map[uint64]*place{}, map[uint32]*lane{}
	g.points = map[*shape.View][]content.Hash{}
	calls, err := g.Window.OpenCalls()
	if err != nil {
		return err
	}
	for i := range calls {
		e := g.names.OfCall(&calls[i])
		g.place(calls[i].Location).enter(g.know, e.Key, e.Name)
	}
	return nil
}

// follow follows the structure of the window.
func (g *reading) follow() error {
	if err := g.begin(); err != nil {
		return err
	}
	err := calltree.Follow(g.Reader, g.Window, g.structure, g.events)
	for _, l := range g.lanes {
		l.drop()
	}
	return err
}

func (g *reading) place(location uint64) *place {
	p := g.places[location]
	if p == nil {
		p = newPlace()
		g.places[location] = p
	}
	return p
}

// spend counts the memory that a place has come to take.
func (g *reading) spend(p *place) {
	n := p.memory()
	g.budget.used += n - p.spent
	p.spent = n
}

// lane is a lane on the way through slices.
type lane struct {
	shapes *shapes
	// seen are the locations of the last slice, most of which are those of the next.
	seen   []located
	recent recent
}

type located struct {
	location uint64
	place    *place
}

// drop gives back what is known of shapes.
func (l *lane) drop() {
	if l.shapes != nil {
		l.shapes.drop()
		l.shapes = nil
	}
}

// place returns the place of the location of the i-th run in a slice.
func (l *lane) place(g *reading, i int, location uint64) *place {
	if i < len(l.seen) && l.seen[i].location == location {
		return l.seen[i].place
	}
	p := g.place(location)
	l.seen = append(l.seen[:min(i, len(l.seen))], located{location, p})
	return p
}

// structure follows the tokens of a lane in a slice.
func (g *reading) structure(s *store.LaneStructure) error {
	l := g.lanes[s.Lane]
	if l == nil {
		l = &lane{}
		g.lanes[s.Lane] = l
	}
	if err := g.view(l, s.Shapes); err != nil {
		return err
	}
	for i := range s.Runs {
		r := &s.Runs[i]
		p := l.place(g, i, r.Location)
		if err := l.recent.follow(l.shapes, p, r.Tokens); err != nil {
			return err
		}
		g.spend(p)
		g.progress.done += int64(r.Events)
	}
	l.recent.forget()
	g.progress.add(0)
	return g.budget.check(0)
}

// view makes a lane ready for the shapes of a view.
func (g *reading) view(l *lane, v *shape.View) error {
	if l.shapes != nil && l.shapes.view == v {
		return nil
	}
	l.drop()
	points, err := g.pointsOf(v)
	if err == nil {
		l.shapes, err = newShapes(g.names, v, points, g.know, g.budget)
	}
	return err
}

// events follows the events of a run in a slice that the window cuts.
func (g *reading) events(run *store.TimeRun) error {
	points, err := g.pointsOf(run.Shapes)
	if err != nil {
		return err
	}
	p, events := g.place(run.Location), g.names.Of(run.Shapes)
	for _, leaf := range run.Leaves {
		e := events[leaf]
		if points != nil && points[leaf].N > 0 {
			p.text = p.text.Then(points[leaf])
		}
		if err := g.event(p, e); err != nil {
			return err
		}
	}
	g.spend(p)
	g.progress.add(uint64(len(run.Leaves)))
	return nil
}

// event follows an enter or a leave.
func (g *reading) event(p *place, e calltree.Event) (err error) {
	switch e.Class {
	case calltree.Enter:
		p.enter(g.know, e.Key, e.Name)
	case calltree.Leave:
		_, err = p.leave(g.budget, e.Key)
	}
	if err != nil {
		return err
	}
	return g.budget.step(p)
}

// end closes the calls of all locations.
func (g *reading) end(number int) (all []found, empty []uint64, err error) {
	ids, err := g.Reader.LocationIDs()
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		p := g.places[id]
		if p == nil {
			continue
		}
		if err := p.end(g.budget); err != nil {
			return nil, nil, err
		}
		f := found{number, id, p.open[0].inside, p.counts, p.text}
		if f.traits.pairs == 0 {
			empty = append(empty, id)
			continue
		}
		all = append(all, f)
	}
	err = g.budget.check(0)
	for _, p := range g.places { // they are done with
		g.budget.used -= p.spent
	}
	return all, empty, err
}

// counter adds up progress.
type counter struct {
	report trace.Progress
	done   int64
}

func (c *counter) add(events uint64) {
	c.done += int64(events)
	c.report.Report(c.done, 0)
}

// atLeast reports progress up to a number of events, unless there was more before.
func (c *counter) atLeast(events int64) {
	if events > c.done {
		c.add(uint64(events - c.done))
	}
}
