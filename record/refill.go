package record

import "unsafe"

// refill gives a chain another bin. It reports whether the record may be written that ends at t: not if its class was given up.
func (l *Location) refill(c *chain, kind, class uint32, list int, t uint64) bool {
	r := l.r
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		l.stop()
		return false
	}
	p := &r.pool
	r.renewPair(false)
	if c.bin != none {
		if l.void(list) {
			p.release(c.bin)
		} else {
			p.retire(c.bin, list, c.last)
		}
		c.leave()
	}
	bin := int32(none)
	for !l.void(list) && p.stopped == 0 {
		if bin = p.take(kind, l.number, class, t); bin != none || !l.giveUpOwn() {
			break
		}
	}
	l.floor = p.floor
	if bin == none {
		switch {
		case kind == binMetrics:
			p.dropMetrics()
			l.noMetrics = true
		case !l.void(list):
			p.stop(t)
		}
		if p.stopped != 0 {
			l.freeze()
		}
		return false
	}
	if l.void(list) {
		p.release(bin) // given up for itself
		return false
	}
	c.bin, c.last, c.region = bin, t, noRegion
	c.at = p.offset(bin) + binHeader
	c.end = p.offset(bin) + r.bin - 1
	return true
}

// void reports whether records of a list are given up. The recorder's lock must be held.
func (l *Location) void(list int) bool {
	p := &l.r.pool
	return list < protected && uint32(list) < p.floor || list == fullMetrics && p.noMetrics
}

// giveUpOwn gives up what the location itself is writing, when no bin is full any more. It reports whether there is a free bin now.
func (l *Location) giveUpOwn() bool {
	p := &l.r.pool
	switch l.r.mode {
	case Keep:
		if l.metrics.bin != none && !p.noMetrics {
			p.dropMetrics()
			l.drop(&l.metrics)
			return true
		}
		for class := range uint32(protected) {
			if c := &l.calls[class]; c.bin != none {
				p.raise(max(p.floor, class+1))
				l.drop(c)
				return true
			}
		}
	case Last:
		if c := l.oldest(); c != nil {
			p.retire(c.bin, fullEvents, c.last)
			c.leave()
			return p.giveUpOldest()
		}
	}
	return false
}

func (l *Location) drop(c *chain) {
	l.r.pool.release(c.bin)
	c.leave()
}

// oldest returns the chain whose last record is the oldest of the location's, nil if it has none.
func (l *Location) oldest() *chain {
	var oldest *chain
	look := func(c *chain) {
		if c.bin != none && (oldest == nil || c.last < oldest.last) {
			oldest = c
		}
	}
	for i := range l.calls {
		look(&l.calls[i])
	}
	look(&l.events)
	look(&l.metrics)
	return oldest
}

// newPage gives the profile memory for a region, and reports whether there is any: not for a region that was never defined.
func (l *Location) newPage(region uint32) bool {
	r := l.r
	r.mu.Lock()
	defer r.mu.Unlock()
	page := int(region >> l.shift)
	for len(l.profile) <= page {
		l.profile = append(l.profile, nil)
	}
	if r.closed || int(region) >= len(r.defs.regions) {
		*l.counter(locationAtLost)++
		return false
	}
	bin := r.pool.take(binProfile, l.number, region>>l.shift, uint64(page))
	for bin == none && l.giveUpOwn() {
		bin = r.pool.take(binProfile, l.number, region>>l.shift, uint64(page))
	}
	if bin == none {
		*l.counter(locationAtLost)++
		return false
	}
	l.profile[page] = (*sums)(unsafe.Pointer(&r.pool.at(bin)[binHeader]))
	return true
}

// stop has the location record nothing any more.
func (l *Location) stop() { l.off, l.floor = true, classes }

// freeze keeps which calls are open when nothing is recorded any more: no record will say so.
func (l *Location) freeze() {
	if l.off {
		return
	}
	l.stop()
	open := (*[maxDepth]struct{ enter, region uint64 })(unsafe.Add(l.state, locationAtStopped))
	n := uint32(0)
	for i := range min(l.depth, maxDepth) {
		if f := l.frame(i); f.flags&countedOnly == 0 {
			open[n].enter, open[n].region = f.enter, uint64(f.region)
			n++
		}
	}
	*(*uint32)(unsafe.Add(l.state, locationAtFrozen)) = n
}
