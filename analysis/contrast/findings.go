package contrast

import (
	"cmp"
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// Finding is a region that takes longer or shorter in B than in A.
type Finding struct {
	Name calltree.Name
	// Activity is what the region is for. Time in communication and waiting follows from other regions as a rule.
	Activity trace.Activity
	// StartsMPI says that the region starts or ends MPI: that depends on the machine more than on the program.
	StartsMPI bool
	Tally
	// Over is by how much B takes longer on locations that have a partner. Net has the others as well.
	Over int64
	// Matched is the time in A on locations that have a partner.
	Matched int64
	// Alone are the calls on these locations that one side alone has; of a median, those of B.
	Alone [2]uint64
	// Path is the call path with the largest part of the difference, as a place in Comparison.Paths.
	Path int
	// Judged says why the difference is more than noise, or that it is not.
	Judged Judgement
	// P is the probability that a difference of which the sign is chance for each pair has as many pairs of one sign (sign test).
	P float64
	// On are the pairs of locations on which the difference stands out, those with the largest part first, as places in Comparison.Pairs.
	// Of a shift, they are those on which most calls differ in its direction.
	On []int
	// Since is where the difference begins on the first of these.
	Since *Since
}

// Judgement says why a difference is more than noise.
type Judgement uint8

// The judgements; see [Comparison.Findings].
const (
	Noise  Judgement = iota
	Shift            // calls differ on the whole
	Apart            // some locations differ
	Absent           // calls that one side alone has
)

var judgementNames = [...]string{"noise", "shift", "apart", "absent"}

// String returns the name.
func (j Judgement) String() string { return judgementNames[j] }

// Since is the stretch of calls in which most of a difference lies.
type Since struct {
	// Pair is the pair of locations, as a place in Comparison.Pairs.
	Pair int
	// Side is that of the calls: A, unless B alone has calls of the region.
	Side int
	// Place is that of the first call, in the structure of its side.
	Place Place
	// Start is the time of the first call, End that of the last one, in units of the comparison; calls are a bin of the series.
	Start, End int64
	// Calls is the number of calls from the first to the last one, exact up to bins.
	Calls uint64
}

// What is more than noise.
const (
	signLevel  = 1e-6 // of the sign test
	shiftShare = 0.05 // of the mean duration in A, which the median difference has to have
	spikes     = 3    // times the largest difference in the other direction
	deviations = 5    // of the noise of a region on a location
)

// Findings returns the regions by how much longer they take in B, the largest difference first. Which differences are more than noise is judged
// by what goes in the other direction: noise makes calls slower and faster alike, while a cause has one direction. With s the largest
// difference of a pair of calls in the other direction, of all regions of the program's own work, a region differs
//
//	shift    if its calls differ on the whole: the sign test says so, the median difference is 5 % of the mean duration or more, and
//	         all pairs times the median is more than 3 s
//	apart    if on some location the region's difference is more than 3 s, and more than 5 standard deviations of the noise on a
//	         location, which has as much power as the differences in the other direction, twice
//	absent   if calls that one side alone has take more than 3 s
//
// Regions of communication and waiting are judged in the same way by their own differences, and are no causes.
//
// Of the median of several base runs, noise is known better: s is also as large as the largest difference of a call in a base run from the median of
// the others, the power of noise is also theirs, and a region or location has to differ by more than twice as much as any base run does.
//
// The list is found once, and must not be changed.
func (c *Comparison) Findings() []Finding {
	if c.found == nil {
		c.found = c.findings()
	}
	return c.found
}

func (c *Comparison) findings() []Finding {
	byName := map[calltree.Name]*Finding{}
	var order []*Finding
	most := map[calltree.Name]int64{}
	for i := 1; i < len(c.Paths); i++ {
		p := &c.Paths[i]
		f := byName[p.Name]
		if f == nil {
			f = &Finding{Name: p.Name, Activity: c.activity(p.Name), StartsMPI: startsMPI(c.Forest.NameOf(p.Name))}
			byName[p.Name] = f
			order = append(order, f)
		}
		f.Add(&p.Tally)
		if f.Path == 0 || magnitude(p.Net()) > most[p.Name] {
			f.Path, most[p.Name] = i, magnitude(p.Net())
		}
	}
	j := c.newJudge(order)
	out := make([]Finding, len(order))
	for i, f := range order {
		j.judge(f)
		out[i] = *f
	}
	slices.SortStableFunc(out, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(y.Over, x.Over), cmp.Compare(c.Forest.NameOf(x.Name), c.Forest.NameOf(y.Name)))
	})
	return out
}

// Own reports whether the region is the program's own work.
func (f *Finding) Own() bool { return f.Activity == trace.ActivityComputation }

func magnitude(d int64) int64 {
	if d < 0 {
		return -d
	}
	return d
}

// activity returns what a region is for, as the first side has it that has the region.
func (c *Comparison) activity(n calltree.Name) trace.Activity {
	if c.Forest.IsMessage(n) {
		return trace.ActivityMPI
	}
	for _, s := range c.sources {
		if region, ok := s.events.Region(n); ok {
			return s.defs.RegionClass(region).OwnActivity()
		}
	}
	return trace.ActivityComputation
}

// judge finds out which differences are more than noise.
type judge struct {
	*Comparison
	spike [2]int64                   // the largest difference of a pair of calls of own work: B faster, B slower
	parts map[calltree.Name][]partOf // by pair of locations
}

// partOf is the part of a difference on a pair of locations.
type partOf struct {
	pair           int
	net, ticks     int64
	slower, faster uint64
	alone          [2]uint64 // calls that one side alone has
}

func (c *Comparison) newJudge(all []*Finding) *judge {
	j := &judge{Comparison: c, parts: map[calltree.Name][]partOf{}}
	for _, f := range all {
		if f.Activity == trace.ActivityComputation {
			j.spike[0] = max(j.spike[0], -f.Spread.low, c.between.spike(f.Name))
			j.spike[1] = max(j.spike[1], f.Spread.high, c.between.spike(f.Name))
		}
	}
	for i := range c.Pairs {
		for path := range c.Pairs[i].cells {
			n := c.Paths[path].Name
			if j.parts[n] == nil {
				j.parts[n] = make([]partOf, len(c.Pairs))
				for k := range j.parts[n] {
					j.parts[n][k].pair = k
				}
			}
			cell, part := &c.Pairs[i].cells[path], &j.parts[n][i]
			part.net, part.ticks = part.net+cell.net, part.ticks+cell.ticks
			part.slower, part.faster = part.slower+cell.slower, part.faster+cell.faster
			if cell.lone != nil {
				part.alone[0], part.alone[1] = part.alone[0]+cell.lone[0].calls, part.alone[1]+cell.lone[1].calls
			}
		}
	}
	return j
}

// judge judges a difference, and finds where it is.
func (j *judge) judge(f *Finding) {
	parts := j.parts[f.Name]
	for i := range parts {
		f.Over += parts[i].net
		f.Matched += parts[i].ticks
		f.Alone[0], f.Alone[1] = f.Alone[0]+parts[i].alone[0], f.Alone[1]+parts[i].alone[1]
	}
	f.P = signTest(f.Slower, f.Faster)
	up := f.Over >= 0
	least := spikes * j.opposite(f, up)
	power := max(2*f.Spread.power(!up), j.between.power(f.Name))
	noise := deviations * math.Sqrt(power/float64(max(1, len(parts))))
	apart := func(p partOf) bool {
		n := p.in(up)
		return n > max(least, j.between.leastOn(f.Name, p.pair)) && float64(n) > noise
	}
	same := magnitude(f.Over) <= j.between.least(f.Name) // base runs differ as much
	switch {
	case !same && j.isShift(f, up, least):
		f.Judged = Shift
		f.On = places(parts, up, func(p partOf) bool { return up == (p.slower > p.faster) })
		slices.Sort(f.On)
	case slices.ContainsFunc(parts, apart):
		f.Judged = Apart
		f.On = places(parts, up, apart)
	case !same && f.Pairs == 0 && magnitude(f.Over) > least:
		f.Judged = Absent
		f.On = places(parts, up, func(p partOf) bool { return p.in(up) > 0 })
	}
	switch {
	case f.Judged == Noise:
	case f.Pairs > 0:
		f.Since = j.since(f, largest(parts, up), up)
	default:
		f.Since = j.sinceAlone(f.Name, largest(parts, up), up)
	}
}

// in returns the part in a direction.
func (p partOf) in(up bool) int64 {
	if up {
		return p.net
	}
	return -p.net
}

// opposite returns the largest difference of a pair of calls in the other direction: of all regions of own work for one of these, else of the
// region.
func (j *judge) opposite(f *Finding, up bool) int64 {
	between := j.between.spike(f.Name)
	low, high := max(0, -f.Spread.low, between), max(0, f.Spread.high, between)
	if f.Activity == trace.ActivityComputation {
		low, high = j.spike[0], j.spike[1]
	}
	if up {
		return low
	}
	return high
}

// places returns the pairs of locations of some parts, the largest part first.
func places(parts []partOf, up bool, keep func(partOf) bool) (list []int) {
	for i := range parts {
		if keep(parts[i]) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(parts[y].in(up), parts[x].in(up)) })
	return list
}

// largest returns the place of the largest part.
func largest(parts []partOf, up bool) (at int) {
	for i := range parts {
		if parts[i].in(up) > parts[at].in(up) {
			at = i
		}
	}
	return at
}

// isShift reports whether calls differ on the whole.
func (j *judge) isShift(f *Finding, up bool, least int64) bool {
	more, calls, sign := f.Slower, f.Calls[0], int64(1)
	if !up {
		more, sign = f.Faster, -1
	}
	if f.P > signLevel || 2*more <= f.Slower+f.Faster || calls == 0 {
		return false
	}
	median := float64(sign * f.Spread.Quantile(0.5))
	return median >= shiftShare*float64(f.Ticks[0])/float64(calls) && median*float64(f.Pairs) > float64(least)
}

// since finds the stretch of calls on a pair of locations that have most of a difference.
func (j *judge) since(f *Finding, pair int, up bool) *Since {
	cells := j.Comparison.Pairs[pair].cells
	sign := int64(1)
	if !up {
		sign = -1
	}
	path := -1
	for i := range cells {
		if j.Paths[i].Name == f.Name && cells[i].pairs > 0 && (path < 0 || sign*cells[i].net > sign*cells[path].net) {
			path = i
		}
	}
	if path < 0 {
		return nil
	}
	c := &cells[path]
	first, last := c.stretch(sign, f.Judged == Shift)
	root := j.sources[0].locations[j.twins[pair].a].Root
	return &Since{
		Pair:  pair,
		Place: placeOf(j.Forest, root, j.names(path), c.bins[first].ordinal),
		Start: c.bins[first].start, End: c.bins[last].start,
		Calls: min(uint64(last+1)*c.width, c.pairs) - uint64(first)*c.width,
	}
}

// sinceAlone finds the calls on a pair of locations that one side alone has, on the path with most of the time.
func (j *judge) sinceAlone(name calltree.Name, pair int, up bool) *Since {
	side, sign, t := 0, int64(-1), j.twins[pair]
	root := j.sources[0].locations[t.a].Root
	if up {
		side, sign, root = 1, 1, j.sources[1].locations[t.b].Root
	}
	cells, path := j.Comparison.Pairs[pair].cells, -1
	for i := range cells {
		if j.Paths[i].Name == name && cells[i].lone != nil && cells[i].lone[side].calls > 0 && (path < 0 || sign*cells[i].net > sign*cells[path].net) {
			path = i
		}
	}
	if path < 0 {
		return nil
	}
	calls := cells[path].lone[side]
	return &Since{Pair: pair, Side: side, Place: placeOf(j.Forest, root, j.names(path), 0), Start: calls.first, End: calls.last, Calls: calls.calls}
}

// names returns the names of a path, the outermost first.
func (c *Comparison) names(path int) (list []calltree.Name) {
	for ; path > 0; path = c.Paths[path].Parent {
		list = append(list, c.Paths[path].Name)
	}
	slices.Reverse(list)
	return list
}

// PathNames returns the names of a path, which is a place in Paths: the outermost first.
func (c *Comparison) PathNames(path int) []string {
	list := []string{}
	for _, n := range c.names(path) {
		list = append(list, c.Forest.NameOf(n))
	}
	return list
}

// stretch returns the first and the last bin of the stretch that has more than a threshold in all: for a shift half of the mean, else half of what the
// largest tenth of the bins has in the mean.
func (c *cell) stretch(sign int64, shift bool) (first, last int) {
	values := make([]int64, len(c.bins))
	for i := range c.bins {
		values[i] = sign * c.bins[i].net
	}
	threshold := sign * c.net / int64(2*len(c.bins))
	if !shift {
		top := slices.Sorted(slices.Values(values))
		top = top[len(top)-(len(top)+9)/10:]
		var sum int64
		for _, v := range top {
			sum += v
		}
		threshold = sum / int64(2*len(top))
	}
	best, sum, from := int64(math.MinInt64), int64(0), 0
	for i, v := range values {
		if sum <= 0 {
			sum, from = 0, i
		}
		if sum += v - threshold; sum > best {
			best, first, last = sum, from, i
		}
	}
	return first, last
}
