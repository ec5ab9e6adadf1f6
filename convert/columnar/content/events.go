package content

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// eventRow is an event with its location and the layout of its kind.
type eventRow struct {
	trace.Event
	at     *table.Place
	layout *layout
	words  []uint64
}

// layout holds, for the records of a kind, the word indices of the fields that have columns of their own: -1 where the kind has no such
// field.
type layout struct {
	spec                                                      *trace.Spec
	name                                                      int32 // code of the kind's name
	region, context, peer, comm, tag, sent, received, request int
	keys                                                      []string // by field: its name as a key of an object, `"region":`
}

// layoutList holds the layouts of all kinds of events that occur in a trace.
type layoutList struct {
	of    []*layout   // by kind
	names table.Names // of the kinds
}

var layouts = table.NewLookup(func(x *table.Catalog) *layoutList {
	l := &layoutList{}
	for _, k := range x.Info.Kinds {
		spec := x.Kinds.Spec(k.Kind)
		if spec == nil || k.Kind >= trace.KindUnknownDefinition && k.Kind < trace.FirstPrivateKind {
			continue // definitions and auxiliary records
		}
		if n := int(k.Kind) + 1; n > len(l.of) {
			l.of = append(l.of, make([]*layout, n-len(l.of))...)
		}
		l.of[k.Kind] = newLayout(spec, l.names.Add(spec.Name))
	}
	return l
})

// layoutOf returns the layout of a kind. The file lists all kinds that occur, so none is missing.
func layoutOf(x *table.Catalog, k trace.Kind) *layout {
	if l := layouts.Of(x); int(k) < len(l.of) && l.of[k] != nil {
		return l.of[k]
	}
	return noLayout
}

var noLayout = newLayout(&trace.Spec{}, table.NoName)

func newLayout(spec *trace.Spec, name int32) *layout {
	l := &layout{spec: spec, name: name}
	before, _, _ := spec.Shape()
	find := func(is func(f *trace.Field) bool) int {
		return slices.IndexFunc(spec.Fields[:before], func(f trace.Field) bool { return is(&f) })
	}
	refersTo := func(space trace.Space) int {
		return find(func(f *trace.Field) bool { return f.Type == trace.TypeRef && f.Ref == space })
	}
	called := func(names ...string) int {
		return find(func(f *trace.Field) bool { return slices.Contains(names, f.Name) })
	}
	l.region, l.context, l.comm = refersTo(trace.SpaceRegion), refersTo(trace.SpaceCallingContext), refersTo(trace.SpaceComm)
	l.peer = find(func(f *trace.Field) bool { return f.Type == trace.TypeRank })
	l.tag, l.request = called("msgTag"), called("requestId")
	l.sent = called("msgLength", "sizeSent", "bytesSent", "bytes", "bytesRequest", "bytesResult")
	l.received = called("sizeReceived", "bytesReceived")
	for i := range spec.Fields {
		l.keys = append(l.keys, string(table.AppendQuoted(nil, spec.Fields[i].Name))+":")
	}
	return l
}

// word returns the word of a field; ok is false if the kind does not have it or it is undefined.
func (r *eventRow) word(i int) (word uint64, ok bool) {
	if i < 0 || i >= len(r.words) {
		return 0, false
	}
	f := &r.layout.spec.Fields[i]
	isID := f.Type == trace.TypeRef || f.Type == trace.TypeRank
	return r.words[i], !isID || !f.Undefined(r.words[i])
}

// region returns the region that an event names, by itself or by its calling context.
func (r *eventRow) region(x *table.Catalog) (id uint64, ok bool) {
	if context, ok := r.word(r.layout.context); ok {
		c, ok := x.Definitions.Contexts[context]
		_, defined := table.Reference(c.Region)
		return c.Region, ok && defined
	}
	return r.word(r.layout.region)
}

// field is a column of a field that many kinds have.
func field(name, unit, doc string, index func(*layout) int) table.ColumnOf[eventRow] {
	return table.NumberOrNull(name, unit, doc, func(_ *table.Catalog, r *eventRow) (int64, bool) {
		word, ok := r.word(index(r.layout))
		return int64(word), ok
	}).As(table.Repeats)
}

var _ = table.Declare(50, func() *table.Table {
	return table.FromParts(table.Schema{
		Name: "events",
		Doc:  "One row for each event, in order of time, location (in the order of definition) and ordinal.", Sorted: "ns",
		Partition: table.Partitioning{Group: "process", Times: []string{"ns"}},
	}, slices.Concat(
		[]table.ColumnOf[eventRow]{
			table.Number("event", "", "number of the event when all events of the file are counted location by location, in the order of definition, from 0",
				func(_ *table.Catalog, r *eventRow) int64 { return r.at.Event(r.Ordinal) }).As(table.Grows),
		},
		table.PlaceColumns("", " that recorded the event", func(r *eventRow) *table.Place { return r.at }),
		[]table.ColumnOf[eventRow]{
			table.Number("ordinal", "", "number of the event among those of its location, from 0",
				func(_ *table.Catalog, r *eventRow) int64 { return int64(r.Ordinal) }).As(table.Grows),
		},
		table.Instant("", "when it happened, since the trace's first event", func(r *eventRow) int64 { return r.Batch.Times[r.Index] }),
		[]table.ColumnOf[eventRow]{
			table.Named("kind", "kind of event (`Enter`, `MpiSend`, ...)",
				func(x *table.Catalog) *table.Names { return &layouts.Of(x).names }, func(_ *table.Catalog, r *eventRow) int32 { return r.layout.name }),
			table.NumberOrNull("region", "", "id of the region that is entered or left, or that of the calling context",
				func(x *table.Catalog, r *eventRow) (int64, bool) { id, ok := r.region(x); return int64(id), ok }).As(table.Repeats),
			table.Named("region_name", "its name", func(x *table.Catalog) *table.Names { return &x.Regions.Names },
				func(x *table.Catalog, r *eventRow) int32 {
					if id, ok := r.region(x); ok {
						return x.Regions.Of(id)
					}
					return table.NoName
				}),
			field("peer", "", "rank of the other process within the communicator or window: receiver, sender, root, remote; null where it is undefined",
				func(l *layout) int { return l.peer }),
			field("communicator", "", "id of the communicator or thread team", func(l *layout) int { return l.comm }),
			table.Named("communicator_name", "its name", func(x *table.Catalog) *table.Names { return &x.Comms.Names },
				func(x *table.Catalog, r *eventRow) int32 {
					if id, ok := r.word(r.layout.comm); ok {
						return x.Comms.Of(id)
					}
					return table.NoName
				}),
			field("tag", "", "message tag", func(l *layout) int { return l.tag }),
			field("bytes", "bytes", "length of the message, bytes sent, or bytes of the I/O operation", func(l *layout) int { return l.sent }),
			field("bytes_received", "bytes", "bytes received in a collective or atomic operation", func(l *layout) int { return l.received }),
			table.NumberOrNull("request", "", "id of the request of a non-blocking operation", func(_ *table.Catalog, r *eventRow) (int64, bool) {
				word, ok := r.word(r.layout.request)
				return int64(word), ok
			}),
			table.String("fields", "all fields of the event as a JSON object: numbers, ids and ticks (since the trace's first event) as numbers, "+
				"strings and names of enumerations as strings, bytes in hexadecimal, undefined references as null, repeated fields as arrays",
				func(x *table.Catalog, r *eventRow, dst []byte) ([]byte, bool) { return appendFields(x, dst, r), true }),
			table.String("attributes", "the event's attribute list as a JSON object, by the attributes' names; null if it has none",
				func(x *table.Catalog, r *eventRow, dst []byte) ([]byte, bool) {
					attributes := r.Batch.AttrsOf(r.Index)
					if len(attributes) == 0 {
						return dst, false
					}
					return appendAttributes(x, dst, attributes), true
				}),
		},
	), store.PartEvents, eventRows)
})

func eventRows(x *table.Catalog, p *store.Part, rows *table.Filler[eventRow]) error {
	return p.Events(func(e trace.Event) { rows.Add(newEventRow(x, e)) })
}

func newEventRow(x *table.Catalog, e trace.Event) eventRow {
	return eventRow{Event: e, at: x.Place(e.Batch.Location), layout: layoutOf(x, e.Batch.Kinds[e.Index]), words: e.Batch.Fields(e.Index)}
}
