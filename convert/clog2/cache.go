package clog2

import "sync"

// cachedPieces is the number of pieces whose records are kept for the streams of other locations.
const cachedPieces = 768

// cache keeps the records of the pieces that were read last, as far as they do not share a slot.
type cache [cachedPieces]struct {
	sync.Mutex
	file  *file
	piece int
	*records
}

// put keeps the records of a piece.
func (c *cache) put(f *file, piece int, r *records) {
	slot := &c[(piece+f.slot)%cachedPieces]
	slot.file, slot.piece, slot.records = f, piece, r
}

// get returns the records of a piece of a file, whose locations must be known.
func (c *cache) get(f *file, piece int) (*records, error) {
	slot := &c[(piece+f.slot)%cachedPieces]
	slot.Lock()
	defer slot.Unlock()
	if slot.file != f || slot.piece != piece {
		r, err := f.reread(piece)
		if err != nil {
			return nil, err
		}
		slot.file, slot.piece, slot.records = f, piece, r
	}
	if !slot.records.located {
		slot.records.locate(f)
	}
	return slot.records, nil
}

// collectors are those that nobody uses.
var collectors = sync.Pool{New: func() any { return new(collector) }}

// reread reads a piece again. What was not there when it was read first is refused.
func (f *file) reread(piece int) (*records, error) {
	data, err := f.readPiece(piece)
	if err != nil {
		return nil, err
	}
	c := collectors.Get().(*collector)
	defer collectors.Put(c)
	c.begin()
	var w walker
	w.begin(f, &f.pieces[piece], data)
	for w.step() {
		line, _ := f.lines.find(f.line(w.record))
		what, ok := c.what(&w, f.numbers.find)
		if line < 0 || !ok || !f.isTime(w.record) {
			return nil, f.changed(w.base + int64(w.at))
		}
		c.add(sourceOf(line, w.typ), f.float64(w.record), what)
	}
	return c.sorted(), w.err
}

// readPiece reads a piece.
func (f *file) readPiece(i int) ([]byte, error) {
	end := f.stop
	if i+1 < len(f.pieces) {
		end = f.pieces[i+1].start
	}
	data := make([]byte, min(end-f.pieces[i].start, pieceBytes)) // a block may end early
	return data, f.fill(data, f.pieces[i].start)
}

// what returns what a record is; ok is false if its event id has no number.
func (c *collector) what(w *walker, number func(id int32) int32) (_ what, ok bool) {
	payload := w.record[headerBytes:]
	switch w.typ {
	case typeBare:
		n := number(w.int32(payload))
		return what(n), n >= 0
	case typeCargo:
		ok = number(w.int32(payload)) >= 0
	default:
		ok = true
	}
	return c.payload(w.typ, payload), ok
}
