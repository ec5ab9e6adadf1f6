package column

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/internal/bitio"
)

const (
	// divisionValues is the number of values in a group from which on a context may be divided.
	divisionValues = 1024
	// divisionSample is how many of them are looked at, and divisionCuts how many of these tell where parts of equal size end.
	divisionSample, divisionCuts = 1 << 12, 1 << 9
	// divisionParts is the number of parts in which what a value is like is counted, divisionSteps how many thresholds are tried, less 1.
	divisionParts, divisionSteps = 64, 16
	// divisionBin is what a bin of a further table costs.
	divisionBin = 14 * bitio.Bit
	// divisionLags is how many values before are looked at to find thresholds.
	divisionLags = 2
	// divisionLeast is how much of a value a division must save, besides its tables: a decoder takes longer for each value.
	divisionLeast = bitio.Bit / 20
	// divisionFixed is what it must save in any case: a decoder makes tables for it.
	divisionFixed = 160 * bitio.Bit
	// divisionException is what an exception costs, about. They are counted in a sample of divisionProof values.
	divisionException, divisionProof = 32 * bitio.Bit, 1 << 13
)

// divider finds divisions of contexts.
type divider struct {
	sample, sorted []uint64
	parts          []uint8                   // of the sample
	cuts           [divisionParts]uint64     // begins of the parts but the first, padded with the greatest number
	many           int                       // of these that are cuts
	joint          [divisionLags]jointCounts // by how many values lie between, plus 1
	best           Division                  // so far
	cost           int64                     // of the values with it
	values         int64                     // of the context
	bare           int64                     // cost of its values in one class, without a table
}

// dividers are those that nobody uses.
var dividers = sync.Pool{New: func() any { return new(divider) }}

// jointCounts counts values: by the step of one before, and by part.
type jointCounts [divisionSteps][divisionParts]int

// divisions returns how the contexts of the builder are best divided, and what each division saves.
func (b *Builder) divisions() (all []Division, saved []int64) {
	if !b.divided {
		return nil, nil
	}
	var large []int
	for c := range b.contexts {
		if b.countOf(c) >= divisionValues {
			large = append(large, c)
		}
	}
	found, saves := make([]Division, len(large)), make([]int64, len(large))
	b.each(len(large), func(i int) {
		d := dividers.Get().(*divider)
		found[i], saves[i] = d.division(b, large[i], b.countOf(large[i]))
		dividers.Put(d)
	})
	for i, s := range saves {
		if s > 0 {
			all, saved = append(all, found[i]), append(saved, s)
		}
	}
	for len(all) > MaxDivisions {
		all, saved = fewer(all, saved)
	}
	for b.contexts+subContexts(all) > MaxContexts {
		all, saved = all[:len(all)-1], saved[:len(saved)-1]
	}
	return all, saved
}

// fewer leaves out the division that saves least.
func fewer(divisions []Division, saved []int64) ([]Division, []int64) {
	i := slices.Index(saved, slices.Min(saved))
	return slices.Delete(divisions, i, i+1), slices.Delete(saved, i, i+1)
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

// exceptions returns how many exceptions a divided context has, about: they are counted in a sample, whose quarters begin where those of blocks do.
func (b *Builder) exceptions(c *classed, context int) (n int) {
	var symbols []uint16
	var sample []uint64
	all, looked := b.countOf(context), 0
	for i := range b.blocks {
		sample = appendSample(sample[:0], b.blocks[i].of(context), divisionProof, all)
		looked += len(sample)
		symbols = slices.Grow(symbols[:0], len(sample))[:len(sample)]
		c.find(symbols, sample, true)
		for j, v := range sample {
			if r := &c.reach[symbols[j]]; v-r.lo > r.mask {
				n++
			}
		}
	}
	return n * all / max(looked, 1)
}

// appendSample appends what some values are of a sample of `most` of all: all of them, or the same part of each of their quarters, from its begin on.
func appendSample(dst, values []uint64, most, all int) []uint64 {
	if all <= most {
		return append(dst, values...)
	}
	starts, ends := quarters(len(values), true)
	for k, at := range starts {
		dst = append(dst, values[at:at+(ends[k]-at)*most/all]...)
	}
	return dst
}

// subContexts returns the number of contexts that the classes of divisions have.
func subContexts(divisions []Division) (n int) {
	for i := range divisions {
		n += divisions[i].Classes() - 1
	}
	return n
}

// division returns how a context of n values is divided best, and how many bits that saves: 0 if it is better not divided.
func (d *divider) division(b *Builder, context, n int) (best Division, saves int64) {
	d.take(b, context, n)
	if d.cut(); d.many == 0 {
		return best, 0
	}
	d.count()
	d.values = int64(n)
	d.bare = d.single()
	d.best, d.cost = Division{}, d.bare
	for _, p := range d.partitions() {
		division := Division{context, d.thresholds(p.steps), 1}
		d.try(division, p.cost)
		for before := p.cost; ; {
			if division.Order++; division.Classes() > MaxClasses {
				break
			}
			c := d.costOf(&division)
			if d.try(division, c); c >= before {
				break
			}
			before = c
		}
	}
	return d.best, d.bare - d.cost
}

// try takes a division if it is the best one so far, and saves as much as it has to.
func (d *divider) try(division Division, cost int64) {
	if cost < d.cost && cost < d.bare-d.values*divisionLeast-divisionFixed {
		d.best, d.cost = division, cost
	}
}

// thresholds returns the values at which steps begin.
func (d *divider) thresholds(steps []int) (thresholds []uint64) {
	parts, all := d.many+1, d.steps()
	for _, step := range steps {
		thresholds = append(thresholds, d.cuts[(step*parts+all-1)/all-1])
	}
	return thresholds
}

// steps returns how many steps the parts have. Part p is in step p·steps/parts.
func (d *divider) steps() int { return min(d.many+1, divisionSteps) }

// countOf returns how many values a context has.
func (b *Builder) countOf(context int) (n int) {
	for i := range b.blocks {
		n += len(b.blocks[i].of(context))
	}
	return n
}

// take takes a sample of the n values of a context.
func (d *divider) take(b *Builder, context, n int) {
	d.sample = d.sample[:0]
	for i := range b.blocks {
		d.sample = appendSample(d.sample, b.blocks[i].of(context), divisionSample, n)
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

// count counts the part of each value by the steps of the values before.
func (d *divider) count() {
	d.joint = [divisionLags]jointCounts{}
	d.parts = slices.Grow(d.parts[:0], len(d.sample))[:len(d.sample)]
	var before [divisionLags]int
	parts, steps := d.many+1, d.steps()
	for i, v := range d.sample {
		part := 0
		for step := divisionParts / 2; step > 0; step /= 2 {
			if v >= d.cuts[part+step-1] {
				part += step
			}
		}
		part = min(part, d.many) // the greatest number is not below what the cuts are padded with
		d.parts[i] = uint8(part)
		for lag, b := range before {
			d.joint[lag][b][part]++
		}
		copy(before[1:], before[:])
		before[0] = part * steps / parts
	}
}

// entropy returns how many bits the counted values take, of which all those of the sample stand for all of the context, and the number of parts that have some.
func (d *divider) entropy(counts *[divisionParts]int) (bits, parts int64) {
	total := 0
	for _, c := range counts {
		if c > 0 {
			bits -= int64(c) * bitio.Log2(c)
			total += c
			parts++
		}
	}
	if total > 0 {
		bits += int64(total) * bitio.Log2(total)
	}
	return bits * d.values / int64(len(d.sample)), parts
}

// single returns what the values cost in one class.
func (d *divider) single() int64 {
	var counts [divisionParts]int
	for _, p := range d.parts {
		counts[p]++
	}
	bits, _ := d.entropy(&counts)
	return bits
}

// costOf returns what the values cost with a division, and its tables.
func (d *divider) costOf(division *Division) (cost int64) {
	var counts [MaxClasses][divisionParts]int
	var levels [divisionParts]int
	for part := range d.many {
		levels[part+1] = levelOf(d.cuts[part], division.Thresholds)
	}
	next := division.follow()
	quarter, last := len(d.parts)/4, 3
	var classes [4]uint8
	for i := range len(d.parts) - last*quarter { // quarters take turns, as each value waits for the one before
		for k := range classes {
			if i < quarter || k == last {
				class, part := classes[k]&(MaxClasses-1), d.parts[k*quarter+i]&(divisionParts-1)
				counts[class][part]++
				classes[k] = next[class][levels[part]]
			}
		}
	}
	for class := range division.Classes() {
		bits, bins := d.entropy(&counts[class])
		cost += bits + bins*divisionBin
	}
	return cost
}

// partition is a division by one value before: the first steps of the classes but the first, and the cost.
type partition struct {
	steps []int
	cost  int64
}

// partitions returns, for each number of classes, the best partition by the value before, and that which would be best by the value before that:
// values that take turns do not show it in the one before.
func (d *divider) partitions() []partition {
	all := d.divide(&d.joint[0])
	for i, p := range d.divide(&d.joint[1]) {
		if !slices.Equal(all[i].steps, p.steps) {
			p.cost = d.costOf(&Division{Thresholds: d.thresholds(p.steps), Order: 1})
			all = append(all, p)
		}
	}
	return all
}

// divide returns the best partition into each number of classes.
func (d *divider) divide(joint *jointCounts) (best []partition) {
	const none = 1 << 62
	spans, steps := d.spans(joint), d.steps()
	type way struct {
		cost int64
		from int
	}
	var ways [MaxThresholds + 2][divisionSteps + 1]way
	for to := range ways[0] {
		ways[0][to].cost = none
	}
	ways[0][0].cost = 0
	for k := 1; k <= min(MaxThresholds+1, steps); k++ {
		for to := range steps + 1 {
			ways[k][to].cost = none
			for from := range to {
				if c := ways[k-1][from].cost + spans[from][to]; ways[k-1][from].cost < none && c < ways[k][to].cost {
					ways[k][to] = way{c, from}
				}
			}
		}
		p := partition{cost: ways[k][steps].cost}
		for i, to := k, steps; i > 1; i-- {
			to = ways[i][to].from
			p.steps = append(p.steps, to)
		}
		if slices.Reverse(p.steps); k > 1 {
			best = append(best, p)
		}
	}
	return best
}

// spans returns what classes cost that take the values behind those from a step up to another.
func (d *divider) spans(joint *jointCounts) (cost [divisionSteps][divisionSteps + 1]int64) {
	steps := d.steps()
	for i := range steps {
		var counts [divisionParts]int
		for j := i; j < steps; j++ {
			for p, c := range joint[j] {
				counts[p] += c
			}
			bits, bins := d.entropy(&counts)
			cost[i][j+1] = bits + bins*divisionBin
		}
	}
	return cost
}

// classes returns the values of each class of a divided context, one block after the other, in memory that may have been used before.
func (b *Builder) classes(room [][]uint64, d Division) [][]uint64 {
	classes := slices.Grow(room[:0], d.Classes())[:d.Classes()]
	for i := range classes {
		classes[i] = classes[i][:0]
	}
	next := d.follow()
	for i := range b.blocks {
		values := b.blocks[i].of(d.Context)
		starts, ends := quarters(len(values), true)
		for k, start := range starts {
			class := uint8(0)
			for _, v := range values[start:ends[k]] {
				classes[class] = append(classes[class], v)
				class = next[class][levelOf(v, d.Thresholds)]
			}
		}
	}
	return classes
}
