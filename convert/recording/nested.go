package recording

import "github.com/pandotrace/pando/trace"

// nestedHead is head of a chain whose class says nothing of durations. Its calls lie in each other, or apart. So few of a bin begin before the end of the bin before: these were
// open at that time. A first pass over the chain finds them, and they are in pending from the begin. The others are read bin by bin.
func (c *chain) nestedHead() (*call, bool) {
	if !c.searched {
		c.searched = true
		c.searchLong()
	}
	for !c.done && (len(c.pending) == 0 || c.pending[0].start >= c.unread()) {
		x, ok := c.next()
		if !ok {
			c.done = true
		} else if x.start >= c.before {
			c.push(x)
		}
	}
	if len(c.pending) == 0 {
		return nil, false
	}
	return &c.pending[0], true
}

// unread returns a time before which no call begins that is neither taken nor pending.
func (c *chain) unread() uint64 {
	if c.pos != 0 {
		return c.before
	}
	return c.time
}

// searchLong finds the calls that begin before the end of the bin before their own.
func (c *chain) searchLong() {
	f := *c.f
	f.warnings = &trace.Warnings{} // the second pass tells the same
	pass := chain{f: &f, bins: c.bins, class: c.class, nested: true}
	before, n := uint64(0), 0
	for {
		x, ok := pass.next()
		if !ok {
			break
		}
		if pass.before != before {
			before, n = pass.before, 0
		}
		if x.start >= before {
			continue
		}
		if n++; n > maxDepth {
			c.f.warnings.Add("calls nested too deep", "%s, class %d: a call at %d is left out", c.f.path, c.class, x.start)
			continue
		}
		c.push(x)
	}
	c.err = pass.err
}
