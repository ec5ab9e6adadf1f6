package merge

import "github.com/pandotrace/pando/analysis/calltree"

// cursor goes through the calls directly inside of a call, those of groups included. Runs of calls are numbered in this order, from 0:
// where a group is repeated, its runs come again with numbers of their own.
type cursor struct {
	runs  []calltree.Run
	used  uint64 // of the run at that place
	at    int32
	run   int32 // its number, if it is one of calls
	outer []level
}

// level is a list around that of a group.
type level struct {
	runs []calltree.Run
	used uint64
	at   int32
}

func newCursor(runs []calltree.Run) cursor { return cursor{runs: runs} }

// settle goes to the next run of calls, unless one has calls left; ok is false behind the last one.
func (c *cursor) settle(f *calltree.Forest) (ok bool) {
	for {
		if int(c.at) == len(c.runs) {
			n := len(c.outer) - 1
			if n < 0 {
				return false
			}
			o := c.outer[n]
			c.outer, c.runs, c.at, c.used = c.outer[:n], o.runs, o.at, o.used+1
			continue
		}
		r := &c.runs[c.at]
		group := f.IsGroup(r.Node)
		switch {
		case c.used == r.Count:
			c.at, c.used = c.at+1, 0
			if !group {
				c.run++
			}
		case group:
			c.outer = append(c.outer, level{c.runs, c.used, c.at})
			c.runs, c.at, c.used = f.Runs(r.Node), 0, 0
		default:
			return true
		}
	}
}

// next returns the next call, with the number of its run.
func (c *cursor) next(f *calltree.Forest) (n calltree.Node, run int, ok bool) {
	if !c.settle(f) {
		return 0, 0, false
	}
	c.used++
	return c.runs[c.at].Node, int(c.run), true
}

// nextRun returns the next run of calls.
func (c *cursor) nextRun(f *calltree.Forest) (r calltree.Run, ok bool) {
	if !c.settle(f) {
		return calltree.Run{}, false
	}
	r = c.runs[c.at]
	c.used = r.Count
	return r, true
}
