package record

import (
	"sync/atomic"
	"time"

	"github.com/pandotrace/pando/internal/ticks"
)

// now returns the time in ticks of the recorder's clock.
func (r *Recorder) now() uint64 {
	if r.clock == clockCounter {
		return ticks.Counter()
	}
	if r.given != nil {
		return r.given()
	}
	return uint64(ticks.Nanoseconds())
}

// leaving stands for the region of a leave.
const leaving = ^Region(0)

// readCounters reads the counters of the location, if it has any, before a call that is recorded, and returns the time.
func (l *Location) readCounters(region Region) uint64 {
	if c := l.counters; c != nil && !l.off && !l.noMetrics && l.counts(region) {
		values, ok := c.read()
		for i := 0; ok && i < len(values) && !l.noMetrics; i++ {
			l.Metric(c.metrics[i], values[i])
		}
	}
	return l.r.now()
}

// counts reports whether counters are read for a call: not if it is left out.
func (l *Location) counts(region Region) bool {
	if region == leaving {
		d := l.depth - 1
		return d < maxDepth && l.frame(d).flags&countedOnly == 0
	}
	if atomic.LoadUint32(l.attention) != 0 {
		region = l.attend().of(region)
	}
	return region&filteredOut == 0
}

// pair reads the recorder's clock and the time of day, in nanoseconds since 1970, at about the same moment.
func (r *Recorder) pair() (at uint64, real int64) {
	const tries = 5
	best := ^uint64(0)
	for range tries {
		before := r.now()
		t := time.Now().UnixNano()
		after := r.now()
		if after-before < best {
			best, at, real = after-before, before+(after-before)/2, t
		}
	}
	return at, real
}
