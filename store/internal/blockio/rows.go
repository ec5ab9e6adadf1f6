package blockio

import (
	"github.com/pandotrace/pando/index/tables"
)

// RowSpace is memory for rows that all end at once.
type RowSpace struct{ Rows []tables.Row }

// Take returns room for n rows.
func (s *RowSpace) Take(n int) []tables.Row {
	at := len(s.Rows)
	if cap(s.Rows)-at < n {
		at, s.Rows = 0, make([]tables.Row, 0, max(n, 2*cap(s.Rows)))
	}
	s.Rows = s.Rows[:at+n]
	return s.Rows[at : at : at+n]
}

// Reserve ends all rows, and makes room for n that are taken piece by piece.
func (s *RowSpace) Reserve(n int) {
	if s.Empty(); cap(s.Rows) < n {
		s.Rows = make([]tables.Row, 0, n)
	}
}

// Empty ends all rows.
func (s *RowSpace) Empty() { s.Rows = s.Rows[:0] }
