package clog2

import "sync"

// cachedPieces is the number of pieces whose records are kept for the streams of other locations.
const cachedPieces = 768

// cache keeps the records of the pieces that were read last, one piece in a slot.
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
		r, err := reread(f, piece)
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

// reread reads a piece again. What was not there when it was read first is refused.
func reread(f *file, piece int) (*records, error) {
	data, err := f.readPiece(piece)
	if err != nil {
		return nil, err
	}
	s := newStretch(f)
	defer s.release()
	s.next = f.pieces[piece]
	if s.piece(data); s.err != nil {
		return nil, s.err
	}
	lines := make([]int32, len(s.lines.keys))
	for i, k := range s.lines.keys {
		if lines[i], _ = f.lines.find(k); lines[i] < 0 {
			return nil, f.changed(f.pieces[piece].start)
		}
	}
	if !f.ids.contains(&s.ids) {
		return nil, f.changed(f.pieces[piece].start)
	}
	s.renumber(lines)
	return s.records[0], nil
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
