package compare

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// cursor stands at a record of a stream.
type cursor struct {
	stream trace.Stream // nil at the end
	table  *trace.Table
	epoch  uint64
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

func (c *cursor) index() uint64 { return c.before + uint64(c.at) }

func (c *cursor) kind() trace.Kind { return c.batch.Kinds[c.at] }

func (c *cursor) kindName() string {
	if spec := c.table.Spec(c.kind()); spec != nil {
		return spec.Name
	}
	return c.kind().String()
}

// time returns the record's time in ticks of the source's clock.
func (c *cursor) time() uint64 { return uint64(c.batch.Times[c.at]) + c.epoch }

// earlier reports whether a time is before another one. Times may be before 0, that is near 2^64.
func earlier(a, b uint64) bool { return int64(a-b) < 0 }

// same reports whether two cursors stand at the same records.
func same(a, b *cursor) bool {
	x, y := &a.batch, &b.batch
	return x.Kinds[a.at] == y.Kinds[b.at] && a.time() == b.time() && x.Residual(a.at) == y.Residual(b.at) &&
		slices.Equal(x.AttrsOf(a.at), y.AttrsOf(b.at)) && sameWords(a, b)
}

// sameWords compares fields. Texts count by their bytes, times by the sources' clocks.
func sameWords(a, b *cursor) bool {
	v, w := a.batch.Fields(a.at), b.batch.Fields(b.at)
	if len(v) != len(w) {
		return false
	}
	if len(a.batch.Text)+len(b.batch.Text) == 0 && a.epoch == b.epoch {
		return slices.Equal(v, w)
	}
	spec, equal := a.table.Spec(a.kind()), true
	spec.Walk(v, func(i int, f *trace.Field, word uint64) {
		switch {
		case f.Type.InText():
			equal = equal && string(a.batch.TextOf(word)) == string(b.batch.TextOf(w[i]))
		case f.Type == trace.TypeTime:
			equal = equal && word+a.epoch == w[i]+b.epoch
		default:
			equal = equal && word == w[i]
		}
	})
	return equal
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
