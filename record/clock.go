package record

import (
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
