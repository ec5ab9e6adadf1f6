package edit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// edge is what a location has where it is cut.
type edge struct {
	before, after trace.Batch // records to put in before its events, and behind them
	open          []openCall  // calls that are open when the window begins
}

// remote is an event beyond a cut that something in the window needs.
type remote struct {
	location, ordinal uint64
	time              int64
}

// eventID is an event's location and its number there.
type eventID struct{ location, ordinal uint64 }

func (r remote) id() eventID { return eventID{r.location, r.ordinal} }

// findEdges finds the open calls and messages at both ends of the window, and gives each location the events that represent them, in order.
func (c *cut) findEdges() (map[uint64]*edge, error) {
	e := edges{cut: c, by: map[uint64]*edge{}}
	info, s := c.reader.Info(), c.selection
	if s.From >= s.To || info.Events == 0 {
		return e.by, nil
	}
	var cuts []int64
	if s.From > info.First {
		cuts = append(cuts, s.From)
	}
	if s.To <= info.Last {
		cuts = append(cuts, s.To)
	}
	list, err := e.exchanges(cuts)
	if err != nil {
		return nil, err
	}
	for _, t := range cuts {
		if list, err = e.calls(list, t, t == s.From); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, remote.compare)
	first := func(t int64) int {
		i, _ := slices.BinarySearchFunc(list, t, func(r remote, t int64) int { return cmp.Compare(r.time, t) })
		return i
	}
	err = e.fetch(list[:first(s.From)], trace.KindCutBefore, s.From)
	if err == nil {
		err = e.fetch(list[first(s.To):], trace.KindCutAfter, s.To)
	}
	return e.by, err
}

type edges struct {
	*cut
	by map[uint64]*edge
}

func (e *edges) of(location uint64) *edge {
	if e.by[location] == nil {
		e.by[location] = &edge{}
		e.by[location].before.Reset(location)
		e.by[location].after.Reset(location)
	}
	return e.by[location]
}

// calls appends the enters, or the leaves, of the calls that go on at an end of the window.
func (e *edges) calls(list []remote, t int64, begin bool) ([]remote, error) {
	w := e.reader.Window(t-1, t)
	if e.selection.Locations != nil {
		w = w.WithLocations(e.selection.Locations...)
	}
	for c, err := range w.Calls() {
		if err != nil {
			return nil, err
		}
		if c.Start >= t || c.End < t {
			continue
		}
		open := openCall{key: c.Region, context: c.Context != trace.Undefined}
		if open.context {
			open.key = c.Context
		}
		open.keep = e.keepsCall(open.key, open.context)
		if begin {
			edge := e.of(c.Location)
			edge.open = append(edge.open, open)
		}
		switch {
		case !open.keep:
		case begin:
			list = append(list, remote{c.Location, c.Ordinal, c.Start})
		case c.Flags == 0: // others have no leave of their own
			list = append(list, remote{c.Location, c.EndOrdinal, c.End})
		}
	}
	return list, nil
}

func (r remote) compare(o remote) int {
	return cmp.Or(cmp.Compare(r.time, o.time), cmp.Compare(r.location, o.location), cmp.Compare(r.ordinal, o.ordinal))
}

// fetch looks sorted events up and appends them to the edges of their locations, as of the time of the cut.
func (e *edges) fetch(list []remote, mark trace.Kind, at int64) error {
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].time == list[0].time {
			n++
		}
		if err := e.fetchInstant(list[:n], mark, at); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// fetchInstant looks up events of one time.
func (e *edges) fetchInstant(list []remote, mark trace.Kind, at int64) error {
	t, found := list[0].time, 0
	for event, err := range e.reader.Window(t, t+1).WithLocations(locationsOf(list)...).Events() {
		if err != nil {
			return err
		}
		if _, wanted := slices.BinarySearchFunc(list, remote{event.Batch.Location, event.Ordinal, t}, remote.compare); wanted {
			e.put(event.Batch, event.Index, mark, at)
			found++
		}
	}
	if found < len(list) {
		return fmt.Errorf("%d of %d events at tick %d are not there", len(list)-found, len(list), t)
	}
	return nil
}

func locationsOf(list []remote) (ids []uint64) {
	for _, r := range list {
		if n := len(ids); n == 0 || ids[n-1] != r.location {
			ids = append(ids, r.location)
		}
	}
	return ids
}

// put appends an event to its location's edge, behind a mark that says when it was.
func (e *edges) put(b *trace.Batch, i int, mark trace.Kind, at int64) {
	to := &e.of(b.Location).before
	if mark == trace.KindCutAfter {
		to = &e.of(b.Location).after
	}
	to.Append(mark, at, uint64(b.Times[i]))
	to.AppendFrom(b, i, e.Meta().Table())
	to.Times[to.Len()-1] = at
	if len(to.Residuals) > 0 {
		to.Residuals[to.Len()-1] = 0
	}
}
