package verify

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/stacks"
	"github.com/pandotrace/pando/trace"
)

// Deep does what Verify does, and holds what the file says of its events against them: totals, postings, calls, and messages.
// (Verify itself holds summaries and bins against them.) It keeps the calls that are open and the ends without a partner in memory. Where very many
// requests are under way, it fails if some are cancelled, and does not count those that are never completed.
func Deep(r *read.File, progress trace.Progress) (*Report, error) {
	r = r.Along()
	report, err := Check(r, progress)
	if err != nil || len(report.Problems) > 0 {
		return report, err // what does not even fit together need not be held against anything
	}
	v := &deepVerifier{verifier: verifier{r: r, report: report, told: map[string]bool{}}, kinds: make([]uint64, 1<<16)}
	if err := v.prepare(); err != nil {
		return report, v.damage(-1, err)
	}
	for _, step := range []func() error{v.slices, v.finish, v.calls, v.messages, v.pairs, v.hashes, v.records} {
		if err := v.damage(-1, step()); err != nil {
			return report, err
		}
	}
	return report, v.damage(-1, v.compare())
}

// deepVerifier adds up what the events say, by a second and simpler way than the one that wrote the file. Calls and ends of messages are
// compared by sums of hashes, which do not depend on their order.
type deepVerifier struct {
	verifier
	definitions *trace.Definitions
	locations   []deepLocation
	info        index.Info // as the events have it
	kinds       []uint64
	called      digest           // calls, as they follow from the events
	told        digest           // calls, as the file tells them
	ends        digest           // ends of messages among the events, but those without a partner
	matched     digest           // ends of messages, as the file tells them
	postings    []index.Postings // of the pages about the same slices
	part        int              // among these: the page of the lane at hand
	requests    requestCount
	joint       pairing.Sequences
	spans       pairSums
}

// deepLocation is a location on the way through its events.
type deepLocation struct {
	index.LocationTotals
	ID        uint64
	stack     []trace.Call
	ticks     []int64             // by open call: those of its children
	requests  map[uint64]request  // those under way, by their numbers
	unmatched []pairing.Unmatched // those that were not met
}

// digest is a number of things, and the sum of their hashes.
type digest struct{ count, sum uint64 }

func (d *digest) add(words ...uint64) uint64 {
	h := uint64(len(words))
	for _, w := range words {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 29
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 32
	}
	d.count++
	d.sum += h
	return h
}

func (d *digest) addCall(c *trace.Call) {
	d.add(c.Location, c.Region, c.Context, uint64(c.Start), uint64(c.End), uint64(c.Exclusive), c.Children, uint64(c.Depth), c.Ordinal, c.EndOrdinal, c.Parent, uint64(c.Flags))
}

// prepare reads the definitions and the ends without a partner.
func (v *deepVerifier) prepare() (err error) {
	if v.definitions, err = v.r.Definitions(); err != nil {
		return err
	}
	if err := v.specifications(); err != nil {
		return err
	}
	v.requests.cancels = v.r.Info().Has(trace.KindMpiRequestCancelled)
	ids, err := v.r.LocationIDs()
	if err != nil {
		return err
	}
	for _, id := range ids {
		v.locations = append(v.locations, deepLocation{ID: id, requests: map[uint64]request{}})
	}
	v.spans.prepare(v)
	return v.readUnmatched()
}

// readUnmatched reads the ends without a partner.
func (v *deepVerifier) readUnmatched() error {
	var last *pairing.Side
	for _, ref := range v.r.Listed(format.BlockUnmatched) {
		ends, err := query.Unmatched(v.r, ref)
		if err != nil {
			return err
		}
		if len(ends) > 0 {
			if last != nil && last.Compare(&ends[0].Side) > 0 {
				v.problem(int64(ref.Offset), format.Corruptf("unmatched block", -1, "channel 0 comes before the last one of the block before"))
			}
			last = &ends[len(ends)-1].Side
		}
		for _, end := range ends {
			l := &v.locations[end.Location]
			l.unmatched = append(l.unmatched, end)
			if end.Send {
				v.info.UnmatchedSends++
			} else {
				v.info.UnmatchedReceives++
			}
		}
	}
	for i := range v.locations {
		slices.SortFunc(v.locations[i].unmatched, func(a, b pairing.Unmatched) int { return a.CompareEvents(&b) })
	}
	return nil
}

// slices goes through all events, page by page of the directory.
func (v *deepVerifier) slices() error {
	for i := range v.r.Root().Pages {
		pages, err := v.r.Parts(i)
		if err != nil {
			return err
		}
		page := pages[0]
		v.postings = make([]index.Postings, len(pages))
		for part, p := range pages {
			v.postings[part] = index.Postings{First: p.First, Lane: p.Lane}
		}
		for n := range page.Slices {
			number := page.First + uint64(n)
			before := v.info.Events
			for part, p := range pages {
				v.part = part
				for _, lane := range p.Lanes[read.LaneKey{Kind: format.BlockSlice, Number: number}] {
					if err := v.lane(number, lane); err != nil {
						return err
					}
				}
			}
			v.spans.follow()
			if got, want := v.info.Events-before, page.Slices[n].Events; got != want {
				v.problem(int64(v.r.Root().Pages[i].Ref.Offset), format.Corruptf("directory page", -1, "slice %d has %d events, not %d", number, got, want))
			}
		}
		for part, p := range pages {
			if err := v.checkPostings(p, &v.postings[part]); err != nil {
				return err
			}
			if err := v.toldPairs(p.Entries); err != nil {
				return err
			}
		}
	}
	return nil
}

// lane goes through a lane's events in a slice.
func (v *deepVerifier) lane(number uint64, lane uint32) error {
	ref, ok, err := v.r.Ref(number, read.SliceKey(number, lane))
	if err != nil || !ok {
		return err
	}
	e, err := v.r.Decode(number, lane, ref)
	if err != nil {
		return err
	}
	for i := range e.Runs {
		b, err := e.Batch(i)
		if err != nil {
			return format.At(err, v.r.Name(), int64(ref.Offset))
		}
		run := &e.Runs[i]
		l := &v.locations[run.Location]
		if run.First != l.Events || run.First == 0 && run.ID != l.ID {
			v.problem(int64(ref.Offset), format.Corruptf("slice block", -1, "location %d goes on with event %d of location %d after event %d", l.ID, run.First, run.ID, l.Events))
		}
		v.postings[v.part].Add(index.Posting{What: index.PostingLocation, ID: uint64(run.Location)}, number)
		v.spans.collect(run, b, number)
		for j := range b.Len() {
			v.event(l, b, j, number)
		}
		const usualDepth = 1 << 10
		if len(l.stack) == 0 && cap(l.stack) > usualDepth {
			l.stack, l.ticks = nil, nil
		}
		if v.requests.tooMany && v.requests.cancels {
			return fmt.Errorf("%s: more than %d requests are under way at once, and some are cancelled: which ones is not followed", v.r.Name(), MostRequests)
		}
	}
	return nil
}

// event follows one event of a location.
func (v *deepVerifier) event(l *deepLocation, b *trace.Batch, i int, slice uint64) {
	t, k := b.Times[i], b.Kinds[i]
	if l.Events == 0 {
		l.First = t
	}
	if v.info.Events == 0 {
		v.info.First, v.info.Last = t, t
	}
	v.info.First, v.info.Last = min(v.info.First, t), max(v.info.Last, t)
	l.Last = t
	v.kinds[k]++
	v.postings[v.part].Add(index.Posting{What: index.PostingKind, ID: uint64(k)}, slice)
	words := b.Fields(i)
	switch k {
	case trace.KindEnter:
		v.postings[v.part].Add(index.Posting{What: index.PostingRegion, ID: words[0]}, slice)
		l.enter(trace.Call{Region: words[0], Context: trace.Undefined, Start: t})
	case trace.KindCallingContextEnter:
		v.postings[v.part].Add(index.Posting{What: index.PostingContext, ID: words[0]}, slice)
		l.enter(trace.Call{Region: v.definitions.ContextRegion(words[0]), Context: words[0], Start: t})
	case trace.KindLeave, trace.KindCallingContextLeave:
		v.leave(l, k == trace.KindCallingContextLeave, words[0], t)
	case trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv:
		v.end(l, k, words, t, slice)
	case trace.KindMpiIrecvRequest:
		v.requests.begin(l, words[0], request{})
	case trace.KindMpiIsendComplete:
		v.requests.complete(l, words[0], true)
	case trace.KindMpiRequestCancelled:
		v.cancel(l, words[0])
	case trace.KindMpiCollectiveEnd:
		v.joint.Add(l.ID, words)
	}
	l.Events++
	v.info.Events++
}

func (l *deepLocation) enter(c trace.Call) {
	c.Location, c.Ordinal, c.Depth, c.Parent = l.ID, l.Events, len(l.stack), trace.Undefined
	if n := len(l.stack); n > 0 {
		c.Parent = l.stack[n-1].Ordinal
	}
	l.stack, l.ticks = append(l.stack, c), append(l.ticks, 0)
	l.Calls++
	l.MaxDepth = max(l.MaxDepth, uint64(len(l.stack)))
}

// leave closes the nearest open call that the event leaves, and those further in.
func (v *deepVerifier) leave(l *deepLocation, context bool, key uint64, t int64) {
	at := len(l.stack) - 1
	for ; at >= 0; at-- {
		c := &l.stack[at]
		if context && c.Context == key || !context && c.Context == trace.Undefined && c.Region == key {
			break
		}
	}
	if at < 0 {
		v.info.OrphanLeaves++
		return
	}
	for n := len(l.stack) - 1; n >= at; n-- {
		flags := trace.CallFlags(0)
		if n > at {
			flags = trace.CallCut
			v.info.CutCalls++
		}
		v.called.addCall(l.pop(t, l.Events, flags))
	}
}

// pop ends the innermost call.
func (l *deepLocation) pop(t int64, ordinal uint64, flags trace.CallFlags) *trace.Call {
	n := len(l.stack) - 1
	c := l.stack[n]
	c.End, c.EndOrdinal, c.Flags = t, ordinal, flags
	c.Exclusive = c.End - c.Start - l.ticks[n]
	l.stack, l.ticks = l.stack[:n], l.ticks[:n]
	if n > 0 {
		l.stack[n-1].Children++
		l.ticks[n-1] += c.End - c.Start
	}
	return &c
}

// end notes an end of a message, unless it has no partner.
func (v *deepVerifier) end(l *deepLocation, k trace.Kind, words []uint64, t int64, slice uint64) {
	h := uint64(0)
	send := k == trace.KindMpiSend || k == trace.KindMpiIsend
	if len(l.unmatched) > 0 && l.unmatched[0].Ordinal == l.Events {
		want := pairing.Unmatched{Side: v.sideOf(l, send, words), Location: l.unmatched[0].Location, Ordinal: l.Events, Slice: slice, Length: words[3]}
		if l.unmatched[0].PeerUnknown { // it was when it was written
			want.Peer, want.PeerUnknown = pairing.ProcessID{}, true
		}
		if l.unmatched[0] == want {
			l.unmatched = l.unmatched[1:]
		}
	} else {
		peer, _ := v.definitions.RankLocation(words[1], words[0], l.ID)
		h = v.ends.addEnd(send, l.ID, l.Events, t, words[1], words[2], words[3], pairing.ProcessOf(v.definitions, peer))
	}
	switch k {
	case trace.KindMpiIsend:
		v.requests.begin(l, words[4], request{send: true, hash: h})
	case trace.KindMpiIrecv:
		v.requests.complete(l, words[4], false)
	}
}

// sideOf returns the side of the channel that an end of a message is on.
func (v *deepVerifier) sideOf(l *deepLocation, send bool, words []uint64) pairing.Side {
	s := pairing.Side{Own: pairing.ProcessOf(v.definitions, l.ID), Send: send, Communicator: words[1], Tag: words[2]}
	peer, ok := v.definitions.RankLocation(words[1], words[0], l.ID)
	if s.PeerUnknown = !ok; ok {
		s.Peer = pairing.ProcessOf(v.definitions, peer)
	}
	return s
}

func (d *digest) addEnd(send bool, location, ordinal uint64, t int64, communicator, tag, length uint64, peer pairing.ProcessID) uint64 {
	return d.add(uint64(pairing.B2i(send)), location, ordinal, uint64(t), communicator, tag, length, peer.Id, uint64(pairing.B2i(peer.Location)))
}

// cancel takes back a send: it is no end.
func (v *deepVerifier) cancel(l *deepLocation, number uint64) {
	r, ok := l.requests[number]
	if !ok {
		return
	}
	v.requests.end(l, number)
	if !r.send {
		return
	}
	v.info.CancelledSends++
	if r.hash != 0 {
		v.ends.count--
		v.ends.sum -= r.hash
	}
}

// checkPostings compares the postings of a page with what its slices have.
func (v *deepVerifier) checkPostings(page *read.Page, counted *index.Postings) error {
	told, err := v.r.Postings(page)
	if err != nil || told == nil && counted.Len() == 0 {
		return err
	}
	got, err := counted.Append(nil)
	if err != nil {
		return err
	}
	var want []byte
	if told != nil {
		if want, err = told.Append(nil); err != nil {
			return err
		}
	}
	if !bytes.Equal(got, want) {
		ref := page.Refs[page.PostingsKey()]
		v.problem(int64(ref.Offset), format.Corruptf("postings block", -1, "the page of slice %d has other contents", page.First))
	}
	return nil
}

// finish ends the calls that are open.
func (v *deepVerifier) finish() error {
	for i := range v.locations {
		l := &v.locations[i]
		if len(l.unmatched) > 0 {
			v.problem(v.offsetOf(format.BlockUnmatched), format.Corruptf("unmatched block", -1, "event %d of location %d is no such end of a message", l.unmatched[0].Ordinal, l.ID))
		}
		for len(l.stack) > 0 {
			v.info.OpenCalls++
			v.called.addCall(l.pop(v.info.Last, l.Events, trace.CallOpen))
		}
		v.info.Calls += l.Calls
		v.joint.Saw(l.ID, l.Events)
	}
	return nil
}

// calls adds up what the file says of calls, lane by lane: their order does not matter.
func (v *deepVerifier) calls() error {
	w := v.everything()
	lanes := v.r.AllLanes()
	all := query.Sweep(w, lanes, read.Needs{Calls: true}, nil, func(s query.Span) (digest, error) { return sumCalls(v.r, s, lanes) })
	for d, err := range all {
		if err != nil {
			return err
		}
		v.told.count, v.told.sum = v.told.count+d.count, v.told.sum+d.sum
	}
	return nil
}

// sumCalls adds up the calls that begin in a slice, and in the first one those too that go on when it begins.
func sumCalls(r *read.File, s query.Span, lanes []uint32) (sum digest, err error) {
	if !s.First {
		if lanes, err = r.Busy(s.Slice, lanes); err != nil {
			return sum, err
		}
	}
	for _, lane := range lanes {
		calls, err := stacks.CallsOf(r, s.Slice, lane)
		if err != nil {
			return sum, err
		}
		for _, run := range calls.Runs {
			if run.Open && !s.First {
				continue
			}
			for i := run.From; i < run.To; i++ {
				call := calls.Call(i)
				sum.addCall(&call)
			}
		}
		stacks.Room.Put(calls)
	}
	return sum, nil
}

// messages adds up what the file says of messages. One that the file puts into another slice than that of its earlier end comes out of order.
func (v *deepVerifier) messages() error {
	latest := int64(math.MinInt64)
	for m, err := range v.everything().Messages() {
		if err != nil {
			return err
		}
		start, _ := m.Span()
		if start < latest {
			v.problem(v.offsetOf(format.BlockTotals), format.Corruptf("messages block", -1, "a message of %d comes behind one of %d", start, latest))
		}
		latest = start
		v.info.Messages++
		if sum := v.info.MessageBytes + m.SendLength; sum >= m.SendLength {
			v.info.MessageBytes = sum
		} else {
			v.info.MessageBytes = math.MaxUint64
		}
		v.info.SuspiciousMessages += uint64(pairing.B2i(m.ReceiveLength > m.SendLength))
		v.info.BackwardMessages += uint64(pairing.B2i(m.ReceiveTime < m.SendTime))
		from, to := pairing.ProcessOf(v.definitions, m.SendLocation), pairing.ProcessOf(v.definitions, m.ReceiveLocation)
		v.matched.addEnd(true, m.SendLocation, m.SendOrdinal, m.SendTime, m.Communicator, m.Tag, m.SendLength, to)
		v.matched.addEnd(false, m.ReceiveLocation, m.ReceiveOrdinal, m.ReceiveTime, m.Communicator, m.Tag, m.ReceiveLength, from)
	}
	return nil
}

// everything is a window that holds all there is.
func (v *deepVerifier) everything() *query.Window {
	return query.NewWindow(v.r, -layout.MaxTime, layout.MaxTime+1)
}
