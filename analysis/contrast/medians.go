package contrast

import (
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// medians makes the median of several base runs that are compared with B. Each run tells the calls of B, in the order of their ends on each
// location, and mostly all runs do at about the same time: a call waits from when the first run has told it until the last one has.
type medians struct {
	budget  int64
	bases   []*baseRun
	paths   *paths
	columns map[uint64]*column // by location of B
	apart   column             // calls of locations of base runs without a partner
	spreads []Distribution     // by path: how much the base runs differ from the median of the others
	waiting int                // slots
	sorted  []int64            // memory
}

// baseRun takes the calls of a base run.
type baseRun struct {
	*medians
	number int
	run    *run
	known  []uint32 // by path of the run: 1 more than that of the medians
	told   uint64   // calls of B
	ended  bool
}

// column is the calls of a location of B.
type column struct {
	pair   int // in the first run, -1 if it has no partner there
	first  uint32
	slots  []slot
	values []int64 // of slots: exclusive and inclusive time in each base run
	cells  []cell  // by path
	lone   []lones // by path
	nets   [][]int64
}

// slot is a call of B that some of the runs have told.
type slot struct {
	told, paired         int
	has                  uint64 // bits of the base runs that have its partner
	pathA, pathB         uint32
	start                int64 // of the partner in the first base run that has one
	startB               int64
	ordinal              uint64
	exclusive, inclusive int64
}

// lones are calls that B lacks, in each base run.
type lones struct{ calls, exclusive, inclusive []int64 }

// mostBases is the largest number of base runs: slots have a bit for each.
const mostBases = 64

// slotBytes is what a slot takes without its values, in bytes.
const slotBytes = 72

func newMedians(s *Several) *medians {
	m := &medians{budget: s.Median.opt.Memory, paths: newPaths(), columns: map[uint64]*column{}, apart: column{pair: -1}}
	for i, t := range s.Runs[0].twins {
		m.column(s.Runs[0].sources[1].locations[t.b].ID).pair = i
	}
	return m
}

// add adds a base run.
func (m *medians) add(r *run) {
	b := &baseRun{medians: m, number: len(m.bases), run: r}
	r.sink = b
	m.bases = append(m.bases, b)
}

func (m *medians) tooMuch() error { return &calltree.MemoryError{Bytes: m.budget} }

// memory returns about how many bytes wait.
func (m *medians) memory() int64 { return int64(m.waiting) * int64(slotBytes+16*len(m.bases)) }

// behind returns the run that has told the fewest calls of B, of those that have not ended.
func (m *medians) behind() (at int) {
	at = -1
	for i, b := range m.bases {
		if !b.ended && (at < 0 || b.told < m.bases[at].told) {
			at = i
		}
	}
	return at
}

func (m *medians) column(location uint64) *column {
	c := m.columns[location]
	if c == nil {
		c = &column{pair: -1}
		m.columns[location] = c
	}
	return c
}

// path returns the path of the medians for one of a run.
func (b *baseRun) path(n uint32) uint32 {
	if n == 0 {
		return 0
	}
	for int(n) >= len(b.known) {
		b.known = append(b.known, 0)
	}
	if b.known[n] == 0 {
		p := &b.run.paths.list[n]
		b.known[n] = b.paths.child(b.path(uint32(p.Parent)), p.Name) + 1
	}
	return b.known[n] - 1
}

// slot returns that of a call of B.
func (b *baseRun) slot(c *column, call *call) *slot {
	bases := len(b.bases)
	at := int(call.number - c.first)
	for at >= len(c.slots) {
		c.slots = append(c.slots, slot{})
		c.values = append(c.values, make([]int64, 2*bases)...)
		b.waiting++
	}
	s := &c.slots[at]
	if s.told == 0 {
		s.pathB, s.startB, s.exclusive, s.inclusive = b.path(call.path), call.start, call.exclusive, call.inclusive
	}
	s.told++
	b.told++
	return s
}

func (b *baseRun) together(p *pairing, x, y *call) {
	c := b.column(p.lanes[1].location)
	s := b.slot(c, y)
	if s.paired == 0 || s.has&(1<<b.number-1) == 0 { // the first base run that has it, so far
		s.pathA, s.start, s.ordinal = b.path(x.path), x.start, x.ordinal
	}
	at := 2 * (int(y.number-c.first)*len(b.bases) + b.number)
	c.values[at], c.values[at+1] = x.exclusive, x.inclusive
	s.paired++
	s.has |= 1 << b.number
	b.settle(c)
}

func (b *baseRun) alone(l *lane, call *call) {
	if l.side == 1 {
		c := b.column(l.location)
		b.slot(c, call)
		b.settle(c)
		return
	}
	c := b.lonely(l)
	path := b.path(call.path)
	for int(path) >= len(c.lone) {
		c.lone = append(c.lone, lones{})
	}
	n := &c.lone[path]
	if n.calls == nil {
		bases := len(b.bases)
		*n = lones{make([]int64, bases), make([]int64, bases), make([]int64, bases)}
	}
	n.calls[b.number]++
	n.exclusive[b.number] += call.exclusive
	n.inclusive[b.number] += call.inclusive
}

// lonely returns the column of a call that B lacks: that of the location's partner, or one for all locations without one.
func (b *baseRun) lonely(l *lane) *column {
	if l.pair != nil {
		return b.column(l.pair.lanes[1].location)
	}
	return &b.apart
}

// settle counts the calls at the begin of a column that all runs have told.
func (m *medians) settle(c *column) {
	bases, done := len(m.bases), 0
	for done < len(c.slots) && c.slots[done].told == bases {
		m.count(c, &c.slots[done], c.values[2*bases*done:][:2*bases])
		done++
	}
	if m.waiting -= done; done > 0 {
		c.first += uint32(done)
		c.slots = c.slots[:copy(c.slots, c.slots[done:])]
		n := copy(c.values, c.values[2*bases*done:])
		clear(c.values[n:])
		c.values = c.values[:n]
	}
}

// count counts a call of B: with the median of its partners if most base runs have one, else as one that B alone has.
func (m *medians) count(c *column, s *slot, values []int64) {
	b := &m.paths.list[s.pathB].Tally
	b.Calls[1]++
	b.Ticks[1] += s.exclusive
	b.Inclusive[1] += s.inclusive
	if 2*s.paired <= len(m.bases) {
		b.LoneCalls[1]++
		b.LoneTicks[1] += s.exclusive
		n := c.cell(s.pathB)
		n.net += s.exclusive
		n.alone(1, s.startB)
		return
	}
	a := &m.paths.list[s.pathA].Tally
	inclusive := middle(m.inOrder(values, 1, s.has))
	exclusive := m.inOrder(values, 0, s.has)
	own := middle(exclusive)
	a.Calls[0]++
	a.Ticks[0] += own
	a.Inclusive[0] += inclusive
	a.pair(s.exclusive - own)
	cell := c.cell(s.pathA)
	cell.ticks += own
	cell.add(s.exclusive-own, s.start, s.ordinal)
	if s.paired > 1 {
		for i := range m.bases {
			if s.has&(1<<i) != 0 {
				d := values[2*i] - middleWithout(exclusive, values[2*i])
				m.spread(s.pathA).Add(d)
				c.net(s.pathA, len(m.bases))[i] += d
			}
		}
	}
}

// inOrder returns the exclusive (0) or inclusive (1) times of some base runs, the least first. The list is good until the next one.
func (m *medians) inOrder(values []int64, which int, has uint64) []int64 {
	m.sorted = m.sorted[:0]
	for i := range m.bases {
		if has&(1<<i) != 0 {
			m.sorted = append(m.sorted, values[2*i+which])
		}
	}
	slices.Sort(m.sorted)
	return m.sorted
}

// middle returns the median of numbers in order, of two in the middle their mean.
func middle(list []int64) int64 {
	n := len(list)
	return mean(list[(n-1)/2], list[n/2])
}

// middleWithout returns the median of numbers in order without one of them.
func middleWithout(list []int64, but int64) int64 {
	at := func(i int) int64 {
		if list[i] < but {
			return list[i]
		}
		return list[i+1]
	}
	n := len(list) - 1
	return mean(at((n-1)/2), at(n/2))
}

// mean returns the mean of two numbers of which the first is not greater.
func mean(low, high int64) int64 { return low + (high-low)/2 }

func (m *medians) spread(path uint32) *Distribution {
	for int(path) >= len(m.spreads) {
		m.spreads = append(m.spreads, Distribution{})
	}
	return &m.spreads[path]
}

func (c *column) cell(path uint32) *cell {
	for int(path) >= len(c.cells) {
		c.cells = append(c.cells, cell{})
	}
	return &c.cells[path]
}

// net returns by how much each base run differs from the median of the others on a path.
func (c *column) net(path uint32, bases int) []int64 {
	for int(path) >= len(c.nets) {
		c.nets = append(c.nets, nil)
	}
	if c.nets[path] == nil {
		c.nets[path] = make([]int64, bases)
	}
	return c.nets[path]
}
