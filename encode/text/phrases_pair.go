package text

import (
	"math"
	"math/bits"

	"github.com/pandotrace/pando/format"
)

// Costs are in 1/256 of a bit: sums of whole numbers do not depend on the order of maps.
const (
	bitCost = 256
	// placeCost is about what a place takes in the model.
	placeCost = 80 * bitCost
)

// pair finds the phrases behind which the one before them tells enough of what follows.
func (c *cut) pair() {
	single, paired := c.expectations(false), c.expectations(true)
	saved := make([]int64, len(c.phrases))
	for _, e := range single {
		saved[e.phrase] += e.cost()
	}
	for _, e := range paired {
		saved[e.phrase] -= e.cost()
	}
	for i := range c.phrases {
		c.phrases[i].paired = saved[i] > 0
	}
}

// expectations go through the text with all phrases paired, or none.
func (c *cut) expectations(paired bool) []*expectation {
	for i := range c.phrases {
		c.phrases[i].paired = paired
	}
	p := newPlaces(c.phrases)
	var all []*expectation
	for i, at := range c.row {
		place := int(p.behind(at)) - 1
		if place == len(all) {
			all = append(all, &expectation{phrase: at, next: map[uint32]int{}})
		}
		e := all[place]
		if c.phrases[at].numbered {
			e.numbers.add(c.numbers[i])
		}
		if i+1 < len(c.row) {
			e.follows(c.row[i+1])
		}
	}
	return all
}

// expectation counts what follows at a place.
type expectation struct {
	phrase  uint32 // the one before the place
	next    map[uint32]int
	latest  uint32
	run     int // how often the latest one has followed
	count   int
	numbers digits
}

func (e *expectation) follows(phrase uint32) {
	if e.count++; phrase == e.latest {
		e.run++
		return
	}
	e.flush()
	e.latest, e.run = phrase, 1
}

func (e *expectation) flush() {
	if e.run > 0 {
		e.next[e.latest] += e.run
		e.run = 0
	}
}

// cost estimates what all that follows takes.
func (e *expectation) cost() int64 {
	e.flush()
	sum := placeCost + min(e.numbers.plain.cost(), e.numbers.differences.cost())
	for _, n := range e.next {
		sum += entropy(n, e.count)
	}
	return sum
}

// entropy returns what n of all things take that are alike.
func entropy(n, all int) int64 {
	return int64(bitCost * float64(n) * math.Log2(float64(all)/float64(n)))
}

// digits counts numbers by their binary digits, and those of their differences.
type digits struct {
	plain, differences digitCounts
	last               uint64
}

type digitCounts [65]int

func (d *digits) add(number uint64) {
	d.plain[bits.Len64(number)]++
	d.differences[bits.Len64(difference(number, d.last))]++
	d.last = number
}

// difference returns what stands for a number as its difference from another one.
func difference(number, from uint64) uint64 { return format.Zigzag(int64(number - from)) }

// cost estimates what numbers take: which have how many digits, and all digits but the first.
func (c *digitCounts) cost() (sum int64) {
	all := 0
	for _, n := range c {
		all += n
	}
	for digits, n := range c {
		if n > 0 {
			sum += entropy(n, all) + bitCost*int64(n)*int64(max(digits-1, 0))
		}
	}
	return sum
}
