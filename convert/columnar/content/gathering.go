package content

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/gather"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// collectiveEvent is the begin or the end of one rank's part in a collective operation.
type collectiveEvent struct {
	at      *table.Place
	kind    trace.Kind
	time    int64
	ordinal uint64
	words   [6]uint64 // of an end: operation, communicator, root, bytes sent, bytes received, request
}

func collectiveEvents(x *table.Catalog, p *store.Part) (list []collectiveEvent, err error) {
	err = p.Events(func(e trace.Event) { list = append(list, collectiveEventOf(x, &e)) })
	return list, err
}

func collectiveEventOf(x *table.Catalog, e *trace.Event) collectiveEvent {
	c := collectiveEvent{at: x.Place(e.Batch.Location), kind: e.Batch.Kinds[e.Index], time: e.Batch.Times[e.Index], ordinal: e.Ordinal}
	copy(c.words[:], e.Batch.Fields(e.Index))
	return c
}

// begins reports whether the event is a begin: of an operation that blocks, or the request of one that does not.
func (e *collectiveEvent) begins() bool {
	return e.kind == trace.KindMpiCollectiveBegin || e.kind == trace.KindNonBlockingCollectiveRequest
}

// blocks reports whether it belongs to an operation that blocks.
func (e *collectiveEvent) blocks() bool {
	return e.kind == trace.KindMpiCollectiveBegin || e.kind == trace.KindMpiCollectiveEnd
}

// key is what the begin and the end of a part have in common. A location has one part that blocks at a time.
func (e *collectiveEvent) key() partKey {
	switch {
	case e.blocks():
		return partKey{at: e.at, blocks: true}
	case e.begins():
		return partKey{at: e.at, request: e.words[0]}
	}
	return partKey{at: e.at, request: e.words[5]}
}

// partKey tells parts of operations apart that are under way at once.
type partKey struct {
	at      *table.Place
	request uint64
	blocks  bool
}

// maxWaiting bounds the parts of operations that wait for other ranks. Ranks are rarely far apart; if they are, the operations that
// have waited longest are given up, and stand in the table as not complete.
const maxWaiting = 1 << 20

// series is what operations are counted in.
type series struct {
	communicator uint64
	blocks       bool
}

func (e *collectiveEvent) series() series {
	return series{communicator: e.words[1], blocks: e.blocks()}
}

func (s series) compare(o series) int {
	if s.blocks != o.blocks {
		if s.blocks {
			return -1
		}
		return 1
	}
	return cmp.Compare(s.communicator, o.communicator)
}

// participant is what counts operations: a process, whichever of its threads calls.
type participant struct {
	process  int64
	location uint64 // of one without a process
	series   series
}

type operationID struct {
	series series
	number int64
}

// gathering puts parts of ranks together to operations. It is a flow of events into rows of type R.
type gathering[R any] struct {
	x       *table.Catalog
	window  *store.Window
	rows    func(*collective, []R) []R
	begins  map[partKey]collectiveEvent
	seen    map[partKey]bool      // what had an event before, or was looked for before the window
	bare    map[*table.Place]bool // locations that have no more requests before the window
	counts  map[participant]int64 // parts so far, those before the window included
	shifts  *gather.Shifts        // of numbers of operations, from counts
	members map[uint64]uint64     // by communicator: how many ranks may take part
	open    map[operationID]*collective
	waiting int // parts of open operations
}

func newGathering[R any](rows func(*collective, []R) []R) func(*table.Catalog, *store.Window) (table.Flow[collectiveEvent, R], error) {
	return func(x *table.Catalog, w *store.Window) (table.Flow[collectiveEvent, R], error) {
		g := &gathering[R]{
			x: x, window: w, rows: rows, begins: map[partKey]collectiveEvent{}, seen: map[partKey]bool{}, bare: map[*table.Place]bool{},
			counts: map[participant]int64{}, members: map[uint64]uint64{}, open: map[operationID]*collective{},
		}
		var err error
		if g.shifts, err = gather.ShiftsOf(x.Info, x.Definitions, w); err != nil {
			return nil, err
		}
		return g, g.countBefore()
	}
}

// countBefore counts the operations before the window, so that numbers are the same in every window. Totals do not tell those that do not
// block from others; they are counted one by one.
func (g *gathering[R]) countBefore() error {
	from, _ := g.window.Bounds()
	if from <= g.x.Info.First {
		return nil
	}
	w := g.window.Within(g.x.Info.First, from)
	before, err := w.Summary(store.SummaryCollectives)
	if err != nil {
		return err
	}
	for _, t := range before.Collectives {
		g.counts[participantOf(g.x.Place(t.Location), series{communicator: t.Communicator, blocks: true})] += int64(t.Count)
	}
	if !table.Occur(trace.KindNonBlockingCollectiveComplete)(g.x) {
		return nil
	}
	for b, err := range w.WithKinds(trace.KindNonBlockingCollectiveComplete).Events() {
		if err != nil {
			return err
		}
		e := collectiveEventOf(g.x, &b)
		g.counts[participantOf(e.at, e.series())]++
		g.counts[participantOf(e.at, series{communicator: e.words[1], blocks: true})]--
	}
	return nil
}

func participantOf(p *table.Place, s series) participant {
	if p.InProcess {
		return participant{process: p.Process, series: s}
	}
	return participant{process: -1, location: p.ID, series: s}
}

func (g *gathering[R]) Take(events []collectiveEvent, rows []R) ([]R, error) {
	for i := range events {
		e := &events[i]
		if e.begins() {
			g.beginPart(e)
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
	s := e.series()
	p.rank, _, p.member = g.x.Definitions.OwnRank(s.communicator, e.at.ID)
	id := operationID{s, g.number(&p, s)}
	c := g.open[id]
	if c == nil {
		c = &collective{series: s, number: id.number, size: g.size(s.communicator)}
		g.open[id] = c
	}
	c.add(&p)
	g.waiting++
	return c, nil
}

// number returns the number of the operation that a part belongs to.
func (g *gathering[R]) number(p *collectivePart, s series) int64 {
	who := participantOf(p.at, s)
	count := g.counts[who]
	g.counts[who]++
	if !p.member {
		return count
	}
	return int64(g.shifts.Of(s.communicator, p.rank, s.blocks).Number(uint64(count)))
}

// beginPart keeps a begin until its end comes. Of too many that never end, all are forgotten.
func (g *gathering[R]) beginPart(e *collectiveEvent) {
	if len(g.begins) > maxWaiting {
		clear(g.begins)
	}
	g.begins[e.key()] = *e
	if e.blocks() {
		g.seen[e.key()] = true
	}
}

// begin returns the begin that an end belongs to: the latest one on its location, of its request. That of the first end in a window may
// lie before the window.
func (g *gathering[R]) begin(e *collectiveEvent) (begin collectiveEvent, ok bool, err error) {
	k := e.key()
	begin, ok = g.begins[k]
	delete(g.begins, k)
	from, _ := g.window.Bounds()
	if ok || g.seen[k] || g.bare[e.at] && !k.blocks || from <= g.x.Info.First {
		return begin, ok, nil
	}
	g.seen[k] = true
	before := g.window.Within(g.x.Info.First, from).WithLocations(e.at.ID)
	if k.blocks {
		before = before.WithKinds(trace.KindMpiCollectiveBegin, trace.KindMpiCollectiveEnd)
	} else {
		before = before.WithKinds(trace.KindNonBlockingCollectiveRequest, trace.KindNonBlockingCollectiveComplete)
	}
	return g.lookBack(k, before)
}

// lookBack looks for a begin among the events before the window, latest first. When it has seen them all, or very many, it knows all begins
// of the location that have no end there.
func (g *gathering[R]) lookBack(k partKey, before *store.Window) (begin collectiveEvent, ok bool, err error) {
	begins, seen := map[partKey]collectiveEvent{}, map[partKey]bool{}
	for b, err := range before.EventsBackward() {
		if err != nil {
			return begin, false, err
		}
		e := collectiveEventOf(g.x, &b)
		if e.key() == k {
			return e, e.begins(), nil
		}
		if e.begins() && !seen[e.key()] {
			begins[e.key()] = e
		}
		if seen[e.key()] = true; len(seen) > maxWaiting {
			break
		}
	}
	for other, b := range begins {
		if _, ok := g.begins[other]; !ok && !g.seen[other] {
			g.begins[other] = b
		}
	}
	g.bare[k.at] = !k.blocks
	return begin, false, nil
}

// size returns how many ranks a communicator has; 0 if that is not known.
func (g *gathering[R]) size(communicator uint64) uint64 {
	if n, ok := g.members[communicator]; ok {
		return n
	}
	var size uint64
	for i := range g.x.Places {
		if _, n, ok := g.x.Definitions.OwnRank(communicator, g.x.Places[i].ID); ok {
			size = n
			break
		}
	}
	g.members[communicator] = size
	return size
}

func (g *gathering[R]) finish(c *collective, rows []R) []R {
	delete(g.open, operationID{c.series, c.number})
	g.waiting -= len(c.parts)
	slices.SortStableFunc(c.parts, func(a, b collectivePart) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.at.ID, b.at.ID))
	})
	for _, same := range c.divide() {
		rows = g.rows(same, rows)
	}
	return rows
}

// giveUp finishes the n operations whose parts have waited longest.
func (g *gathering[R]) giveUp(rows []R, n int) []R {
	list := slices.SortedFunc(maps.Values(g.open), func(a, b *collective) int {
		return cmp.Or(cmp.Compare(a.parts[0].end, b.parts[0].end), a.series.compare(b.series), cmp.Compare(a.number, b.number))
	})
	for _, c := range list[:min(n, len(list))] {
		rows = g.finish(c, rows)
	}
	return rows
}

func (g *gathering[R]) End(rows []R) []R { return g.giveUp(rows, len(g.open)) }
