package predict

import (
	"math"

	"github.com/pandotrace/pando/trace"
)

// family is columns that number the same things, like the requests that sends and receives begin: they have one memory.
type family struct {
	members []*chosen // in the order of their columns
	costs   []int64   // by member
}

func (f *family) cost() (sum int64) {
	for _, c := range f.costs {
		sum += c
	}
	return sum
}

// share joins columns of a group whose fields have the same name and that predict each other's values.
func (c *Chooser) share() {
	clocks := map[uint32]bool{}
	for _, x := range c.columns {
		if x.Source == FromColumn {
			clocks[x.Column], clocks[x.Other] = true, true
		}
	}
	type kin struct {
		name  string
		group trace.ColumnGroup
	}
	byName := map[kin][]*family{}
	for _, x := range c.columns {
		name := kin{x.info.Name, x.info.Group}
		if fs := byName[name]; x.info.Name != "" && x.Divisor == 0 && !clocks[x.Column] && len(fs) < maxRelatives {
			byName[name] = append(fs, &family{[]*chosen{x}, []int64{x.cost}})
		}
	}
	for _, families := range byName {
		for len(families) > 1 {
			a, b, joined := c.bestJoint(families)
			if joined == nil {
				break
			}
			families[a] = joined
			families = append(families[:b], families[b+1:]...)
		}
		for _, f := range families {
			if len(f.members) > 1 {
				f.settle()
			}
		}
	}
}

// settle sets for each member which column's memory it has.
func (f *family) settle() {
	for i, x := range f.members {
		x.Prediction = Prediction{Column: x.Column, Other: f.members[0].Column, Unit: 1}
		x.cost = f.costs[i]
	}
}

// bestJoint finds the two families that gain most by being joined; joined is nil if none gain.
func (c *Chooser) bestJoint(families []*family) (a, b int, joined *family) {
	most := int64(0)
	for j := range families {
		for i := range j {
			f := c.join(families[i], families[j])
			if gain := families[i].cost() + families[j].cost() - f.cost() - statementCost; gain > most {
				a, b, joined, most = i, j, f, gain
			}
		}
	}
	return a, b, joined
}

// join returns what two families are together.
func (c *Chooser) join(a, b *family) *family {
	f := &family{members: mergeColumns(a.members, b.members)}
	for k, codes := range f.codes() {
		cost := f.members[k].cost
		if n := len(codes); n > 0 {
			cost = c.fitter.Cost(codes) * int64(f.members[k].total) / int64(n)
		}
		f.costs = append(f.costs, cost)
	}
	return f
}

func mergeColumns(a, b []*chosen) (all []*chosen) {
	for len(a) > 0 && len(b) > 0 {
		from := &a
		if b[0].Column < a[0].Column {
			from = &b
		}
		all = append(all, (*from)[0])
		*from = (*from)[1:]
	}
	return append(append(all, a...), b...)
}

// codes returns what is coded of the members' samples with one memory.
func (f *family) codes() [][]uint64 {
	codes := make([][]uint64, len(f.members))
	next := make([]int, len(f.members))
	p := Prediction{Unit: 1}
	var m memory
	slice := uint32(math.MaxUint32)
	for {
		k := f.first(next)
		if k < 0 {
			return codes
		}
		at := &f.members[k].points[next[k]]
		next[k]++
		if at.slice != slice {
			slice, m = at.slice, memory{}
		}
		if at.at >= f.end(slice) {
			continue
		}
		m.enter(at.run)
		if m.run != 0 {
			code, _ := p.code(int64(at.value - m.value))
			codes[k] = append(codes[k], code)
		}
		m.keep(at.run, at.value, 0)
	}
}

// end returns up to where all members have been sampled.
func (f *family) end(slice uint32) uint32 {
	end := f.members[0].ends[slice]
	for _, x := range f.members[1:] {
		end = min(end, x.ends[slice])
	}
	return end
}

// first returns the member whose next point comes first, -1 if there are no more.
func (f *family) first(next []int) int {
	best := -1
	for k, x := range f.members {
		if next[k] == len(x.points) {
			continue
		}
		if best < 0 || x.points[next[k]].before(&f.members[best].points[next[best]]) {
			best = k
		}
	}
	return best
}

func (p *point) before(q *point) bool {
	if p.slice != q.slice {
		return p.slice < q.slice
	}
	return p.at < q.at
}
