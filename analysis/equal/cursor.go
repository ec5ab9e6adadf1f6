package equal

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// cursor stands at a record of a stream.
type cursor struct {
	stream trace.Stream // nil at the end
	table  *trace.Table
	epoch  uint64 // of the trace
	zero   uint64 // what times count from when they are compared, in ticks since the epoch
	timed  bool   // records have times
	batch  trace.Batch
	at     int
	before uint64 // records before the batch
}

// fill reads the next records if none is left, at most n; without records left it is at the end.
func (c *cursor) fill(n int) error {
	if c.stream == nil || c.has() {
		return nil
	}
	c.before += uint64(c.batch.Len())
	c.at = 0
	err := c.stream.Next(&c.batch, n)
	if errors.Is(err, io.EOF) {
		c.batch.Reset(c.batch.Location)
		err = c.stream.Close()
		c.stream = nil
	}
	return err
}

func (c *cursor) has() bool { return c.at < c.batch.Len() }

// ended reports whether there are no more records.
func (c *cursor) ended() bool { return c.stream == nil && !c.has() }

func (c *cursor) index() uint64 { return c.before + uint64(c.at) }

func (c *cursor) kind() trace.Kind { return c.batch.Kinds[c.at] }

func (c *cursor) kindName() string {
	if spec := c.table.Spec(c.kind()); spec != nil {
		return spec.Name
	}
	return c.kind().String()
}

// time returns the record's time in ticks by which it is compared. Definitions, and other records without a time, are all at the same one.
func (c *cursor) time() uint64 { return c.timeAt(c.at) }

func (c *cursor) timeAt(i int) uint64 {
	if !c.timed {
		return uint64(c.batch.Times[i])
	}
	return uint64(c.batch.Times[i]) - c.zero
}

// instant returns the record's time in ticks of the source's clock, 0 without one.
func (c *cursor) instant() uint64 {
	if !c.timed {
		return 0
	}
	return uint64(c.batch.Times[c.at]) + c.epoch
}

// earlier reports whether a time is before another one. Times may be before 0, that is near 2^64.
func earlier(a, b uint64) bool { return int64(a-b) < 0 }

// fits reports whether the record at hand has the words that its kind asks for.
func (c *cursor) fits() bool {
	_, ok := c.table.Spec(c.kind()).Count(c.batch.Fields(c.at))
	return ok
}

// text describes the record.
func (c *cursor) text() string {
	var s strings.Builder
	s.WriteString(c.kindName())
	c.walk(func(f *trace.Field, word uint64) { fmt.Fprintf(&s, " %s=%s", f.Name, c.field(f, word)) })
	for _, a := range c.batch.AttrsOf(c.at) {
		fmt.Fprintf(&s, " [%d]=%s", a.ID, a.Type.Format(a.Value))
	}
	if r := c.batch.Residual(c.at); r != 0 {
		fmt.Fprintf(&s, " residual=%d", r)
	}
	return s.String()
}

// walk calls do for the fields of the record at hand, of a kind that is known.
func (c *cursor) walk(do func(f *trace.Field, word uint64)) {
	if spec := c.table.Spec(c.kind()); spec != nil {
		spec.Walk(c.batch.Fields(c.at), func(_ int, f *trace.Field, word uint64) { do(f, word) })
	}
}

func (c *cursor) field(f *trace.Field, word uint64) string {
	switch {
	case f.Type.InText():
		return fmt.Sprintf("%.200q", c.batch.TextOf(word))
	case f.Type == trace.TypeTime:
		return fmt.Sprint(word + c.epoch)
	case f.Type == trace.TypeSigned:
		return fmt.Sprint(int64(word))
	case f.Undefined(word) && f.Type == trace.TypeRef:
		return "undefined"
	}
	return fmt.Sprint(word)
}
