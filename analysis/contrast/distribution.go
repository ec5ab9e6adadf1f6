package contrast

import (
	"math"
	"math/bits"
	"slices"
)

// Distribution holds differences in classes that are 6 % wide at most. The zero value has none.
type Distribution struct {
	classes   [2][]uint64 // numbers of differences by class: from 0 on, and of negative ones
	n         uint64
	low, high int64
}

// subBits says into how many classes differences of one power of two are divided: 2^subBits.
const subBits = 4

// classOf returns the class of a size. Those of larger sizes are larger.
func classOf(m uint64) int {
	if m < 1<<subBits {
		return int(m)
	}
	exponent := bits.Len64(m) - 1 - subBits
	return (exponent+1)<<subBits + int(m>>exponent) - 1<<subBits
}

// middleOf returns the middle of a class.
func middleOf(class int) int64 {
	if class < 2<<subBits {
		return int64(class)
	}
	exponent := uint(class>>subBits - 1)
	least := uint64(class&(1<<subBits-1)+1<<subBits) << exponent
	return int64(min(least+1<<exponent/2, math.MaxInt64))
}

// Add adds a difference.
func (q *Distribution) Add(d int64) {
	if q.n == 0 {
		q.low, q.high = d, d
	}
	q.n++
	q.low, q.high = min(q.low, d), max(q.high, d)
	negative := d >> 63 // all bits, or none
	count(&q.classes[-negative&1], classOf(uint64(d^negative-negative)), 1)
}

func count(counts *[]uint64, class int, n uint64) {
	if class >= len(*counts) {
		*counts = append(*counts, make([]uint64, class+1-len(*counts))...)
	}
	(*counts)[class] += n
}

// Merge adds the differences of another distribution.
func (q *Distribution) Merge(o *Distribution) {
	if o.n == 0 {
		return
	}
	if q.n == 0 {
		q.low, q.high = o.low, o.high
	}
	for side := range o.classes {
		for c, n := range o.classes[side] {
			count(&q.classes[side], c, n)
		}
	}
	q.n += o.n
	q.low, q.high = min(q.low, o.low), max(q.high, o.high)
}

// Quantile returns the difference that a share of all differences does not exceed, exact to 3 %: the least for 0, the largest for 1.
func (q *Distribution) Quantile(share float64) int64 {
	if q.n == 0 {
		return 0
	}
	want := uint64(math.Ceil(share * float64(q.n)))
	if want == 0 {
		return q.low
	}
	if want >= q.n {
		return q.high
	}
	var sum uint64
	within := func(d int64) int64 { return max(q.low, min(q.high, d)) }
	for c, n := range slices.Backward(q.classes[1]) {
		if sum += n; sum >= want {
			return within(-middleOf(c))
		}
	}
	for c, n := range q.classes[0] {
		if sum += n; sum >= want {
			return within(middleOf(c))
		}
	}
	return q.high
}

// power returns the sum of the squares of all positive or all negative differences, exact to some percent.
func (q *Distribution) power(positive bool) (sum float64) {
	counts := q.classes[1]
	if positive {
		counts = q.classes[0]
	}
	for c, n := range counts {
		d := float64(middleOf(c))
		sum += d * d * float64(n)
	}
	return sum
}

// signTest returns how likely it is that of n differences, up or down by chance, as many or more are on one side as slower or faster ones are.
func signTest(slower, faster uint64) float64 {
	n := slower + faster
	if n == 0 {
		return 1
	}
	more := max(slower, faster)
	if n <= exactSigns {
		return min(1, 2*binomialTail(n, more))
	}
	z := (float64(more) - 0.5 - float64(n)/2) / (math.Sqrt(float64(n)) / 2)
	return min(1, math.Erfc(max(0, z)/math.Sqrt2))
}

// exactSigns is the largest number of differences of which the sign test is exact; beyond, the normal distribution serves.
const exactSigns = 1000

// binomialTail returns the probability of at least k heads in n throws.
func binomialTail(n, k uint64) (sum float64) {
	all, _ := math.Lgamma(float64(n) + 1)
	for ; k <= n; k++ {
		x, _ := math.Lgamma(float64(k) + 1)
		y, _ := math.Lgamma(float64(n-k) + 1)
		sum += math.Exp(all - x - y - float64(n)*math.Ln2)
	}
	return sum
}
