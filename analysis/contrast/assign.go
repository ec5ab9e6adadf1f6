package contrast

import "math"

// assign gives each row of a table of costs a column of its own, so that the costs add up to the least there is (the Hungarian method, by shortest
// augmenting paths: Kuhn 1955, Jonker and Volgenant 1987). There are at least as many columns as rows. It takes the square of the rows times the columns.
func assign(rows, columns int, cost func(row, column int) int64) (columnOf []int) {
	a := assignment{cost: cost, ofRow: make([]int64, rows), ofColumn: make([]int64, columns), rowOf: make([]int, columns)}
	for c := range a.rowOf {
		a.rowOf[c] = -1
	}
	for row := range rows {
		a.add(row)
	}
	columnOf = make([]int, rows)
	for c, row := range a.rowOf {
		if row >= 0 {
			columnOf[row] = c
		}
	}
	return columnOf
}

// assignment is one of some rows that costs least. No cost is less than the potentials of its row and column together, and that of each row with its
// column equals them.
type assignment struct {
	cost            func(row, column int) int64
	ofRow, ofColumn []int64 // potentials
	rowOf           []int   // of columns, -1 for none
}

// add adds a row: along the path of least additional cost from it to a free column, each row takes the next column.
func (a *assignment) add(row int) {
	n := len(a.rowOf)
	reach, before, seen := make([]int64, n), make([]int, n), make([]bool, n)
	for c := range reach {
		reach[c], before[c] = math.MaxInt64, -1
	}
	at, from := row, -1
	for {
		next, least := -1, int64(math.MaxInt64)
		for c := range n {
			if seen[c] {
				continue
			}
			if d := a.cost(at, c) - a.ofRow[at] - a.ofColumn[c]; d < reach[c] {
				reach[c], before[c] = d, from
			}
			if reach[c] < least {
				next, least = c, reach[c]
			}
		}
		a.shift(row, least, seen, reach)
		seen[next] = true
		if a.rowOf[next] < 0 {
			a.turn(row, next, before)
			return
		}
		at, from = a.rowOf[next], next
	}
}

// shift changes the potentials of what was seen, so that the nearest column costs nothing more.
func (a *assignment) shift(row int, by int64, seen []bool, reach []int64) {
	a.ofRow[row] += by
	for c, s := range seen {
		if s {
			a.ofRow[a.rowOf[c]] += by
			a.ofColumn[c] -= by
		} else {
			reach[c] -= by
		}
	}
}

// turn gives the columns of the path that ends at a free column to the rows before them.
func (a *assignment) turn(row, column int, before []int) {
	for before[column] >= 0 {
		a.rowOf[column] = a.rowOf[before[column]]
		column = before[column]
	}
	a.rowOf[column] = row
}
