package vectors

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// items is what follows from the events of a trace: calls in any order, messages, and ends without a partner in the order of locations
// and ordinals.
type items struct {
	calls     []trace.Call
	messages  []trace.Message
	unmatched []unmatched
	pairs     []trace.EventPair
}

// unmatched is an end without a partner.
type unmatched struct {
	model.EventID
	send bool
	time int64
}

// modelItems finds them the naive way.
func modelItems(m *model.Trace) items {
	matching := m.Match()
	all := items{calls: m.Calls(), messages: matching.Messages}
	for i, l := range m.Locations {
		for _, list := range [][]model.EventID{matching.UnmatchedSends, matching.UnmatchedReceives} {
			for _, id := range list {
				if id.Location != l.ID {
					continue
				}
				e := &m.Locations[i].Events[id.Ordinal]
				all.unmatched = append(all.unmatched, unmatched{id, isSend(e.Kind), e.Time})
			}
		}
	}
	for _, f := range trace.ItemizedFamilies() {
		all.pairs = append(all.pairs, m.Pairs(f)...)
	}
	place := map[uint64]int{}
	for i, l := range m.Locations {
		place[l.ID] = i
	}
	slices.SortFunc(all.unmatched, func(a, b unmatched) int {
		return cmp.Or(cmp.Compare(place[a.Location], place[b.Location]), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return all
}

func isSend(k trace.Kind) bool { return k == trace.KindMpiSend || k == trace.KindMpiIsend }

// readItems takes them from a file.
func readItems(r *store.Reader) (all items, err error) {
	w := r.All()
	if all.calls, err = collect(w.Calls()); err != nil {
		return all, err
	}
	if all.messages, err = collect(w.Messages()); err != nil {
		return all, err
	}
	for e, err := range w.UnmatchedMessageEnds() {
		if err != nil {
			return all, err
		}
		id := model.EventID{Location: e.Batch.Location, Ordinal: e.Ordinal}
		all.unmatched = append(all.unmatched, unmatched{id, isSend(e.Batch.Kinds[e.Index]), e.Batch.Times[e.Index]})
	}
	for _, f := range trace.ItemizedFamilies() {
		pairs, err := collect(w.Pairs(f))
		if err != nil {
			return all, err
		}
		all.pairs = append(all.pairs, pairs...)
	}
	return all, nil
}

func collect[T any](seq iter.Seq2[T, error]) (list []T, err error) {
	for x, err := range seq {
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// addItems adds them to a dump of a trace with some locations.
func (d *Dump) addItems(m *model.Trace, all items) {
	calls := map[uint64][]trace.Call{}
	for _, c := range all.calls {
		calls[c.Location] = append(calls[c.Location], c)
	}
	for _, l := range m.Locations {
		own := calls[l.ID]
		slices.SortFunc(own, func(a, b trace.Call) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
		list := []any{}
		for _, c := range own {
			list = append(list, callWords(&c))
		}
		d.Calls = append(d.Calls, list)
	}
	slices.SortFunc(all.messages, func(a, b trace.Message) int {
		return cmp.Or(cmp.Compare(a.SendLocation, b.SendLocation), cmp.Compare(a.SendOrdinal, b.SendOrdinal))
	})
	for _, x := range all.messages {
		d.Messages = append(d.Messages, []any{x.SendLocation, x.SendOrdinal, x.SendTime, x.SendLength,
			x.ReceiveLocation, x.ReceiveOrdinal, x.ReceiveTime, x.ReceiveLength, x.Communicator, x.Tag})
	}
	for _, e := range all.unmatched {
		d.Unmatched = append(d.Unmatched, []any{e.Location, e.Ordinal, btoi(e.send), e.time})
	}
	slices.SortStableFunc(all.pairs, func(a, b trace.EventPair) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Open.Location, b.Open.Location), cmp.Compare(a.Open.Ordinal, b.Open.Ordinal))
	})
	for _, p := range all.pairs {
		d.Pairs = append(d.Pairs, []any{p.Family, p.Open.Location, p.Open.Ordinal, p.Open.Time, p.Close.Location, p.Close.Ordinal, p.Close.Time, p.Close.Kind})
	}
}

func callWords(c *trace.Call) []any {
	key, parent := []any{0, c.Region}, any(nil)
	if c.Context != trace.Undefined {
		key = []any{1, c.Context}
	}
	if c.Parent != trace.Undefined {
		parent = c.Parent
	}
	return append(append([]any{c.Ordinal, c.EndOrdinal}, key...), c.Start, c.End, c.Exclusive, c.Children, c.Depth, parent, c.Flags)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
