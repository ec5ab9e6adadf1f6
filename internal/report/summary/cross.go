package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// placedCalls is the sum of the calls of a region on a location.
type placedCalls struct {
	callSum
	location uint64
	group    int
}

// crossRows is a flat profile of each location: for programs a row for each region and location, for people a table with a line for each
// region and a column for each location.
func crossRows(s *summed) rows {
	type row = placedCalls
	all, list := &callSum{}, []row(nil)
	at, begun := map[int]int{}, uint64(0) // rows of the location by group
	for i := range s.Calls {
		c := &s.Calls[i]
		if i == 0 || c.Location != begun {
			clear(at)
			begun = c.Location
		}
		g := s.groups.of(s.names, c.Region)
		n, ok := at[g]
		if !ok {
			n = len(list)
			at[g] = n
			list = append(list, row{location: c.Location, group: g})
		}
		list[n].add(c)
		all.add(c)
	}
	t := &rowsOf[*row]{order: "exclusive", rows: pointers(list), total: &row{callSum: *all}}
	regions := make([]regionSum, len(s.groups.list))
	for i := range regions {
		regions[i].group = i
	}
	t.columns = slices.Concat(callColumns(s.clock, func(r *row) *callSum { return &r.callSum }, all),
		places(s, "location", "", "", func(r *row) uint64 { return r.location }),
		groupColumns(s, func(r *row) int { return r.group }, sameNames(s, pointers(regions))))
	t.picture = func(p *paper) { newCross(s, list).write(p) }
	return t
}

// cross is a table of exclusive times by region and location.
type cross struct {
	*summed
	locations []uint64       // columns
	column    map[uint64]int // by location
	lines     []crossLine
}

type crossLine struct {
	name  string
	total trace.Sum
	times []trace.Sum // by column
}

// newCross makes a table of rows, the regions with most time first.
func newCross(s *summed, list []placedCalls) *cross {
	c := &cross{summed: s, column: map[uint64]int{}}
	regions := make([]regionSum, len(s.groups.list))
	for i := range regions {
		regions[i].group = i
	}
	for _, place := range s.names.Places() {
		if s.has(place.Location) && s.locationType(place.Location) != locationMetric {
			c.column[place.Location] = len(c.locations)
			c.locations = append(c.locations, place.Location)
		}
	}
	same, line := sameNames(s, pointers(regions)), map[int]int{}
	for i := range list {
		r := &list[i]
		n, ok := line[r.group]
		if !ok {
			n = len(c.lines)
			line[r.group] = n
			c.lines = append(c.lines, crossLine{name: report.Cell(s.label(s.groups.list[r.group].first, same)), times: make([]trace.Sum, len(c.locations))})
		}
		c.lines[n].total = c.lines[n].total.Plus(r.exclusive)
		if at, ok := c.column[r.location]; ok {
			c.lines[n].times[at] = r.exclusive
		}
	}
	slices.SortStableFunc(c.lines, func(a, b crossLine) int { return b.total.Cmp(a.total) })
	return c
}

// Widths of a cross table, in characters: of a column of times, and of all where nothing is known of the terminal.
const (
	crossColumn = 11
	crossWidth  = 132
)

// write writes the table. Neighbouring locations are one column, with their mean, if there are more than fit.
func (c *cross) write(p *paper) {
	width, left := cmp.Or(p.width, crossWidth), 0
	if p.lines > 0 && p.lines < len(c.lines) {
		left = len(c.lines) - p.lines
		c.lines = c.lines[:p.lines]
	}
	name := len("region")
	for i := range c.lines {
		name = max(name, utf8.RuneCountInString(c.lines[i].name))
	}
	room := max((width-min(name, 40)-crossColumn)/crossColumn, 1)
	each := max((len(c.locations)+room-1)/room, 1) // locations of a column
	if threads := c.threads(); each > 1 {
		each = (each + threads - 1) / threads * threads
	}
	heads, right := []string{"all"}, []bool{true}
	for some := range slices.Chunk(c.locations, each) {
		heads, right = append(heads, c.head(some)), append(right, true)
	}
	heads, right = append(heads, "region"), append(right, false)
	rows := func(yield func([]string) bool) {
		for i := range c.lines {
			l := &c.lines[i]
			cells := []string{c.clock.duration(l.total.Float())}
			for some := range slices.Chunk(l.times, each) {
				cells = append(cells, c.mean(some))
			}
			if !yield(append(cells, report.Shortened(l.name, max(40, width-crossColumn*len(cells))))) {
				return
			}
		}
	}
	report.WriteTable(p, heads, right, rows)
	if left > 0 {
		fmt.Fprintf(p, "… more follow: %s (--limit %d)\n", report.Plural(left, "region", "regions"), p.lines)
	}
	if each > 1 {
		fmt.Fprintf(p, "exclusive time; each column is the mean of %d locations\n", each)
		return
	}
	fmt.Fprintln(p, "exclusive time of each location")
}

// threads returns how many locations each rank has, 1 if not all have equally many.
func (c *cross) threads() int {
	of := map[int64]int{}
	for _, id := range c.locations {
		of[rankOf(c.names.Place(id))]++
	}
	n := len(c.locations) / max(len(of), 1)
	for _, own := range of {
		if own != n {
			return 1
		}
	}
	return max(n, 1)
}

// head returns the name of a column of some locations.
func (c *cross) head(some []uint64) string {
	first, last := c.short(some[0]), c.short(some[len(some)-1])
	switch between := " … "; {
	case len(some) == 1:
		return report.Shortened(first, crossColumn-2)
	default:
		if a, ok := strings.CutPrefix(first, "rank "); ok && strings.HasPrefix(last, "rank ") {
			first, last, between = a, last[len("rank "):], "-"
		}
		return report.Shortened(first+between+last, crossColumn-2)
	}
}

// short returns the label of a location, "rank 3.1" for "rank 3 thread 1".
func (c *cross) short(id uint64) string {
	return strings.Replace(c.names.Location(id), " thread ", ".", 1)
}

// mean returns the mean of some times as text, nothing for none.
func (c *cross) mean(some []trace.Sum) string {
	all := trace.Sum{}
	for _, t := range some {
		all = all.Plus(t)
	}
	if all == (trace.Sum{}) {
		return ""
	}
	return c.clock.duration(all.Float() / float64(len(some)))
}
