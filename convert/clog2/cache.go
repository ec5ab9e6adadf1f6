package clog2

import (
	"slices"
	"sync"
)

// cachedPieces is the number of pieces that are kept for the streams of other locations.
const cachedPieces = 768

// cache keeps the pieces that were read last, as far as they do not share a slot.
type cache [cachedPieces]struct {
	sync.Mutex
	file  *file
	piece int
	walked
	group *group // made when it is first needed
}

// walked is a piece of a file with its records, in order.
type walked struct {
	data    []byte
	records []uint32 // where they begin
	lines   []int32  // of the file, by record
}

// group is the records of a piece of a file, location by location, so that a stream reads them in one go. Nobody changes
// it any more.
type group struct {
	data []byte
	runs []run // by location
}

// run is the records of one location in a group: some of its bytes. line is the line of the file that they are all of, or
// mixed.
type run struct{ location, line, from, to int32 }

const mixed = -1

// put keeps a piece that was walked along.
func (c *cache) put(f *file, piece int, w walked) {
	slot := &c[(piece+f.slot)%cachedPieces]
	slot.file, slot.piece, slot.walked, slot.group = f, piece, w, nil
}

// get returns a piece of a file.
func (c *cache) get(a *Archive, f *file, piece int) (*group, error) {
	slot := &c[(piece+f.slot)%cachedPieces]
	slot.Lock()
	defer slot.Unlock()
	if slot.file != f || slot.piece != piece || slot.group == nil && slot.data == nil {
		w, err := f.walk(piece)
		if err != nil {
			return nil, err
		}
		slot.file, slot.piece, slot.walked, slot.group = f, piece, w, nil
	}
	if slot.group == nil {
		slot.group = a.group(f, &slot.walked)
		slot.walked = walked{}
	}
	return slot.group, nil
}

// walk reads a piece again and walks along it.
func (f *file) walk(piece int) (walked, error) {
	data, err := f.readPiece(piece)
	if err != nil {
		return walked{}, err
	}
	var w walker
	w.begin(f, &f.pieces[piece], data)
	r := walked{data: data}
	for w.step() {
		line, _ := f.lines.find(f.line(w.record))
		if line < 0 || !f.isTime(w.record) {
			return walked{}, f.changed(w.base + int64(w.at))
		}
		r.records, r.lines = append(r.records, uint32(w.at)), append(r.lines, line)
	}
	return r, w.err
}

// group puts the records of a piece in the order of their locations.
func (a *Archive) group(f *file, w *walked) *group {
	s := sorters.Get().(*sorter)
	defer sorters.Put(s)
	s.begin(len(a.locations))
	for i, at := range w.records {
		typ := f.typeOf(w.data[at:])
		s.add(f.located[w.lines[i]].of(typ).Location, w.lines[i], int32(recordSizes[typ]))
	}
	return s.sorted(f, w)
}

// of returns the records of a location, and their line.
func (g *group) of(location int32) (records []byte, line int32) {
	i, ok := slices.BinarySearchFunc(g.runs, location, func(r run, l int32) int { return int(r.location) - int(l) })
	if !ok {
		return nil, mixed
	}
	r := &g.runs[i]
	return g.data[r.from:r.to], r.line
}

// sorter sorts the records of a piece by location, keeping their order otherwise.
type sorter struct {
	run    []int32 // by record: index in runs
	runs   []run   // in the order of their first records; to counts the bytes
	runOf  []int32 // by location: index in runs, where epochs say that it is of this piece
	epochs []uint32
	epoch  uint32
	order  []int32
	spare  []byte
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

func (s *sorter) begin(locations int) {
	s.run, s.runs = s.run[:0], s.runs[:0]
	s.epoch++
	if len(s.runOf) < locations || s.epoch == 0 {
		s.runOf, s.epochs, s.epoch = make([]int32, locations), make([]uint32, locations), 1
	}
}

// add takes in location, line and size of the next record.
func (s *sorter) add(location, line, size int32) {
	if s.epochs[location] != s.epoch {
		s.epochs[location], s.runOf[location] = s.epoch, int32(len(s.runs))
		s.runs = append(s.runs, run{location: location, line: line})
	}
	i := s.runOf[location]
	r := &s.runs[i]
	r.to += size
	if r.line != line {
		r.line = mixed
	}
	s.run = append(s.run, i)
}

// sorted copies the records of the piece that the locations were of.
func (s *sorter) sorted(f *file, w *walked) *group {
	s.order = s.order[:0]
	for i := range s.runs {
		s.order = append(s.order, int32(i))
	}
	slices.SortFunc(s.order, func(a, b int32) int { return int(s.runs[a].location) - int(s.runs[b].location) })
	next := int32(0)
	for _, i := range s.order {
		r := &s.runs[i]
		r.from, r.to, next = next, next, next+r.to
	}
	g := &group{data: s.buffer(int(next)), runs: make([]run, len(s.runs))}
	for i, at := range w.records {
		r := &s.runs[s.run[i]]
		r.to += int32(copyRecord(g.data[r.to:], w.data[at:], f))
	}
	for i, from := range s.order {
		g.runs[i] = s.runs[from]
	}
	s.spare = w.data // nobody else has it
	return g
}

// copyRecord copies the record that src begins with, and returns its size.
func copyRecord(dst, src []byte, f *file) int {
	size := int(recordSizes[f.typeOf(src)])
	if size == leastRecord { // most are
		*(*[leastRecord]byte)(dst) = *(*[leastRecord]byte)(src)
		return size
	}
	return copy(dst[:size], src)
}

// buffer returns room for n bytes.
func (s *sorter) buffer(n int) []byte {
	if b := s.spare; cap(b) >= n {
		s.spare = nil
		return b[:n]
	}
	return make([]byte, n)
}
