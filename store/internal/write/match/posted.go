package match

// postedReceives are the receives of a process in the order in which they were posted, those left out that were passed on.
type postedReceives struct {
	queue[postedReceive]
	passed uint64
}

// postedReceive is a receive that was posted. Many may never be completed, so it is little until it is.
type postedReceive struct {
	end   *pendingEnd // nil before it is completed
	state endState
	stale bool // it was posted before a gap
}

// push adds a receive, and returns its number, which is not 0.
func (p *postedReceives) push(r postedReceive) uint64 {
	p.queue.push(r)
	return p.passed + uint64(p.len())
}

// at returns the receive of a number that was not passed on.
func (p *postedReceives) at(number uint64) *postedReceive {
	return &p.items[p.head+int(number-p.passed)-1]
}

// keptReceives is the room that is kept for those of a process: there may be very many processes, each of which needs more for a moment.
const keptReceives = 32

func (p *postedReceives) pop() postedReceive {
	p.passed++
	r := p.queue.pop()
	if p.len() == 0 && cap(p.items) > keptReceives {
		p.items = nil
	}
	return r
}
