package recording

import "github.com/pandotrace/pando/trace"

// Records of events that others repeat.
const (
	repeat      = 0x80 // in the tag of a repeat; the rest of it is the place of the record
	manyRecords = 128  // of a bin, the last ones
	fewWords    = 5    // of a record that is remembered, at most
)

// wholeRecord is a record that was written whole.
type wholeRecord struct {
	kind  trace.Kind
	count int // of words
	words [fewWords]uint64
}

// request returns the word that is new in each repeat: the last one, of the kinds that have a request there; nil for others.
func (r *wholeRecord) request() *uint64 {
	if r.kind >= trace.KindMpiIsend && r.kind <= trace.KindMpiRequestCancelled && r.kind != trace.KindMpiRecv && r.count > 0 {
		return &r.words[r.count-1]
	}
	return nil
}

// wholeRecords are the last ones of a bin that have few words.
type wholeRecords struct {
	records [manyRecords]wholeRecord
	count   uint64
}

func (w *wholeRecords) add(kind trace.Kind, words []uint64) {
	if len(words) > fewWords {
		return
	}
	r := &w.records[w.count%manyRecords]
	w.count++
	r.kind, r.count = kind, copy(r.words[:], words)
}

// at returns the record at a place, nil if there is none.
func (w *wholeRecords) at(place byte) *wholeRecord {
	if uint64(place) >= w.count {
		return nil
	}
	return &w.records[place]
}
