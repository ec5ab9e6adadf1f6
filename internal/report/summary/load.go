package summary

import (
	"cmp"
	"math"
	"slices"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// parties are those among whom work is divided: the ranks of the trace, or its locations if it has no ranks. Locations without a rank in a
// trace with ranks are none.
type parties struct {
	of   map[uint64]int // by location
	list []trace.Place  // of each its first location
}

func (s *summed) parties() *parties {
	p := &parties{of: map[uint64]int{}}
	places := slices.DeleteFunc(slices.Clone(s.names.Places()), func(p trace.Place) bool { return !s.has(p.Location) })
	ranked := slices.ContainsFunc(s.names.Places(), func(p trace.Place) bool { return p.Rank >= 0 })
	if ranked {
		slices.SortStableFunc(places, func(a, b trace.Place) int { return cmp.Compare(a.Rank, b.Rank) })
	}
	for _, place := range places {
		if ranked && place.Rank < 0 {
			continue
		}
		if n := len(p.list); n == 0 || !ranked || p.list[n-1].Rank != place.Rank {
			p.list = append(p.list, place)
		}
		p.of[place.Location] = len(p.list) - 1
	}
	return p
}

// name returns the text for a party.
func (p *parties) name(i int, n *report.Names) string {
	if place := &p.list[i]; place.Rank < 0 {
		return n.Location(place.Location)
	}
	return p.list[i].RankLabel
}

// load is how a time is divided among the parties, in ticks. Mean and variance are those of Welford's method, since squares of long times
// have too many digits.
type load struct {
	count         int // of parties
	least, most   trace.Sum
	worst         int // the first party with most
	mean, squares float64
}

// add adds the time of a party.
func (l *load) add(party int, t trace.Sum) {
	if l.count == 0 || t.Cmp(l.least) < 0 {
		l.least = t
	}
	if l.count == 0 || t.Cmp(l.most) > 0 {
		l.most, l.worst = t, party
	}
	l.count++
	d := t.Float() - l.mean
	l.mean += d / float64(l.count)
	l.squares += d * (t.Float() - l.mean)
}

// fill adds parties without any time, so that there are n.
func (l *load) fill(n int) {
	if n <= l.count {
		return
	}
	if l.least.Cmp(trace.Sum{}) > 0 || l.count == 0 {
		l.least = trace.Sum{}
	}
	own, all := float64(l.count), float64(n)
	l.squares += l.mean * l.mean * own * (all - own) / all
	l.mean *= own / all
	l.count = n
}

// deviation returns the standard deviation of the parties' times: of all there are, not of a sample.
func (l *load) deviation() float64 { return math.Sqrt(max(l.squares, 0) / float64(max(l.count, 1))) }

// imbalance returns max/mean - 1; ok is false where there is no time.
func (l *load) imbalance() (part float64, ok bool) {
	if l.count == 0 || l.mean <= 0 {
		return 0, false
	}
	return l.most.Float()/l.mean - 1, true
}

// addLoads divides the time of rows among parties. at returns the row of a region.
func (s *summed) addLoads(p *parties, at func(region uint64) int, list []regionSum) {
	type run struct{ party, from, to int } // calls of one location
	var runs []run
	for i := 0; i < len(s.Calls); {
		begin, location := i, s.Calls[i].Location
		for i < len(s.Calls) && s.Calls[i].Location == location {
			i++
		}
		if party, ok := p.of[location]; ok {
			runs = append(runs, run{party, begin, i})
		}
	}
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.party, b.party) })
	own := make([]callSum, len(list)) // of one party
	var rows []int                    // that it has
	for i, r := range runs {
		for j := r.from; j < r.to; j++ {
			row := at(s.Calls[j].Region)
			if own[row].count == 0 {
				rows = append(rows, row)
			}
			own[row].add(&s.Calls[j])
		}
		if i+1 < len(runs) && runs[i+1].party == r.party {
			continue
		}
		for _, row := range rows {
			list[row].exclusiveOfRanks.add(r.party, own[row].exclusive)
			list[row].ofInclusive.add(r.party, own[row].inclusive)
			own[row] = callSum{}
		}
		rows = rows[:0]
	}
	for i := range list {
		list[i].exclusiveOfRanks.fill(len(p.list))
		list[i].ofInclusive.fill(len(p.list))
	}
}

// loadColumns say how exclusive and inclusive time are divided among ranks. Text has those of exclusive time.
func loadColumns(s *summed, p *parties) []column[*regionSum] {
	ranks := column[*regionSum]{
		Column: Column{Name: "ranks", Type: "integer", Doc: "number of ranks that the next columns compare, also those that do not call the region and have no time in it; in a trace without ranks they are locations"},
		value:  func(*regionSum) value { return countValue(uint64(len(p.list))) },
	}
	columns := slices.Concat([]column[*regionSum]{ranks},
		oneLoad(s, p, "exclusive", func(r *regionSum) *load { return &r.exclusiveOfRanks }),
		oneLoad(s, p, "inclusive", func(r *regionSum) *load { return &r.ofInclusive }))
	for i := range columns {
		if len(p.list) < 2 || i > len(columns)/2 {
			columns[i].head = ""
		}
	}
	return columns
}

// oneLoad are the columns of how one time is divided among ranks.
func oneLoad[row comparable](s *summed, p *parties, of string, get func(row) *load) []column[row] {
	worst := func(r row) (*trace.Place, bool) {
		if l := get(r); l.count > 0 && len(p.list) > 0 {
			return &p.list[l.worst], true
		}
		return nil, false
	}
	imbalance := share("imbalance", of+"_imbalance", "max / mean - 1 of the ranks: how much longer the slowest one takes than all would if they shared the work; null if there is no time",
		func(r row) float64 { v, _ := get(r).imbalance(); return v })
	imbalance.adds, imbalance.Null = false, true
	imbalance.value = func(r row) value {
		if v, ok := get(r).imbalance(); ok {
			return floatValue(v)
		}
		return value{}
	}
	slowest := number(of+"_worst_rank", "the rank with the most; the least one of several", func(r row) (int64, bool) { at, ok := worst(r); return rankOf(at), ok && at.Rank >= 0 })
	slowest.head, slowest.fixed, slowest.text = "worst", false, func(r row) string {
		if _, ok := worst(r); !ok {
			return "-"
		}
		return report.Cell(p.name(get(r).worst, s.names))
	}
	location := id(of+"_worst_location", "id of its location, the first one if it has several", func(r row) uint64 {
		if at, ok := worst(r); ok {
			return at.Location
		}
		return trace.Undefined
	})
	location.key, location.fixed = false, false
	return slices.Concat(
		spare(4, alone(tickSum("min/rank", "min_"+of, of+" time of the rank with the least", s.clock, func(r row) trace.Sum { return get(r).least })...)...),
		spare(5, ticks("mean/rank", "mean_"+of, "mean over the ranks", s.clock, func(r row) (float64, bool) { return get(r).mean, true }, false)...),
		spare(2, alone(tickSum("max/rank", "max_"+of, of+" time of the rank with the most", s.clock, func(r row) trace.Sum { return get(r).most })...)...),
		spare(6, ticks("sd/rank", "stddev_"+of, "standard deviation over the ranks (of all of them: divided by their number)", s.clock, func(r row) (float64, bool) { return get(r).deviation(), true }, false)...),
		[]column[row]{imbalance, slowest, location},
	)
}
