package encode

import (
	"sync/atomic"

	"github.com/pandotrace/pando/format"
)

// flatEvents bounds the shapes whose leaves are kept ready as a flat list once they were needed.
const flatEvents = 1024

// EventsOf returns the number of events that tokens stand for (saturating).
func (d *Dictionary) EventsOf(tokens []Token) uint64 {
	n := uint64(0)
	for _, t := range tokens {
		n = saturatingAdd(n, saturatingMul(d.shapes[t.Shape].events, uint64(t.Count)))
	}
	return n
}

// Prepare makes the dictionary ready for Expand. Call it once, when all shapes are there.
func (d *Dictionary) Prepare() { d.flat = make([]atomic.Pointer[[]uint32], len(d.shapes)) }

// Expand appends the leaves that the tokens stand for, in order. The caller has bounded their number by EventsOf.
// It is safe for concurrent use after Prepare.
func (d *Dictionary) Expand(dst []uint32, tokens []Token) []uint32 {
	for _, t := range tokens {
		s := &d.shapes[t.Shape]
		switch {
		case s.leaf >= 0:
			for range t.Count {
				dst = append(dst, t.Shape)
			}
		case s.events <= flatEvents:
			flat := d.flatten(t.Shape)
			for range t.Count {
				dst = append(dst, flat...)
			}
		default:
			for range t.Count {
				dst = d.walk(dst, t.Shape)
			}
		}
	}
	return dst
}

// flatten returns the leaves of a small shape.
func (d *Dictionary) flatten(shape uint32) []uint32 {
	if p := d.flat[shape].Load(); p != nil {
		return *p
	}
	leaves := make([]uint32, 0, d.shapes[shape].events)
	for _, e := range d.EdgesOf(shape) {
		for range e.Count {
			if d.shapes[e.Shape].leaf >= 0 {
				leaves = append(leaves, e.Shape)
			} else {
				leaves = append(leaves, d.flatten(e.Shape)...)
			}
		}
	}
	d.flat[shape].Store(&leaves)
	return leaves
}

// walk appends the leaves of a large shape. It keeps its own stack: shapes may be nested as deep as a slice is long.
func (d *Dictionary) walk(dst []uint32, shape uint32) []uint32 {
	type frame struct {
		edges []Edge
		done  uint32 // repetitions of edges[0] done
	}
	stack := []frame{{edges: d.EdgesOf(shape)}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if len(f.edges) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		e := f.edges[0]
		s := &d.shapes[e.Shape]
		if s.leaf < 0 && s.events > flatEvents && f.done < e.Count {
			f.done++
			stack = append(stack, frame{edges: d.EdgesOf(e.Shape)})
			continue
		}
		if f.done == 0 {
			dst = d.Expand(dst, f.edges[:1])
		}
		f.edges, f.done = f.edges[1:], 0
	}
	return dst
}

// checkEvents fails unless tokens stand for a number of events within the limit; it returns that number.
func (d *Dictionary) checkEvents(r *format.Decoder, tokens []Token, limit int) int {
	n := d.EventsOf(tokens)
	if n > uint64(limit) {
		r.Fail("%d events, more than the limit of %d", n, limit)
		return 0
	}
	return int(n)
}
