package slice

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Values that predictions stand for are filled in column by column: each step of it is a loop over one column's values of a stretch of
// events, which takes much less than to go from one column to the next within each event. Events whose values have one layout are noted
// as a stretch is gone through; its columns are filled in at its end.

// A stretch has so few events that what belongs to it stays in the first caches of a core. It ends with the event that fills its words.
const (
	fillEvents = 1024
	fillWords  = 16 * fillEvents
)

// spot is an event with values.
type spot struct {
	event, words uint32 // in the batch: its number, and where its words begin
	before       uint32 // number of the event before
	layout       uint32
}

// layoutFill is what is known of a layout in a slice.
type layoutFill struct {
	slice    uint32       // see columnFills
	columned []shape.Slot // filled in column by column
	ordered  []shape.Slot // filled in by the order of events
	count    int          // of its events in the stretch
	spots    []spot       // these, once all are known
}

// columnFill is what is known of a column in a slice.
type columnFill struct {
	slice uint32 // see columnFills
	// ordered says that its values are filled in by the order of events: its memory is another column's too, it is of an attribute, in
	// several layouts, or a prediction joins it with such a column.
	ordered bool
	slot    shape.Slot
	layout  uint32
	numbers []uint64 // that were predicted, by spot; until they are, departures
	before  uint64   // value of the column's memory before the stretch
}

// columnFills are those of a slice. They are for one goroutine. A layout or column with the number of another slice is not known yet, so
// that a slice takes no longer for those that it does not have.
type columnFills struct {
	dictionary *shape.Dictionary
	slice      uint32 // from 1, of all that these have been used for
	layouts    []layoutFill
	columns    []columnFill

	// Of the stretch:
	spots   []spot   // in the order of events
	grouped []spot   // by layout
	touched []uint32 // layouts with spots
	order   []uint32 // columns of these
	room    []uint64 // see take
}

var fillsPool = sync.Pool{New: func() any { return new(columnFills) }}

// reset starts a slice.
func (f *columnFills) reset(d *shape.Dictionary, p predict.Set) {
	f.forget() // what damage left
	f.dictionary = d
	if f.slice++; f.slice == 0 {
		f.slice, f.layouts, f.columns = 1, nil, nil
	}
	f.layouts, f.columns = stretched(f.layouts, d.Layouts()), stretched(f.columns, len(d.ColumnInfos()))
	for i := range p.All {
		if q := &p.All[i]; q.Sharing() {
			f.column(q.Column).ordered, f.column(q.Other).ordered = true, true
		}
	}
	// A column and the one that it is predicted from are filled in alike, as is what these are joined with. The other column is less:
	// the first loop reaches the first one of all that are joined, the second all others.
	for i := range p.All {
		f.join(&p.All[len(p.All)-1-i])
	}
	for i := range p.All {
		f.join(&p.All[i])
	}
}

// join makes ordered both columns of a prediction if one of them is.
func (f *columnFills) join(q *predict.Prediction) {
	if q.Source == predict.FromColumn {
		x, y := f.column(q.Column), f.column(q.Other)
		x.ordered = x.ordered || y.ordered
		y.ordered = x.ordered
	}
}

// stretched returns a list with at least n elements, the first ones as they were.
func stretched[T any](s []T, n int) []T {
	if n > len(s) {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}

// column returns what is known of a column that is not shared.
func (f *columnFills) column(column uint32) *columnFill {
	x := &f.columns[column]
	if x.slice != f.slice {
		home := f.dictionary.Home(column)
		*x = columnFill{slice: f.slice, layout: home}
		x.ordered = f.dictionary.ColumnInfos()[column].Field < 0 || home == shape.ManyLayouts
	}
	return x
}

// layout returns what is known of a layout.
func (f *columnFills) layout(layout uint32) *layoutFill {
	x := &f.layouts[layout]
	if x.slice != f.slice {
		*x = layoutFill{slice: f.slice, columned: x.columned[:0], ordered: x.ordered[:0]}
		for _, s := range f.dictionary.Layout(layout) {
			if s.Mode == shape.Predicted && int(s.Column) < len(f.dictionary.ColumnInfos()) && !f.column(s.Column).ordered {
				f.column(s.Column).slot = s
				x.columned = append(x.columned, s)
			} else {
				x.ordered = append(x.ordered, s)
			}
		}
	}
	return x
}

// plain sets what events are, one after the other, as long as they have words alone, whose values are all filled in column by column, and the words so far
// are not full. It returns the event that has more, and where the words of that begin. Nearly all events are plain, so this calls nothing.
func (f *columnFills) plain(b *trace.Batch, leaves []uint32, i, at, full int) (event, words int) {
	info, kinds, starts, to := f.dictionary.Info(), b.Kinds[:len(leaves)], b.Starts[:len(leaves)], b.Words[:cap(b.Words)]
	spots, noted := f.spots[:cap(f.spots)], len(f.spots)
	for ; i < len(leaves) && at < full; i++ {
		leaf := leaves[i]
		l := &info[leaf]
		if l.Single {
			kinds[i], starts[i], to[at] = l.Kind, uint32(at), l.Key
			at++
			continue
		}
		if l.Relative || l.Attrs {
			break
		}
		if l.Layout > 0 {
			x := &f.layouts[l.Layout]
			if x.slice != f.slice || x.count == 0 || len(x.ordered) > 0 || noted == len(spots) {
				break
			}
			before := uint32(0)
			if i > 0 {
				before = uint32(info[leaves[i-1]].Number)
			}
			spots[noted] = spot{uint32(i), uint32(at), before, l.Layout}
			noted, x.count = noted+1, x.count+1
		}
		kinds[i], starts[i] = l.Kind, uint32(at)
		all := f.dictionary.Words(leaf)
		for w, word := range all { // a few: a loop is faster than a call
			to[at+w] = word
		}
		at += len(all)
	}
	f.spots = spots[:noted]
	return i, at
}

// note notes an event with values that are filled in column by column.
func (f *columnFills) note(x *layoutFill, s spot) {
	if x.count == 0 {
		f.touched = append(f.touched, s.layout)
	}
	x.count++
	f.spots = append(f.spots, s)
}

// group gives each layout its events, in their order.
func (f *columnFills) group() {
	f.grouped = slices.Grow(f.grouped[:0], len(f.spots))[:len(f.spots)]
	at := 0
	for _, l := range f.touched {
		x := &f.layouts[l]
		x.spots = f.grouped[at : at : at+x.count]
		at += x.count
	}
	if len(f.touched) == 1 {
		f.layouts[f.touched[0]].spots = f.spots
		return
	}
	for _, s := range f.spots {
		x := &f.layouts[s.layout]
		x.spots = append(x.spots, s)
	}
}

// forget forgets the events that were noted.
func (f *columnFills) forget() {
	for _, l := range f.touched {
		x := &f.layouts[l]
		x.count, x.spots = 0, nil
		for _, s := range x.columned {
			f.columns[s.Column].numbers = nil
		}
	}
	f.touched, f.spots, f.room = f.touched[:0], f.spots[:0], f.room[:0]
}

// take returns room for n numbers until the stretch is forgotten.
func (f *columnFills) take(n int) []uint64 {
	at := len(f.room)
	if at+n > cap(f.room) {
		f.room, at = make([]uint64, 0, max(2*cap(f.room), n, 2*fillEvents)), 0
	}
	f.room = f.room[:at+n]
	return f.room[at : at+n : at+n]
}

// fillColumns puts the values of all events that were noted into a batch, and forgets these events.
func (f *filler) fillColumns(b *trace.Batch) error {
	fills := f.fills
	fills.group()
	fills.order = fills.order[:0]
	for _, l := range fills.touched {
		for _, s := range fills.layouts[l].columned {
			fills.order = append(fills.order, s.Column)
		}
	}
	slices.Sort(fills.order) // columns that others are predicted from are first
	for _, c := range fills.order {
		if err := f.fillColumn(b, c); err != nil {
			return err
		}
	}
	fills.forget()
	return nil
}

func (f *filler) fillColumn(b *trace.Batch, column uint32) error {
	x := &f.fills.columns[column]
	spots := f.fills.layouts[x.layout].spots
	x.numbers = f.fills.take(len(spots))
	f.takeCodes(column, x.numbers, spots)
	clocks := f.clocks(b, column, x, spots)
	x.before = f.predictor.Before(column)
	if bad := f.predictor.Numbers(column, clocks, x.numbers); bad >= 0 {
		return badCode(column, x.numbers[bad])
	}
	values, bad := f.predictor.Values(column, x.numbers, f.fills.take)
	if bad >= 0 {
		return format.Corruptf(sliceSection, -1, "column %d: %d is beyond the whole numbers that are divided", column, int64(x.numbers[bad]))
	}
	words := b.Words[x.slot.Word:]
	for i, s := range spots {
		words[s.words] = values[i]
	}
	return nil
}

// takeCodes takes the codes of a column.
func (f *filler) takeCodes(column uint32, codes []uint64, spots []spot) {
	next, values := f.next, f.values
	if !f.contexts.paired[column] {
		next[column] += copy(codes, values[next[column]:])
		return
	}
	codes = codes[:len(spots)]
	if row := f.contexts.row(column); row != nil {
		for i := range spots {
			c := row[min(int(spots[i].before), len(row)-1)]
			at := next[c]
			next[c] = at + 1
			codes[i] = values[at]
		}
		return
	}
	for i := range spots {
		at := &next[f.contexts.search(column, spots[i].before)]
		codes[i] = values[*at]
		*at++
	}
}

// clocks returns what stands on a column's clock where its values stand, nil if it has none. It must not be changed.
func (f *filler) clocks(b *trace.Batch, column uint32, x *columnFill, spots []spot) []uint64 {
	switch source, other := f.predictor.Clock(column); source {
	case predict.FromTime:
		clocks := f.fills.take(len(spots))
		for i := range spots {
			clocks[i] = uint64(b.Times[spots[i].event])
		}
		return clocks
	case predict.FromColumn:
		return f.clocksOf(other, x, spots)
	}
	return nil
}

// clocksOf returns the values that a column's memory has where those of x stand. They must not be changed.
func (f *filler) clocksOf(column uint32, x *columnFill, spots []spot) []uint64 {
	other := f.fills.column(column)
	if len(other.numbers) == len(spots) && other.layout == x.layout && other.slot.Word < x.slot.Word {
		return other.numbers // each stands before that of x in its event
	}
	clocks := f.fills.take(len(spots))
	last, at := f.predictor.Before(column), 0
	if len(other.numbers) > 0 {
		last = other.before
	}
	for i := range spots {
		for at < len(other.numbers) && f.fills.layouts[other.layout].spots[at].words+other.slot.Word < spots[i].words+x.slot.Word {
			last = other.numbers[at]
			at++
		}
		clocks[i] = last
	}
	return clocks
}
