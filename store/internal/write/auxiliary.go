package write

import (
	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// auxiliaryWriter packs records of auxiliary streams into blocks, many streams into one.
type auxiliaryWriter struct {
	records []byte
	Streams []trace.StreamInfo
	places  map[trace.StreamID]int
}

// auxiliaryBytes is the size at which a block of auxiliary records is written, before compression.
const auxiliaryBytes = 256 << 10

func (a *auxiliaryWriter) add(id trace.StreamID, b *trace.Batch, to *backlog) error {
	a.Open(id)
	if b.Len() == 0 {
		return nil
	}
	a.Streams[a.places[id]].Records += uint64(b.Len())
	a.records = records.AppendBatch(a.records, id, b)
	if len(a.records) < auxiliaryBytes {
		return nil
	}
	if err := to.wait(); err != nil {
		return err
	}
	return a.flush(to)
}

// Open notes a stream, so that it is listed even if it stays empty.
func (a *auxiliaryWriter) Open(id trace.StreamID) {
	if a.places == nil {
		a.places = map[trace.StreamID]int{}
	}
	if _, ok := a.places[id]; !ok {
		a.places[id] = len(a.Streams)
		a.Streams = append(a.Streams, trace.StreamInfo{StreamID: id})
	}
}

// flush writes the records collected so far; no job may be under way.
func (a *auxiliaryWriter) flush(to *backlog) error {
	if len(a.records) == 0 {
		return nil
	}
	ref, err := to.w.file.Compressed(format.BlockAuxiliary, a.records)
	to.rootEntry(index.Entry{Kind: format.BlockAuxiliary, Ref: ref})
	a.records = a.records[:0]
	return err
}
