package pairing

import "github.com/pandotrace/pando/trace"

// Sequences tell whether the ranks of communicators take part in the same collective operations in the same order. Of each location and
// communicator a hash of the operations that block, with their roots, is kept.
type Sequences struct {
	of map[member]sequence
}

// member is a location, by its id, and a communicator.
type member struct{ location, communicator uint64 }

type sequence struct{ count, hash uint64 }

// Add takes up that a location has taken part in an operation: the fields of an MpiCollectiveEnd.
func (s *Sequences) Add(location uint64, words []uint64) {
	if s.of == nil {
		s.of = map[member]sequence{}
	}
	key := member{location, words[1]}
	q := s.of[key]
	q.count++
	q.hash = (q.hash ^ words[0] ^ words[2]<<32) * 0x9e3779b97f4a7c15
	q.hash ^= q.hash >> 29
	s.of[key] = q
}

// Join takes over what others have.
func (s *Sequences) Join(o *Sequences) {
	if s.of == nil {
		s.of = o.of
		return
	}
	for k, q := range o.of {
		s.of[k] = q
	}
}

// Unlike returns how many ranks have another sequence than most ranks of their communicator. Ranks that take part in nothing do not count, nor do
// intercommunicators, nor communicators in which several threads of a process take part: nothing is known of their order.
func (s *Sequences) Unlike(d *trace.Definitions) (n uint64) {
	for _, v := range s.votes(d) {
		if !v.shared {
			n += v.ranks - v.most
		}
	}
	return n
}

// votes are the sequences of the ranks of a communicator.
type votes struct {
	of     map[sequence]uint64 // how many ranks have it
	seen   map[uint64]bool     // by rank
	ranks  uint64
	most   uint64 // ranks that have the most frequent one
	shared bool   // several locations are the same rank
}

func (s *Sequences) votes(d *trace.Definitions) map[uint64]*votes {
	all := map[uint64]*votes{}
	for k, q := range s.of {
		rank, _, ok := d.OwnRank(k.communicator, k.location)
		if !ok {
			continue
		}
		v := all[k.communicator]
		if v == nil {
			v = &votes{of: map[sequence]uint64{}, seen: map[uint64]bool{}}
			all[k.communicator] = v
		}
		v.shared = v.shared || v.seen[rank]
		v.seen[rank] = true
		v.ranks++
		v.of[q]++
		v.most = max(v.most, v.of[q])
	}
	return all
}
