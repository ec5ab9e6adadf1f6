package otf

// calls are the regions of the open calls of a process, so that leaves need not say what they leave.
type calls struct {
	open   []uint32
	deeper int // calls that are open beyond the limit
}

// maxDepth is the number of open calls that are known by their regions.
const maxDepth = 1 << 16

func (c *calls) enter(region uint32) {
	if len(c.open) == maxDepth {
		c.deeper++
		return
	}
	c.open = append(c.open, region)
}

// current returns the region of the innermost open call, 0 if none is open; ok is false if it is not known.
func (c *calls) current() (region uint32, ok bool) {
	if c.deeper > 0 {
		return 0, false
	}
	if n := len(c.open); n > 0 {
		return c.open[n-1], true
	}
	return 0, true
}

// leave ends the nearest open call of a region, with those further in; if there is none, nothing.
func (c *calls) leave(region uint32) {
	if c.deeper > 0 {
		c.deeper--
		return
	}
	for i := len(c.open) - 1; i >= 0; i-- {
		if c.open[i] == region {
			c.open = c.open[:i]
			return
		}
	}
}
