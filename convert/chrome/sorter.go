package chrome

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"slices"
)

// Records are sorted in memory as long as they fit into a budget. Otherwise they go to disk in sorted runs, which are
// merged in the end into one file. Records of equal keys keep their order.

// key says where a record belongs: group by group, by time, by rank.
type key struct {
	group, rank uint64
	time        instant
}

func (k *key) compare(o *key) int {
	switch {
	case k.group != o.group:
		return cmp.Compare(k.group, o.group)
	case k.time.us != o.time.us:
		return cmp.Compare(k.time.us, o.time.us)
	case k.time.frac != o.time.frac:
		return cmp.Compare(k.time.frac, o.time.frac)
	}
	return cmp.Compare(k.rank, o.rank)
}

// entry is a record in memory. Its bytes begin at 8·at of the arena, after their length in 4 bytes.
type entry struct {
	group, rank uint64
	us          int64
	frac, at    uint32
}

func (e *entry) key() key { return key{e.group, e.rank, instant{e.us, e.frac}} }

const (
	chunkBytes = 1 << 20
	firstChunk = 16 << 10
	entryBytes = 32
	// entryCost is what an entry takes while the list of them grows.
	entryCost = 3 * entryBytes
	// maxRuns is how many files are open at once, about.
	maxRuns = 64
	// leastMemory is what a sorter needs at least, in bytes.
	leastMemory = 2 * chunkBytes
	// mostMemory is what places of 32 bits reach.
	mostMemory = 16 << 30
)

// sorter sorts records.
type sorter struct {
	dir     string // for runs
	memory  int64  // budget in bytes
	entries []entry
	chunks  [][]byte
	room    int   // bytes left in the last chunk
	arena   int64 // bytes of all chunks
	runs    []*run
	fanIn   int // runs from which on they are merged into one
}

func newSorter(dir string, memory int64) *sorter {
	return &sorter{dir: dir, memory: min(max(memory, leastMemory), mostMemory), fanIn: maxRuns}
}

// add takes in a record, whose bytes are copied.
func (s *sorter) add(k key, data []byte) error {
	need := (4 + len(data) + 7) &^ 7
	if s.used() > s.memory {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if need > s.room {
		s.chunk(need)
	}
	last := s.chunks[len(s.chunks)-1]
	from := len(last)
	last = binary.LittleEndian.AppendUint32(last, uint32(len(data)))
	last = append(last, data...)[:from+need]
	s.chunks[len(s.chunks)-1] = last
	s.room -= need
	at := (len(s.chunks)-1)*(chunkBytes/8) + from/8
	s.entries = append(s.entries, entry{k.group, k.rank, k.time.us, k.time.frac, uint32(at)})
	return nil
}

// chunk gets room for records.
func (s *sorter) chunk(need int) {
	size := max(need, min(chunkBytes, firstChunk<<min(len(s.chunks), 16))) // one that is larger than chunkBytes holds one record
	s.chunks = append(s.chunks, make([]byte, 0, size))
	s.arena += int64(size)
	s.room = size
}

func (s *sorter) used() int64 {
	return s.arena + entryCost*int64(len(s.entries))
}

func (s *sorter) sort() {
	slices.SortFunc(s.entries, func(a, b entry) int {
		x, y := a.key(), b.key()
		return cmp.Or(x.compare(&y), cmp.Compare(a.at, b.at))
	})
}

// bytes returns the bytes of a record in memory.
func (s *sorter) bytes(e *entry) []byte {
	chunk := s.chunks[e.at/(chunkBytes/8)]
	chunk = chunk[e.at%(chunkBytes/8)*8:]
	return chunk[4 : 4+binary.LittleEndian.Uint32(chunk)]
}

// spill writes what is in memory to disk.
func (s *sorter) spill() error {
	s.sort()
	if len(s.runs) == s.fanIn {
		if err := s.mergeRuns(); err != nil {
			return err
		}
	}
	w, err := newRun(s.dir)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, w)
	for i := range s.entries {
		if err := w.write(s.entries[i].key(), s.bytes(&s.entries[i])); err != nil {
			return err
		}
	}
	s.entries, s.chunks, s.room, s.arena = s.entries[:0], nil, 0, 0
	return w.flush()
}

// mergeRuns makes one run of all.
func (s *sorter) mergeRuns() error {
	w, err := newRun(s.dir)
	if err != nil {
		return err
	}
	m, err := newMerge(s.runs)
	for err == nil && m.next() {
		err = w.write(m.key(), m.data())
	}
	if err == nil {
		err = m.err
	}
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return errors.Join(err, w.close())
	}
	err = s.close()
	s.runs = []*run{w}
	return err
}

// finish ends the sorting: everything is in memory, or in one run.
func (s *sorter) finish() error {
	if len(s.runs) == 0 {
		s.sort()
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.entries = nil
	return s.mergeRuns()
}

// close removes the runs.
func (s *sorter) close() (err error) {
	for _, r := range s.runs {
		err = errors.Join(err, r.close())
	}
	s.runs = nil
	return err
}

// cursor goes through the records of a group, or of all from there on, when the sorting is finished.
func (s *sorter) cursor(group uint64) (cursor, error) {
	if len(s.runs) == 0 {
		i, _ := slices.BinarySearchFunc(s.entries, group, func(e entry, g uint64) int { return cmp.Compare(e.group, g) })
		return &memoryCursor{s, i - 1}, nil
	}
	r := s.runs[0]
	share := s.memory / int64(max(len(r.groups), 1))
	return r.reader(r.place(group), int(max(leastBuffer, min(share, runBuffer)))), nil
}

// cursor gives records in order. What it returns is valid until the next step.
type cursor interface {
	// next goes to the next record. It returns false behind the last one, and after an error.
	next() bool
	key() key
	data() []byte
	failure() error
}

type memoryCursor struct {
	s *sorter
	i int
}

func (c *memoryCursor) next() bool {
	c.i++
	return c.i < len(c.s.entries)
}
func (c *memoryCursor) key() key       { return c.s.entries[c.i].key() }
func (c *memoryCursor) data() []byte   { return c.s.bytes(&c.s.entries[c.i]) }
func (c *memoryCursor) failure() error { return nil }

// tempFile opens a file without a name that lasts as long as it is open, where the system has such files.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "pando-sort-")
	if err == nil {
		_ = os.Remove(f.Name()) // where open files cannot be removed, close does it
	}
	return f, err
}
