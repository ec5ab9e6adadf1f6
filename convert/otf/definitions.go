package otf

import (
	"io"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// readDefinitions reads a definition file as it stands.
func readDefinitions(t *text, c *context, stream uint64) ([]trace.Record, error) {
	var b trace.Batch
	b.Reset(0)
	r := newReader(t, c, definitionGrammar, &scope{}, stream, []*sink{{batch: &b}})
	var list []trace.Record
	for {
		err := r.read()
		if err == io.EOF {
			r.ending()
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = appendRecords(list, &b)
		b.Reset(0)
	}
}

// appendRecords appends the records of a batch.
func appendRecords(list []trace.Record, b *trace.Batch) []trace.Record {
	for i, k := range b.Kinds {
		d := trace.Record{Kind: k, Words: slices.Clone(b.Fields(i))}
		trace.Standard.Spec(k).Walk(d.Words, func(w int, f *trace.Field, word uint64) {
			if f.Type.InText() {
				d.Words[w] = d.PutText(string(b.TextOf(word)))
			}
		})
		list = append(list, d)
	}
	return list
}

// identity says which definitions have ids that records refer to: the space of the ids, and the word with the id.
// The first word of all is the stream.
var identity = map[trace.Kind]trace.Space{
	trace.KindOtfFunction: trace.SpaceRegion, trace.KindOtfProcessGroup: trace.SpaceComm, trace.KindOtfCounter: trace.SpaceMetric,
	trace.KindOtfFile: trace.SpaceIoFile, trace.KindOtfSourceLocation: trace.SpaceSourceCodeLocation, trace.KindOtfKey: trace.SpaceAttribute,
}

// entry is a definition with an id as the file gives it.
type entry struct {
	kind   trace.Kind
	stream uint64
	id     uint64
}

// definitions are those of all definition files.
type definitions struct {
	log   []trace.Record // as they stand
	clock trace.Record   // of the model
	// first has the index of the first definition of each entry in the log.
	first map[entry]int
	// owners are the streams whose definitions keep their ids, by what they define and the id.
	owners map[entry]uint64
	// streams are those that have definitions of their own; spans is where they stand in the log, those of stream 0 included.
	streams []uint64
	spans   map[uint64][2]int
	scopes  map[uint64]*scope
	used    map[trace.Space]map[uint64]bool
	last    map[trace.Space]uint64 // the id given out last
}

// newDefinitions sorts definitions by their ids. The log has those of each stream together.
func newDefinitions(log []trace.Record, warn *trace.Warnings) *definitions {
	d := &definitions{log: log, first: map[entry]int{}, owners: map[entry]uint64{}, scopes: map[uint64]*scope{},
		spans: map[uint64][2]int{}, used: map[trace.Space]map[uint64]bool{}, last: map[trace.Space]uint64{}}
	for i := range log {
		k, w := log[i].Kind, log[i].Words
		d.extend(w[0], i)
		if len(w) < 2 {
			continue
		}
		e := entry{k, w[0], w[1]}
		if _, ok := d.first[e]; ok {
			continue
		}
		d.first[e] = i
		if space, ok := identity[k]; ok {
			d.claim(space, e)
		}
	}
	d.setClock(warn)
	return d
}

// setClock makes the model's definition of the clock, and times relative to the trace's begin, the epoch.
func (d *definitions) setClock(warn *trace.Warnings) {
	var resolution, from, length uint64
	for i := range d.log {
		switch w := d.log[i].Words; {
		case d.log[i].Kind == trace.KindOtfTimerResolution && (w[0] == 0 || resolution == 0):
			resolution = w[1]
		case d.log[i].Kind == trace.KindOtfTimeRange && w[0] == 0 && w[1] <= w[2] && w[1] < 1<<63:
			from, length = w[1], w[2]-w[1]
		}
	}
	if resolution == 0 {
		warn.Add("no timer resolution", "1 tick per second is assumed")
		resolution = 1
	}
	d.clock = trace.Record{Kind: trace.KindClockProperties, Words: []uint64{resolution, from, length, trace.Undefined}}
	for i := range d.log {
		trace.Standard.Spec(d.log[i].Kind).Walk(d.log[i].Words, func(w int, f *trace.Field, word uint64) {
			if f.Type == trace.TypeTime {
				d.log[i].Words[w] = word - from
			}
		})
	}
}

// extend notes that definition i of the log is one of a stream's.
func (d *definitions) extend(stream uint64, i int) {
	span, ok := d.spans[stream]
	if !ok {
		span[0] = i
		if stream != 0 {
			d.streams = append(d.streams, stream)
		}
	}
	d.spans[stream] = [2]int{span[0], i + 1}
}

// claim lets a definition keep its id, if no other stream's has it.
func (d *definitions) claim(space trace.Space, e entry) {
	key := entry{kind: e.kind, id: e.id}
	if _, ok := d.owners[key]; !ok {
		d.owners[key] = e.stream
	}
	d.use(space, e.id)
}

func (d *definitions) use(space trace.Space, id uint64) {
	if d.used[space] == nil {
		d.used[space] = map[uint64]bool{}
	}
	d.used[space][id] = true
}

// noID is the undefined id.
const noID = 1<<32 - 1

// fresh returns an id that no definition of a space has: a large one, so that it is not what a record means that refers to
// something without definition.
func (d *definitions) fresh(space trace.Space) uint64 {
	id, ok := d.last[space]
	if !ok {
		id = noID
	}
	id--
	for d.used[space][id] {
		id--
	}
	d.use(space, id)
	d.last[space] = id
	return id
}

// find returns what a stream means by an id: a definition of its own, or one of the whole trace.
func (d *definitions) find(kind trace.Kind, stream, id uint64) (r *trace.Record, ok bool) {
	for _, s := range []uint64{stream, 0} {
		if i, ok := d.first[entry{kind, s, id}]; ok {
			return &d.log[i], true
		}
	}
	return nil, false
}

// same reports whether two definitions differ in nothing but their streams.
func same(a, b *trace.Record) bool {
	return slices.Equal(a.Words[1:], b.Words[1:]) && slices.Equal(a.Text, b.Text)
}

// idOf returns the id that definition i of the log, one of those with an id, has in the model; it is new the first time.
// Definitions of different streams with the same id get new ones, unless they say the same.
func (d *definitions) idOf(i int) (id uint64, isNew bool) {
	r := &d.log[i]
	e := entry{r.Kind, r.Words[0], r.Words[1]}
	space := identity[r.Kind]
	owner := d.owners[entry{kind: e.kind, id: e.id}]
	if owner == e.stream {
		return e.id, true
	}
	if same(r, &d.log[d.first[entry{e.kind, owner, e.id}]]) {
		return e.id, false
	}
	ids := &d.scope(e.stream).ids[space]
	if id, ok := (*ids)[uint32(e.id)]; ok {
		return uint64(id), true
	}
	if *ids == nil {
		*ids = idMap{}
	}
	id = d.fresh(space)
	(*ids)[uint32(e.id)] = uint32(id)
	return id, true
}

// scope returns the scope of a stream.
func (d *definitions) scope(stream uint64) *scope {
	s := d.scopes[stream]
	if s == nil {
		s = &scope{}
		d.scopes[stream] = s
	}
	return s
}
