package sorting

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// Key is the place of a record in the order: by group, then by time, then by rank.
type Key struct {
	Group, Rank uint64
	Time        scan.Instant
}

// Compare returns -1, 0 or 1 as records with k come before, with or after records with o.
func (k *Key) Compare(o *Key) int {
	switch {
	case k.Group != o.Group:
		return cmp.Compare(k.Group, o.Group)
	case k.Time.Micros != o.Time.Micros:
		return cmp.Compare(k.Time.Micros, o.Time.Micros)
	case k.Time.Frac != o.Time.Frac:
		return cmp.Compare(k.Time.Frac, o.Time.Frac)
	}
	return cmp.Compare(k.Rank, o.Rank)
}

// entry is a record in memory, by its key and a place. The bytes of a Sorter's record begin at 8·at of the arena, after their length in 4 bytes.
type entry struct {
	group, rank uint64
	us          int64
	frac, at    uint32
}

func newEntry(k *Key, at int) entry {
	return entry{k.Group, k.Rank, k.Time.Micros, k.Time.Frac, uint32(at)}
}

func (e *entry) key() Key { return Key{e.group, e.rank, scan.Instant{Micros: e.us, Frac: e.frac}} }

const (
	ChunkBytes = 1 << 20
	firstChunk = 16 << 10
	entryBytes = 32
	// entryCost is what an entry takes while the list of them grows.
	entryCost = 3 * entryBytes
	// maxRuns is how many files are open at once, about.
	maxRuns = 64
	// leastMemory is what a sorter needs at least, in bytes.
	leastMemory = 2 * ChunkBytes
	// mostMemory is what places of 32 bits reach.
	mostMemory = 16 << 30
)

// Sorter sorts records in memory as long as they fit into a budget. Otherwise they go to disk in sorted runs, which are merged in the end into
// one file.
type Sorter struct {
	Dir     string // for runs
	Memory  int64  // budget in bytes
	entries []entry
	chunks  [][]byte
	room    int   // bytes left in the last chunk
	arena   int64 // bytes of all chunks
	Runs    []*run
	FanIn   int // runs from which on they are merged into one
}

// New returns a sorter with a budget of memory, in bytes; its files are made in dir.
func New(dir string, memory int64) *Sorter {
	return &Sorter{Dir: dir, Memory: min(max(memory, leastMemory), mostMemory), FanIn: maxRuns}
}

// Add takes in a record, whose bytes are copied.
func (s *Sorter) Add(k Key, data []byte) error {
	need := (4 + len(data) + 7) &^ 7
	if s.used() > s.Memory {
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
	at := (len(s.chunks)-1)*(ChunkBytes/8) + from/8
	s.entries = append(s.entries, newEntry(&k, at))
	return nil
}

// chunk gets room for records.
func (s *Sorter) chunk(need int) {
	size := chunkSize(need, len(s.chunks))
	s.chunks = append(s.chunks, make([]byte, 0, size))
	s.arena += int64(size)
	s.room = size
}

// chunkSize returns the size of a chunk that has room for some bytes, when there are others. One that is larger than ChunkBytes holds these bytes alone.
func chunkSize(need, others int) int { return max(need, min(ChunkBytes, firstChunk<<min(others, 16))) }

func (s *Sorter) used() int64 {
	return s.arena + entryCost*int64(len(s.entries))
}

// sortEntries sorts by keys, and entries of equal keys by their places.
func sortEntries(list []entry) {
	slices.SortFunc(list, func(a, b entry) int {
		if a.group != b.group { // as nearly always, where not all are of one group
			return cmp.Compare(a.group, b.group)
		}
		x, y := a.key(), b.key()
		return cmp.Or(x.Compare(&y), cmp.Compare(a.at, b.at))
	})
}

// bytes returns the bytes of a record in memory.
func (s *Sorter) bytes(e *entry) []byte {
	chunk := s.chunks[e.at/(ChunkBytes/8)]
	chunk = chunk[e.at%(ChunkBytes/8)*8:]
	return chunk[4 : 4+binary.LittleEndian.Uint32(chunk)]
}

// spill writes what is in memory to disk.
func (s *Sorter) spill() error {
	sortEntries(s.entries)
	if len(s.Runs) == s.FanIn {
		if err := s.mergeRuns(); err != nil {
			return err
		}
	}
	w, err := newRun(s.Dir)
	if err != nil {
		return err
	}
	s.Runs = append(s.Runs, w)
	for i := range s.entries {
		if err := w.write(s.entries[i].key(), s.bytes(&s.entries[i])); err != nil {
			return err
		}
	}
	s.entries, s.chunks, s.room, s.arena = s.entries[:0], nil, 0, 0
	return w.flush()
}

// mergeRuns makes one run of all.
func (s *Sorter) mergeRuns() error {
	w, err := newRun(s.Dir)
	if err != nil {
		return err
	}
	m, err := newMerge(s.Runs)
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
	err = s.Close()
	s.Runs = []*run{w}
	return err
}

// Finish ends the sorting: everything is in memory, or in one run.
func (s *Sorter) Finish() error {
	if len(s.Runs) == 0 {
		sortEntries(s.entries)
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.entries = nil
	return s.mergeRuns()
}

// Close removes the runs.
func (s *Sorter) Close() (err error) {
	for _, r := range s.Runs {
		err = errors.Join(err, r.close())
	}
	s.Runs = nil
	return err
}

// Records goes through all records, when the sorting is finished.
func (s *Sorter) Records() Records {
	if len(s.Runs) == 0 {
		return &memoryRecords{s, -1}
	}
	return s.Runs[0].reader(runBuffer)
}

// Records gives records in order. What it returns is valid until the next step.
type Records interface {
	// Next goes to the next record. It returns false behind the last one, and after an error.
	Next() bool
	Key() Key
	Data() []byte
	Failure() error
}

type memoryRecords struct {
	s *Sorter
	i int
}

func (c *memoryRecords) Next() bool {
	c.i++
	return c.i < len(c.s.entries)
}
func (c *memoryRecords) Key() Key       { return c.s.entries[c.i].key() }
func (c *memoryRecords) Data() []byte   { return c.s.bytes(&c.s.entries[c.i]) }
func (c *memoryRecords) Failure() error { return nil }
