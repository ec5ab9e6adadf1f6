package calltree

import (
	"slices"

	"github.com/pandotrace/pando/encode/shape"
)

// shortList is the largest number of runs that a call has directly inside of it as they are. Longer lists are cut into groups.
const shortList = 64

// list is a part of a long list of calls, cut into groups of neighbours, these into groups of groups, and so on. Where it is cut depends on
// nothing but the calls around the cut: on keys, which come of names. So equal stretches of calls have equal groups, wherever they stand,
// except at their ends, and two lists can be joined in the time that their ends take. (A locally consistent parsing, as in Mehlhorn,
// Sundar and Uhrig 1997.)
//
//	level 0   calls:   left | cut ... cut | right
//	level 1   groups:         left | ... | right       what lies between the first and the last cut below
//	level 2                            ...
//
// Runs of left and right lie before the first cut of their level, and behind the last one: what they become is not known before the list is
// complete. The zero value is an empty list.
type list struct{ levels []level }

// level is a level of a list. Without a cut, all of it is in left.
type level struct {
	left, right []Run
	cut         bool
}

// cutAt reports whether a cut lies before a run: where keys stop falling, so that names decide. Where neighbours have one name, a cut lies
// before the least content, unless another cut is beside it. What is behind the next run has no say, and neither has what is more than two
// before.
func (f *Forest) cutAt(runs []Run, i int) bool {
	if i < 1 || i+1 >= len(runs) {
		return false
	}
	before, at, behind := f.call(runs[i-1].Node), f.call(runs[i].Node), f.call(runs[i+1].Node)
	if at.key != before.key {
		return at.key < before.key && at.key <= behind.key
	}
	return at.key == behind.key && at.content < before.content && at.content < behind.content &&
		i > 1 && f.call(runs[i-2].Node).key == at.key
}

// withRun appends a run to runs.
func withRun(runs []Run, r Run) []Run {
	if n := len(runs); n > 0 && runs[n-1].Node == r.Node {
		runs[n-1].Count = shape.Plus(runs[n-1].Count, r.Count)
		return runs
	}
	if runs == nil {
		runs = make([]Run, 0, firstRuns)
	}
	return append(runs, r)
}

// firstRuns is the room that a new list has: most have some runs.
const firstRuns = 4

// at returns a level, which is made if need be.
func (l *list) at(n int) *level {
	for len(l.levels) <= n {
		l.levels = append(l.levels, level{})
	}
	return &l.levels[n]
}

// push appends a run on a level.
func (f *Forest) push(l *list, on int, r Run) {
	v := l.at(on)
	if !v.cut {
		v.left = withRun(v.left, r)
		if i := len(v.left) - 2; f.cutAt(v.left, i) {
			v.cut = true
			v.right = append(v.right, v.left[i:]...)
			v.left = v.left[:i]
		}
		return
	}
	v.right = withRun(v.right, r)
	if i := len(v.right) - 2; f.cutAt(v.right, i) {
		whole := f.group(v.right[:i])
		v.right = append(v.right[:0], v.right[i:]...)
		f.push(l, on+1, whole)
	}
}

// join appends a list to another one. The appended list is not changed.
func (f *Forest) join(l, m *list) {
	cut := 0 // levels of m that are cut; all above are complete
	for on := range m.levels {
		v := &m.levels[on]
		for _, r := range v.left {
			f.push(l, on, r)
		}
		if !v.cut {
			break
		}
		cut = on + 1
		if to := l.at(on); !to.cut {
			to.cut = true
		} else {
			whole := f.group(to.right)
			to.right = to.right[:0]
			f.push(l, on+1, whole)
		}
	}
	// The right end of a level comes after all that is above it.
	for on := range cut {
		l.levels[on].right = append(l.levels[on].right[:0], m.levels[on].right...)
	}
}

// group returns runs as one: themselves if they are one, else a group.
func (f *Forest) group(runs []Run) Run {
	if len(runs) == 1 {
		return runs[0]
	}
	return Run{f.add(groupName, runs), 1}
}

// copyOf returns a list that shares nothing with another one.
func copyOf(l *list) *list {
	c := &list{levels: slices.Clone(l.levels)}
	for i := range c.levels {
		v := &c.levels[i]
		v.left, v.right = slices.Clone(v.left), slices.Clone(v.right)
	}
	return c
}

// whole returns a list that is complete as one run.
func (f *Forest) whole(l *list) Run {
	for l.levels[0].cut {
		v := &l.levels[0]
		above := &list{}
		f.push(above, 0, f.group(v.left))
		f.join(above, &list{levels: l.levels[1:]})
		f.push(above, 0, f.group(v.right))
		l = above
	}
	return f.group(l.levels[0].left)
}

// content is what is directly inside of a call, so far: runs as they are, or a long list.
type content struct {
	short []Run
	long  *list
}

// pushRun appends a run of calls.
func (f *Forest) pushRun(c *content, r Run) {
	if c.long != nil {
		f.push(c.long, 0, r)
		return
	}
	if c.short = withRun(c.short, r); len(c.short) > shortList {
		f.lengthen(c)
	}
}

// lengthen makes a long list of a short one.
func (f *Forest) lengthen(c *content) {
	c.long = &list{}
	for _, r := range c.short {
		f.push(c.long, 0, r)
	}
	c.short = nil
}

// append appends a content, which is not changed.
func (f *Forest) append(c, d *content) {
	if d.long == nil {
		for _, r := range d.short {
			f.pushRun(c, r)
		}
		return
	}
	if c.long == nil {
		f.lengthen(c)
	}
	f.join(c.long, d.long)
}

// appendTimes appends a content n times. It takes the time of 2 log n joins.
func (f *Forest) appendTimes(c, d *content, n uint64) {
	if d.long == nil && len(d.short) == 1 {
		f.pushRun(c, Run{d.short[0].Node, shape.Times(d.short[0].Count, n)})
		return
	}
	for ; n > 1; n >>= 1 {
		if n&1 != 0 {
			f.append(c, d)
		}
		twice := d.clone()
		f.append(twice, d)
		d = twice
	}
	if n == 1 {
		f.append(c, d)
	}
}

// clone returns a content that shares nothing with another one.
func (c *content) clone() *content {
	if c.long != nil {
		return &content{long: copyOf(c.long)}
	}
	return &content{short: slices.Clone(c.short)}
}

// close returns the call of a name that has a content inside of it.
func (f *Forest) close(name Name, c *content) Node {
	if c.long == nil {
		return f.add(name, c.short)
	}
	return f.add(name, []Run{f.whole(c.long)})
}

// memory returns about how many bytes the content takes.
func (c *content) memory() int64 {
	n := int64(contentBytes + runBytes*cap(c.short))
	if c.long != nil {
		for i := range c.long.levels {
			n += int64(levelBytes + runBytes*(cap(c.long.levels[i].left)+cap(c.long.levels[i].right)))
		}
	}
	return n
}

// What parts of a content take, in bytes.
const (
	contentBytes = 64
	levelBytes   = 56
	runBytes     = 16
)
