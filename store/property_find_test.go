package store_test

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// drain returns all that an iteration yields.
func drain[T any](c *checker, all iter.Seq2[T, error]) (list []T) {
	c.Helper()
	for v, err := range all {
		if err != nil {
			c.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// navigation compares what is found by going from call to call and from event to event.
func (c *checker) navigation(w model.Window) {
	c.Helper()
	var want []trace.Call
	for _, call := range w.Calls(c.calls) {
		if call.Start >= w.From {
			want = append(want, call)
		}
	}
	place := func(x *trace.Call) (int64, uint64, uint64) { return x.Start, x.Location, x.Ordinal }
	begun := drain(c, c.ask(w).CallsByStart())
	inOrder(c, "calls begun", begun, place)
	same(c.T, "calls begun", want, begun, equals)
	begun = drain(c, c.ask(w).CallsByStartBackward())
	slices.Reverse(begun)
	inOrder(c, "calls begun, backward", begun, place)
	same(c.T, "calls begun, backward", want, begun, equals)
	c.eventsBackward(w)
	c.longest(w)
}

func (c *checker) eventsBackward(w model.Window) {
	c.Helper()
	want := w.Events(c.subject.events)
	got := c.copied(c.ask(w).EventsBackward(), len(want))
	slices.Reverse(got)
	inOrder(c, "events, backward", got, func(x *model.Event) (int64, uint64, uint64) { return x.Time, x.Location, x.Ordinal })
	same(c.T, "events, backward", want, got, equalEvents)
}

func (c *checker) longest(w model.Window) {
	c.Helper()
	want := slices.Clone(w.Calls(c.calls))
	slices.SortFunc(want, func(a, b trace.Call) int {
		return cmp.Or(cmp.Compare(b.Duration(), a.Duration()), cmp.Compare(a.Start, b.Start),
			cmp.Compare(c.index(a.Location), c.index(b.Location)), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	n := c.rand.IntN(9)
	got, err := c.ask(w).LongestCalls(n)
	if err != nil {
		c.Fatal(err)
	}
	same(c.T, "longest calls", want[:min(n, len(want))], got, equals)
}

// channels checks that the ends of messages that have no partner stand in the file channel by channel, and those of a channel in the order in
// which they count.
func (c *checker) channels() {
	c.Helper()
	order := map[model.EventID]int{}
	for _, ends := range [][]model.EventID{c.matching.UnmatchedSends, c.matching.UnmatchedReceives} {
		for i, e := range ends {
			order[e] = i
		}
	}
	ends, err := c.reader.Unmatched()
	if err != nil {
		c.Fatal(err)
	}
	if len(ends) != len(order) {
		c.Errorf("%d ends without a partner, not %d", len(ends), len(order))
	}
	ids, err := c.reader.LocationIDs()
	if err != nil {
		c.Fatal(err)
	}
	place := func(i int) int {
		return order[model.EventID{Location: ids[ends[i].Location], Ordinal: ends[i].Ordinal}]
	}
	for i := 1; i < len(ends); i++ {
		a, b := &ends[i-1], &ends[i]
		switch d := a.Side.Compare(&b.Side); {
		case d > 0:
			c.Errorf("channel %+v comes before %+v", a.Side, b.Side)
		case d == 0 && !a.PeerUnknown && place(i-1) >= place(i):
			c.Errorf("end %+v comes before %+v", *a, *b)
		}
	}
}

// unmatched compares the ends of messages that have no partner.
func (c *checker) unmatched(w model.Window) {
	c.Helper()
	var want, got []model.EventID
	for _, ends := range [][]model.EventID{c.matching.UnmatchedSends, c.matching.UnmatchedReceives} {
		for _, e := range ends {
			if t := c.times[e]; w.From <= t && t < w.To && (w.Locations == nil || slices.Contains(w.Locations, e.Location)) {
				want = append(want, e)
			}
		}
	}
	slices.SortFunc(want, func(a, b model.EventID) int {
		return cmp.Or(cmp.Compare(c.index(a.Location), c.index(b.Location)), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	for e, err := range c.ask(w).UnmatchedMessageEnds() {
		if err != nil {
			c.Fatal(err)
		}
		got = append(got, model.EventID{Location: e.Batch.Location, Ordinal: e.Ordinal})
		if k := e.Batch.Kinds[e.Index]; k < trace.KindMpiSend || k > trace.KindMpiIrecv {
			c.Errorf("an end of kind %v", k)
		}
	}
	same(c.T, "unmatched ends", want, got, equals)
}
