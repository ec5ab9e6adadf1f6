package columnar

import (
	"slices"

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

var ioStatusNames = names{list: []string{ioComplete: "complete", ioCancelled: "cancelled", ioOpen: "open"}}

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
func (r *ioOperation) file(x *catalog) (uint64, bool) {
	if f, ok := r.known((*ioEvent).file); ok {
		return f, true
	}
	h, ok := r.handle()
	if !ok {
		return 0, false
	}
	f, ok := ioLookup.of(x).handleFiles[h]
	return f, ok
}

func (r *ioOperation) span() (ticks int64, ok bool) {
	if r.begin == nil || r.end == nil {
		return 0, false
	}
	return r.end.until() - r.begin.time, true
}

var _ = declare(80, func() *source {
	s := flowTable(Table{
		Name:      "io",
		Doc:       "One row for each operation on a file (IoOperationBegin with its IoOperationComplete or IoOperationCancelled; FileOperation), in the order in which they ended. In a window, those that end in it, and those that never end if it reaches to the end of the trace.",
		partition: partitioned{group: "process", times: []string{"begin_ns", "end_ns"}},
	}, ioColumns(), ioKinds, ioEvents, newIoPairing)
	s.occurs = occur(ioKinds...)
	return s
})

func ioColumns() []column[ioOperation] {
	return slices.Concat(
		placeColumns("", " that asked for it", func(r *ioOperation) *place { return r.either().at }),
		[]column[ioOperation]{
			numberOrNull("begin_event", "", "number of the begin, as `event` in the table of events", func(_ *catalog, r *ioOperation) (int64, bool) { return r.begin.number() }),
			numberOrNull("end_event", "", "number of the end", func(_ *catalog, r *ioOperation) (int64, bool) { return r.end.number() }),
			named("operation", "`READ`, `WRITE`, `FLUSH`, ...", func(x *catalog) *names { return &ioLookup.of(x).operations.names },
				func(x *catalog, r *ioOperation) int32 { return r.operation(x) }),
			numberOrNull("handle", "", "id of the handle", func(_ *catalog, r *ioOperation) (int64, bool) { h, ok := r.handle(); return int64(h), ok }).like(repeats),
			named("handle_name", "its name", func(x *catalog) *names { return &ioLookup.of(x).handles.names },
				func(x *catalog, r *ioOperation) int32 { return codeIf(ioLookup.of(x).handles, r.handle) }),
			numberOrNull("file", "", "id of the file", func(x *catalog, r *ioOperation) (int64, bool) { f, ok := r.file(x); return int64(f), ok }).like(repeats),
			named("file_name", "its name", func(x *catalog) *names { return &ioLookup.of(x).files.names },
				func(x *catalog, r *ioOperation) int32 {
					return codeIf(ioLookup.of(x).files, func() (uint64, bool) { return r.file(x) })
				}),
			named("status", "`complete`, `cancelled`, or `open` if it never ended", func(*catalog) *names { return &ioStatusNames },
				func(_ *catalog, r *ioOperation) int32 { return r.status() }),
		},
		instantOrNull("begin_", "when it began, since the trace's first event", func(r *ioOperation) (int64, bool) { return r.begin.began() }),
		instantOrNull("end_", "when it ended", func(r *ioOperation) (int64, bool) {
			if r.end == nil {
				return 0, false
			}
			return r.end.until(), true
		}),
		durationOrNull("duration_", "end less begin", func(r *ioOperation) (int64, bool) { return r.span() }),
		[]column[ioOperation]{
			numberOrNull("requested_bytes", "bytes", "bytes asked for, as the begin says", func(_ *catalog, r *ioOperation) (int64, bool) { return r.begin.bytes(false) }),
			numberOrNull("bytes", "bytes", "bytes read or written, as the end says", func(_ *catalog, r *ioOperation) (int64, bool) { return r.end.bytes(true) }),
		},
	)
}

// operation returns the code of the operation's name.
func (r *ioOperation) operation(x *catalog) int32 {
	for _, e := range []*ioEvent{r.begin, r.end} {
		if e == nil {
			continue
		}
		if mode, of, ok := e.operation(); ok {
			return ioLookup.of(x).operations.code(of.Format(mode))
		}
	}
	return noName
}

func codeIf(n *idNames, id func() (uint64, bool)) int32 {
	if id, ok := id(); ok {
		return n.of(id)
	}
	return noName
}

// ioNames are the names of files, handles and operations.
type ioNames struct {
	files, handles *idNames
	operations     *idNames
	handleFiles    map[uint64]uint64 // file of each handle
}

var ioLookup = newLookup(func(x *catalog) *ioNames {
	n := &ioNames{
		files:       x.nameAll(trace.SpaceIoFile, trace.KindIoRegularFile, trace.KindIoDirectory),
		handles:     x.nameAll(trace.SpaceIoHandle, trace.KindIoHandle),
		operations:  enumNames(trace.EnumIoOperationMode),
		handleFiles: map[uint64]uint64{},
	}
	n.operations.addEnum(trace.EnumFileOperation)
	spec := trace.Standard.Spec(trace.KindIoHandle)
	file := spec.Field("file")
	for d := range x.defined(spec.ID) {
		if !spec.Fields[file].Undefined(d.Words[file]) {
			n.handleFiles[d.Words[0]] = d.Words[file]
		}
	}
	return n
})
