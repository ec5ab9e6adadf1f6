package content

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// parameterKinds are the kinds of events that give a parameter its value.
var parameterKinds = []trace.Kind{trace.KindParameterString, trace.KindParameterInt, trace.KindParameterUnsignedInt}

// parameters are the names of parameters.
var parameters = table.NewLookup(func(x *table.Catalog) *table.IDNames { return x.NameAll(trace.SpaceParameter, trace.KindParameter) })

// parameterRow is a parameter's value with the call that it is said of.
type parameterRow struct {
	eventRow
	call *trace.Call // nil if there is none
}

// value returns the parameter's value as a word.
func (r *parameterRow) value() uint64 { return r.words[1] }

var _ = table.Declare(70, func() *table.Table {
	s := table.FromParts(table.Schema{
		Name:      "parameters",
		Doc:       "One row for each value that a parameter is given (events ParameterString, ParameterInt, ParameterUnsignedInt), with the call that it is said of: the innermost one at that moment.",
		Sorted:    "ns",
		Partition: table.Partitioning{Group: "process", Times: []string{"ns"}},
	}, parameterColumns(), store.PartEvents, parameterRows).Narrowed(parameterKinds...)
	s.Occurs = table.Occur(parameterKinds...)
	return s
})

func parameterColumns() []table.ColumnOf[parameterRow] {
	return slices.Concat(
		[]table.ColumnOf[parameterRow]{
			table.Number("event", "", "number of the event, as in the table of events",
				func(_ *table.Catalog, r *parameterRow) int64 { return r.at.Event(r.Ordinal) }).As(table.Grows),
		},
		table.PlaceColumns("", " that recorded the value", func(r *parameterRow) *table.Place { return r.at }),
		table.Instant("", "when it was recorded, since the trace's first event", func(r *parameterRow) int64 { return r.Batch.Times[r.Index] }),
		[]table.ColumnOf[parameterRow]{
			table.Number("parameter", "", "id of the parameter", func(_ *table.Catalog, r *parameterRow) int64 { return int64(r.words[0]) }).As(table.Repeats),
			table.Named("name", "its name", func(x *table.Catalog) *table.Names { return &parameters.Of(x).Names },
				func(x *table.Catalog, r *parameterRow) int32 { return parameters.Of(x).Of(r.words[0]) }),
			table.String("value", "the value as text", func(x *table.Catalog, r *parameterRow, dst []byte) ([]byte, bool) { return appendParameter(x, dst, r) }),
			table.NumberOrNull("value_int", "", "the value of an integer, exact; null for strings", func(_ *table.Catalog, r *parameterRow) (int64, bool) {
				return int64(r.value()), r.Batch.Kinds[r.Index] != trace.KindParameterString
			}),
			table.NumberOrNull("call", "", "`call` in the table of calls; null outside of the calls selected", func(_ *table.Catalog, r *parameterRow) (int64, bool) {
				if r.call == nil {
					return 0, false
				}
				return r.at.Event(r.call.Ordinal), true
			}),
			table.Named("region_name", "name of the region called", func(x *table.Catalog) *table.Names { return &x.Regions.Names },
				func(x *table.Catalog, r *parameterRow) int32 {
					if r.call == nil {
						return table.NoName
					}
					return x.Regions.Of(r.call.Region)
				}),
		},
	)
}

func appendParameter(x *table.Catalog, dst []byte, r *parameterRow) ([]byte, bool) {
	switch r.Batch.Kinds[r.Index] {
	case trace.KindParameterInt:
		return strconv.AppendInt(dst, int64(r.value()), 10), true
	case trace.KindParameterUnsignedInt:
		return strconv.AppendUint(dst, r.value(), 10), true
	}
	s, ok := x.Definitions.Strings[r.value()]
	return table.AppendValid(dst, s), ok
}

func parameterRows(x *table.Catalog, p *store.Part, to *table.Filler[parameterRow]) error {
	var rows []parameterRow
	err := p.Events(func(e trace.Event) { rows = append(rows, parameterRow{eventRow: newEventRow(x, e)}) })
	if err != nil || len(rows) == 0 {
		return err
	}
	calls, err := p.OverlappingCalls()
	if err != nil {
		return err
	}
	stacks := newStacks(calls)
	for i := range rows {
		rows[i].call = stacks.at(rows[i].Batch.Location, rows[i].Ordinal)
		to.Add(rows[i])
	}
	return nil
}

// stacks finds calls by events: those of a part of a window, by location in the order of their ordinals.
type stacks map[uint64][]*trace.Call

func newStacks(calls []trace.Call) stacks {
	s := stacks{}
	for i := range calls {
		c := &calls[i]
		s[c.Location] = append(s[c.Location], c)
	}
	return s
}

// at returns the innermost call around an event: begun by it or before, and ended by it or later. It is nil if there is none.
func (s stacks) at(location, event uint64) *trace.Call {
	list := s[location]
	for begun := event; ; {
		i, found := slices.BinarySearchFunc(list, begun, func(c *trace.Call, o uint64) int { return cmp.Compare(c.Ordinal, o) })
		if !found {
			i--
		}
		if i < 0 || list[i].EndOrdinal >= event {
			return callAt(list, i)
		}
		if begun = list[i].Parent; begun == trace.Undefined {
			return nil
		}
		list = list[:i]
	}
}

func callAt(list []*trace.Call, i int) *trace.Call {
	if i < 0 {
		return nil
	}
	return list[i]
}
