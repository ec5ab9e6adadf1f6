package write

import (
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/write/match"
	"github.com/pandotrace/pando/store/internal/write/sums"
	"github.com/pandotrace/pando/trace"
)

// closeSlice makes a slice out of the first take[i] pending events of each location. They are taken apart behind the writer's
// back, while more events are appended: settle waits for that, and comes before whatever needs what it finds out.
func (w *Writer) closeSlice(start, end int64, take []int) error {
	if err := w.structured(); err != nil {
		return err
	}
	w.layOutLanes()
	if err := w.seal(start); err != nil {
		return err
	}
	if w.sliceCount%w.division.Fanout == 0 {
		w.nodeStart = start
	}
	if w.group == nil {
		w.group = w.newGroup()
	}
	s := &sliceData{number: w.sliceCount, start: start, end: end, lanes: make([]*laneSlice, len(w.lanes))}
	s.ends = match.Slice{Number: s.number, Blocks: make([]*match.Block, len(w.lanes))}
	w.sliceCount++
	w.sliceEnd = end
	w.group.slices = append(w.group.slices, s)
	w.openBins(end)
	w.giveAway(s, take)
	w.givenEvents = int(s.events)
	w.batches.keep(max(w.pendingEvents+w.givenEvents, wasteEvents))
	w.structuring = make(chan error, 1)
	go func() { w.structuring <- w.structure(s) }()
	return nil
}

// giveAway gives the first take[i] pending events of each location to a slice.
func (w *Writer) giveAway(s *sliceData, take []int) {
	for i, l := range w.locations {
		if n := take[i]; n > 0 || l.HasGaps() {
			w.lanes[l.Lane].given.add(l, n)
			w.pendingEvents -= n
			s.events += uint64(n)
		}
	}
	w.busy = 0
	for _, l := range w.lanes {
		w.busy += pairing.B2i(l.given.events > 0)
	}
}

// structured waits until the slice that was closed last is taken apart.
func (w *Writer) structured() error {
	if w.structuring == nil {
		return nil
	}
	err := <-w.structuring
	w.structuring = nil
	return err
}

// Settle waits until the slice that was closed last is taken apart, and its messages are matched.
func (w *Writer) Settle() error { return errors.Join(w.structured(), w.Matcher.Wait()) }

// structure takes what each location gave away apart, lanes beside each other. The matcher follows, lane by lane: few lanes may be
// ahead of it, so that few have the ends of their messages in memory.
func (w *Writer) structure(s *sliceData) error {
	q := w.Matcher.Start(&s.ends)
	var g errgroup.Group
	g.SetLimit(w.options.Workers)
	for i, l := range w.lanes {
		if i >= 2*w.options.Workers {
			q.Next()
		}
		g.Go(func() error {
			ends, err := w.structureLane(l, s)
			q.Give(i, ends)
			return err
		})
	}
	err := g.Wait()
	q.Begin()
	return err
}

// structureLane takes a lane's events of a slice apart into tokens and values, and adds them to the fingerprint meanwhile. Then their
// batches are filled again, while they are in the processor's cache.
func (w *Writer) structureLane(l *lane, s *sliceData) (ends match.LaneEnds, err error) {
	if len(l.given.runs) == 0 {
		return match.LaneEnds{}, nil
	}
	hashed := l.hash()
	if n := l.given.events; n > 0 {
		ls := w.newLaneSlice(l, s, n)
		s.lanes[l.number], s.ends.Blocks[l.number] = ls, &ls.Block
	}
	ends, err = w.buildLane(l, s)
	<-hashed
	l.given.drop(&w.batches)
	return ends, err
}

// hash adds the events that the lane's locations gave away to the fingerprint. The channel is closed when that is done.
func (l *lane) hash() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range l.given.stretches {
			s := &l.given.stretches[i]
			l.fingerprint.Add(s.batch, int(s.from), int(s.to))
		}
	}()
	return done
}

// buildLane takes the events of a lane's locations apart.
func (w *Writer) buildLane(l *lane, s *sliceData) (match.LaneEnds, error) {
	ls := s.lanes[l.number]
	ends := w.Matcher.NewLaneEnds(len(l.given.runs), l.ends)
	if ls != nil {
		w.Matcher.Open(&ls.Block, l.ends)
	}
	if err := l.given.each(func(run *givenRun, events []stretch) error {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		loc := run.location
		if len(events) > 0 {
			b := runBuilder{w: w, lane: l, location: loc, stack: loc.stack(), slice: s, out: ls, ends: &ends}
			if err := b.build(events); err != nil {
				return fmt.Errorf("store: location %d: %w", loc.ID, err)
			}
		}
		if run.last && loc.open != nil && len(loc.open.calls) == 0 {
			loc.open = nil
		}
		ends.EndRun(&loc.Location, loc.Events, s.end)
		return nil
	}); err != nil {
		return match.LaneEnds{}, err
	}
	if ls == nil {
		return ends, nil
	}
	if sums.MayOverflow(s.start, s.end, uint64(ls.events)) {
		l.nodes.Totals(w.tree, 1).Bad[tables.Calls] = true
	}
	ls.values = ls.draft.ValueCount()
	l.events, l.values, l.ends = ls.events, ls.values, w.Matcher.Fill(&ls.Block)
	return ends, w.stow(ls)
}

// memberKey is a location, and a communicator that it may be a member of.
type memberKey struct {
	location     uint32
	communicator uint64
}

// runBuilder takes one location's part of a slice apart.
type runBuilder struct {
	w        *Writer
	lane     *lane
	location *Location
	stack    *callStack // of the location
	slice    *sliceData
	out      *laneSlice
	ends     *match.LaneEnds
	learned  uint64       // the communicator that the latest rank was learned for, plus one
	number   uint16       // of the event before, see shape.LeafInfo
	batch    *trace.Batch // the one at hand
	leaves   []uint32     // numbers of those of the events of its stretch, which begins at index from
	from     int
	begun    uint64 // the ordinal of the stretch's first event
}

// build takes the events of the run apart.
func (r *runBuilder) build(events []stretch) error {
	l := r.location
	r.lane.folder.Reset(r.lane.dictionary)
	r.lane.totals.Begin(r.lane.dictionary, r.stack.regions)
	r.lane.bins.Location()
	r.stack.outside = len(r.stack.calls)
	r.out.draft.BeginRun()
	r.begun = l.Events
	for i := range events {
		if err := r.stretch(&events[i]); err != nil {
			return err
		}
	}
	r.finish(events)
	if n := l.depth; n > uint64(layout.MaxDepth) {
		return layout.Overf("%d calls contain each other: no reader takes more than %d", n, layout.MaxDepth)
	}
	return nil
}

// stretch takes the events of a stretch apart.
func (r *runBuilder) stretch(s *stretch) error {
	r.batch, r.from, r.leaves = s.batch, int(s.from), r.out.draft.Events(s.times())
	if len(s.batch.Residuals) > 0 {
		r.out.draft.Residuals(s.batch.Residuals[s.from:s.to])
	}
	for i, to := int(s.from), int(s.to); i < to; {
		n, err := r.simple(i, to)
		if n == 0 && err == nil {
			n, err = 1, r.add(i)
		}
		if err != nil {
			return err
		}
		i += n
	}
	r.begun += uint64(s.len())
	return nil
}

// add takes event i of the batch apart.
func (r *runBuilder) add(i int) error {
	leaf, info, err := r.leaf(i)
	if err != nil {
		return err
	}
	r.event(leaf, info, i, r.batch.Times[i])
	return nil
}

// leaf returns the leaf of event i of the batch, and gives the draft what varies of it.
func (r *runBuilder) leaf(i int) (uint32, *shape.LeafInfo, error) {
	l, d := r.location, r.lane.dictionary
	p := r.batch
	if k := p.Kinds[i]; k >= trace.KindMpiSend && k <= trace.KindMpiIrecv || k >= trace.FirstPrivateKind {
		r.learnRank(k, p.Fields(i))
	}
	leaf, err := d.Event(l.Index, p.Kinds[i], p.Fields(i), p.AttrsOf(i))
	if err != nil {
		return 0, nil, err
	}
	number := d.LeafNumber(leaf)
	r.leaves[i-r.from] = number
	info := &d.Info()[number]
	if info.Layout > 0 {
		r.out.draft.Values(d.Slots(number), r.number, p, i)
	}
	r.number = info.Number
	return leaf, info, nil
}

// learnRank tells the lane's dictionary the location's rank in the communicator of a peer.
func (r *runBuilder) learnRank(k trace.Kind, words []uint64) {
	if spec := r.w.meta.Table().Spec(k); spec == nil || !spec.HasPeer() || len(words) < 2 {
		return
	}
	l, d, comm := r.location, r.lane.dictionary, words[1]
	if r.learned == comm+1 {
		return
	}
	r.learned = comm + 1
	if d.Rank(l.Index, comm) != nil {
		return
	}
	key := memberKey{l.Index, comm}
	own, ok := r.lane.ranks[key]
	if !ok {
		rank, size, member := r.w.Definitions.OwnRank(comm, l.ID)
		own = shape.OwnRank{Location: l.Index, Communicator: comm, Rank: rank, Size: size}
		if !member {
			own.Size = 0
		}
		r.lane.ranks[key] = own
	}
	if own.Size > 0 {
		d.AddRank(own)
	}
}

// event folds one event and follows the call stack.
func (r *runBuilder) event(leaf uint32, info *shape.LeafInfo, i int, t int64) {
	ordinal := r.begun + uint64(i-r.from)
	switch info.Class {
	case shape.Enter, shape.ContextEnter:
		r.lane.folder.Enter(leaf)
		l, s := r.location, r.stack
		s.credit(&r.lane.bins, t)
		region := r.lane.totals.Region(r.w.Definitions, r.leaves[i-r.from], info)
		s.calls = append(s.calls, openCall{
			key: info.Key, context: info.Class == shape.ContextEnter, start: t, ordinal: ordinal, slice: r.slice.number,
			Call: sums.Call{Region: region, Nested: r.lane.totals.Enter(region)},
		})
		l.calls++
		l.depth = max(l.depth, uint64(len(s.calls)))
	case shape.Leave, shape.ContextLeave:
		r.leave(leaf, info, t, ordinal)
	default:
		r.lane.folder.Point(leaf)
		if k := r.batch.Kinds[i]; match.IsPointToPoint(k) {
			r.endpoint(info.Class, i, t, ordinal)
		} else if layout.IsPoint(k) {
			r.point(k, t, r.batch.Fields(i))
		} else if roles := r.w.roles.Of(k); roles != nil {
			r.ends.AddPairs(roles, k, r.batch.Fields(i), index.End{Location: r.location.Index, Ordinal: ordinal, Slice: r.slice.number, Time: t})
		}
	}
}

// point adds up an event that is no call and no end of a message.
func (r *runBuilder) point(k trace.Kind, t int64, words []uint64) {
	r.lane.totals.Point(k, t, words)
	if k == trace.KindMpiCollectiveEnd {
		r.lane.joint.Add(r.location.ID, words)
	}
}

// endpoint gives an event of point-to-point communication to the matcher.
func (r *runBuilder) endpoint(class shape.Class, i int, t int64, ordinal uint64) {
	r.ends.Add(&r.out.Block, &r.location.Location, class, r.batch.Kinds[i], r.batch.Fields(i), t, ordinal)
}

// leave closes the nearest open call of the leave's region; calls further in end with it.
func (r *runBuilder) leave(leaf uint32, info *shape.LeafInfo, t int64, ordinal uint64) {
	s := r.stack
	context := info.Class == shape.ContextLeave
	at := len(s.calls) - 1
	for at >= 0 && (s.calls[at].key != info.Key || s.calls[at].context != context) {
		at--
	}
	if at < 0 {
		r.lane.orphans++
		r.lane.folder.Point(leaf)
		return
	}
	if at >= s.outside {
		r.lane.folder.Leave(leaf, len(s.calls)-1-at)
	} else {
		r.lane.folder.LeaveOutside(leaf)
	}
	for top := len(s.calls) - 1; top >= at; top-- {
		flags := trace.CallFlags(0)
		if top > at {
			flags = trace.CallCut
			r.lane.cut++
		}
		r.closeTop(t, ordinal, flags)
	}
	s.outside = min(s.outside, len(s.calls))
}

// closeTop ends the innermost open call. One that began in an earlier slice becomes an item of the tree.
func (r *runBuilder) closeTop(t int64, ordinal uint64, flags trace.CallFlags) {
	s := r.stack
	s.credit(&r.lane.bins, t)
	c := &s.calls[len(s.calls)-1]
	s.calls = s.calls[:len(s.calls)-1]
	parent := s.leave(t - c.start)
	r.lane.totals.Close(c.Region)
	if c.slice == r.slice.number {
		r.lane.totals.Leave(&c.Call, uint64(t-c.start), parent)
		return
	}
	i := c.item(r.location.Index, t, ordinal, r.slice.number, flags)
	r.lane.totals.Span(&r.lane.nodes, r.w.tree, &c.Call, &i, parent)
}

func (c *openCall) item(location uint32, end int64, ordinal, slice uint64, flags trace.CallFlags) index.Call {
	return index.Call{
		Location: location, Key: c.key, Context: c.context, Flags: flags,
		Start: c.start, End: end, Exclusive: end - c.start - c.childTicks, Children: c.children,
		Ordinal: c.ordinal, EndOrdinal: ordinal, StartSlice: c.slice, EndSlice: slice,
	}
}

// finish completes the run: its tokens, and the totals of its location.
func (r *runBuilder) finish(events []stretch) {
	l := r.location
	tokens := r.lane.folder.Tokens()
	r.lane.usage.Add(r.lane.dictionary, tokens)
	if h := r.lane.hashes; h != nil {
		h.Add(l.Index, uint32(r.slice.number%r.w.division.Fanout), tokens)
	}
	r.out.draft.EndRun(slice.Run{
		Location: l.Index, ID: l.idIfNew(), First: l.Events, Events: int(r.begun - l.Events), Tokens: tokens,
	})
	if l.Events == 0 {
		l.first = events[0].first
	}
	l.last = events[len(events)-1].last
	l.Events = r.begun
	r.stack.regions = r.lane.totals.End(l.Index, r.slice.number, r.lane.nodes.Totals(r.w.tree, 1), r.stack.regions)
}

// closeOpenCalls turns the calls that are open when the trace ends into items of the tree.
func (w *Writer) closeOpenCalls() {
	if w.sliceCount == 0 {
		return
	}
	last := w.sliceCount - 1
	for _, l := range w.locations {
		if l.open == nil {
			continue
		}
		calls := l.open.calls
		for top := len(calls) - 1; top >= 0; top-- {
			c := &calls[top]
			i := c.item(l.Index, w.latest, l.Events, last, trace.CallOpen)
			w.totals.OpenCalls++
			var parent *sums.Call
			if top > 0 {
				around := &calls[top-1]
				around.children++
				around.childTicks += w.latest - c.start
				parent = &around.Call
			}
			lane := w.lanes[l.Lane]
			lane.totals.Span(&lane.nodes, w.tree, &c.Call, &i, parent)
		}
	}
}
