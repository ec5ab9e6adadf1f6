package recording

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/trace"
)

const nanoseconds = 1e9

// moment is a time by the clock of another host, and by that of the first file's.
type moment struct {
	there, here uint64
	took        uint64 // ticks of the first file's clock from the question to the answer
}

// relation is how the clock of another host belongs to that of the first file.
type relation struct {
	trace.Clock
	rate  float64 // ticks of the first file's clock for one of this
	asked int     // how often
	took  uint64  // ticks of the first file's clock, at most
}

// maxRate bounds how many ticks of one clock are one of another's: both are counters of the same kind, or nanoseconds.
const maxRate = 4

// clocks are those of the hosts of a run. Times of the trace are by that of the first file.
type clocks struct {
	first      *file
	resolution uint64               // ticks of it in a second
	hosts      map[string]*relation // one that was not asked for its time is not there
	odd        []string             // what is wrong with those that cannot be corrected
}

// newClocks finds out how the clocks of the files of a run belong together: what the process of the first file has asked other hosts is in its definitions.
func newClocks(files []*file) (*clocks, error) {
	c := &clocks{first: files[0], resolution: resolution(files), hosts: map[string]*relation{}}
	if !slices.ContainsFunc(files, func(f *file) bool { return f.host != c.first.host }) {
		return c, nil
	}
	quiet := *c.first
	quiet.warnings = &trace.Warnings{} // who reads all definitions tells the same
	moments := map[string][]moment{}
	err := eachDefinition(&quiet, func(kind byte, r *reader) {
		if kind != defineClock {
			return
		}
		rank := r.number()
		m := r.moment()
		for _, f := range files {
			if uint64(f.rank) == rank && f.rank != noRank && f.host != c.first.host && !r.bad {
				moments[f.host] = append(moments[f.host], m)
			}
		}
	})
	for _, f := range files {
		if list := moments[f.host]; len(list) > 0 {
			c.relate(f, list)
			delete(moments, f.host)
		}
	}
	return c, err
}

// resolution returns the ticks of the clock in a second: those of the file with the longest pair of times. It is 0 if that is not known.
func resolution(files []*file) (ticks uint64) {
	if files[0].clock != clockCounter {
		return nanoseconds
	}
	longest := int64(0)
	for _, f := range files {
		real := f.last.real - f.start.real
		if real > longest && f.last.ticks > f.start.ticks {
			longest, ticks = real, nanoseconds
			hi, lo := bits.Mul64(f.last.ticks-f.start.ticks, nanoseconds)
			if hi < uint64(real) {
				ticks, _ = bits.Div64(hi, lo, uint64(real))
			}
			ticks = max(ticks, 1)
		}
	}
	return ticks
}

// moment takes what the definition of a clock says behind the rank of a process of another host: its time, that of the own clock at that moment, and how long the question took.
func (r *reader) moment() moment {
	m := moment{r.number(), r.number(), r.number()}
	r.bad = r.bad || m.there >= endOfTime || m.here >= endOfTime
	return m
}

// relate corrects the clock of a file's host, in a line through the first and the last moment. Where there is but one, the times of day say the rate.
func (c *clocks) relate(f *file, list []moment) {
	first, last := list[0], list[len(list)-1]
	if len(list) == 1 {
		span := uint64(nanoseconds)
		if f.last.ticks > f.start.ticks {
			span = min(f.last.ticks-f.start.ticks, endOfTime/(2*maxRate)-1)
		}
		last.there, last.here = first.there+span, first.here+uint64(min(c.rate(f), maxRate)*float64(span))
	}
	there, here := last.there-first.there, last.here-first.here
	if last.there <= first.there || last.here <= first.here || here/maxRate > there || there/maxRate > here {
		c.odd = append(c.odd, fmt.Sprintf("%s of %s: %d ticks are %d of the first process", f.path, f.host, there, here))
		return
	}
	x := &relation{rate: float64(here) / float64(there), asked: len(list), took: max(first.took, last.took)}
	for _, m := range []moment{first, last} {
		x.Add(m.there, int64(m.here-m.there))
	}
	c.hosts[f.host] = x
}

// ticks returns a time of a file by the clock of the first file. Another host has another clock: where it was not asked for its time, the times of day say how both belong together.
func (c *clocks) ticks(f *file, t uint64) int64 {
	if f.host == c.first.host {
		return int64(t)
	}
	const far = 1 << 61 // rates of damaged files are any
	if x := c.hosts[f.host]; x != nil {
		cursor := 0
		return int64(x.Corrected(min(t, far), &cursor))
	}
	real := float64(f.start.real-c.first.start.real) / nanoseconds * float64(c.inSecond())
	return int64(min(c.first.start.ticks, far)) + int64(min(max(real+c.rate(f)*float64(int64(t-f.start.ticks)), -far), far))
}

// inSecond is how many ticks of the trace are a second. As long as that is not known, a tick is a nanosecond.
func (c *clocks) inSecond() uint64 { return cmp.Or(c.resolution, nanoseconds) }

// rate returns how many ticks of the trace are one of a file of another host than the first one's, by the times of day.
func (c *clocks) rate(f *file) float64 {
	if f.last.ticks > f.start.ticks && f.last.real > f.start.real {
		return float64(c.inSecond()) / nanoseconds * float64(f.last.real-f.start.real) / float64(f.last.ticks-f.start.ticks)
	}
	return 1
}

// duration returns a duration of a file in ticks of the trace.
func (c *clocks) duration(f *file, d uint64) uint64 {
	if f.host == c.first.host {
		return d
	}
	rate := c.rate(f)
	if x := c.hosts[f.host]; x != nil {
		rate = x.rate
	}
	return uint64(rate * float64(d))
}
