package merge

import "github.com/pandotrace/pando/analysis/calltree"

// cursor goes through the calls directly inside of a call, those of groups included. Runs of calls are numbered in this order, from 0:
// where a group is repeated, its runs come again with numbers of their own.
type cursor struct {
	used  uint64        // of the run at the place
	list  calltree.Node // whose runs are gone through
	at    int32         // the place among them
	run   int32         // the number of the run there, if it is one of calls
	outer *level
}

// level is a list around that of a group.
type level struct {
	list  calltree.Node
	at    int32
	used  uint64
	outer *level
}

func newCursor(call calltree.Node) cursor { return cursor{list: call} }

// settle goes to the next run of calls, unless one has calls left; ok is false behind the last one.
func (c *cursor) settle(f *calltree.Forest) (r calltree.Run, ok bool) {
	for {
		runs := f.Runs(c.list)
		if int(c.at) == len(runs) {
			o := c.outer
			if o == nil {
				return calltree.Run{}, false
			}
			c.list, c.at, c.used, c.outer = o.list, o.at, o.used+1, o.outer
			continue
		}
		r = runs[c.at]
		group := f.IsGroup(r.Node)
		switch {
		case c.used == r.Count:
			c.at, c.used = c.at+1, 0
			if !group {
				c.run++
			}
		case group:
			c.outer = &level{c.list, c.at, c.used, c.outer}
			c.list, c.at, c.used = r.Node, 0, 0
		default:
			return r, true
		}
	}
}

// next returns the next call, with the number of its run.
func (c *cursor) next(f *calltree.Forest) (n calltree.Node, run int, ok bool) {
	r, ok := c.settle(f)
	c.used++
	return r.Node, int(c.run), ok
}

// nextRun returns the next run of calls.
func (c *cursor) nextRun(f *calltree.Forest) (r calltree.Run, ok bool) {
	r, ok = c.settle(f)
	c.used = r.Count
	return r, ok
}
