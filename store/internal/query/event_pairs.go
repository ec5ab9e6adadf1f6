package query

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Pairs yields the pairs of a family that have a part in the window, in order of the opening event: by time, location and ordinal. Those that
// began before the window are found without reading what lies before its first slice.
func (w *Window) Pairs(family trace.PairFamily) iter.Seq2[trace.EventPair, error] {
	return func(yield func(trace.EventPair, error) bool) {
		q, err := w.pairQuery(family)
		if err != nil {
			yield(trace.EventPair{}, err)
			return
		}
		all := Sweep(w, q.lanes, read.Needs{Events: true, Pairs: true}, q.postings, func(s Span) ([]trace.EventPair, error) { return q.slice(s.Slice, s.First) })
		for found, err := range all {
			if err != nil {
				yield(trace.EventPair{}, err)
				return
			}
			for i := range found {
				if !yield(found[i], nil) {
					return
				}
			}
		}
	}
}

// OpenPairs returns the pairs of a family that begin before the window and end at its begin or later, in order of location and ordinal of the opening
// event.
func (w *Window) OpenPairs(family trace.PairFamily) (open []trace.EventPair, err error) {
	before := w.Within(w.From, w.From+1)
	for p, err := range before.Pairs(family) {
		if err != nil {
			return nil, err
		}
		if p.Open.Time < w.From {
			open = append(open, p)
		}
	}
	slices.SortFunc(open, func(a, b trace.EventPair) int {
		return cmp.Or(cmp.Compare(w.Reader.KnownIndex(a.Open.Location), w.Reader.KnownIndex(b.Open.Location)), cmp.Compare(a.Open.Ordinal, b.Open.Ordinal))
	})
	return open, nil
}

// pairQuery asks for pairs of a family.
type pairQuery struct {
	w        *Window
	family   trace.PairFamily
	lanes    []uint32
	roles    *pairing.Roles
	postings index.Query
	process  func(location uint32) pairing.ProcessID
	last     uint64 // the last slice of the trace
}

func (w *Window) pairQuery(family trace.PairFamily) (*pairQuery, error) {
	r := w.Reader
	lanes, err := w.Lanes()
	if err != nil {
		return nil, err
	}
	q := &pairQuery{w: w, family: family, lanes: lanes, roles: pairing.NewRoles(r.Meta().Table(), family)}
	if family.Scope() == trace.TraceScope {
		q.lanes = r.AllLanes()
	}
	if err := r.NeedLocations(); err != nil {
		return nil, err
	}
	d, err := r.View(read.Links)
	if err != nil {
		return nil, err
	}
	q.process = func(l uint32) pairing.ProcessID { return pairing.ProcessOf(d, r.LocationID(l)) }
	var kinds []index.Posting
	for _, k := range q.roles.Kinds() {
		kinds = append(kinds, index.Posting{What: index.PostingKind, ID: uint64(k)})
	}
	q.postings = index.Query{kinds}
	if n := r.Root().Slices; n > 0 {
		q.last = n - 1
	}
	return q, nil
}

// slice returns the pairs of the window that begin in a slice, in order; with open those too that go on when it begins.
func (q *pairQuery) slice(number uint64, open bool) (found []trace.EventPair, err error) {
	items, err := q.w.Reader.SpanningPairs(number, q.lanes)
	if err != nil {
		return nil, err
	}
	closed := map[place]bool{} // by items that began before
	begun := map[place]bool{}  // by items that end later
	for i := range items {
		p := &items[i]
		if p.Communicator != uint64(q.family) {
			continue
		}
		if p.Receive.Slice == number {
			closed[placeOf(&p.Receive)] = true
		}
		if p.Send.Slice == number {
			begun[placeOf(&p.Send)] = true
		}
		if p.Send.Slice == number || open && p.Send.Slice < number {
			found = q.add(found, p)
		}
	}
	events, err := q.events(number)
	if err != nil {
		return nil, err
	}
	follow := pairing.OpenPairs{Process: q.process}
	for i := range events {
		e := &events[i]
		if at := placeOf(&e.End); e.Closes && closed[at] || !e.Closes && begun[at] {
			continue
		}
		if from, ok := follow.Add(e); ok {
			p := pairing.Item(q.family, from, e.End)
			found = q.add(found, &p)
		}
	}
	if number == q.last {
		found = q.left(found, &follow)
	}
	slices.SortFunc(found, func(a, b trace.EventPair) int {
		return cmp.Or(cmp.Compare(a.Open.Time, b.Open.Time), cmp.Compare(q.w.Reader.KnownIndex(a.Open.Location), q.w.Reader.KnownIndex(b.Open.Location)),
			cmp.Compare(a.Open.Ordinal, b.Open.Ordinal))
	})
	return found, nil
}

// left adds what the last slice opens and nothing closes.
func (q *pairQuery) left(found []trace.EventPair, follow *pairing.OpenPairs) []trace.EventPair {
	left := follow.Left()
	for i := range left {
		left[i].Receive.Time = q.w.Reader.Info().Last
		found = q.add(found, &left[i])
	}
	return found
}

// place is that of an event.
type place struct {
	location uint32
	ordinal  uint64
}

func placeOf(e *index.End) place { return place{e.Location, e.Ordinal} }

// add adds a pair if it is one of the window.
func (q *pairQuery) add(found []trace.EventPair, p *index.Message) []trace.EventPair {
	w := q.w
	if w.Locations != nil && !w.Locations[p.Send.Location] && !w.Locations[p.Receive.Location] {
		return found
	}
	pair := trace.EventPair{Family: q.family, Open: q.end(&p.Send), Close: q.end(&p.Receive)}
	if pair.IsOpen() {
		pair.Close.Ordinal = 0
	}
	if !pair.Overlaps(w.From, w.To) {
		return found
	}
	return append(found, pair)
}

func (q *pairQuery) end(e *index.End) trace.PairEnd {
	return trace.PairEnd{Location: q.w.Reader.LocationID(e.Location), Ordinal: e.Ordinal, Time: e.Time, Kind: trace.Kind(e.Length)}
}

// events returns the events of a slice that open or close pairs of the family, in the order in which they are paired.
func (q *pairQuery) events(number uint64) (events []pairing.RoleEvent, err error) {
	lanes, err := q.w.Reader.Busy(number, q.lanes)
	if err != nil {
		return nil, err
	}
	for _, lane := range lanes {
		if events, err = q.laneEvents(events, number, lane); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(events, func(a, b pairing.RoleEvent) int { return a.Compare(&b) })
	return events, nil
}

func (q *pairQuery) laneEvents(events []pairing.RoleEvent, number uint64, lane uint32) ([]pairing.RoleEvent, error) {
	r := q.w.Reader
	ref, _, err := r.Ref(number, read.SliceKey(number, lane))
	if err != nil {
		return nil, err
	}
	e, free, err := r.Borrow(number, lane, ref)
	if err != nil {
		return nil, err
	}
	defer free()
	info, at := e.Dictionary.Info(), 0
	for i := range e.Runs {
		run := &e.Runs[i]
		for j, leaf := range e.Leaves[at : at+run.Events] {
			roles := q.roles.Of(info[leaf].Kind)
			if roles == nil {
				continue
			}
			b, err := e.Batch(i)
			if err != nil {
				return nil, r.InSlice(err, number, lane)
			}
			for k := range roles {
				end := index.End{Location: run.Location, Ordinal: run.First + uint64(j), Slice: number, Time: e.Times[at+j]}
				events = append(events, pairing.NewRoleEvent(&roles[k], info[leaf].Kind, b.Fields(j), end))
			}
		}
		at += run.Events
	}
	return events, nil
}
