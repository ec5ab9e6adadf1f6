package record

import (
	"time"
	_ "unsafe" // for linkname
)

// nanotime is the runtime's monotonic clock, in nanoseconds. time.Now asks two clocks and takes twice as long.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// now returns the time in ticks of the recorder's clock.
func (r *Recorder) now() uint64 {
	if r.clock == clockCounter {
		return counter()
	}
	if r.given != nil {
		return r.given()
	}
	return uint64(nanotime())
}

// pair reads the recorder's clock and the time of day, in nanoseconds since 1970, at about the same moment.
func (r *Recorder) pair() (ticks uint64, real int64) {
	const tries = 5
	best := ^uint64(0)
	for range tries {
		before := r.now()
		t := time.Now().UnixNano()
		after := r.now()
		if after-before < best {
			best, ticks, real = after-before, before+(after-before)/2, t
		}
	}
	return ticks, real
}
