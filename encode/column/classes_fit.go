package column

import (
	"slices"

	"github.com/pandotrace/pando/encode/internal/bitio"
)

const (
	// divisionValues is the number of values in a group from which on a context may be divided.
	divisionValues = 1024
	// divisionSample is how many of them are looked at, and divisionCuts how many of these tell where parts of equal size end.
	divisionSample, divisionCuts = 1 << 14, 1 << 9
	// divisionParts is the number of parts in which what a value is like is counted, divisionSteps how many thresholds are tried, less 1.
	divisionParts, divisionSteps = 64, 16
	// divisionBin is what a bin of a further table costs.
	divisionBin = 14 * bitio.Bit
	// divisionLeast is the part of its bits that a division must save, besides its tables.
	divisionLeast = 200
	// divisionFixed is what it must save in any case: a decoder makes tables for it.
	divisionFixed = 160 * bitio.Bit
	// divisionException is what an exception costs, about. They are counted in divisionProof values.
	divisionException, divisionProof = 32 * bitio.Bit, 1 << 13
)

// divider finds divisions of contexts.
type divider struct {
	sample, sorted []uint64
	cuts           [divisionParts]uint64 // begins of the parts but the first, padded with the greatest number
	many           int                   // of these that are cuts
	joint          [divisionSteps][divisionParts]int
	saved          int64 // by the division found
}

// divisions returns how the contexts of the builder are best divided, and what each division saves.
func (b *Builder) divisions() (all []Division, saved []int64) {
	if !b.divided {
		return nil, nil
	}
	var d divider
	for c := range b.contexts {
		if thresholds := d.thresholds(b, c); len(thresholds) > 0 {
			all, saved = append(all, Division{c, thresholds}), append(saved, d.saved)
		}
	}
	for len(all) > MaxDivisions {
		i := slices.Index(saved, slices.Min(saved))
		all, saved = slices.Delete(all, i, i+1), slices.Delete(saved, i, i+1)
	}
	for b.contexts+subContexts(all) > MaxContexts {
		all, saved = all[:len(all)-1], saved[:len(saved)-1]
	}
	return all, saved
}

// holding returns the divisions that save what they promise: a value whose class has no bin for it is an exception, and the next ones may be so for
// that alone.
func (b *Builder) holding(m *Model, divisions []Division, saved []int64) (kept []Division) {
	for i, d := range divisions {
		if int64(b.exceptions(m.classed(d.Context), d.Context))*divisionException < saved[i]/2 {
			kept = append(kept, d)
		}
	}
	return kept
}

// exceptions returns how many exceptions a divided context has, of at most divisionProof values.
func (b *Builder) exceptions(c *classed, context int) (n int) {
	var symbols []uint16
	left := divisionProof
	for i := range b.blocks {
		values := b.blocks[i].of(context)
		values = values[:min(left, len(values))]
		left -= len(values)
		symbols = slices.Grow(symbols[:0], len(values))[:len(values)]
		c.find(symbols, values, true)
		for j, v := range values {
			if r := &c.reach[symbols[j]]; v-r.lo > r.mask {
				n++
			}
		}
	}
	return n
}

// subContexts returns the number of contexts that the classes of divisions have.
func subContexts(divisions []Division) (n int) {
	for _, d := range divisions {
		n += len(d.Thresholds)
	}
	return n
}

// thresholds returns those that divide a context best, none if it is better not divided.
func (d *divider) thresholds(b *Builder, context int) []uint64 {
	n := b.countOf(context)
	if n < divisionValues {
		return nil
	}
	d.take(b, context, n)
	d.cut()
	if d.many == 0 {
		return nil
	}
	d.count()
	var thresholds []uint64
	for _, step := range d.divide(int64(n), int64(len(d.sample))) {
		if t := d.cuts[step*divisionParts/divisionSteps-1]; len(thresholds) == 0 || t > thresholds[len(thresholds)-1] {
			thresholds = append(thresholds, t)
		}
	}
	return thresholds
}

// countOf returns how many values a context has.
func (b *Builder) countOf(context int) (n int) {
	for i := range b.blocks {
		n += len(b.blocks[i].of(context))
	}
	return n
}

// take takes a sample of the n values of a context: the same part of each block, from its begin on.
func (d *divider) take(b *Builder, context, n int) {
	d.sample = d.sample[:0]
	for i := range b.blocks {
		values := b.blocks[i].of(context)
		if n > divisionSample {
			values = values[:len(values)*divisionSample/n]
		}
		d.sample = append(d.sample, values...)
	}
}

// cut finds parts of the sample of about equal size.
func (d *divider) cut() {
	d.sorted = d.sorted[:0]
	for i := range divisionCuts {
		d.sorted = append(d.sorted, d.sample[i*len(d.sample)/divisionCuts])
	}
	slices.Sort(d.sorted)
	for i := range d.cuts {
		d.cuts[i] = 1<<64 - 1
	}
	d.many = 0
	before := d.sorted[0]
	for i := 1; i < divisionParts; i++ {
		if v := d.sorted[i*divisionCuts/divisionParts]; v > before {
			d.cuts[d.many], before = v, v
			d.many++
		}
	}
}

// count counts the part of each value by the step of the value before.
func (d *divider) count() {
	d.joint = [divisionSteps][divisionParts]int{}
	before := 0
	for _, v := range d.sample {
		part := 0
		for step := divisionParts / 2; step > 0; step /= 2 {
			if v >= d.cuts[part+step-1] {
				part += step
			}
		}
		d.joint[before*divisionSteps/divisionParts][part]++
		before = part
	}
}

// divide returns the first steps of the classes but the first, if n values, of which the sample has some, take less with them.
func (d *divider) divide(n, sample int64) (steps []int) {
	const none = 1 << 62
	var cost [divisionSteps][divisionSteps + 1]int64 // of a class from a step up to another
	var bare int64                                   // of all in one class, without a table
	for i := range cost {
		var counts [divisionParts]int
		total := 0
		for j := i; j < divisionSteps; j++ {
			bits, bins := int64(0), int64(0)
			for p, c := range d.joint[j] {
				if counts[p] += c; counts[p] > 0 {
					bits -= int64(counts[p]) * bitio.Log2(counts[p])
					bins++
				}
				total += c
			}
			if total > 0 {
				bits += int64(total) * bitio.Log2(total)
			}
			bits = bits * n / sample
			cost[i][j+1] = bits + bins*divisionBin
			if i == 0 {
				bare = bits
			}
		}
	}
	type way struct {
		cost int64
		from int
	}
	var ways [MaxThresholds + 2][divisionSteps + 1]way
	for to := range ways[0] {
		ways[0][to].cost = none
	}
	ways[0][0].cost = 0
	best, classes := bare-bare/divisionLeast-divisionFixed, 0
	for k := 1; k <= MaxThresholds+1; k++ {
		for to := range divisionSteps + 1 {
			ways[k][to].cost = none
			for from := range to {
				if c := ways[k-1][from].cost + cost[from][to]; ways[k-1][from].cost < none && c < ways[k][to].cost {
					ways[k][to] = way{c, from}
				}
			}
		}
		if c := ways[k][divisionSteps].cost; k > 1 && c < best {
			best, classes = c, k
		}
	}
	d.saved = bare - best
	for k, to := classes, divisionSteps; k > 1; k-- {
		to = ways[k][to].from
		steps = append(steps, to)
	}
	slices.Reverse(steps)
	return steps
}

// classes returns the values of each class of a divided context, one block after the other, in memory that may have been used before.
func (b *Builder) classes(room [][]uint64, d Division) [][]uint64 {
	classes := slices.Grow(room[:0], len(d.Thresholds)+1)[:len(d.Thresholds)+1]
	for i := range classes {
		classes[i] = classes[i][:0]
	}
	for i := range b.blocks {
		values := b.blocks[i].of(d.Context)
		at := 0
		for _, end := range quarters(len(values), true) {
			class := uint8(0)
			for ; at < end; at++ {
				classes[class] = append(classes[class], values[at])
				class = classOf(values[at], d.Thresholds)
			}
		}
	}
	return classes
}
