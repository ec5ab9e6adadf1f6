package record

// Most messages of a program are like ones before: the same rank, communicator, tag and size. A record that was written whole is remembered as long as its bin
// is written, and one like it is a tag and a time.
const (
	repeat       = 0x80 // tag of a repeat, with the place of the record that it repeats
	manyRecords  = 128  // that are remembered: the last ones of the bin
	fewWords     = 5    // of a record that is remembered, at most
	noRecord     = 0xff // no place
	kindAnyFirst = 15   // kinds from here to kindAnyLast, but kindReceive, have a request as their last word, if any
	kindAnyLast  = 21
)

// wholeRecord is a record that is remembered.
type wholeRecord struct {
	words   [fewWords]uint64 // without the request
	request uint64           // of the last record that repeats it, or of itself
	kind    uint16
	count   uint8 // of words
}

// wholeRecords are those of the bin that is being written. A table of hashes, with two places for each, finds them.
type wholeRecords struct {
	table   [256]uint8
	records [manyRecords]wholeRecord
	count   uint64 // of records so far
	bin     uint64 // counted from 1
}

// forget begins another bin.
func (m *wholeRecords) forget() {
	m.bin++
	m.count = 0
	for i := range m.table {
		m.table[i] = noRecord
	}
}

// hasRequest reports whether the last word of an event is a request, which is new each time.
func hasRequest(kind uint16, words []uint64) bool {
	return kind >= kindAnyFirst && kind <= kindAnyLast && kind != kindReceive && len(words) > 0
}

// find returns the place of the record that an event is like, and how its request differs from the last one. Where there is none, the event is remembered, which has to be
// written whole then.
func (m *wholeRecords) find(kind uint16, words []uint64) (place uint8, request uint64, ok bool) {
	if len(words) > fewWords {
		return noRecord, 0, false
	}
	r := wholeRecord{kind: kind, count: uint8(len(words))}
	if n := copy(r.words[:], words); hasRequest(kind, words) {
		r.request, r.words[n-1] = r.words[n-1], 0
	}
	first := r.hash()
	for i := range uint8(2) {
		place := m.table[first+i]
		if place == noRecord {
			break
		}
		if o := &m.records[place]; o.kind == r.kind && o.count == r.count && o.words == r.words {
			d := r.request - o.request
			o.request = r.request
			return place, d<<1 ^ -(d >> 63), true
		}
	}
	place = uint8(m.count % manyRecords)
	if m.table[first] != noRecord {
		first++
	}
	m.count, m.table[first], m.records[place] = m.count+1, place, r
	return noRecord, 0, false
}

// hash returns the first place in the table. Factors are odd numbers without a pattern.
func (r *wholeRecord) hash() uint8 {
	w := &r.words
	h := uint64(r.kind)<<8 | uint64(r.count)
	h += w[0]*0x9e3779b97f4a7c15 + w[1]*0xc2b2ae3d27d4eb4f + w[2]*0x165667b19e3779f9 + w[3]*0x85ebca77c2b2ae63 + w[4]*0x27d4eb2f165667c5
	return uint8(h * 0x9e3779b97f4a7c15 >> 56)
}
