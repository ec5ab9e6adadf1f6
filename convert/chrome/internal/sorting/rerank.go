package sorting

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// Rerank gives records the ranks of the changes and sorts them again. Records without a rank that follow a begin with a new rank get the
// rank of that begin. placeOf returns a record's place in the file; ok is false for records that stand behind the one before them.
func (s *Threads) Rerank(changes *Sorter, placeOf func(data []byte) (place uint64, ok bool)) error {
	from, change := s.Records(), changes.Records()
	r := reranking{from: from, change: change, more: change.Next()}
	again := NewThreads(s.Dir, s.Memory/2) // as the records and the changes are in memory, too
	together := &together{to: again, placeOf: placeOf}
	var err error
	for i := uint64(0); err == nil && from.Next(); i++ {
		k := from.Key()
		k.Rank = r.rank(i)
		err = together.add(k, from.Data())
	}
	for _, e := range []error{err, together.flush(), from.Failure(), change.Failure(), again.Finish()} {
		if e != nil {
			_ = again.Close() // the first error is the one that counts
			return e
		}
	}
	err = s.Close()
	again.Memory = s.Memory
	*s = *again
	return err
}

// together gives a sorter the records of one group and time in the order of the file, which records of equal ranks keep. A record
// without a place stands behind the one before it.
type together struct {
	to      *Threads
	placeOf func(data []byte) (place uint64, ok bool)
	key     Key
	list    []placedRecord
	bytes   []byte
}

// placedRecord is a record with its place in the file. Its bytes are those of the list up to an offset.
type placedRecord struct {
	place, rank uint64
	from, to    int
}

// mostTogether bounds the bytes of records that are put in order; beyond that begins come before slices of equal lengths.
const mostTogether = 4 << 20

func (t *together) add(k Key, data []byte) error {
	if k.Group != t.key.Group || k.Time != t.key.Time || len(t.bytes) > mostTogether {
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.key = k
	p := placedRecord{rank: k.Rank, from: len(t.bytes)}
	if n := len(t.list); n > 0 {
		p.place = t.list[n-1].place
	}
	if place, ok := t.placeOf(data); ok {
		p.place = place
	}
	t.bytes = append(t.bytes, data...)
	p.to = len(t.bytes)
	t.list = append(t.list, p)
	return nil
}

func (t *together) flush() error {
	slices.SortStableFunc(t.list, func(a, b placedRecord) int { return cmp.Compare(a.place, b.place) })
	for _, p := range t.list {
		if err := t.to.Add(Key{t.key.Group, p.rank, t.key.Time}, t.bytes[p.from:p.to]); err != nil {
			return err
		}
	}
	t.list, t.bytes = t.list[:0], t.bytes[:0]
	return nil
}

// reranking finds the new ranks of sorted records.
type reranking struct {
	from, change Records
	more         bool // there is a change to come
	group        uint64
	time         scan.Instant
	follow       uint64 // new rank of the last begin of this time, 0 if none has one
}

// rank returns the rank of the record that from stands at.
func (r *reranking) rank(ordinal uint64) uint64 {
	k := r.from.Key()
	if k.Group != r.group || k.Time != r.time {
		r.group, r.time, r.follow = k.Group, k.Time, 0
	}
	if r.more && r.change.Key().Group == ordinal {
		k.Rank = r.change.Key().Rank
		if len(r.change.Data()) > 0 {
			r.follow = k.Rank
		}
		r.more = r.change.Next()
		return k.Rank
	}
	if k.Rank == 0 {
		return r.follow
	}
	return k.Rank
}
