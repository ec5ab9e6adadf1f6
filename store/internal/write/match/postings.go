package match

// postings are the receives of a process in the order in which they were posted, those left out that were passed on.
type postings struct {
	queue[posting]
	passed uint64
}

// posting is a receive that was posted. Many may never be completed, so it is little until it is.
type posting struct {
	end   *pendingEnd // nil before it is completed
	state endState
	stale bool // it was posted before a tear
}

// push adds a receive, and returns its number, which is not 0.
func (p *postings) push(r posting) uint64 {
	p.queue.push(r)
	return p.passed + uint64(p.len())
}

// at returns the receive of a number that was not passed on.
func (p *postings) at(number uint64) *posting { return &p.items[p.head+int(number-p.passed)-1] }

// keptPostings is the room that is kept for those of a process: there may be very many processes, each of which needs more for a moment.
const keptPostings = 32

func (p *postings) pop() posting {
	p.passed++
	r := p.queue.pop()
	if p.len() == 0 && cap(p.items) > keptPostings {
		p.items = nil
	}
	return r
}
