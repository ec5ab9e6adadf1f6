package read

import (
	"slices"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// metric reads the payload of a Metric event: the metric, the number of values, and for each a type code and a
// compressed integer. It does what the steps of its layout would do, faster: traces with counters have one such event
// at each enter and leave.
func (d *decoder) metric(b *trace.Batch) {
	metric := d.global(trace.SpaceMetric, d.Compressed(4))
	count := d.Byte()
	n := d.Times(count, 2)
	if d.Problem != "" {
		return
	}
	b.Words = append(slices.Grow(b.Words, 2+2*n), metric, count)
	words := b.Words[len(b.Words):][:2*n]
	data, pos, end := d.Data, d.Pos, d.End
	for i := 0; i+1 < len(words); i += 2 {
		code, size := data[pos], int(data[pos+1])
		if size <= 8 && pos+2+size <= end {
			words[i], words[i+1] = uint64(code), form.Load(data[pos+2:], size, d.Big)
			pos += 2 + size
			continue
		}
		d.Pos = pos
		words[i], words[i+1] = d.Byte(), d.Compressed(8)
		pos = d.Pos
	}
	d.Pos = pos
	b.Words = b.Words[:len(b.Words)+2*n]
}
