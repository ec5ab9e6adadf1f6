package rules

import (
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/trace"
)

// place says which columns of an answer tell where a row is, -1 for none.
type place struct {
	location, event, ticks int
}

// Columns that tell where a row is, the first that a table has. Of a message it is the send, of an operation the begin.
var (
	locationColumns = []string{"location", "send_location"}
	eventColumns    = []string{"event", "call", "send_event", "begin_event"}
	ticksColumns    = []string{"start_ticks", "ticks", "send_ticks", "begin_ticks", "first_begin_ticks"}
	// identityColumns tell what a row is.
	identityColumns = []string{"name", "kind", "operation", "receive_rank"}
)

// placeOf finds the columns of a table. column returns the place that a column gets in the answer.
func placeOf(t *table.Table, column func(name string) int) place {
	find := func(names []string) int {
		for _, name := range names {
			if t.Has(name) {
				return column(name)
			}
		}
		return -1
	}
	p := place{location: find(locationColumns), event: -1, ticks: -1}
	if !t.Definitions {
		p.ticks, p.event = find(ticksColumns), find(eventColumns)
	}
	return p
}

// identity returns the columns that tell what a row is, besides its place.
func identity(t *table.Table) (names []string) {
	if t.Definitions && !t.Has("location") {
		names = append(names, t.Columns[0].Name)
	}
	for _, name := range identityColumns {
		if t.Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// locationOf returns the location of a row.
func (p *place) locationOf(v *table.Vector, row int) uint64 {
	if v.IsNull(row) {
		return trace.Undefined
	}
	return uint64(v.Ints[row])
}

// finding makes a finding of a row.
func (s *search) finding(b *table.Batch, row int) Finding {
	f := Finding{Rule: s.rule, Location: trace.Undefined, Event: trace.Undefined}
	number := func(column int) (int64, bool) {
		if column < 0 || b.Vectors[column].IsNull(row) {
			return 0, false
		}
		return b.Vectors[column].Ints[row], true
	}
	if s.place.location >= 0 {
		f.Location = s.place.locationOf(&b.Vectors[s.place.location], row)
	}
	if t, ok := number(s.place.ticks); ok {
		f.Time, f.HasTime = t+s.catalog.Info.First, true
	}
	if n, ok := number(s.place.event); ok && f.Location != trace.Undefined {
		f.Event = uint64(n - s.catalog.Place(f.Location).FirstEvent)
	}
	for _, column := range s.values {
		f.Values = append(f.Values, s.value(b, column, row))
	}
	return f
}

// value returns what a row has in a column of the answer.
func (s *search) value(b *table.Batch, column, row int) Value {
	v, answer := &b.Vectors[column], s.plan.Answer
	x := Value{Column: &answer.Columns[column], Type: s.plan.Types[column], Null: v.IsNull(row)}
	if x.Null {
		return x
	}
	switch {
	case x.Type == rule.Text && answer.Names[column] != nil:
		x.Text = answer.Names[column](s.catalog).List[v.Codes[row]]
	case x.Type == rule.Text:
		x.Text = string(v.TextOf(row))
	case x.Type == rule.Float:
		x.Float = v.Doubles[row]
	case x.Type == rule.Bool && v.Bools[row]:
		x.Int = 1
	case x.Type != rule.Bool:
		x.Int = v.Ints[row]
	}
	return x
}
