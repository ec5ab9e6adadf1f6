package tracegen

import "slices"

// processPlan is one process of a random program: its rank is its place in the list.
type processPlan struct {
	threads []*actor
}

// comm is a communicator of a random program.
type comm struct {
	id uint64
	// ranks are the processes by rank.
	ranks []int
	// others are the second group of an inter-communicator.
	others []int
	self   bool
}

// defineMachine defines processes, locations and communicators.
func (p *program) defineMachine() {
	var groups []uint64
	for range p.Processes {
		groups = append(groups, p.Process("process"))
		plan := &processPlan{}
		for thread := range 1 + p.IntN(p.Threads) {
			plan.threads = append(plan.threads, &actor{program: p, location: p.locationID(thread), thread: thread})
		}
		p.processes = append(p.processes, plan)
		p.actors = append(p.actors, plan.threads...)
	}
	// Neither ids nor processes come in order.
	for _, i := range p.Perm(len(p.actors)) {
		a := p.actors[i]
		a.out = p.Location(a.location, groups[p.rankOf(a)])
	}
	if len(p.actors) == 0 {
		return
	}
	if p.Undeclared {
		stray := &actor{program: p, location: 1 << 50}
		stray.out = p.Events(stray.location)
		p.processes = append(p.processes, &processPlan{threads: []*actor{stray}})
		p.actors = append(p.actors, stray)
	}
	p.defineComms()
}

func (p *program) locationID(thread int) uint64 {
	if p.SparseIDs {
		return p.Uint64()
	}
	return uint64(thread)<<32 | uint64(len(p.processes))
}

func (p *program) rankOf(a *actor) int {
	return slices.IndexFunc(p.processes, func(plan *processPlan) bool { return slices.Contains(plan.threads, a) })
}

func (p *program) defineComms() {
	var members []uint64
	var world []int
	for rank, plan := range p.processes {
		world = append(world, rank)
		members = append(members, choose(p.dice, plan.threads).location)
	}
	members = append(members, 1<<51) // a rank without location
	all := p.CommLocations(members...)
	p.comms = append(p.comms,
		comm{id: p.Comm(all), ranks: world},
		comm{id: p.Comm(p.SelfGroup()), self: true})
	p.addComm((*Trace).CommGroup, p.Perm(len(world)))
	some := p.Perm(len(world))[:1+p.IntN(len(world))]
	p.addComm((*Trace).CommGroup, some)
	p.comms = append(p.comms, comm{id: p.Comm(p.GlobalGroup(asWords(some)...)), ranks: world})
	if mixed := p.Perm(len(world)); len(mixed) > 1 {
		a, b := mixed[:len(mixed)/2], mixed[len(mixed)/2:]
		p.comms = append(p.comms, comm{id: p.InterComm(p.CommGroup(asWords(a)...), p.CommGroup(asWords(b)...)), ranks: a, others: b})
	}
}

func (p *program) addComm(group func(*Trace, ...uint64) uint64, ranks []int) {
	p.comms = append(p.comms, comm{id: p.Comm(group(p.Trace, asWords(ranks)...)), ranks: ranks})
}

func asWords(list []int) []uint64 {
	var words []uint64
	for _, x := range list {
		words = append(words, uint64(x))
	}
	return words
}

// letter is one end of a message, as the events name it.
type letter struct{ peer, comm, tag, length uint64 }

func (l letter) words() []uint64 { return []uint64{l.peer, l.comm, l.tag, l.length} }

// mail plans messages: what each location has to send and to receive. Nothing says that it will.
func (p *program) mail() {
	for range p.Messages {
		if len(p.comms) == 0 {
			return
		}
		c := choose(p.dice, p.comms)
		sender, receiver, toRank, fromRank := p.ends(c)
		tag, length := uint64(p.IntN(2)), p.number(64)
		from, to := choose(p.dice, sender.threads), choose(p.dice, receiver.threads)
		from.sends = append(from.sends, letter{toRank, c.id, tag, length})
		if p.chance(0.2) {
			length = p.number(64)
		}
		to.receives = append(to.receives, letter{fromRank, c.id, tag, length})
	}
}

// ends draws the processes at both ends of a message, and the ranks by which each knows the other.
func (p *program) ends(c comm) (sender, receiver *processPlan, toRank, fromRank uint64) {
	if c.self {
		only := choose(p.dice, p.processes)
		return only, only, 0, 0
	}
	others := c.ranks
	if c.others != nil {
		others = c.others
	}
	from, to := p.IntN(len(c.ranks)), p.IntN(len(others))
	sender, receiver = p.processes[c.ranks[from]], p.processes[others[to]]
	if c.others != nil && p.chance(0.5) { // the second group can send as well
		return receiver, sender, uint64(from), uint64(to)
	}
	return sender, receiver, uint64(to), uint64(from)
}
