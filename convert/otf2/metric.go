package otf2

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// metric reads the payload of a Metric event: the metric, the number of values, and for each a type code and a
// compressed integer. It does what the steps of its layout would do, faster: traces with counters have one such event
// at each enter and leave.
func (d *decoder) metric(b *trace.Batch) {
	metric := d.global(trace.SpaceMetric, d.compressed(4))
	count := d.byte()
	n := d.times(count, 2)
	if d.problem != "" {
		return
	}
	b.Words = append(slices.Grow(b.Words, 2+2*n), metric, count)
	words := b.Words[len(b.Words):][:2*n]
	data, pos, end := d.data, d.pos, d.end
	for i := 0; i+1 < len(words); i += 2 {
		code, size := data[pos], int(data[pos+1])
		if size <= 8 && pos+2+size <= end {
			words[i], words[i+1] = uint64(code), load(data[pos+2:], size, d.big)
			pos += 2 + size
			continue
		}
		d.pos = pos
		words[i], words[i+1] = d.byte(), d.compressed(8)
		pos = d.pos
	}
	d.pos = pos
	b.Words = b.Words[:len(b.Words)+2*n]
}
