package shapes

import (
	"cmp"
	"math"
	"slices"
)

// What is unusual: see the package document.
const (
	// Deviations is the number of median absolute deviations that are usual.
	Deviations = 5
	// Least is the number of calls of which something can be usual.
	Least = 8
	// Rare is the number of calls of a region of which one is rare.
	Rare = 100
)

// Kind says what is unusual in a call.
type Kind uint8

// The kinds.
const (
	Long Kind = iota
	Short
	// RareCall is a call of a class of which its region has few others.
	RareCall
)

// String names the kind.
func (k Kind) String() string { return [...]string{"long", "short", "rare"}[k] }

// UnusualCall is a call that is unusual for its class, or whose class is rare.
type UnusualCall struct {
	Call
	Kind  Kind
	Class int // number of its class
	// Usual is the median of the exclusive times that the call is compared with, in ticks: those of its class, or of its region's largest one.
	Usual int64
	// Z is the number of standard deviations from it, where these are estimated as 1.4826 median absolute deviations.
	Z float64
}

// Excess returns by how many ticks the exclusive time is longer than usual.
func (u *UnusualCall) Excess() int64 { return u.Own - u.Usual }

// spread returns the median absolute deviation, a tick at least.
func (t *Times) spread() int64 { return max(t.MAD, 1) }

// usual reports whether an exclusive time is one of a class.
func (t *Times) usual(own int64) bool {
	return math.Abs(float64(own)-float64(t.Median)) <= Deviations*float64(t.spread())
}

// judge counts the unusual calls of all classes, and lists those that differ most.
func (a *Answer) judge(most int) {
	total, largest := map[string]uint64{}, map[string]int{}
	for i := range a.Classes {
		c := &a.Classes[i]
		total[c.Region] += c.Calls
		if at, ok := largest[c.Region]; !ok || c.Calls > a.Classes[at].Calls {
			largest[c.Region] = i
		}
	}
	for i := range a.Classes {
		c := &a.Classes[i]
		if c.Calls >= Least {
			for _, s := range c.tally.samples {
				if !c.Own.usual(s.own) {
					c.Unusual++
				}
			}
			a.list(i, &c.Own, false)
		} else if c.Calls <= total[c.Region]/Rare {
			c.Unusual = c.Measured
			a.list(i, &a.Classes[largest[c.Region]].Own, true)
		}
	}
	slices.SortFunc(a.Unusual, func(a, b UnusualCall) int {
		return cmp.Or(cmp.Compare(magnitude(b.Excess()), magnitude(a.Excess())), sooner(&a.Call, &b.Call))
	})
	a.Unusual = slices.Clip(a.Unusual[:min(most, len(a.Unusual))])
}

// list lists the calls of a class that may be among those that differ most from what is usual.
func (a *Answer) list(class int, usual *Times, rare bool) {
	c := &a.Classes[class]
	if !c.keep {
		return
	}
	add := func(calls []Call, kind Kind) {
		for _, x := range calls {
			if (x.Own > usual.Median) != (kind == Long) || !rare && usual.usual(x.Own) {
				continue
			}
			u := UnusualCall{Call: x, Kind: kind, Class: class, Usual: usual.Median}
			u.Z = float64(u.Excess()) / (1.4826 * float64(usual.spread()))
			if rare {
				u.Kind = RareCall
			}
			a.Unusual = append(a.Unusual, u)
		}
	}
	add(c.tally.long, Long)
	add(c.tally.short, Short)
}

func magnitude(n int64) int64 { return max(n, -n) }
