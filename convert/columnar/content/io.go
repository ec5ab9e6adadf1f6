package content

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
)

// ioOperation is an operation on a file, made of the events that begin and end it.
type ioOperation struct {
	begin, end *ioEvent // either may be missing
}

// either returns the event that is there: the end, as a rule, which says more in some formats.
func (r *ioOperation) either() *ioEvent {
	if r.end != nil {
		return r.end
	}
	return r.begin
}

// ioStatus is what became of an operation.
type ioStatus = int32

// Status of operations, and the names of them.
const (
	ioComplete ioStatus = iota
	ioCancelled
	ioOpen
)

var ioStatusNames = table.Names{List: []string{ioComplete: "complete", ioCancelled: "cancelled", ioOpen: "open"}}

func (r *ioOperation) status() ioStatus {
	switch {
	case r.end == nil:
		return ioOpen
	case r.end.kind == trace.KindIoOperationCancelled:
		return ioCancelled
	}
	return ioComplete
}

// known returns what one of the two events says, the end if both do; ok is false if none does.
func (r *ioOperation) known(word func(*ioEvent) (uint64, bool)) (uint64, bool) {
	for _, e := range []*ioEvent{r.end, r.begin} {
		if e == nil {
			continue
		}
		if w, ok := word(e); ok {
			return w, true
		}
	}
	return 0, false
}

func (r *ioOperation) handle() (uint64, bool) { return r.known((*ioEvent).handle) }

// file returns the file of an operation: the one that it names, or that of its handle.
func (r *ioOperation) file(x *table.Catalog) (uint64, bool) {
	if f, ok := r.known((*ioEvent).file); ok {
		return f, true
	}
	h, ok := r.handle()
	if !ok {
		return 0, false
	}
	f, ok := ioLookup.Of(x).handleFiles[h]
	return f, ok
}

func (r *ioOperation) span() (ticks int64, ok bool) {
	if r.begin == nil || r.end == nil {
		return 0, false
	}
	return r.end.until() - r.begin.time, true
}

var _ = table.Declare(80, func() *table.Table {
	s := table.FromFlow(table.Schema{
		Name:      "io",
		Doc:       "One row for each operation on a file (IoOperationBegin with its IoOperationComplete or IoOperationCancelled; FileOperation), in the order in which they ended. In a window, those that end in it, and those that never end if it reaches to the end of the trace.",
		Partition: table.Partitioning{Group: "process", Times: []string{"begin_ns", "end_ns"}},
	}, ioColumns(), ioKinds, ioEvents, newIoPairing)
	s.Occurs = table.Occur(ioKinds...)
	return s
})

func ioColumns() []table.ColumnOf[ioOperation] {
	return slices.Concat(
		table.PlaceColumns("", " that asked for it", func(r *ioOperation) *table.Place { return r.either().at }),
		[]table.ColumnOf[ioOperation]{
			table.NumberOrNull("begin_event", "", "number of the begin, as `event` in the table of events", func(_ *table.Catalog, r *ioOperation) (int64, bool) { return r.begin.number() }),
			table.NumberOrNull("end_event", "", "number of the end", func(_ *table.Catalog, r *ioOperation) (int64, bool) { return r.end.number() }),
			table.Named("operation", "`READ`, `WRITE`, `FLUSH`, ...", func(x *table.Catalog) *table.Names { return &ioLookup.Of(x).operations.Names },
				func(x *table.Catalog, r *ioOperation) int32 { return r.operation(x) }),
			table.NumberOrNull("handle", "", "id of the handle", func(_ *table.Catalog, r *ioOperation) (int64, bool) { h, ok := r.handle(); return int64(h), ok }).As(table.Repeats),
			table.Named("handle_name", "its name", func(x *table.Catalog) *table.Names { return &ioLookup.Of(x).handles.Names },
				func(x *table.Catalog, r *ioOperation) int32 { return codeIf(ioLookup.Of(x).handles, r.handle) }),
			table.NumberOrNull("file", "", "id of the file", func(x *table.Catalog, r *ioOperation) (int64, bool) { f, ok := r.file(x); return int64(f), ok }).As(table.Repeats),
			table.Named("file_name", "its name", func(x *table.Catalog) *table.Names { return &ioLookup.Of(x).files.Names },
				func(x *table.Catalog, r *ioOperation) int32 {
					return codeIf(ioLookup.Of(x).files, func() (uint64, bool) { return r.file(x) })
				}),
			table.Named("status", "`complete`, `cancelled`, or `open` if it never ended", func(*table.Catalog) *table.Names { return &ioStatusNames },
				func(_ *table.Catalog, r *ioOperation) int32 { return r.status() }),
		},
		table.InstantOrNull("begin_", "when it began, since the trace's first event", func(r *ioOperation) (int64, bool) { return r.begin.began() }),
		table.InstantOrNull("end_", "when it ended", func(r *ioOperation) (int64, bool) {
			if r.end == nil {
				return 0, false
			}
			return r.end.until(), true
		}),
		table.DurationOrNull("duration_", "end less begin", func(r *ioOperation) (int64, bool) { return r.span() }),
		[]table.ColumnOf[ioOperation]{
			table.NumberOrNull("requested_bytes", "bytes", "bytes asked for, as the begin says", func(_ *table.Catalog, r *ioOperation) (int64, bool) { return r.begin.bytes(false) }),
			table.NumberOrNull("bytes", "bytes", "bytes read or written, as the end says", func(_ *table.Catalog, r *ioOperation) (int64, bool) { return r.end.bytes(true) }),
		},
	)
}

// operation returns the code of the operation's name.
func (r *ioOperation) operation(x *table.Catalog) int32 {
	for _, e := range []*ioEvent{r.begin, r.end} {
		if e == nil {
			continue
		}
		if mode, of, ok := e.operation(); ok {
			return ioLookup.Of(x).operations.Code(of.Format(mode))
		}
	}
	return table.NoName
}

func codeIf(n *table.IDNames, id func() (uint64, bool)) int32 {
	if id, ok := id(); ok {
		return n.Of(id)
	}
	return table.NoName
}

// ioNames are the names of files, handles and operations.
type ioNames struct {
	files, handles *table.IDNames
	operations     *table.IDNames
	handleFiles    map[uint64]uint64 // file of each handle
}

var ioLookup = table.NewLookup(func(x *table.Catalog) *ioNames {
	n := &ioNames{
		files:       x.NameAll(trace.SpaceIoFile, trace.KindIoRegularFile, trace.KindIoDirectory),
		handles:     x.NameAll(trace.SpaceIoHandle, trace.KindIoHandle),
		operations:  table.EnumNames(trace.EnumIoOperationMode),
		handleFiles: map[uint64]uint64{},
	}
	n.operations.AddEnum(trace.EnumFileOperation)
	spec := trace.Standard.Spec(trace.KindIoHandle)
	file := spec.Field("file")
	for d := range x.Defined(spec.ID) {
		if !spec.Fields[file].Undefined(d.Words[file]) {
			n.handleFiles[d.Words[0]] = d.Words[file]
		}
	}
	return n
})
