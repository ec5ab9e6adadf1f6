package columnar

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// collectiveEvent is the begin or the end of one rank's part in a collective operation.
type collectiveEvent struct {
	at      *place
	time    int64
	ordinal uint64
	ends    bool
	words   [5]uint64 // of an end: operation, communicator, root, bytes sent, bytes received
}

func collectiveEvents(x *catalog, p *store.Part) (list []collectiveEvent, err error) {
	err = p.Events(func(e store.Event) {
		c := collectiveEvent{at: x.place(e.Batch.Location), time: e.Batch.Times[e.Index], ordinal: e.Ordinal}
		c.ends = e.Batch.Kinds[e.Index] == trace.KindMpiCollectiveEnd
		copy(c.words[:], e.Batch.Fields(e.Index))
		list = append(list, c)
	})
	return list, err
}

// maxWaiting bounds the parts of operations that wait for other ranks. Ranks are rarely far apart; if they are, the operations that
// have waited longest are given up, and stand in the table as not complete.
const maxWaiting = 1 << 20

// participant is what counts the operations of a communicator: a process, whichever of its threads calls.
type participant struct {
	process      int64
	location     uint64 // of one without a process
	communicator uint64
}

type operationID struct {
	communicator uint64
	number       int64
}

// gathering puts parts of ranks together to operations. It is a flow of events into rows of type R.
type gathering[R any] struct {
	x       *catalog
	window  *store.Window
	rows    func(*collective, []R) []R
	begins  map[*place]collectiveEvent
	seen    map[*place]bool       // locations with an event before
	counts  map[participant]int64 // operations so far, those before the window included
	members map[uint64]uint64     // by communicator: how many ranks may take part
	open    map[operationID]*collective
	waiting int // parts of open operations
}

func newGathering[R any](rows func(*collective, []R) []R) func(*catalog, *store.Window) (flow[collectiveEvent, R], error) {
	return func(x *catalog, w *store.Window) (flow[collectiveEvent, R], error) {
		g := &gathering[R]{
			x: x, window: w, rows: rows, begins: map[*place]collectiveEvent{}, seen: map[*place]bool{}, counts: map[participant]int64{},
			members: map[uint64]uint64{}, open: map[operationID]*collective{},
		}
		return g, g.countBefore()
	}
}

// countBefore counts the operations before the window, so that numbers are the same in every window.
func (g *gathering[R]) countBefore() error {
	from, _ := g.window.Bounds()
	if from <= g.x.info.First {
		return nil
	}
	before, err := g.window.Within(g.x.info.First, from).Summary(store.SummaryCollectives)
	if err != nil {
		return err
	}
	for _, t := range before.Collectives {
		g.counts[participantOf(g.x.place(t.Location), t.Communicator)] += int64(t.Count)
	}
	return nil
}

func participantOf(p *place, communicator uint64) participant {
	if p.inProcess {
		return participant{process: p.process, communicator: communicator}
	}
	return participant{process: -1, location: p.id, communicator: communicator}
}

func (g *gathering[R]) take(events []collectiveEvent, rows []R) ([]R, error) {
	for i := range events {
		e := &events[i]
		if !e.ends {
			g.begins[e.at], g.seen[e.at] = *e, true
			continue
		}
		c, err := g.part(e)
		if err != nil {
			return rows, err
		}
		if c.complete() {
			rows = g.finish(c, rows)
		}
		if g.waiting > maxWaiting {
			rows = g.giveUp(rows, len(g.open)/2+1)
		}
	}
	return rows, nil
}

// part adds a part to its operation.
func (g *gathering[R]) part(e *collectiveEvent) (*collective, error) {
	p := collectivePart{
		at: e.at, end: e.time, endEvent: e.ordinal, operation: e.words[0], root: e.words[2], sent: e.words[3], received: e.words[4],
	}
	begin, ok, err := g.begin(e)
	if err != nil {
		return nil, err
	}
	if ok {
		p.begin, p.beginEvent, p.begun = begin.time, begin.ordinal, true
	}
	communicator := e.words[1]
	p.rank, _, p.member = g.x.definitions.OwnRank(communicator, e.at.id)
	who := participantOf(e.at, communicator)
	id := operationID{communicator, g.counts[who]}
	g.counts[who]++
	c := g.open[id]
	if c == nil {
		c = &collective{communicator: communicator, number: id.number, size: g.size(communicator)}
		g.open[id] = c
	}
	c.add(&p)
	g.waiting++
	return c, nil
}

// begin returns the begin that an end belongs to: the latest one on its location. That of the first end in a window may lie before
// the window.
func (g *gathering[R]) begin(e *collectiveEvent) (begin collectiveEvent, ok bool, err error) {
	begin, ok = g.begins[e.at]
	delete(g.begins, e.at)
	from, _ := g.window.Bounds()
	if ok || g.seen[e.at] || from <= g.x.info.First {
		g.seen[e.at] = true
		return begin, ok, nil
	}
	g.seen[e.at] = true
	before := g.window.Within(g.x.info.First, from).WithLocations(e.at.id).WithKinds(collectiveKinds...)
	for b, err := range before.EventsBackward() {
		if err != nil {
			return begin, false, err
		}
		begin = collectiveEvent{time: b.Batch.Times[b.Index], ordinal: b.Ordinal}
		return begin, b.Batch.Kinds[b.Index] == trace.KindMpiCollectiveBegin, nil
	}
	return begin, false, nil
}

// size returns how many ranks a communicator has; 0 if that is not known.
func (g *gathering[R]) size(communicator uint64) uint64 {
	if n, ok := g.members[communicator]; ok {
		return n
	}
	var size uint64
	for i := range g.x.places {
		if _, n, ok := g.x.definitions.OwnRank(communicator, g.x.places[i].id); ok {
			size = n
			break
		}
	}
	g.members[communicator] = size
	return size
}

func (g *gathering[R]) finish(c *collective, rows []R) []R {
	delete(g.open, operationID{c.communicator, c.number})
	g.waiting -= len(c.parts)
	slices.SortStableFunc(c.parts, func(a, b collectivePart) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.at.id, b.at.id))
	})
	return g.rows(c, rows)
}

// giveUp finishes the n operations whose parts have waited longest.
func (g *gathering[R]) giveUp(rows []R, n int) []R {
	list := slices.SortedFunc(maps.Values(g.open), func(a, b *collective) int {
		return cmp.Or(cmp.Compare(a.parts[0].end, b.parts[0].end), cmp.Compare(a.communicator, b.communicator), cmp.Compare(a.number, b.number))
	})
	for _, c := range list[:min(n, len(list))] {
		rows = g.finish(c, rows)
	}
	return rows
}

func (g *gathering[R]) end(rows []R) []R { return g.giveUp(rows, len(g.open)) }
