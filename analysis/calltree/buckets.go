package calltree

// buckets finds calls by a hash of what they are: an open table, since each call that is added asks it.
type buckets struct {
	slots []bucket
	used  int
}

// bucket has a part of the hash of a call, and 1 more than its number.
type bucket struct{ hash, call uint32 }

// bucketBytes is about what a call takes in the table, in bytes.
const bucketBytes = 16

// find returns the call of a hash for which same reports true.
func (b *buckets) find(hash uint64, same func(Node) bool) (Node, bool) {
	if len(b.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(b.slots) - 1)
	for at := uint32(hash) & mask; ; at = (at + 1) & mask {
		switch s := b.slots[at]; {
		case s.call == 0:
			return 0, false
		case s.hash == uint32(hash) && same(Node(s.call-1)):
			return Node(s.call - 1), true
		}
	}
}

// put adds a call that is not there.
func (b *buckets) put(hash uint64, n Node) {
	if 4*b.used >= 3*len(b.slots) {
		old := b.slots
		b.slots = make([]bucket, max(64, 2*len(old)))
		for _, s := range old {
			if s.call != 0 {
				b.place(s)
			}
		}
	}
	b.place(bucket{uint32(hash), uint32(n) + 1})
	b.used++
}

func (b *buckets) place(s bucket) {
	mask := uint32(len(b.slots) - 1)
	at := s.hash & mask
	for b.slots[at].call != 0 {
		at = (at + 1) & mask
	}
	b.slots[at] = s
}
