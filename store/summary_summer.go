package store

import "github.com/pandotrace/pando/index"

// callSummer adds up the calls of one location after the other, in the order of their places.
type callSummer struct {
	*callSources
	row   callRow
	ends  callFolder // adds up what lies in a slice before an end of the window
	items []*spanItem
	stack []*spanItem
	open  []uint32 // by region: calls on the stack
	lines []int    // by run: lines of the table that are done
	runs  []int    // by part: locations of the slice that are done
}

// begin begins with the first location.
func (s *callSummer) begin(from *callSources) {
	s.callSources, s.items = from, from.items
	s.lines = append(s.lines[:0], make([]int, len(from.tables))...)
	s.runs = append(s.runs[:0], make([]int, len(from.parts))...)
}

// end gives its memory back.
func (s *callSummer) end() {
	s.callSources, s.items = nil, nil
	callSummers.Put(s)
}

// place adds up a location.
func (s *callSummer) place(place uint32) {
	s.row.reset()
	for i := range s.tables {
		s.addLines(&s.tables[i], &s.lines[i], place)
	}
	s.addItems(itemsAt(&s.items, place))
	for i := range s.parts {
		s.addPart(&s.parts[i], &s.runs[i], place)
	}
}

// addLines adds vectors of a table.
func (s *callSummer) addLines(r *tableRun, line *int, place uint32) {
	t := r.table
	for ; *line < len(t.lines) && t.lines[*line].place <= place; *line++ {
		i := *line
		count, below := t.sums.Sum(i, index.SumCount, r.first, r.last), t.sums.Sum(i, index.SumBelow, r.first, r.last)
		if t.lines[i].place < place || count == 0 && below == 0 {
			continue
		}
		c := s.row.at(t.lines[i].number)
		c.count += count
		c.time.Add(t.sums.Sum(i, index.SumTime, r.first, r.last))
		c.nested.Add(t.sums.Sum(i, index.SumNested, r.first, r.last))
		c.below.Add(below)
	}
}

// addItems adds the spanning calls of a location, as far as they lie in the window. Their order tells which contains which.
func (s *callSummer) addItems(items []*spanItem) {
	for _, c := range items {
		for n := len(s.stack); n > 0 && s.stack[n-1].endOrdinal <= c.ordinal; n = len(s.stack) {
			s.open[s.stack[n-1].regionNumber]--
			s.stack = s.stack[:n-1]
		}
		for uint32(len(s.open)) <= c.regionNumber {
			s.open = append(s.open, 0)
		}
		s.addItem(c)
		s.open[c.regionNumber]++
		s.stack = append(s.stack, c)
	}
	for _, c := range s.stack {
		s.open[c.regionNumber]--
	}
	s.stack = s.stack[:0]
}

func (s *callSummer) addItem(c *spanItem) {
	from, to := s.w.from, s.w.to
	if c.start >= to || c.end <= from && (c.start < c.end || c.start < from) {
		return
	}
	if s.contained && !s.counts(c.startSlice, c.endSlice) {
		return
	}
	ticks := clip(c.start, c.end, from, to)
	cell := s.row.at(c.regionNumber)
	cell.count++
	cell.time.Add(ticks)
	if s.open[c.regionNumber] > 0 {
		cell.nested.Add(ticks)
	}
	if n := len(s.stack); n > 0 && ticks > 0 {
		s.row.at(s.stack[n-1].regionNumber).below.Add(ticks)
	}
}

// addPart adds what calls that begin and end in a slice come to in the window.
func (s *callSummer) addPart(p *slicePart, run *int, place uint32) {
	for ; *run < len(p.marks.runs) && p.marks.runs[*run].place <= place; *run++ {
		m := &p.marks.runs[*run]
		if m.place < place {
			continue
		}
		if p.end {
			s.addCells(s.ends.upTo(p.steps, *run, m, s.w.to))
		} else {
			s.addCells(m.last().cells)
		}
		if p.begin {
			s.leaveOut(s.ends.upTo(p.steps, *run, m, s.w.from))
		}
	}
}

func (s *callSummer) addCells(cells []callCell) {
	for i := range cells {
		s.row.at(cells[i].region).add(&cells[i])
	}
}

func (s *callSummer) leaveOut(cells []callCell) {
	for i := range cells {
		s.row.at(cells[i].region).leaveOut(&cells[i])
	}
}
