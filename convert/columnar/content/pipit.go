package content

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// pipitRow is an event in the layout of the analysis library Pipit, which works on one table of events: enters and leaves know each
// other, and an enter knows what its call comes to.
type pipitRow struct {
	eventRow
	typ  int32       // code among pipitTypes
	call *trace.Call // that the event enters or leaves; nil for other events
	pair bool        // the other end of the call is in the window, too
}

// pipitTypes are the types of events that Pipit tells apart.
var pipitTypes = table.Names{List: []string{pipitEnter: "Enter", pipitLeave: "Leave", pipitInstant: "Instant"}}

const (
	pipitEnter = iota
	pipitLeave
	pipitInstant
)

var _ = table.Declare(90, func() *table.Table {
	s := table.FromParts(table.Schema{
		Name:      "pipit",
		Doc:       "One row for each event, in the layout of the events that Pipit (a Python library) works on. It is written only by choice. `_matching_event` and `_parent` refer to `event`; where places in the table are wanted, as in Pipit itself, the example above makes them.",
		Sorted:    "Timestamp (ns)",
		Partition: table.Partitioning{Times: []string{"Timestamp (ns)"}},
	}, pipitColumns(), store.PartCalls|store.PartEvents, pipitRows)
	s.Occurs = func(*table.Catalog) bool { return false }
	return s
})

// enters is a column of numbers that only rows of enters have.
func enters(name, unit, doc string, get func(*table.Catalog, *pipitRow) (int64, bool)) table.ColumnOf[pipitRow] {
	return table.NumberOrNull(name, unit, doc, func(x *table.Catalog, r *pipitRow) (int64, bool) {
		if r.typ != pipitEnter || r.call == nil {
			return 0, false
		}
		return get(x, r)
	})
}

func pipitColumns() []table.ColumnOf[pipitRow] {
	return []table.ColumnOf[pipitRow]{
		table.Number("event", "", "number of the event, as in the table of events",
			func(_ *table.Catalog, r *pipitRow) int64 { return r.at.Event(r.Ordinal) }).As(table.Grows),
		table.Number("Timestamp (ns)", "ns", "when it happened, since the trace's first event",
			func(x *table.Catalog, r *pipitRow) int64 { return x.Nanoseconds(x.Ticks(r.Batch.Times[r.Index])) }).As(table.Grows),
		table.Named("Event Type", "`Enter`, `Leave` or `Instant`", func(*table.Catalog) *table.Names { return &pipitTypes },
			func(_ *table.Catalog, r *pipitRow) int32 { return r.typ }),
		table.Named("Name", "name of the region that is entered or left; the kind of other events", func(x *table.Catalog) *table.Names { return &pipitNames.Of(x).names },
			func(x *table.Catalog, r *pipitRow) int32 { return r.name(x) }),
		table.NumberOrNull("Process", "", "MPI rank of the process, or the id of its location group if it has none", func(_ *table.Catalog, r *pipitRow) (int64, bool) {
			if r.at.Rank >= 0 {
				return r.at.Rank, true
			}
			return r.at.Process, r.at.InProcess
		}).As(table.Repeats),
		table.NumberOrNull("Thread", "", "index of the location among those of its process, from 0",
			func(_ *table.Catalog, r *pipitRow) (int64, bool) { return r.at.Thread, r.at.InProcess }).As(table.Repeats),
		table.String("Attributes", "fields of an Instant as a JSON object, as `fields` in the table of events; null for enters and leaves",
			func(x *table.Catalog, r *pipitRow, dst []byte) ([]byte, bool) {
				if r.typ != pipitInstant {
					return dst, false
				}
				return appendFields(x, dst, &r.eventRow), true
			}),
		table.NumberOrNull("_matching_event", "", "`event` of the leave of an enter, of the enter of a leave; null if it is not in the table",
			func(_ *table.Catalog, r *pipitRow) (int64, bool) { return r.matching() }),
		table.NumberOrNull("_matching_timestamp", "ns", "its time", func(x *table.Catalog, r *pipitRow) (int64, bool) { return r.matchingTime(x) }),
		enters("_depth", "", "number of calls around the call that is entered", func(_ *table.Catalog, r *pipitRow) (int64, bool) { return int64(r.call.Depth), true }).As(table.Repeats),
		enters("_parent", "", "`event` of the enter of the call around it; null at depth 0", func(_ *table.Catalog, r *pipitRow) (int64, bool) {
			return r.at.Event(r.call.Parent), r.call.Parent != trace.Undefined
		}),
		enters("time.inc", "ns", "duration of the call that is entered", func(x *table.Catalog, r *pipitRow) (int64, bool) { return x.Nanoseconds(r.call.Duration()), true }),
		enters("time.exc", "ns", "the same less the durations of its direct children", func(x *table.Catalog, r *pipitRow) (int64, bool) { return x.Nanoseconds(r.call.Exclusive), true }),
	}
}

// name returns the code of a row's name: regions come before kinds.
func (r *pipitRow) name(x *table.Catalog) int32 {
	if id, ok := r.region(x); ok && r.typ != pipitInstant {
		return x.Regions.Of(id)
	}
	if r.typ == pipitInstant && r.layout.name != table.NoName {
		return pipitNames.Of(x).kinds[r.layout.name]
	}
	return table.NoName
}

// matching returns the number of the event at the other end of the call.
func (r *pipitRow) matching() (event int64, ok bool) {
	switch {
	case !r.pair:
		return 0, false
	case r.typ == pipitEnter:
		return r.at.Event(r.call.EndOrdinal), true
	}
	return r.at.Event(r.call.Ordinal), true
}

func (r *pipitRow) matchingTime(x *table.Catalog) (ns int64, ok bool) {
	switch {
	case !r.pair:
		return 0, false
	case r.typ == pipitEnter:
		return x.Nanoseconds(x.Ticks(r.call.End)), true
	}
	return x.Nanoseconds(x.Ticks(r.call.Start)), true
}

func pipitRows(x *table.Catalog, p *store.Part, to *table.Filler[pipitRow]) error {
	var rows []pipitRow
	err := p.Events(func(e trace.Event) {
		rows = append(rows, pipitRow{eventRow: newEventRow(x, e), typ: pipitType(e.Batch.Kinds[e.Index])})
	})
	if err != nil {
		return err
	}
	calls, err := p.OverlappingCalls()
	if err != nil {
		return err
	}
	stacks := newStacks(calls)
	begin, end := p.Window().Bounds()
	for i := range rows {
		rows[i].match(stacks, begin, end)
		to.Add(rows[i])
	}
	return nil
}

func pipitType(k trace.Kind) int32 {
	switch k {
	case trace.KindEnter, trace.KindCallingContextEnter:
		return pipitEnter
	case trace.KindLeave, trace.KindCallingContextLeave:
		return pipitLeave
	}
	return pipitInstant
}

// match finds the call that an event enters or leaves, in a window [from, to).
func (r *pipitRow) match(s stacks, from, to int64) {
	switch r.typ {
	case pipitEnter:
		if c := s.at(r.Batch.Location, r.Ordinal); c != nil && c.Ordinal == r.Ordinal {
			r.call, r.pair = c, c.End < to && c.Flags&(trace.CallOpen|trace.CallCut) == 0
		}
	case pipitLeave:
		c := s.at(r.Batch.Location, r.Ordinal)
		for c != nil && c.Flags&trace.CallCut != 0 && c.Parent != trace.Undefined {
			c = s.at(r.Batch.Location, c.Parent) // the leave that cut it is that of a call around it
		}
		if c != nil && c.EndOrdinal == r.Ordinal {
			r.call, r.pair = c, c.Start >= from
		}
	}
}

// pipitList is one list of names of regions and of kinds of events.
type pipitList struct {
	names table.Names
	kinds []int32 // code of a kind's name in the list, by its code among the layouts
}

var pipitNames = table.NewLookup(func(x *table.Catalog) *pipitList {
	l := &pipitList{names: table.Names{List: slices.Clone(x.Regions.List), Codes: map[string]int32{}}}
	for code, name := range l.names.List {
		l.names.Codes[name] = int32(code)
	}
	for _, kind := range layouts.Of(x).names.List {
		l.kinds = append(l.kinds, l.names.Add(kind))
	}
	return l
})
