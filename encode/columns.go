package encode

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Columns collects the values of the events of one lane in one slice; it is the inverse of [Events.Batch].
type Columns struct {
	Values [][]uint64 // by column
	Spans  [][]uint64 // by column, of counters: the time since the value before
	// Befores holds, for each value (but residuals), the number of the event before: see Pair.
	Befores [][]uint16
	Text    []byte

	dictionary *Dictionary
	run        uint32
	last       []uint64 // by column: the previous value, in the run that seen says
	seen       []uint32
	lastTime   []int64 // by column of a counter
}

// Reset starts a slice. The columns' memory is kept.
func (c *Columns) Reset(d *Dictionary) {
	c.dictionary = d
	for i := range c.Values {
		c.Values[i] = c.Values[i][:0]
	}
	for i := range c.Befores {
		c.Befores[i] = c.Befores[i][:0]
	}
	for i := range c.Spans {
		c.Spans[i] = c.Spans[i][:0]
	}
	clear(c.seen)
	c.run = 0
	c.Text = c.Text[:0]
	c.grow()
}

// BeginRun starts a location's part of the slice.
func (c *Columns) BeginRun() { c.run++ }

// grow makes room for the columns that the dictionary gained.
func (c *Columns) grow() {
	n := c.dictionary.Columns()
	for len(c.Values) < n {
		c.Values, c.Befores = append(c.Values, nil), append(c.Befores, nil)
	}
	for len(c.last) < n {
		c.last, c.seen = append(c.last, 0), append(c.seen, 0)
	}
}

// Time adds the time difference of an event to its predecessor, whose number is given, or to the slice's start.
func (c *Columns) Time(column uint32, before uint16, delta int64) {
	if int(column) >= len(c.Values) {
		c.grow()
	}
	c.Values[column] = append(c.Values[column], uint64(delta))
	c.Befores[column] = append(c.Befores[column], before)
}

// Residual adds a source-time residual.
func (c *Columns) Residual(r int64) {
	c.Values[ResidualColumn] = append(c.Values[ResidualColumn], format.Zigzag(r))
}

// Event adds the values of event i of a batch other than its time; before is the number of the event before.
func (c *Columns) Event(leaf *Leaf, before uint16, b *trace.Batch, i int) {
	c.grow()
	words, attrs := b.Fields(i), b.AttrsOf(i)
	for _, s := range leaf.Slots {
		var v uint64
		if int(s.Word) < len(words) {
			v = words[s.Word]
		} else {
			v = attrs[int(s.Word)-len(words)].Value
		}
		c.Values[s.Column] = append(c.Values[s.Column], c.code(s, v, b, i))
		c.Befores[s.Column] = append(c.Befores[s.Column], before)
	}
}

func (c *Columns) code(s Slot, v uint64, b *trace.Batch, i int) uint64 {
	switch s.Mode {
	case Time:
		return format.Zigzag(int64(v - uint64(b.Times[i])))
	case Text:
		text := b.TextOf(v)
		c.Text = append(c.Text, text...)
		return uint64(len(text))
	}
	first := c.seen[s.Column] != c.run
	if first {
		c.seen[s.Column], c.last[s.Column] = c.run, 0
	}
	if s.Mode == Count && s.Column != sharedValues {
		c.span(s.Column, first, b.Times[i])
	}
	d := v - c.last[s.Column]
	c.last[s.Column] = v
	return format.Zigzag(int64(d))
}

// span notes the time since the value before of a counter.
func (c *Columns) span(column uint32, first bool, t int64) {
	for int(column) >= len(c.Spans) {
		c.Spans, c.lastTime = append(c.Spans, nil), append(c.lastTime, 0)
	}
	span := uint64(t - c.lastTime[column])
	if first {
		span = firstSpan
	}
	c.lastTime[column] = t
	c.Spans[column] = append(c.Spans[column], span)
}
