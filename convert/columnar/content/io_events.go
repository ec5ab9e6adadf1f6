package content

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// ioKinds are the kinds of events that begin or end an operation on a file, or are one.
var ioKinds = []trace.Kind{
	trace.KindIoOperationBegin, trace.KindIoOperationComplete, trace.KindIoOperationCancelled,
	trace.KindFileOperation, trace.KindFileOperationBegin, trace.KindFileOperationEnd,
}

// ioEvent is an event of one of the ioKinds.
type ioEvent struct {
	kind    trace.Kind
	spec    *trace.Spec
	at      *table.Place
	ordinal uint64
	time    int64
	words   []uint64
}

func ioEvents(x *table.Catalog, p *store.Part) (list []ioEvent, err error) {
	err = p.Events(func(e trace.Event) { list = append(list, newIoEvent(x, e)) })
	return list, err
}

func newIoEvent(x *table.Catalog, e trace.Event) ioEvent {
	k := e.Batch.Kinds[e.Index]
	return ioEvent{
		kind: k, spec: trace.Standard.Spec(k), at: x.Place(e.Batch.Location), ordinal: e.Ordinal, time: e.Batch.Times[e.Index],
		words: slices.Clone(e.Batch.Fields(e.Index)),
	}
}

// field returns the word of a field; ok is false if the kind does not have it or it is undefined.
func (e *ioEvent) field(name string) (word uint64, f *trace.Field, ok bool) {
	if e == nil {
		return 0, nil, false
	}
	i := e.spec.Field(name)
	if i < 0 || i >= len(e.words) {
		return 0, nil, false
	}
	f = &e.spec.Fields[i]
	return e.words[i], f, f.Type != trace.TypeRef || !f.Undefined(e.words[i])
}

func (e *ioEvent) handle() (uint64, bool) { return e.word("handle") }

func (e *ioEvent) file() (uint64, bool) { return e.word("file") }

func (e *ioEvent) word(name string) (uint64, bool) {
	w, _, ok := e.field(name)
	return w, ok
}

// operation returns what is done, and the enumeration of that.
func (e *ioEvent) operation() (value uint64, of *trace.Enum, ok bool) {
	for _, name := range []string{"mode", "operation"} {
		if w, f, ok := e.field(name); ok {
			return w, f.Enum, true
		}
	}
	return 0, nil, false
}

// bytes returns the bytes that a begin asks for, or that an end has.
func (e *ioEvent) bytes(ends bool) (int64, bool) {
	names := []string{"bytesRequest"}
	if ends {
		names = []string{"bytesResult", "bytes"}
	}
	for _, name := range names {
		if w, ok := e.word(name); ok && w != trace.Undefined {
			return int64(w), true
		}
	}
	return 0, false
}

func (e *ioEvent) number() (int64, bool) {
	if e == nil {
		return 0, false
	}
	return e.at.Event(e.ordinal), true
}

func (e *ioEvent) began() (int64, bool) {
	if e == nil {
		return 0, false
	}
	return e.time, true
}

// until returns when the event is over: one that is a whole operation says how long that lasts.
func (e *ioEvent) until() int64 {
	if d, ok := e.word("duration"); ok {
		return e.time + int64(d)
	}
	return e.time
}

// ioKey is what the begin and the end of an operation have in common.
type ioKey struct {
	at               *table.Place
	handle, matching uint64
	kind             trace.Kind // of the begin
}

func (e *ioEvent) key() ioKey {
	k := ioKey{at: e.at, kind: trace.KindFileOperationBegin}
	if e.kind != trace.KindFileOperationBegin && e.kind != trace.KindFileOperationEnd {
		k.kind = trace.KindIoOperationBegin
		k.handle, _ = e.handle()
	}
	k.matching, _ = e.word("matchingId")
	return k
}

// begins reports whether an event opens an operation that another one closes.
func (e *ioEvent) begins() bool {
	return e.kind == trace.KindIoOperationBegin || e.kind == trace.KindFileOperationBegin
}

// maxOpenIo bounds the operations that wait for their end.
const maxOpenIo = 1 << 20

// ioPairing puts the begins and ends of operations together. It is a flow.
type ioPairing struct {
	x      *table.Catalog
	window *store.Window
	open   map[ioKey]*ioEvent // the latest begin
}

func newIoPairing(x *table.Catalog, w *store.Window) (table.Flow[ioEvent, ioOperation], error) {
	return &ioPairing{x: x, window: w, open: map[ioKey]*ioEvent{}}, nil
}

func (p *ioPairing) Take(events []ioEvent, rows []ioOperation) ([]ioOperation, error) {
	for i := range events {
		e := &events[i]
		switch {
		case e.kind == trace.KindFileOperation:
			rows = append(rows, ioOperation{e, e})
		case e.begins():
			rows = p.begin(e, rows)
		default:
			begin, err := p.beginOf(e)
			if err != nil {
				return rows, err
			}
			rows = append(rows, ioOperation{begin, e})
		}
	}
	return rows, nil
}

// begin notes the begin of an operation. One with the same key that is open can no longer be ended.
func (p *ioPairing) begin(e *ioEvent, rows []ioOperation) []ioOperation {
	k := e.key()
	if before := p.open[k]; before != nil {
		rows = append(rows, ioOperation{begin: before})
	}
	if len(p.open) >= maxOpenIo {
		rows = p.giveUp(rows)
	}
	p.open[k] = e
	return rows
}

// beginOf returns the begin of an operation, which may lie before the window.
func (p *ioPairing) beginOf(e *ioEvent) (begin *ioEvent, err error) {
	k := e.key()
	if begin = p.open[k]; begin != nil {
		delete(p.open, k)
		return begin, nil
	}
	from, _ := p.window.Bounds()
	if from <= p.x.Info.First {
		return nil, nil
	}
	before := p.window.Within(p.x.Info.First, from).WithLocations(e.at.ID).WithKinds(ioKinds...)
	for b, err := range before.EventsBackward() {
		if err != nil {
			return nil, err
		}
		if found := newIoEvent(p.x, b); found.kind != trace.KindFileOperation && found.key() == k {
			if !found.begins() {
				break
			}
			return &found, nil
		}
	}
	return nil, nil
}

func (p *ioPairing) giveUp(rows []ioOperation) []ioOperation {
	list := slices.SortedFunc(maps.Values(p.open), func(a, b *ioEvent) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.at.FirstEvent, b.at.FirstEvent), cmp.Compare(a.ordinal, b.ordinal))
	})
	for _, e := range list {
		rows = append(rows, ioOperation{begin: e})
	}
	clear(p.open)
	return rows
}

// End appends the operations that never end, if the window reaches to the end of the trace.
func (p *ioPairing) End(rows []ioOperation) []ioOperation {
	if _, to := p.window.Bounds(); to <= p.x.Info.Last {
		return rows
	}
	return p.giveUp(rows)
}
