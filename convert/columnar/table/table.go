package table

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Table is a schema with the functions that make the rows.
type Table struct {
	Schema
	Names []func(*Catalog) *Names // by column, nil for columns of other types
	// Occurs reports whether the table belongs to an export of all tables; nil means always.
	Occurs func(x *Catalog) bool
	// rows yields all rows in order with some of the columns, by their places.
	rows func(x *Catalog, w *store.Window, columns []int) iter.Seq2[*Batch, error]
	// chosen are the places of the columns among those that the table was declared with.
	chosen []int
}

// Batches yields all rows in order. The receiver releases each batch.
func (s *Table) Batches(x *Catalog, w *store.Window) iter.Seq2[*Batch, error] {
	return s.rows(x, w, s.chosen)
}

func newTable[R any](t Schema, columns []ColumnOf[R]) *Table {
	s := &Table{Schema: t}
	for i := range columns {
		s.Columns = append(s.Columns, columns[i].Column)
		s.Names = append(s.Names, columns[i].names)
		s.chosen = append(s.chosen, i)
	}
	return s
}

// ColumnError says that a table has no column of a name, or that a choice of columns names one twice.
type ColumnError struct {
	Table, Name string
	Twice       bool
	Columns     []string // of the table
}

// Error implements error.
func (e *ColumnError) Error() string {
	if e.Twice {
		return fmt.Sprintf("column %q is chosen twice", e.Name)
	}
	return fmt.Sprintf("the table %s has no column %q; it has %s", e.Table, e.Name, strings.Join(e.Columns, ", "))
}

// Choose returns the table with some of its columns, in the order of the names. The values of the others are not made. An unknown name is
// a [ColumnError].
func (s *Table) Choose(names []string) (*Table, error) {
	t := *s
	t.Columns, t.Names, t.chosen = nil, nil, nil
	for i, name := range names {
		at := slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
		if twice := slices.Contains(names[:i], name); at < 0 || twice {
			return nil, &ColumnError{s.Name, name, twice, s.columnNames()}
		}
		t.Columns, t.Names, t.chosen = append(t.Columns, s.Columns[at]), append(t.Names, s.Names[at]), append(t.chosen, s.chosen[at])
	}
	if !slices.Contains(names, t.Sorted) {
		t.Sorted = ""
	}
	return &t, nil
}

// Has reports whether there is a column of a name.
func (s *Schema) Has(name string) bool {
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Name == name })
}

func (s *Schema) columnNames() (names []string) {
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	return names
}

// pickColumns returns the columns at some places.
func pickColumns[R any](columns []ColumnOf[R], places []int) []ColumnOf[R] {
	list := make([]ColumnOf[R], len(places))
	for i, at := range places {
		list[i] = columns[at]
	}
	return list
}

// fill makes a batch of rows.
func fill[R any](x *Catalog, columns []ColumnOf[R], rows []R) (*Batch, error) {
	b := NewBatch(len(columns))
	for i := range columns {
		columns[i].put(x, rows, &b.Vectors[i])
	}
	b.Rows = len(rows)
	if n := b.TextBytes(); n > math.MaxInt32 {
		return nil, fmt.Errorf("%d rows have %d bytes of text in one column: more than a table can hold in one piece", b.Rows, n)
	}
	return b, nil
}

// FromParts makes a table whose rows are made of each part of a window by itself, on all processors. rows adds the rows of a part.
func FromParts[R any](t Schema, columns []ColumnOf[R], of store.PartContents, rows func(*Catalog, *store.Part, *Filler[R]) error) *Table {
	s := newTable(t, columns)
	room := sync.Pool{New: func() any { return &Filler[R]{} }}
	s.rows = func(x *Catalog, w *store.Window, chosen []int) iter.Seq2[*Batch, error] {
		columns := pickColumns(columns, chosen)
		return store.StreamParts(w, of, func(p *store.Part, give func(*Batch) bool) error {
			f := room.Get().(*Filler[R])
			defer room.Put(f)
			f.begin(x, columns, give)
			if err := rows(x, p, f); err != nil {
				return err
			}
			return f.end()
		})
	}
	return s
}

// Filler makes batches of the rows of a part, of PageRows rows each, and gives each away as soon as it is full.
type Filler[R any] struct {
	catalog *Catalog
	columns []ColumnOf[R]
	rows    []R
	give    func(*Batch) bool
	stopped bool // no more are wanted
	err     error
}

func (f *Filler[R]) begin(x *Catalog, columns []ColumnOf[R], give func(*Batch) bool) {
	f.catalog, f.columns, f.rows, f.give, f.stopped, f.err = x, columns, f.rows[:0], give, false, nil
}

// Add adds a row.
func (f *Filler[R]) Add(r R) {
	if f.rows = append(f.rows, r); len(f.rows) == PageRows {
		f.fill()
	}
}

// fill makes a batch of the rows added since the last batch.
func (f *Filler[R]) fill() {
	if len(f.rows) > 0 && f.err == nil && !f.stopped {
		var b *Batch
		if b, f.err = fill(f.catalog, f.columns, f.rows); f.err == nil {
			f.stopped = !f.give(b)
		}
	}
	f.rows = f.rows[:0]
}

// end gives the last batch away.
func (f *Filler[R]) end() error {
	f.fill()
	f.give = nil
	return f.err
}

// Narrowed restricts a table of events to some kinds, so that slices without such events are not read.
func (s *Table) Narrowed(kinds ...trace.Kind) *Table {
	all := s.rows
	s.rows = func(x *Catalog, w *store.Window, columns []int) iter.Seq2[*Batch, error] {
		return all(x, w.WithKinds(kinds...), columns)
	}
	return s
}

// FromList makes a table whose rows have no time.
func FromList[R any](t Schema, columns []ColumnOf[R], rows func(*Catalog) iter.Seq[R]) *Table {
	t.Definitions = true
	s := newTable(t, columns)
	s.rows = func(x *Catalog, _ *store.Window, chosen []int) iter.Seq2[*Batch, error] {
		columns := pickColumns(columns, chosen)
		return func(yield func(*Batch, error) bool) {
			inBatches(x, columns, rows(x), yield)
		}
	}
	return s
}

// inBatches yields batches of PageRows rows each. It returns false if no more are wanted.
func inBatches[R any](x *Catalog, columns []ColumnOf[R], rows iter.Seq[R], yield func(*Batch, error) bool) bool {
	var list []R
	for r := range rows {
		if list = append(list, r); len(list) == PageRows {
			if b, err := fill(x, columns, list); !yield(b, err) || err != nil {
				return false
			}
			list = list[:0]
		}
	}
	if len(list) == 0 {
		return true
	}
	b, err := fill(x, columns, list)
	return yield(b, err) && err == nil
}

// A Flow makes rows of type R from pieces of type S, which it takes in the order of time. It keeps the pieces of incomplete rows.
type Flow[S, R any] interface {
	// Take takes the pieces of one part of the window, and appends the rows that they complete.
	Take(pieces []S, rows []R) ([]R, error)
	// End appends the rows that are still incomplete.
	End(rows []R) []R
}

// FromFlow makes a table whose rows are made of events of several parts of a window. pieces runs on all processors, one part in each; a
// flow, which begin returns, puts the pieces together.
func FromFlow[S, R any](t Schema, columns []ColumnOf[R], kinds []trace.Kind,
	pieces func(*Catalog, *store.Part) ([]S, error), begin func(*Catalog, *store.Window) (Flow[S, R], error),
) *Table {
	s := newTable(t, columns)
	s.rows = func(x *Catalog, w *store.Window, chosen []int) iter.Seq2[*Batch, error] {
		columns := pickColumns(columns, chosen)
		return func(yield func(*Batch, error) bool) {
			f, err := begin(x, w)
			if err != nil {
				yield(nil, err)
				return
			}
			var rows []R
			for list, err := range store.Parts(w.WithKinds(kinds...), store.PartEvents, func(p *store.Part) ([]S, error) { return pieces(x, p) }) {
				if err == nil {
					rows, err = f.Take(list, rows[:0])
				}
				if !give(x, columns, rows, err, yield) {
					return
				}
			}
			give(x, columns, f.End(rows[:0]), nil, yield)
		}
	}
	return s
}

// give yields a batch of rows, if there are any, or an error. It returns false if no more are wanted, and after an error.
func give[R any](x *Catalog, columns []ColumnOf[R], rows []R, err error, yield func(*Batch, error) bool) bool {
	if err == nil && len(rows) == 0 {
		return true
	}
	var b *Batch
	if err == nil {
		b, err = fill(x, columns, rows)
	}
	return yield(b, err) && err == nil
}
