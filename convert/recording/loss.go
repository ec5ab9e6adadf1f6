package recording

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// lose declares which calls are not in the trace. old tells whether the oldest were given up.
func (a *Archive) lose(floor uint32, old bool) {
	l := &trace.Loss{Bounds: a.files[0].givenUp(floor)}
	if slices.ContainsFunc(a.locations, func(l *location) bool { return l.deep > 0 }) {
		l.Bounds = append(l.Bounds, trace.CallsBound(trace.LeftDeep, maxDepth))
	}
	if slices.ContainsFunc(a.files, func(f *file) bool { return f.filter != "" || f.changed }) {
		l.Bounds = append(l.Bounds, trace.CallsBound(trace.LeftFiltered, 1))
	}
	if every := everyPhase(a.locations); every > 0 {
		l.Bounds = append(l.Bounds, trace.CallsBound(trace.LeftPhases, uint64(every)))
	}
	if len(l.Bounds) == 0 {
		return
	}
	slices.SortFunc(l.Bounds, trace.Bound.Compare)
	otherHost := func(f *file) bool { return f.host != a.files[0].host } // whose durations are rounded
	if old || slices.ContainsFunc(a.files, otherHost) {
		l = l.Unsure()
	}
	a.meta.Loss = l
}

// Deviations says what the calls that were left out add up to: the profiles have all calls. It is known of recordings of whole runs that were closed, when all events were read.
func (a *Archive) Deviations() (list []trace.CallDeviation, known bool) {
	if a.meta.Loss == nil || slices.ContainsFunc(a.files, func(f *file) bool { return f.state != stateClosed || f.horizon != 0 || f.stopped != 0 }) {
		return nil, false
	}
	list = []trace.CallDeviation{}
	sums := map[uint64]trace.CallDeviation{}
	for _, l := range a.locations {
		if !a.deviate(l, sums) {
			return nil, false
		}
	}
	for _, d := range sums {
		if d != (trace.CallDeviation{Region: d.Region}) {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b trace.CallDeviation) int { return cmp.Compare(a.Region, b.Region) })
	return list, true
}

// deviate adds what the profile of a location has more than its calls in the trace. It returns false if that is not known.
func (a *Archive) deviate(l *location, sums map[uint64]trace.CallDeviation) bool {
	k := l.kept.Load()
	if k == nil || k.odd || l.deep > 0 || l.lost > 0 {
		return false
	}
	all, err := l.totals()
	if err != nil {
		return false
	}
	const most = 1 << 60 // ticks, so that sums fit
	calls := uint64(0)
	for _, t := range all {
		var in total
		if n, ok := k.numbers.Of(uint64(t.region)); ok {
			in = k.sums[n]
		}
		if t.count < in.count || t.inclusive < in.inclusive || max(t.inclusive, t.exclusive, in.inclusive, in.exclusive) > most {
			return false
		}
		calls += in.count
		region := uint64(a.region(l.f, t.region))
		inclusive := int64(a.clocks.duration(l.f, t.inclusive-in.inclusive))
		exclusive := int64(a.clocks.duration(l.f, t.exclusive)) - int64(a.clocks.duration(l.f, in.exclusive))
		d := sums[region]
		sums[region] = trace.CallDeviation{Region: region, Count: d.Count + t.count - in.count, Inclusive: d.Inclusive + inclusive, Exclusive: d.Exclusive + exclusive,
			Busy: d.Busy + inclusive}
	}
	return calls == k.calls // else the profile lacks a region
}

// kept adds up the calls of a location that ended and are in the trace, in ticks of the file.
type kept struct {
	numbers  trace.Numbers // of regions
	sums     []total
	calls    uint64
	children []uint64 // time of those inside of each open call
	odd      bool     // calls that are open have others inside that were left out
}

func (k *kept) enter() { k.children = append(k.children, 0) }

// leave ends the innermost open call.
func (k *kept) leave(x call) {
	n := len(k.children) - 1
	inside, duration := k.children[n], x.end-x.start
	if k.children = k.children[:n]; n > 0 {
		k.children[n-1] += duration
	}
	at, ok := k.numbers.Of(uint64(x.region))
	if !ok {
		at = k.numbers.Add(uint64(x.region))
		k.sums = append(k.sums, total{region: x.region})
	}
	s := &k.sums[at]
	s.count++
	s.inclusive += duration
	s.exclusive += duration - inside
	k.calls++
}

// end is called behind the last event of a location. inside says, by the starts of open calls, how much time was spent in those inside of them.
func (k *kept) end(stack []call, inside map[uint64]uint64) *kept {
	for i, x := range stack {
		if time, open := inside[x.start]; !open || time != k.children[i] {
			k.odd = true
		}
	}
	return k
}
