package edit

import (
	"github.com/pandotrace/pando/trace"
)

// filter leaves out enters and leaves of other regions, and metrics.
type filter struct {
	trace.Stream
	part  *selected
	stack []openCall
	batch trace.Batch
}

// openCall is a call on a location's stack.
type openCall struct {
	key     uint64 // the region, or the calling context
	context bool
	keep    bool
}

// Next implements trace.Stream.
func (f *filter) Next(b *trace.Batch, limit int) error {
	for {
		if _, err := f.Step(b, limit); err != nil || b.Len() > 0 {
			return err
		}
	}
}

// Step implements trace.Stepper.
func (f *filter) Step(b *trace.Batch, limit int) (covered int64, err error) {
	covered, err = trace.Step(f.Stream, &f.batch, limit)
	b.Reset(f.batch.Location)
	if err != nil {
		return 0, err
	}
	table := f.part.Meta().Table()
	for i := range f.batch.Len() {
		if f.keeps(f.batch.Kinds[i], f.batch.Fields(i)) {
			b.AppendFrom(&f.batch, i, table)
		}
	}
	return covered, nil
}

func (f *filter) keeps(kind trace.Kind, words []uint64) bool {
	switch kind {
	case trace.KindEnter, trace.KindCallingContextEnter:
		c := openCall{key: words[0], context: kind == trace.KindCallingContextEnter}
		c.keep = f.part.keepsCall(c.key, c.context)
		f.stack = append(f.stack, c)
		return c.keep
	case trace.KindLeave, trace.KindCallingContextLeave:
		return f.leave(words[0], kind == trace.KindCallingContextLeave)
	case trace.KindMetric:
		return !f.part.selection.DropMetrics
	}
	return true
}

// leave ends the nearest open call of a region or context, and those further in. One that ends no call is kept if its region is.
func (f *filter) leave(key uint64, context bool) bool {
	for at := len(f.stack) - 1; at >= 0; at-- {
		if c := f.stack[at]; c.key == key && c.context == context {
			f.stack = f.stack[:at]
			return c.keep
		}
	}
	return f.part.keepsCall(key, context)
}

// keepsCall reports whether calls of a region or of a calling context are kept.
func (p *selected) keepsCall(key uint64, context bool) bool {
	if p.regions == nil {
		return true
	}
	if !context {
		return p.regions[key]
	}
	node, ok := p.definitions.Contexts[key]
	return ok && p.regions[node.Region]
}
