package chrome

import (
	"cmp"
	"slices"
)

// rerank gives records other ranks, those of the changes, and sorts again where that changes the order. What follows a begin that
// got the rank of its length, up to the next such one, stays behind it.
func (s *sorter) rerank(changes *sorter) error {
	from, err := s.cursor(0)
	if err != nil {
		return err
	}
	change, err := changes.cursor(0)
	if err != nil {
		return err
	}
	r := reranking{from: from, change: change, more: change.next()}
	if len(s.runs) == 0 {
		for i := range s.entries {
			from.next()
			s.entries[i].rank = r.rank(uint64(i))
		}
		s.sort()
		return change.failure()
	}
	again := newSorter(s.dir, s.memory)
	together := &together{to: again}
	for i := uint64(0); err == nil && from.next(); i++ {
		k := from.key()
		k.rank = r.rank(i)
		err = together.add(k, from.data())
	}
	for _, e := range []error{err, together.flush(), from.failure(), change.failure(), again.finish()} {
		if e != nil {
			_ = again.close() // the first error is the one that counts
			return e
		}
	}
	err = s.close()
	*s = *again
	return err
}

// together gives a sorter the records of one thread and time in the order of the file, in which records of equal ranks stay: begins
// and slices say their places, other records stand behind the begin that they follow.
type together struct {
	to    *sorter
	key   key
	list  []placedRecord
	bytes []byte
}

// placedRecord is a record with its place in the file. Its bytes are those of the list up to an offset.
type placedRecord struct {
	place, rank uint64
	from, to    int
}

// mostTogether bounds the bytes of records that are put in order; beyond that begins come before slices of equal lengths.
const mostTogether = 4 << 20

func (t *together) add(k key, data []byte) error {
	if k.group != t.key.group || k.time != t.key.time || len(t.bytes) > mostTogether {
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.key = k
	p := placedRecord{rank: k.rank, from: len(t.bytes)}
	if n := len(t.list); n > 0 {
		p.place = t.list[n-1].place
	}
	u := unpacker{b: data}
	if o := op(u.byte()); o == opBegin || o == opSlice {
		p.place = u.uvarint()
	}
	t.bytes = append(t.bytes, data...)
	p.to = len(t.bytes)
	t.list = append(t.list, p)
	return nil
}

func (t *together) flush() error {
	slices.SortStableFunc(t.list, func(a, b placedRecord) int { return cmp.Compare(a.place, b.place) })
	for _, p := range t.list {
		if err := t.to.add(key{t.key.group, p.rank, t.key.time}, t.bytes[p.from:p.to]); err != nil {
			return err
		}
	}
	t.list, t.bytes = t.list[:0], t.bytes[:0]
	return nil
}

// reranking tells the ranks that sorted records get.
type reranking struct {
	from, change cursor
	more         bool // there is a change to come
	thread       uint64
	time         instant
	follow       uint64 // the rank of the last begin of this time that got one
}

// rank returns the rank of the record that from stands at.
func (r *reranking) rank(ordinal uint64) uint64 {
	k := r.from.key()
	if k.group != r.thread || k.time != r.time {
		r.thread, r.time, r.follow = k.group, k.time, 0
	}
	if r.more && r.change.key().group == ordinal {
		k.rank = r.change.key().rank
		if len(r.change.data()) > 0 {
			r.follow = k.rank
		}
		r.more = r.change.next()
		return k.rank
	}
	if k.rank == 0 {
		return r.follow
	}
	return k.rank
}
