package check

import (
	"errors"
	"fmt"
	"io"

	"github.com/pandotrace/pando/trace"
)

// mostDrift is the part of a clock's time by which measured offsets may change. Oscillators differ by 10⁻⁴ at most; offsets of a run of some milliseconds are
// measured with an error of some microseconds.
const mostDrift = 0.1

// checkClocks checks the offsets that were measured of the clocks of locations. They are what corrected all times of a location.
func (c *checker) checkClocks() error {
	if !c.ledger.only[Time] {
		return nil
	}
	for _, s := range c.src.Streams() {
		if s.Class != trace.StreamLocalDefinitions {
			continue
		}
		if err := errors.Join(c.ctx.Err(), c.checkClock(s.StreamID)); err != nil {
			return fmt.Errorf("local definitions of location %d: %w", s.Location, err)
		}
	}
	return nil
}

func (c *checker) checkClock(id trace.StreamID) error {
	s, err := c.src.Open(id)
	if err != nil {
		return err
	}
	defer s.Close()
	m := offsets{ledger: c.ledger, location: id.Location}
	var b trace.Batch
	for {
		if err := s.Next(&b, localAtOnce); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for i, k := range b.Kinds {
			if k == trace.KindClockOffset {
				m.add(b.Fields(i))
			}
		}
	}
}

// localAtOnce is the number of local definitions that are read at once.
const localAtOnce = 256

// offsets are those of one clock, in the order in which they are defined.
type offsets struct {
	*ledger
	location uint64
	local    uint64 // time of the latest that is used, by the clock itself
	offset   int64
	any      bool
}

// add checks an offset: the words are the time by the clock, the offset to the trace's time, and a deviation.
func (o *offsets) add(words []uint64) {
	local, offset := words[0], int64(words[1])
	if o.any && local <= o.local {
		o.ofLocation(OffsetOutOfOrder, o.location, Value{"local", Plain, local}, Value{"before", Plain, o.local})
		return
	}
	change := float64(offset) - float64(o.offset)
	if elapsed := local - o.local; o.any && max(change, -change) > mostDrift*float64(elapsed) {
		o.ofLocation(ClockDrifts, o.location, Value{"elapsed", Duration, elapsed}, Value{"change", Duration, uint64(offset - o.offset)})
	}
	o.local, o.offset, o.any = local, offset, true
}
