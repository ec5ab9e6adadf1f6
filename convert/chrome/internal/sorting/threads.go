package sorting

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"
)

// Threads sorts records of threads, which mostly come in order. Records of a thread are packed as they come, in stretches. When the first one has
// come too early, those behind it are collected and sorted, some thousands at a time, before they are packed. When the stretches of all
// threads need more memory than the budget, they go to disk as one run. A [Cursor] merges the stretches of a thread that overlap.
type Threads struct {
	Dir    string // for runs
	Memory int64  // budget in bytes
	Runs   []*packedRun
	FanIn  int // runs from which on they are merged into one

	threads []thread // by group
	pieces  []piece  // stretches in memory; the first one is not used
	blocks  [][]byte // their bytes
	used    int64    // what a spill frees
	pack    packer
}

// thread is what is kept of the records of a group.
type thread struct {
	pack        packer // the stretch to come, while all records were in order
	mixed       *mixed // nil while they are
	first, last int32  // numbers of its stretches in memory, 0 if there are none
}

// mixed is the last records of a thread of which some came too early. They are not packed yet. The place of an entry is where in data its bytes
// are, after their length in 4 bytes.
type mixed struct {
	entries  []entry
	data     []byte
	disorder bool // they are not in order
}

const (
	pieceBytes = int64(unsafe.Sizeof(piece{}))

	// stretchBytes bounds the bytes of a stretch, but for its last record; mixedRecords bounds those that are sorted.
	stretchBytes = 128 << 10
	mixedRecords = 4096
	// readBuffer is what is read of a run at a time; less where many parts of runs may be open.
	readBuffer  = 32 << 10
	leastBuffer = 1 << 10
	// leastPacked is what Threads need at least, in bytes.
	leastPacked = 512 << 10
	// MaxThreads bounds the groups, which are numbers from 0 on.
	MaxThreads = 1 << 18
)

// NewThreads returns a sorter with a budget of memory, in bytes; its files are made in dir.
func NewThreads(dir string, memory int64) *Threads {
	return &Threads{Dir: dir, Memory: max(memory, leastPacked), FanIn: maxRuns}
}

// Add takes in a record, whose bytes are copied.
func (s *Threads) Add(k Key, data []byte) error {
	if s.used > s.Memory {
		if err := s.spill(); err != nil {
			return err
		}
	}
	for uint64(len(s.threads)) <= k.Group {
		s.threads = append(s.threads, thread{})
	}
	t := &s.threads[k.Group]
	before := t.room()
	switch {
	case t.mixed != nil:
		s.mix(t, &k, data)
	case !t.pack.going || t.pack.last.Compare(&k) <= 0:
		if len(t.pack.bytes) >= stretchBytes {
			s.settle(t)
		}
		t.pack.add(&k, data)
	default:
		s.settle(t)
		t.pack, t.mixed = packer{}, &mixed{}
		s.mix(t, &k, data)
	}
	s.used += t.room() - before
	return nil
}

// room is the memory of records that are in no stretch yet.
func (t *thread) room() int64 {
	if m := t.mixed; m != nil {
		return entryBytes*int64(cap(m.entries)) + int64(cap(m.data))
	}
	return int64(cap(t.pack.bytes))
}

// mix takes in a record of a thread whose records are sorted.
func (s *Threads) mix(t *thread, k *Key, data []byte) {
	m := t.mixed
	if len(m.entries) >= mixedRecords || len(m.data) >= stretchBytes {
		s.settle(t)
	}
	if n := len(m.entries); n > 0 {
		last := m.entries[n-1].key()
		m.disorder = m.disorder || k.Compare(&last) < 0
	}
	m.entries = append(m.entries, newEntry(k, len(m.data)))
	m.data = append(binary.LittleEndian.AppendUint32(m.data, uint32(len(data))), data...)
}

// settle makes a stretch of the records of a thread that are in none.
func (s *Threads) settle(t *thread) {
	from := &t.pack
	if t.mixed != nil {
		from = &s.pack
		t.mixed.pack(from)
	}
	if len(from.bytes) == 0 {
		return
	}
	p := piece{first: firstOf(from.bytes, from.last.Group), last: from.last}
	p.source, p.at = s.keep(from.bytes)
	p.end = p.at + int64(len(from.bytes))
	from.begin()
	if len(s.pieces) == 0 {
		s.pieces = append(s.pieces, piece{})
	}
	n := int32(len(s.pieces))
	if t.last != 0 {
		s.pieces[t.last].next = n
	} else {
		t.first = n
	}
	t.last = n
	s.pieces = append(s.pieces, p)
	s.used += pieceBytes
}

// keep copies bytes to a block, and returns where they are.
func (s *Threads) keep(b []byte) (block int32, at int64) {
	last := len(s.blocks) - 1
	if last < 0 || cap(s.blocks[last])-len(s.blocks[last]) < len(b) {
		size := chunkSize(len(b), len(s.blocks))
		s.blocks = append(s.blocks, make([]byte, 0, size))
		s.used += int64(size)
		last++
	}
	at = int64(len(s.blocks[last]))
	s.blocks[last] = append(s.blocks[last], b...)
	return int32(last), at
}

// stretches appends the stretches of a thread in memory.
func (s *Threads) stretches(list []piece, t *thread) []piece {
	for i := t.first; i != 0; i = s.pieces[i].next {
		list = append(list, s.pieces[i])
	}
	return list
}

// openPiece lets an unpacker begin with a piece.
func (s *Threads) openPiece(u *unpacker, p *piece, buffer int) {
	if p.source >= 0 {
		u.rest = s.blocks[p.source][p.at:p.end]
		return
	}
	u.file, u.at, u.end = s.Runs[-1-p.source].file, p.at, p.end
	if n := int(min(int64(buffer), p.end-p.at)); n > len(u.buf) {
		u.buf = make([]byte, n)
	}
}

// pack sorts the records and packs them.
func (m *mixed) pack(to *packer) {
	if m.disorder {
		sortEntries(m.entries)
	}
	for i := range m.entries {
		k, b := m.entries[i].key(), m.data[m.entries[i].at:]
		to.add(&k, b[4:4+binary.LittleEndian.Uint32(b)])
	}
	m.entries, m.data, m.disorder = m.entries[:0], m.data[:0], false
}

// spill writes what is in memory to disk.
func (s *Threads) spill() error {
	w, err := newPackedRun(s)
	if err != nil {
		return err
	}
	var list []piece
	for i := range s.threads {
		t := &s.threads[i]
		s.settle(t)
		if list = s.stretches(list[:0], t); len(list) > 0 && err == nil {
			err = w.take(list)
		}
		*t = thread{}
	}
	s.pieces, s.blocks, s.used = nil, nil, 0
	if err = cmp.Or(err, w.flush()); err != nil {
		return errors.Join(err, w.close())
	}
	s.Runs = append(s.Runs, w)
	if len(s.Runs) > s.FanIn || len(s.Runs) > fewRuns && s.parts()*pieceBytes > s.Memory/4 {
		return s.mergeRuns()
	}
	return nil
}

// fewRuns is how many runs there are at least, however many threads are in them, before they are merged.
const fewRuns = 4

// parts returns the number of parts of threads in runs.
func (s *Threads) parts() (n int64) {
	for _, r := range s.Runs {
		n += int64(len(r.parts))
	}
	return n
}

// mergeRuns makes one run of all.
func (s *Threads) mergeRuns() error {
	w, err := newPackedRun(s)
	if err != nil {
		return err
	}
	for group := range s.threads {
		if parts := s.partsOf(nil, uint64(group)); len(parts) > 0 && err == nil {
			err = w.take(parts)
		}
	}
	if err = cmp.Or(err, w.flush()); err != nil {
		return errors.Join(err, w.close())
	}
	err = s.Close()
	s.Runs = []*packedRun{w}
	return err
}

// partsOf appends the parts of runs that belong to a thread.
func (s *Threads) partsOf(list []piece, group uint64) []piece {
	for n, r := range s.Runs {
		if i, ok := slices.BinarySearchFunc(r.parts, group, func(p piece, g uint64) int { return cmp.Compare(p.first.Group, g) }); ok {
			list = append(list, r.parts[i])
			list[len(list)-1].source = int32(-1 - n)
		}
	}
	return list
}

// Finish ends the sorting: all stretches are made, and so few parts of runs are left that all can be read at once.
func (s *Threads) Finish() error {
	for i := range s.threads {
		t := &s.threads[i]
		s.settle(t)
		t.pack, t.mixed = packer{}, nil
	}
	if len(s.Runs) > 1 && s.parts()*leastBuffer > s.Memory {
		return s.mergeRuns()
	}
	return nil
}

// Close removes the runs.
func (s *Threads) Close() (err error) {
	for _, r := range s.Runs {
		err = errors.Join(err, r.close())
	}
	s.Runs = nil
	return err
}

// Seek makes c a cursor of a thread's records, when the sorting is finished. It uses the memory of c.
func (s *Threads) Seek(c *Cursor, group uint64) {
	list, buffer := s.partsOf(c.pieces[:0], group), int64(0)
	if len(list) > 0 {
		buffer = max(leastBuffer, min(s.Memory/s.parts(), readBuffer))
	}
	if group < uint64(len(s.threads)) {
		list = s.stretches(list, &s.threads[group])
	}
	c.start(s, list, int(buffer))
}

// Records goes through the records of all threads, when the sorting is finished.
func (s *Threads) Records() Records {
	w := &walk{threads: s}
	s.Seek(&w.Cursor, 0)
	return w
}

// walk goes from thread to thread.
type walk struct {
	Cursor
	threads *Threads
	group   uint64
}

// Next implements Records.
func (w *walk) Next() bool {
	for !w.Cursor.Next() {
		if w.Failure() != nil || w.group >= uint64(len(w.threads.threads)) {
			return false
		}
		w.group++
		w.threads.Seek(&w.Cursor, w.group)
	}
	return true
}
