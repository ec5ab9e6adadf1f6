package merge

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// lining is classes that are being put in line with each other: one after the other, each with the columns that those before it have made.
type lining struct {
	*graph
	columns []lined
}

// lined is a column while classes are put in line.
type lined struct {
	name    calltree.Name
	typical calltree.Node
	items   []*int32 // the columns of the items of classes
}

// mostClasses is the largest number of classes that are put in line.
const mostClasses = 1 << 10

// line finds the columns of classes, and returns their number. It gives up, with ordered false, where that would take very long.
func (g *graph) line(ctx context.Context, classes []*class) (width int, ordered bool, err error) {
	if len(classes) > mostClasses {
		return 0, false, nil
	}
	l := lining{graph: g}
	for _, c := range classes {
		if err := l.add(ctx, c); err != nil {
			return 0, false, err
		}
		if len(l.columns) > mostItems || g.cells < 0 {
			return 0, false, nil
		}
	}
	for at, col := range l.columns {
		for _, to := range col.items {
			*to = int32(at)
		}
	}
	return len(l.columns), true, nil
}

// larger reports whether a call is more typical than another one.
func (g *graph) larger(a, b calltree.Node) bool {
	f := g.forest
	return cmp.Or(cmp.Compare(f.Size(a), f.Size(b)), cmp.Compare(f.Content(a), f.Content(b))) > 0
}

// add puts a class in line with the columns: at the least cost, where a column and an item may be one if they have the same name.
func (l *lining) add(ctx context.Context, c *class) error {
	head := 0
	for head < len(l.columns) && head < len(c.names) && l.equal(&l.columns[head], c, head) {
		head++
	}
	tail := 0
	for tail < len(l.columns)-head && tail < len(c.names)-head && l.equal(&l.columns[len(l.columns)-1-tail], c, len(c.names)-1-tail) {
		tail++
	}
	columns, from, to := l.columns[head:len(l.columns)-tail], head, len(c.names)-tail
	moves, err := l.align(ctx, columns, c, from, to)
	if err != nil {
		return err
	}
	line := make([]lined, 0, len(l.columns)+to-from)
	line = append(line, l.columns[:head]...)
	for _, m := range moves {
		if m != onlyItem {
			line = append(line, columns[0])
			columns = columns[1:]
		} else {
			line = append(line, lined{name: c.names[from]})
		}
		if m != onlyColumn {
			l.join(&line[len(line)-1], c, from)
			from++
		}
	}
	for i := range head {
		l.join(&line[i], c, i)
	}
	line = append(line, l.columns[len(l.columns)-tail:]...)
	for i := range tail {
		l.join(&line[len(line)-1-i], c, len(c.names)-1-i)
	}
	l.columns = line
	return nil
}

// equal reports whether a column and an item surely belong together, if both are at the same end of what is put in line.
func (l *lining) equal(col *lined, c *class, item int) bool {
	return col.name == c.names[item] && (l.names || col.typical == c.typical[item])
}

// join adds an item to a column.
func (l *lining) join(col *lined, c *class, item int) {
	if len(col.items) == 0 || l.larger(c.typical[item], col.typical) {
		col.typical = c.typical[item]
	}
	col.items = append(col.items, &c.columns[item])
}

// move is a step of putting items in line with columns.
type move uint8

const (
	both move = iota
	onlyColumn
	onlyItem
)

// align returns the steps of the least cost. Of equal ones, the last columns and items are joined, then a column is left alone.
func (l *lining) align(ctx context.Context, columns []lined, c *class, from, to int) ([]move, error) {
	n := to - from
	if len(columns) == 0 || n == 0 {
		moves := make([]move, len(columns)+n)
		for i := range moves {
			if moves[i] = onlyColumn; n > 0 {
				moves[i] = onlyItem
			}
		}
		return moves, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	l.cells -= int64(len(columns) * n)
	unclear := l.unclear(columns, c, from, to)
	above, row := make([]float64, n+1), make([]float64, n+1)
	steps := make([]move, (len(columns)+1)*(n+1))
	for j := 1; j <= n; j++ {
		above[j], steps[j] = above[j-1]+l.alone(c.typical[from+j-1]), onlyItem
	}
	for i := range columns {
		col := &columns[i]
		gap := l.alone(col.typical)
		row[0], steps[(i+1)*(n+1)] = above[0]+gap, onlyColumn
		for j := 1; j <= n; j++ {
			best, step := math.Inf(1), both
			if item := from + j - 1; col.name == c.names[item] {
				pair, err := l.together(ctx, col, c, item, unclear)
				if err != nil {
					return nil, err
				}
				best = above[j-1] + pair
			}
			if v := above[j] + gap; v < best {
				best, step = v, onlyColumn
			}
			if v := row[j-1] + l.alone(c.typical[from+j-1]); v < best {
				best, step = v, onlyItem
			}
			row[j], steps[(i+1)*(n+1)+j] = best, step
		}
		above, row = row, above
	}
	return wayBack(steps, len(columns), n), nil
}

// wayBack returns the steps of a table from its begin.
func wayBack(steps []move, i, j int) []move {
	width := j + 1
	back := make([]move, i+j)
	at := len(back)
	for i > 0 || j > 0 {
		m := steps[i*width+j]
		at--
		back[at] = m
		if m != onlyItem {
			i--
		}
		if m != onlyColumn {
			j--
		}
	}
	return back[at:]
}

// alone returns what it costs that a column or item has no partner: as much as package align has it, or 1 where names alone count.
func (l *lining) alone(n calltree.Node) float64 {
	if l.names {
		return 1
	}
	return lackingCall * float64(l.forest.Size(n))
}

// lackingCall is the cost of a call without a partner in package align.
const lackingCall = 4

// unclear returns the names that columns or items have more than once: only there, what is inside of calls says which belong together.
func (l *lining) unclear(columns []lined, c *class, from, to int) map[calltree.Name]bool {
	if l.names {
		return nil
	}
	found := map[calltree.Name]bool{}
	note := func(seen map[calltree.Name]bool, n calltree.Name) {
		if seen[n] {
			found[n] = true
		}
		seen[n] = true
	}
	inColumns, inItems := map[calltree.Name]bool{}, map[calltree.Name]bool{}
	for i := range columns {
		note(inColumns, columns[i].name)
	}
	for _, n := range c.names[from:to] {
		note(inItems, n)
	}
	return found
}

// together returns what it costs that a column and an item of the same name are one.
func (l *lining) together(ctx context.Context, col *lined, c *class, item int, unclear map[calltree.Name]bool) (float64, error) {
	if l.names || !unclear[col.name] {
		return 0, nil
	}
	if col.typical == c.typical[item] {
		return 0, nil
	}
	l.cells -= pairCells
	cost, err := l.aligner.Cost(ctx, col.typical, c.typical[item])
	return float64(cost.High), err
}

// lineByName finds the columns of classes whose lists are folded by names, one for each name: a name that is new stands behind the one
// before it.
func lineByName(classes []*class) map[calltree.Name]int32 {
	var order []calltree.Name
	at := map[calltree.Name]int32{}
	for _, c := range classes {
		behind := int32(0)
		for _, n := range c.names {
			if k, ok := at[n]; ok {
				behind = k + 1
				continue
			}
			order = slices.Insert(order, int(behind), n)
			for i := int(behind); i < len(order); i++ {
				at[order[i]] = int32(i)
			}
			behind++
		}
	}
	for _, c := range classes {
		for i, n := range c.names {
			c.columns[i] = at[n]
		}
	}
	return at
}
