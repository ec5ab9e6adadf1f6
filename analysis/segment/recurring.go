package segment

import (
	"cmp"
	"math"
	"slices"
)

// imbalances returns the locations of a level that are late again and again.
func (j *judge) imbalances() (all []Finding) {
	if len(j.level.Lines) < 2 {
		return nil
	}
	limits, late := make([]int64, len(j.level.Lines)), make([]int, len(j.level.Lines))
	cells, lateCells := 0, 0
	for i := range j.level.Lines {
		limits[i] = lateNoise * j.all.without(j.own(i), 0.9)
		late[i] = len(j.lateIn(i, limits[i]))
		cells, lateCells = cells+len(j.level.Lines[i].Own), lateCells+late[i]
	}
	n := len(j.columns.List)
	stretches := math.Log(oddsAgainst) + math.Log(float64(n)*float64(n+1)/2*float64(len(j.level.Lines)))
	named := 0
	for i := range j.level.Lines {
		entries := len(j.level.Lines[i].Own)
		if others := cells - entries; others > 0 && late[i] >= Repeats {
			chance := max(float64(lateCells-late[i]), 1) / float64(others)
			found := j.stretches(i, limits[i], func(m, of int) bool { return against(m, of, chance) >= stretches })
			if len(found) > 0 {
				named++
			}
			all = append(all, found...)
		}
	}
	if named > max(1, len(j.level.Lines)/fewLocations) {
		return nil
	}
	return all
}

// lateIn returns the entries of a line that exceed a limit.
func (j *judge) lateIn(line int, limit int64) (late []int) {
	l := &j.level.Lines[line]
	for at := range l.Own {
		if j.columns.excess(l, at) > limit {
			late = append(late, at)
		}
	}
	return late
}

// against returns the natural logarithm of the odds that at least m of some segments are late by chance: a bound by Chernoff 1952.
func against(m, of int, chance float64) float64 {
	share := float64(m) / float64(of)
	if share <= chance || chance >= 1 {
		return 0
	}
	odds := share * math.Log(share/chance)
	if share < 1 {
		odds += (1 - share) * math.Log((1-share)/(1-chance))
	}
	return odds * float64(of)
}

// stretches returns the stretches of a line in which it is late again and again: those in which most segments are, or else all segments.
func (j *judge) stretches(line int, limit int64, rare func(m, of int) bool) (all []Finding) {
	l := &j.level.Lines[line]
	late := j.lateIn(line, limit)
	todo := [][2]int{{0, len(late)}} // places in late
	for len(todo) > 0 {
		part := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		from, to := densest(late[part[0]:part[1]])
		from, to = from+part[0], to+part[0]
		if of := late[max(to-1, from)] - late[from] + 1; to-from < Repeats || !rare(to-from, of) {
			continue
		}
		if f := j.finding(Imbalance, line, late[from:to]); j.matters(&f) {
			all = append(all, f)
		}
		for _, rest := range [][2]int{{part[0], from}, {to, part[1]}} {
			if rest[1]-rest[0] >= Repeats {
				todo = append(todo, rest)
			}
		}
	}
	if len(all) == 0 && rare(len(late), len(l.Own)) {
		if f := j.finding(Imbalance, line, late); j.matters(&f) {
			all = append(all, f)
		}
	}
	return all
}

// densest returns the stretch of late entries with most late ones beyond those between them that are not: the first of equal ones.
func densest(late []int) (from, to int) {
	best, sum, begin := 0, 0, 0
	for i := range late {
		if i > 0 {
			sum -= late[i] - late[i-1] - 1
		}
		if sum <= 0 {
			sum, begin = 0, i
		}
		if sum++; sum > best {
			best, from, to = sum, begin, i+1
		}
	}
	return from, to
}

// matters reports whether the excess of a finding is a considerable part of the time that it lasts.
func (j *judge) matters(f *Finding) bool {
	from, to := f.span()
	return float64(f.Excess) >= ofElapsed*float64(to-from)
}

// mostly is how many times as much excess an imbalance has to have in a finer candidate, to be named there.
const mostly = 1.25

// finer adds to the findings of the chosen candidate the imbalances of those inside of it that do not show in a coarser one, or only in part.
func (a *Analysis) finer(all []Finding) []Finding {
	levels := slices.Clone(a.within)
	slices.SortStableFunc(levels, func(x, y Level) int { return cmp.Compare(x.Candidate, y.Candidate) })
	for i := range levels {
		for _, f := range newJudge(&levels[i]).imbalances() {
			switch at := slices.IndexFunc(all, func(k Finding) bool { return k.explains(&f) }); {
			case at < 0:
				all = append(all, f)
			case all[at].Kind == Imbalance && float64(f.Excess) > mostly*float64(all[at].Excess):
				all[at] = f
			}
		}
	}
	return all
}

// explains reports whether a finding is about the same location as another one and most of its time.
func (f *Finding) explains(o *Finding) bool {
	if f.Level.Lines[f.Line].Place.Location != o.Level.Lines[o.Line].Place.Location {
		return false
	}
	from, to := f.span()
	begin, end := o.span()
	return 2*(min(to, end)-max(from, begin)) > end-begin
}
