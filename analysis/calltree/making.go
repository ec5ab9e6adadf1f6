package calltree

import (
	"maps"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// making is a profile that is being made.
type making struct {
	extent
	memory   int64 // in all
	left     int64 // for places
	steps    *steps
	tree     *tree
	places   map[uint64]*place
	progress trace.Progress
	done     int64 // events
}

// place returns that of a location.
func (m *making) place(location uint64) *place {
	p := m.places[location]
	if p == nil {
		p = &place{last: m.from}
		p.grow(root)
		m.places[location] = p
	}
	return p
}

// begin finds the calls that are open when the window begins.
func (m *making) begin() error {
	open, err := m.window.OpenCalls()
	if err != nil {
		return err
	}
	for i := range open {
		c := &open[i]
		p := m.place(c.Location)
		s := m.steps.ofCall(c)
		child, full := m.tree.child(p.node, s.name)
		if full {
			return &MemoryError{m.memory}
		}
		p.stack = append(p.stack, frame{p.node, s.key, 1})
		if p.node = child; c.Overlaps(m.from, m.to) {
			p.add(child, s.calls)
		}
		p.add(child, 0)
		if err := m.spend(p); err != nil {
			return err
		}
	}
	return nil
}

// spend counts the memory that a place has come to take.
func (m *making) spend(p *place) error {
	m.left -= p.memory() - p.spent
	if p.spent = p.memory(); m.left < 0 {
		return &MemoryError{m.memory}
	}
	return nil
}

// advance counts events that are done.
func (m *making) advance(events uint64) {
	m.done += int64(events)
	m.progress.Report(m.done, 0)
}

// followTimes follows the events of the window with their times.
func (m *making) followTimes() error {
	for run, err := range m.window.Times() {
		if err != nil {
			return err
		}
		if err := m.run(run); err != nil {
			return err
		}
	}
	return nil
}

func (m *making) run(run *store.TimeRun) error {
	p := m.place(run.Location)
	if !p.clocked(m.tree, m.steps.leaves(run.Shapes), run) {
		return &MemoryError{m.memory}
	}
	m.advance(uint64(len(run.Times)))
	return m.spend(p)
}

// end counts the time up to the window's end, which is that of the trace at most.
func (m *making) end() {
	for _, p := range m.places {
		p.until(min(m.to, m.info.Last))
	}
}

// followStructure follows the structure of the slices that lie in the window, and the events of those that it cuts.
func (m *making) followStructure() error {
	lanes := map[uint32]*evaluation{}
	err := m.follow(func(s *store.LaneStructure) error { return m.structure(lanes, s) }, m.run)
	if err != nil {
		return err
	}
	for _, e := range lanes {
		if err := m.count(e); err != nil {
			return err
		}
	}
	return nil
}

// structure follows the tokens of a lane in a slice.
func (m *making) structure(lanes map[uint32]*evaluation, s *store.LaneStructure) error {
	e := lanes[s.Lane]
	if e == nil || e.view != shapes(s.Shapes) {
		if e != nil {
			if err := m.count(e); err != nil {
				return err
			}
		}
		e = newEvaluation(m.tree, newGraph(m.steps, s.Shapes))
		lanes[s.Lane] = e
	}
	for i := range s.Runs {
		r := &s.Runs[i]
		p := m.place(r.Location)
		if e.follow(p, r.Tokens); e.full {
			return &MemoryError{m.memory}
		}
		m.advance(r.Events)
		if err := m.spend(p); err != nil {
			return err
		}
	}
	return nil
}

// count counts the calls of all shapes that were gathered.
func (m *making) count(e *evaluation) error {
	gathered := slices.Collect(maps.Keys(e.roots))
	if !e.count() {
		return &MemoryError{m.memory}
	}
	for _, p := range gathered {
		if err := m.spend(p); err != nil {
			return err
		}
	}
	return nil
}
