package mpe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Member is a rank of a communicator.
type Member struct{ Comm, Rank int32 }

// Sides are the two groups of an intercommunicator, A before B.
type Sides struct{ A, B int32 }

// SidesOf puts two groups in order.
func SidesOf(x, y int32) Sides { return Sides{min(x, y), max(x, y)} }

// Communicators is what is known of communicators, by their ids in the trace.
type Communicators struct {
	// Processes are the processes of ranks: their ranks in MPI_COMM_WORLD.
	Processes map[Member]int32
	// Names are those of communicators that have one.
	Names map[int32]string
	// Between is, for two groups that messages go between, the intercommunicator.
	Between map[Sides]int32
	// Inter are the groups of intercommunicators.
	Inter map[int32]Sides

	lists map[int32][]rankOf       // the members of all communicators, by rank
	sides map[int32]map[int32]bool // the processes of groups of intercommunicators
}

// NewCommunicators returns an empty set.
func NewCommunicators() *Communicators {
	return &Communicators{Processes: map[Member]int32{}, Names: map[int32]string{}, Between: map[Sides]int32{}, Inter: map[int32]Sides{}}
}

// Connect gives all groups that messages go between an intercommunicator, and returns those that had none. Nothing may be
// added afterwards.
func (c *Communicators) Connect(between map[Sides]bool, locations []Location) (unknown []Sides) {
	next := int32(0)
	for _, comm := range c.all(locations) {
		next = max(next, comm+1)
	}
	order := func(x, y Sides) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) }
	for _, s := range slices.SortedFunc(maps.Keys(between), order) {
		if _, ok := c.Between[s]; !ok {
			unknown = append(unknown, s)
			c.Between[s], c.Inter[next] = next, s
			next++
		}
		c.group(s.A)
		c.group(s.B)
	}
	return unknown
}

// group returns the processes of a communicator, which must all be known by now.
func (c *Communicators) group(comm int32) map[int32]bool {
	if c.lists == nil {
		c.lists, c.sides = c.ordered(), map[int32]map[int32]bool{}
	}
	set := c.sides[comm]
	if set == nil {
		set = map[int32]bool{}
		for _, m := range c.lists[comm] {
			set[m.process] = true
		}
		c.sides[comm] = set
	}
	return set
}

// IsApart reports whether a line and its peer in another communicator belong to one of two groups only, as they do on an
// intercommunicator. It must not be called after the first message.
func (c *Communicators) IsApart(l *Line, peer *Line) bool {
	return !c.group(peer.Comm)[l.Process] && !c.group(l.Comm)[peer.Process]
}

// OwnSide returns which group of an intercommunicator a process counts to: the first one if it is in it.
func (c *Communicators) OwnSide(s Sides, process int32) int32 {
	if c.sides[s.A][process] {
		return s.A
	}
	return s.B
}

// Message returns the communicator of a message that a line sends to, or receives from, a rank of another
// communicator, and the attributes that it needs.
func (c *Communicators) Message(l *Line, remote int32) (comm uint64, attrs []trace.Attr) {
	if remote == l.Comm {
		return l.Communicator(), l.Distinctive
	}
	s := SidesOf(l.Comm, remote)
	attrs = l.Distinctive
	if attrs == nil && c.OwnSide(s, l.Process) != l.Comm {
		attrs = []trace.Attr{{ID: AttrCommunicator, Type: trace.ValueComm, Value: l.Communicator()}}
	}
	return uint64(uint32(c.Between[s])), attrs
}

// all returns the ids of all communicators, in order.
func (c *Communicators) all(locations []Location) []int32 {
	seen := map[int32]bool{}
	for m := range c.Processes {
		seen[m.Comm] = true
	}
	for i := range locations {
		for _, l := range locations[i].Lines {
			seen[l.Comm] = true
		}
	}
	for comm, s := range c.Inter {
		seen[comm], seen[s.A], seen[s.B] = true, true, true
	}
	delete(seen, NoProcess) // the undefined reference
	return slices.SortedFunc(maps.Keys(seen), func(a, b int32) int { return cmp.Compare(uint32(a), uint32(b)) })
}

// rankOf is a member of a communicator.
type rankOf struct{ rank, process int32 }

// ordered are the members of all communicators, by rank.
func (c *Communicators) ordered() map[int32][]rankOf {
	lists := map[int32][]rankOf{}
	for m, p := range c.Processes {
		lists[m.Comm] = append(lists[m.Comm], rankOf{m.Rank, p})
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b rankOf) int { return cmp.Compare(a.rank, b.rank) })
	}
	return lists
}

// Types of groups.
const (
	commLocations = 4
	commGroup     = 5
)

// worldGroup is the id of the group of all processes. The groups of communicators have the communicators' ids.
const worldGroup = 1 << 31

// Define defines the group of all processes, and all communicators with their groups.
func (c *Communicators) Define(log *Log, locations []Location) {
	index := map[int32]uint64{} // of a process, among all
	var all []uint64
	for i := range locations {
		l := &locations[i]
		if _, ok := index[l.Process]; !ok && l.Process != NoProcess {
			index[l.Process] = uint64(len(all))
			all = append(all, l.ID)
		}
	}
	addGroup(log, worldGroup, "all processes", all, commLocations)
	c.group(0)
	for _, comm := range c.all(locations) {
		id, name := uint64(uint32(comm)), log.String(c.name(comm))
		if s, ok := c.Inter[comm]; ok {
			log.Add(trace.KindInterComm, id, name, uint64(uint32(s.A)), uint64(uint32(s.B)), Undefined, 0)
			continue
		}
		addGroup(log, id, "", places(c.lists[comm], index), commGroup)
		log.Add(trace.KindComm, id, name, id, Undefined, 0)
	}
}

func addGroup(log *Log, id uint64, name string, members []uint64, typ uint64) {
	words := append([]uint64{id, log.String(name), uint64(len(members))}, members...)
	log.Add(trace.KindGroup, append(words, typ, paradigmMPI, 0)...)
}

// places returns the processes of a communicator by rank, each as its index among all. Ranks that nothing tells the
// process of are undefined.
func places(list []rankOf, index map[int32]uint64) []uint64 {
	var members []uint64
	for _, m := range list {
		if m.rank < 0 || int(m.rank) > 4*len(list)+1024 {
			continue // no communicator has ranks like this
		}
		for len(members) <= int(m.rank) {
			members = append(members, trace.Undefined)
		}
		if i, ok := index[m.process]; ok {
			members[m.rank] = i
		}
	}
	return members
}

func (c *Communicators) name(comm int32) string {
	if name, ok := c.Names[comm]; ok {
		return name
	}
	return fmt.Sprintf("communicator %d", comm)
}
