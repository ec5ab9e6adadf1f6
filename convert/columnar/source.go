package columnar

import (
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// source is a table with the way to its rows.
type source struct {
	Table
	names []func(*catalog) *names // by column, nil for those that are no names
	// occurs reports whether the table belongs to an export of all tables; nil for those that always do.
	occurs func(x *catalog) bool
	// batches yields all rows in order. A batch belongs to the one who gets it.
	batches func(x *catalog, w *store.Window) iter.Seq2[*batch, error]
}

func newSource[R any](t Table, columns []column[R]) *source {
	s := &source{Table: t}
	for i := range columns {
		s.Columns = append(s.Columns, columns[i].Column)
		s.names = append(s.names, columns[i].names)
	}
	return s
}

// fill makes a batch of rows.
func fill[R any](x *catalog, columns []column[R], rows []R) (*batch, error) {
	b := newBatch(len(columns))
	for i := range columns {
		columns[i].put(x, rows, &b.vectors[i])
	}
	b.rows = len(rows)
	if n := b.textBytes(); n > math.MaxInt32 {
		return nil, fmt.Errorf("%d rows have %d bytes of text in one column: more than a table can hold in one piece", b.rows, n)
	}
	return b, nil
}

// partTable is a table whose rows follow from each part of a window by itself: batches are made on all processors.
func partTable[R any](t Table, columns []column[R], of store.PartContents, rows func(*catalog, *store.Part, *filler[R]) error) *source {
	s := newSource(t, columns)
	room := sync.Pool{New: func() any { return &filler[R]{columns: columns} }}
	s.batches = func(x *catalog, w *store.Window) iter.Seq2[*batch, error] {
		return flatten(store.Parts(w, of, func(p *store.Part) ([]*batch, error) {
			f := room.Get().(*filler[R])
			defer room.Put(f)
			f.begin(x)
			if err := rows(x, p, f); err != nil {
				return nil, err
			}
			return f.end()
		}))
	}
	return s
}

// filler makes batches of the rows of a part, of as many rows as a page has: a part may have very many.
type filler[R any] struct {
	catalog *catalog
	columns []column[R]
	rows    []R
	batches []*batch
	err     error
}

func (f *filler[R]) begin(x *catalog) { f.catalog, f.rows, f.batches, f.err = x, f.rows[:0], nil, nil }

func (f *filler[R]) add(r R) {
	if f.rows = append(f.rows, r); len(f.rows) == pageRows {
		f.fill()
	}
}

// fill makes a batch of the rows that there are.
func (f *filler[R]) fill() {
	if len(f.rows) > 0 && f.err == nil {
		var b *batch
		b, f.err = fill(f.catalog, f.columns, f.rows)
		f.batches = append(f.batches, b)
	}
	f.rows = f.rows[:0]
}

// end returns the batches.
func (f *filler[R]) end() ([]*batch, error) {
	f.fill()
	return f.batches, f.err
}

// flatten yields one batch after the other.
func flatten(parts iter.Seq2[[]*batch, error]) iter.Seq2[*batch, error] {
	return func(yield func(*batch, error) bool) {
		for batches, err := range parts {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, b := range batches {
				if !yield(b, nil) {
					return
				}
			}
		}
	}
}

// narrowed makes a table of events one of events of some kinds: the slices that have none are not read.
func (s *source) narrowed(kinds ...trace.Kind) *source {
	all := s.batches
	s.batches = func(x *catalog, w *store.Window) iter.Seq2[*batch, error] { return all(x, w.WithKinds(kinds...)) }
	return s
}

// listTable is a table whose rows do not lie in time.
func listTable[R any](t Table, columns []column[R], rows func(*catalog) iter.Seq[R]) *source {
	t.Definitions = true
	s := newSource(t, columns)
	s.batches = func(x *catalog, _ *store.Window) iter.Seq2[*batch, error] {
		return func(yield func(*batch, error) bool) {
			inBatches(x, columns, rows(x), yield)
		}
	}
	return s
}

// inBatches yields batches of some rows each.
func inBatches[R any](x *catalog, columns []column[R], rows iter.Seq[R], yield func(*batch, error) bool) bool {
	var list []R
	for r := range rows {
		if list = append(list, r); len(list) == pageRows {
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

// flow makes rows of type R out of pieces of type S, which it gets in the order of time. It keeps what is not complete.
type flow[S, R any] interface {
	// take is given the pieces of one part of the window, and appends the rows that they complete.
	take(pieces []S, rows []R) ([]R, error)
	// end appends the rows that nothing will complete.
	end(rows []R) []R
}

// flowTable is a table whose rows are made of events of several parts of a window. What there is to know of the parts is collected
// on all processors, and put together by a flow.
func flowTable[S, R any](t Table, columns []column[R], kinds []trace.Kind,
	pieces func(*catalog, *store.Part) ([]S, error), begin func(*catalog, *store.Window) (flow[S, R], error),
) *source {
	s := newSource(t, columns)
	s.batches = func(x *catalog, w *store.Window) iter.Seq2[*batch, error] {
		return func(yield func(*batch, error) bool) {
			f, err := begin(x, w)
			if err != nil {
				yield(nil, err)
				return
			}
			var rows []R
			for list, err := range store.Parts(w.WithKinds(kinds...), store.PartEvents, func(p *store.Part) ([]S, error) { return pieces(x, p) }) {
				if err == nil {
					rows, err = f.take(list, rows[:0])
				}
				if !give(x, columns, rows, err, yield) {
					return
				}
			}
			give(x, columns, f.end(rows[:0]), nil, yield)
		}
	}
	return s
}

// give yields a batch of rows, if there are any, or an error; it returns false when that was the last.
func give[R any](x *catalog, columns []column[R], rows []R, err error, yield func(*batch, error) bool) bool {
	if err == nil && len(rows) == 0 {
		return true
	}
	var b *batch
	if err == nil {
		b, err = fill(x, columns, rows)
	}
	return yield(b, err) && err == nil
}
