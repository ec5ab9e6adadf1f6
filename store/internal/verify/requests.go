package verify

// MostRequests is the most requests that are kept, of some 40 bytes: a file that completes none may have as many as it has events.
var MostRequests = 1 << 19

// request is a send or a receive that does not block, and that is under way.
type request struct {
	send bool
	hash uint64 // of the send; 0 if it has no partner
}

// requestCount counts the requests under way, and those that are never completed.
type requestCount struct {
	underWay int
	replaced uint64 // requests whose number a new one took
	cancels  bool   // some are cancelled
	tooMany  bool   // they were more than are kept
}

func (c *requestCount) begin(l *deepLocation, number uint64, r request) {
	if _, ok := l.requests[number]; ok {
		c.end(l, number)
		c.replaced++
	}
	if c.tooMany = c.tooMany || c.underWay == MostRequests; !c.tooMany {
		l.requests[number] = r
		c.underWay++
	}
}

// complete ends a request, if it is that of a send or of a receive, as asked for.
func (c *requestCount) complete(l *deepLocation, number uint64, send bool) {
	if r, ok := l.requests[number]; ok && r.send == send {
		c.end(l, number)
	}
}

func (c *requestCount) end(l *deepLocation, number uint64) {
	delete(l.requests, number)
	c.underWay--
}

// open returns how many requests were never completed; ok is false if that is not known.
func (c *requestCount) open() (n uint64, ok bool) { return c.replaced + uint64(c.underWay), !c.tooMany }
