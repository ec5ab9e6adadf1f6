package pairing

import "github.com/pandotrace/pando/trace"

// Sequences tell whether the ranks of communicators take part in the same collective operations in the same order. Of each location and
// communicator a hash of the operations that block, with their roots, is kept.
type Sequences struct {
	of   map[member]sequence
	seen []uint64 // locations that have events
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

// Saw takes up that a location has a number of events, of whatever kinds.
func (s *Sequences) Saw(location, events uint64) {
	if events > 0 {
		s.seen = append(s.seen, location)
	}
}

// Unlike returns how many ranks have another sequence than most ranks of their communicator. One that takes part in nothing has none, and counts if its
// process has events. Intercommunicators do not count, nor do communicators in which several threads of a process take part: nothing is known of their
// order.
func (s *Sequences) Unlike(d *trace.Definitions) (n uint64) {
	recorded := map[ProcessID]bool{}
	for _, location := range s.seen {
		recorded[ProcessOf(d, location)] = true
	}
	for comm, v := range s.votes(d) {
		if !v.shared {
			v.addIdle(d, comm, recorded)
			n += v.ranks - v.most
		}
	}
	return n
}

// votes are the sequences of the ranks of a communicator.
type votes struct {
	of     map[sequence]uint64 // how many ranks have it
	seen   map[uint64]bool     // by rank
	size   uint64              // of the communicator
	from   uint64              // a location that takes part
	ranks  uint64
	most   uint64 // ranks that have the most frequent one
	shared bool   // several locations are the same rank
}

func (s *Sequences) votes(d *trace.Definitions) map[uint64]*votes {
	all := map[uint64]*votes{}
	for k, q := range s.of {
		rank, size, ok := d.OwnRank(k.communicator, k.location)
		if !ok {
			continue
		}
		v := all[k.communicator]
		if v == nil {
			v = &votes{of: map[sequence]uint64{}, seen: map[uint64]bool{}, size: size, from: k.location}
			all[k.communicator] = v
		}
		v.shared = v.shared || v.seen[rank]
		v.seen[rank] = true
		v.add(q)
	}
	return all
}

func (v *votes) add(q sequence) {
	v.ranks++
	v.of[q]++
	v.most = max(v.most, v.of[q])
}

// addIdle adds the ranks that take part in nothing. A rank counts, too, whose location is not defined.
func (v *votes) addIdle(d *trace.Definitions, comm uint64, recorded map[ProcessID]bool) {
	take := func(rank uint64) {
		if v.seen[rank] || rank >= v.size {
			return
		}
		v.seen[rank] = true // definitions may list it twice
		if location, ok := d.RankLocation(comm, rank, v.from); !ok || recorded[ProcessOf(d, location)] {
			v.add(sequence{})
		}
	}
	if members := d.GroupLists[d.Comms[comm].Group].Members; len(members) > 0 && uint64(len(members)) < v.size {
		for _, rank := range members {
			take(rank)
		}
		return
	}
	for rank := range v.size {
		if v.ranks >= v.size {
			return
		}
		take(rank)
	}
}
