package write

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// closeSlice makes a slice out of the first take[i] pending events of each location. They are taken apart behind the writer's
// back, while more events are appended: settle waits for that, and comes before whatever needs what it finds out.
func (w *Writer) closeSlice(start, end int64, take []int) error {
	if err := w.structured(); err != nil {
		return err
	}
	w.layOutLanes()
	if w.group != nil && len(w.group.slices) == w.options.Fanout {
		if err := w.sealGroup(start); err != nil {
			return err
		}
	}
	if w.group == nil {
		w.group = w.newGroup()
	}
	s := &sliceData{number: w.sliceCount, start: start, end: end, lanes: make([]*laneSlice, len(w.lanes))}
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
	busy := make([]bool, len(w.lanes))
	w.busy = 0
	for i, l := range w.locations {
		l.Pending.take(take[i])
		w.pendingEvents -= take[i]
		s.events += uint64(take[i])
		if take[i] > 0 && !busy[l.lane] {
			busy[l.lane] = true
			w.busy++
		}
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
func (w *Writer) Settle() error { return errors.Join(w.structured(), w.Matcher.wait()) }

// structure takes what each location gave away apart, lanes beside each other. The matcher follows, lane by lane: few lanes may be
// ahead of it, so that few have the ends of their messages in memory.
func (w *Writer) structure(s *sliceData) error {
	q := w.Matcher.start(s)
	var g errgroup.Group
	g.SetLimit(w.options.Workers)
	for i, l := range w.lanes {
		if i >= 2*w.options.Workers {
			<-q.matched
		}
		g.Go(func() error {
			ends, err := w.structureLane(l, s)
			q.lanes[i] <- ends
			return err
		})
	}
	err := g.Wait()
	q.begin()
	return err
}

// structureLane takes a lane's events of a slice apart into tokens and values, and adds them to the fingerprint meanwhile. Then their
// batches are filled again, while they are in the processor's cache.
func (w *Writer) structureLane(l *lane, s *sliceData) (ends laneEnds, err error) {
	n := l.taken()
	if n > 0 {
		hashed := l.hash()
		s.lanes[l.number] = w.newLaneSlice(l, s, n)
		ends, err = w.buildLane(l, s)
		<-hashed
		l.drop(&w.batches)
	} else if l.torn() {
		ends, err = w.buildLane(l, s)
	}
	return ends, err
}

// taken returns how many events the lane's locations gave away.
func (l *lane) taken() (n int) {
	for _, loc := range l.locations {
		n += loc.Pending.taken()
	}
	return n
}

// torn reports whether a location has tears that the matcher has not seen.
func (l *lane) torn() bool {
	return slices.ContainsFunc(l.locations, func(loc *Location) bool { return len(loc.tears) > 0 })
}

// hash adds the events that the lane's locations gave away to the fingerprint. The channel is closed when that is done.
func (l *lane) hash() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, loc := range l.locations {
			for i := range loc.Pending.given {
				s := &loc.Pending.given[i]
				l.fingerprint.Add(s.batch, s.from, s.to())
			}
		}
	}()
	return done
}

// buildLane takes the events of a lane's locations apart.
func (w *Writer) buildLane(l *lane, s *sliceData) (laneEnds, error) {
	ls := s.lanes[l.number]
	ends := laneEnds{lane: l, upTo: make([]int, len(l.locations))}
	ends.events = cache.EmptyList(&w.Matcher.events, l.ends)
	if ls != nil {
		ls.ends = cache.EmptyList(&w.Matcher.ends, l.ends)
	}
	for i, loc := range l.locations {
		from := len(ends.events)
		if len(loc.Pending.given) > 0 {
			b := runBuilder{w: w, lane: l, location: loc, slice: s, out: ls, ends: &ends}
			if err := b.build(); err != nil {
				return laneEnds{}, fmt.Errorf("store: location %d: %w", loc.Id, err)
			}
		}
		ends.events = loc.placeTears(ends.events, from, s.end)
		ends.upTo[i] = len(ends.events)
	}
	if ls == nil {
		return ends, nil
	}
	if mayOverflow(s.start, s.end, uint64(ls.events)) {
		l.nodes.totals(w.tree, 1).bad[index.Calls] = true
	}
	ls.values = ls.draft.ValueCount()
	l.events, l.values, l.ends = ls.events, ls.values, len(ls.ends)
	scratch := ls.ends
	ls.ends = slices.Clone(scratch) // which takes what it needs: there are very many until their slices are sealed
	w.Matcher.ends.Put(scratch[:0])
	return ends, w.stow(ls)
}

// runBuilder takes one location's part of a slice apart.
type runBuilder struct {
	w        *Writer
	lane     *lane
	location *Location
	slice    *sliceData
	out      *laneSlice
	ends     *laneEnds
	learned  uint64       // the communicator that the latest rank was learned for, plus one
	number   uint16       // of the event before, see encode.LeafInfo
	batch    *trace.Batch // the one at hand
	leaves   []uint32     // numbers of those of the events of its stretch, which begins at index from
	from     int
	begun    uint64 // the ordinal of the stretch's first event
}

func (r *runBuilder) build() error {
	l := r.location
	r.lane.folder.Reset(r.lane.dictionary)
	r.lane.totals.begin(r.lane.dictionary, l.open)
	r.lane.bins.begin()
	l.outside = len(l.stack)
	r.out.draft.BeginRun()
	r.begun = l.Events
	for i := range l.Pending.given {
		if err := r.stretch(&l.Pending.given[i]); err != nil {
			return err
		}
	}
	r.finish()
	if n := l.info.MaxDepth; n > uint64(layout.MaxDepth) {
		return fmt.Errorf("%d calls contain each other: no reader takes more than %d", n, layout.MaxDepth)
	}
	return nil
}

// stretch takes the events of a stretch apart.
func (r *runBuilder) stretch(s *stretch) error {
	r.batch, r.from, r.leaves = s.batch, s.from, r.out.draft.Events(s.times)
	if len(s.batch.Residuals) > 0 {
		r.out.draft.Residuals(s.batch.Residuals[s.from:s.to()])
	}
	for i, to := s.from, s.to(); i < to; {
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
func (r *runBuilder) leaf(i int) (uint32, *encode.LeafInfo, error) {
	l, d := r.location, r.lane.dictionary
	p := r.batch
	if k := p.Kinds[i]; k >= trace.KindMpiSend && k <= trace.KindMpiIrecv {
		r.learnRank(k, p.Fields(i))
	}
	leaf, err := d.Event(l.Index, p.Kinds[i], p.Fields(i), p.AttrsOf(i))
	if err != nil {
		return 0, nil, err
	}
	number := d.LeafNumber(leaf)
	r.leaves[i-r.from] = number
	info := &d.Info()[number]
	if info.Slots > 0 {
		r.out.draft.Values(d.Slots(number), r.number, p, i)
	}
	r.number = info.Number
	return leaf, info, nil
}

// learnRank tells the lane's dictionary the location's rank in the communicator of a send or receive.
func (r *runBuilder) learnRank(k trace.Kind, words []uint64) {
	if k != trace.KindMpiSend && k != trace.KindMpiIsend && k != trace.KindMpiRecv && k != trace.KindMpiIrecv {
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
	own, ok := l.ranks[comm]
	if !ok {
		rank, size, member := r.w.Definitions.OwnRank(comm, l.Id)
		own = encode.OwnRank{Location: l.Index, Communicator: comm, Rank: rank, Size: size}
		if !member {
			own.Size = 0
		}
		if l.ranks == nil {
			l.ranks = map[uint64]encode.OwnRank{}
		}
		l.ranks[comm] = own
	}
	if own.Size > 0 {
		d.AddRank(own)
	}
}

// event folds one event and follows the call stack.
func (r *runBuilder) event(leaf uint32, info *encode.LeafInfo, i int, t int64) {
	ordinal := r.begun + uint64(i-r.from)
	switch info.Class {
	case encode.Enter, encode.ContextEnter:
		r.lane.folder.Enter(leaf)
		l := r.location
		r.lane.bins.credit(l, t)
		region := r.lane.totals.region(r.w, r.leaves[i-r.from], info)
		l.stack = append(l.stack, openCall{
			key: info.Key, context: info.Class == encode.ContextEnter, start: t, ordinal: ordinal, slice: r.slice.number,
			region: region, nested: r.lane.totals.enter(region),
		})
		l.info.Calls++
		l.info.MaxDepth = max(l.info.MaxDepth, uint64(len(l.stack)))
	case encode.Leave, encode.ContextLeave:
		r.leave(leaf, info, t, ordinal)
	default:
		r.lane.folder.Point(leaf)
		if k := r.batch.Kinds[i]; isPointToPoint(k) {
			r.endpoint(info.Class, i, t, ordinal)
		} else if layout.IsPoint(k) {
			r.lane.totals.Point(k, t, r.batch.Fields(i))
		}
	}
}

// leave closes the nearest open call of the leave's region; calls further in end with it.
func (r *runBuilder) leave(leaf uint32, info *encode.LeafInfo, t int64, ordinal uint64) {
	l := r.location
	context := info.Class == encode.ContextLeave
	at := len(l.stack) - 1
	for at >= 0 && (l.stack[at].key != info.Key || l.stack[at].context != context) {
		at--
	}
	if at < 0 {
		r.lane.orphans++
		r.lane.folder.Point(leaf)
		return
	}
	if at >= l.outside {
		r.lane.folder.Leave(leaf, len(l.stack)-1-at)
	} else {
		r.lane.folder.LeaveOutside(leaf)
	}
	for top := len(l.stack) - 1; top >= at; top-- {
		flags := trace.CallFlags(0)
		if top > at {
			flags = trace.CallCut
			r.lane.cut++
		}
		r.closeTop(t, ordinal, flags)
	}
	l.outside = min(l.outside, len(l.stack))
}

// closeTop ends the innermost open call. One that began in an earlier slice becomes an item of the tree.
func (r *runBuilder) closeTop(t int64, ordinal uint64, flags trace.CallFlags) {
	l := r.location
	r.lane.bins.credit(l, t)
	c := &l.stack[len(l.stack)-1]
	l.stack = l.stack[:len(l.stack)-1]
	parent := l.leave(t - c.start)
	r.lane.totals.closed(c.region)
	if c.slice == r.slice.number {
		r.lane.totals.leave(c, uint64(t-c.start), parent)
		return
	}
	i := c.item(l.Index, t, ordinal, r.slice.number, flags)
	r.lane.addSpan(r.w.tree, c, &i, parent)
}

func (c *openCall) item(location uint32, end int64, ordinal, slice uint64, flags trace.CallFlags) index.Call {
	return index.Call{
		Location: location, Key: c.key, Context: c.context, Flags: flags,
		Start: c.start, End: end, Exclusive: end - c.start - c.childTicks, Children: c.children,
		Ordinal: c.ordinal, EndOrdinal: ordinal, StartSlice: c.slice, EndSlice: slice,
	}
}

// finish completes the run: its tokens, and the totals of its location.
func (r *runBuilder) finish() {
	l := r.location
	tokens := r.lane.folder.Tokens()
	r.lane.usage.Add(r.lane.dictionary, tokens)
	given := l.Pending.given
	r.out.draft.EndRun(encode.Run{
		Location: l.Index, ID: l.idIfNew(), First: l.Events, Events: int(r.begun - l.Events), Tokens: tokens,
	})
	if l.Events == 0 {
		l.info.First = given[0].first
	}
	l.info.Last = given[len(given)-1].last
	l.Events = r.begun
	l.info.Events = l.Events
	l.open = r.lane.totals.end(l.Index, r.slice.number, r.lane.nodes.totals(r.w.tree, 1), l.open)
}

// closeOpenCalls turns the calls that are open when the trace ends into items of the tree.
func (w *Writer) closeOpenCalls() {
	if w.sliceCount == 0 {
		return
	}
	last := w.sliceCount - 1
	for _, l := range w.locations {
		for top := len(l.stack) - 1; top >= 0; top-- {
			c := &l.stack[top]
			i := c.item(l.Index, w.latest, l.Events, last, trace.CallOpen)
			w.totals.OpenCalls++
			var parent *openCall
			if top > 0 {
				parent = &l.stack[top-1]
				parent.children++
				parent.childTicks += w.latest - c.start
			}
			w.lanes[l.lane].addSpan(w.tree, c, &i, parent)
		}
	}
}
