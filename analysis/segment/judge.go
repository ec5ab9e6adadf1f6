package segment

import (
	"cmp"
	"math"
	"slices"
)

// Kind is what kind of finding one is.
type Kind uint8

// The kinds of findings; see [Analysis.Judge].
const (
	// Interruption is one segment of one location.
	Interruption Kind = iota
	// Imbalance is a location that is late again and again.
	Imbalance
	// Slow is a segment that takes long on all locations.
	Slow
)

var kindNames = [...]string{"interruption", "imbalance", "slow"}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// Finding is a place where time is lost.
type Finding struct {
	Kind Kind
	// Level has the segments: that of the analysis, or one of a candidate inside of it.
	Level *Level
	// Line is the location that is late, as a place in Level.Lines. Of a slow segment it is the one in the middle.
	Line int
	// First and Last are the numbers of the first and the last segment. Late is the number of those in which the location is late.
	First, Last int64
	Late        int
	// Shown is the number of a segment that stands for all: of those in which a location is late, the one whose excess is in the middle; of
	// slow ones, the slowest.
	Shown int64
	// Own is the SOS time of the location in that segment, Usual that of the other locations; of a slow segment, that of other segments.
	Own, Usual int64
	// Excess is by how much the SOS times of all late segments exceed what is usual, in ticks.
	Excess int64
	// Z is by how many standard deviations the shown segment differs from the others of its number; not a number for slow segments.
	Z float64
}

// How findings are judged. Those of sizes are factors, see [Analysis.Judge].
const (
	beyondNoise  = 8    // times the excess that one in a hundred segments has
	heaviest     = 2    // exponent of the heaviest tail that noise is taken to have
	beyondNear   = 4    // times the largest excess of other locations about the same time
	lateNoise    = 2    // times the excess that one in ten segments of other locations has
	ofSegment    = 0.1  // of the usual length of a segment
	ofElapsed    = 0.02 // of the time that an imbalance lasts
	fewLocations = 8    // at most one in eight locations, or one
	oddsAgainst  = 1e4  // to one that lateness recurs by chance anywhere in a level
)

// Judge returns where time is lost, the largest losses first. What counts is the excess of a segment: its SOS time less the median of the
// SOS times that other locations have in the segment of the same number.
//
// The noise of a location is the excesses of all other locations in all segments, each less the location's own median: a location that is
// always late makes no noise. For interruptions, what belongs to an imbalance is no noise either. Excesses have heavy tails, so that noise is
// described by quantiles, and not by a standard deviation.
//
// An interruption is a segment of the chosen candidate whose excess, beyond the location's own median, is larger than noise has anywhere in
// all but one of a hundred traces: its tail, from the excess that one in ten segments has to that of one in a hundred, is continued as a power
// law, with an exponent of at least 2. (If one in a hundred are more than twenty, it is the excess that twenty have, and the one that two
// hundred have.) It also is at least 8 times the excess of one in a hundred, or twenty, at least 4 times the largest one of any other location
// in that segment, the one before and the one behind, and at least a tenth of the usual length of a segment. What disturbs several locations
// at about the same time comes from the machine they share; it is blamed on none of them. Neighbouring ones are one finding; from 4 on they
// are an imbalance.
//
// An imbalance is a location that is late again and again: in a segment that is late, the excess is more than twice that of one in ten segments
// of noise. The stretch of segments with most late ones beyond those that are not is taken, or else all segments. It counts if chance, by
// which other locations are late as well, would make such a stretch anywhere in less than one of ten thousand traces (scan statistic,
// bounded as by Chernoff), and if its excess is at least 2 % of the time that it lasts. If more than one in eight locations are late, work is
// divided unevenly, and no location is named. Imbalances are looked for in the chosen candidate and in all inside of it, and named at the
// coarsest where they show with most of their excess.
//
// A slow segment is one of the chosen candidate whose median over locations exceeds that of all segments by at least 8 times what one in a
// hundred segments does, and by a tenth of the usual length of a segment. On a single location it is all that can be told.
func (a *Analysis) Judge() []Finding {
	j := newJudge(&a.Level)
	all := j.imbalances()
	j.silence(all)
	all = append(all, j.interruptions()...)
	all = a.finer(all)
	all = append(all, j.slow()...)
	slices.SortStableFunc(all, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(y.Excess, x.Excess), cmp.Compare(x.First, y.First), cmp.Compare(x.Line, y.Line))
	})
	return all
}

// judge is a level that is judged.
type judge struct {
	level   *Level
	columns *Columns
	all     noise
	typical []int64   // by line: median of the excesses
	known   []Finding // whose segments are no noise, and no interruptions
	usual   int64     // length of a segment
	memory  []int64
}

func newJudge(v *Level) *judge {
	j := &judge{level: v, columns: v.Columns(), typical: make([]int64, len(v.Lines))}
	for i := range v.Lines {
		l := &v.Lines[i]
		j.memory = append(j.memory[:0], l.Durations...)
		j.usual = max(j.usual, medianOf(j.memory))
		j.memory = j.memory[:0]
		for at := range l.Own {
			j.memory = append(j.memory, j.columns.excess(l, at))
		}
		j.typical[i] = medianOf(j.memory)
	}
	j.listen()
	return j
}

// listen gathers the noise of all lines.
func (j *judge) listen() {
	j.all = noise{}
	for line := range j.level.Lines {
		j.hear(line, &j.all)
	}
}

// hear adds the noise that a line has itself.
func (j *judge) hear(line int, n *noise) {
	l := &j.level.Lines[line]
	for at := range l.Own {
		if !j.within(l, l.First+int64(at)) {
			n.add(j.columns.excess(l, at) - j.typical[line])
		}
	}
}

// silence takes the segments of findings out of the noise.
func (j *judge) silence(known []Finding) {
	if len(known) > 0 {
		j.known = known
		j.listen()
	}
}

// own returns the noise that a line has itself.
func (j *judge) own(line int) *noise {
	var n noise
	j.hear(line, &n)
	return &n
}

// interruptions returns the single segments that are late, other than those of known findings.
func (j *judge) interruptions() (all []Finding) {
	if len(j.level.Lines) < 2 {
		return nil
	}
	for line := range j.level.Lines {
		for _, late := range neighbours(j.interrupted(line)) {
			kind := Interruption
			if len(late) >= Repeats {
				kind = Imbalance
			}
			all = append(all, j.finding(kind, line, late))
		}
	}
	return all
}

// interrupted returns the entries of a line that are interruptions by themselves.
func (j *judge) interrupted(line int) (late []int) {
	l, limit := &j.level.Lines[line], int64(-1)
	for at := range l.Own {
		e := j.beyond(line, at)
		if e <= 0 || float64(e) < ofSegment*float64(j.usual) {
			continue
		}
		if limit < 0 {
			limit = j.all.limit(j.own(line))
		}
		number := l.First + int64(at)
		if e >= limit && e >= beyondNear*j.near(line, number) && !j.within(l, number) {
			late = append(late, at)
		}
	}
	return late
}

// beyond returns by how much the excess of an entry is beyond what its location has as a rule.
func (j *judge) beyond(line, at int) int64 {
	return j.columns.excess(&j.level.Lines[line], at) - max(j.typical[line], 0)
}

// neighbours cuts rising numbers into lists: those of one list have at most one number between them.
func neighbours(numbers []int) (lists [][]int) {
	begin := 0
	for i := range numbers {
		if i+1 == len(numbers) || numbers[i+1]-numbers[i] > 2 {
			lists, begin = append(lists, numbers[begin:i+1]), i+1
		}
	}
	return lists
}

// near returns the largest excess of other locations about a segment.
func (j *judge) near(line int, number int64) (most int64) {
	for i := range j.level.Lines {
		if i == line {
			continue
		}
		l := &j.level.Lines[i]
		for n := number - 1; n <= number+1; n++ {
			if at, ok := l.At(n); ok {
				most = max(most, j.beyond(i, at))
			}
		}
	}
	return most
}

// within reports whether a segment of the judged level is one of a finding: of an imbalance that has been found already.
func (j *judge) within(l *Line, number int64) bool {
	at, _ := l.At(number)
	start := l.Starts[at]
	return slices.ContainsFunc(j.known, func(f Finding) bool {
		o := &f.Level.Lines[f.Line]
		from, to := f.span()
		return f.Kind == Imbalance && o.Place.Location == l.Place.Location && start >= from && start < to
	})
}

// span returns the time from the begin of the first segment to the end of the last one.
func (f *Finding) span() (from, to int64) {
	l := &f.Level.Lines[f.Line]
	first, _ := l.At(f.First)
	last, _ := l.At(f.Last)
	return l.Starts[first], l.Starts[last] + l.Durations[last]
}

// finding makes one of the entries of a line that are late, in order.
func (j *judge) finding(kind Kind, line int, late []int) Finding {
	l := &j.level.Lines[line]
	f := Finding{Kind: kind, Level: j.level, Line: line, First: l.First + int64(late[0]), Last: l.First + int64(late[len(late)-1]), Late: len(late)}
	by := slices.Clone(late)
	slices.SortStableFunc(by, func(x, y int) int { return cmp.Compare(j.columns.excess(l, x), j.columns.excess(l, y)) })
	for _, at := range by {
		f.Excess += j.columns.excess(l, at)
	}
	shown := by[len(by)/2]
	f.Shown, f.Own = l.First+int64(shown), l.Own[shown]
	f.Usual = f.Own - j.columns.excess(l, shown)
	f.Z = j.columns.At(f.Shown).Z(f.Own)
	return f
}

// slow returns the segments that take long on all locations.
func (j *judge) slow() (all []Finding) {
	middles := make([]int64, 0, len(j.columns.List))
	for i := range j.columns.List {
		middles = append(middles, j.columns.List[i].lower())
	}
	usual := medianOf(slices.Clone(middles))
	var whole noise
	for _, m := range middles {
		whole.add(m - usual)
	}
	var late []int
	for i, m := range middles {
		e := m - usual
		if e <= 0 || float64(e) < ofSegment*float64(j.usual) || 2*int(j.columns.List[i].Locations) < len(j.level.Lines) {
			continue
		}
		var own noise
		own.add(e)
		if e >= beyondNoise*whole.without(&own, 0.99) {
			late = append(late, i)
		}
	}
	for _, list := range neighbours(late) {
		all = append(all, j.slowest(list, middles, usual))
	}
	return all
}

// slowest makes the finding of segments that take long on all locations.
func (j *judge) slowest(list []int, middles []int64, usual int64) Finding {
	first := j.columns.First
	f := Finding{Kind: Slow, Level: j.level, First: first + int64(list[0]), Last: first + int64(list[len(list)-1]), Late: len(list), Usual: usual, Z: math.NaN()}
	for _, i := range list {
		f.Excess += middles[i] - usual
		if middles[i] > f.Own {
			f.Own, f.Shown = middles[i], first+int64(i)
		}
	}
	f.Line = j.lineWith(f.Shown, f.Own)
	return f
}

// lineWith returns the first line that has a SOS time in a segment.
func (j *judge) lineWith(number, own int64) int {
	return slices.IndexFunc(j.level.Lines, func(l Line) bool {
		at, ok := l.At(number)
		return ok && l.Own[at] == own
	})
}
