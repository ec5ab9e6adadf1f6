package equal

import (
	"fmt"
	"math/big"
	"time"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/trace"
)

// Start is the difference between the beginnings of two traces, or between their units of time. The times of each trace are compared
// relative to its beginning.
type Start struct {
	A Beginning `json:"a"`
	B Beginning `json:"b"`
}

// Beginning is the instant that the times of a trace are compared relative to: the epoch that its clock names, or the first event if one
// of the two clocks names none.
type Beginning struct {
	// Tick is the instant in ticks of the source's clock.
	Tick uint64 `json:"start_ticks"`
	// Resolution is the number of ticks per second.
	Resolution uint64 `json:"ticks_per_second"`
	// Realtime is the time of day that the clock names for its beginning, in nanoseconds since 1970 in UTC; 0 if it names none.
	Realtime uint64 `json:"realtime_ns"`
	// Offset is the beginning that the clock names, in ticks.
	Offset uint64 `json:"epoch_ticks"`

	declared string // what definitions say of the clock
}

// TimeOfDay returns the time of day of the beginning, "" if it is not known.
func (b *Beginning) TimeOfDay() string {
	if b.Realtime == 0 || b.Realtime >= 1<<63 {
		return ""
	}
	return time.Unix(0, int64(b.Realtime)).UTC().Format(time.RFC3339Nano)
}

// Delay returns the exact number of seconds from the beginning of A to that of B: by the time of day, or by the ticks if both clocks have
// the same resolution. ok is false if neither is known.
func (s *Start) Delay() (seconds *big.Rat, ok bool) {
	difference := func(b, a uint64, unit uint64) *big.Rat {
		n := new(big.Int).Sub(new(big.Int).SetUint64(b), new(big.Int).SetUint64(a))
		return new(big.Rat).SetFrac(n, new(big.Int).SetUint64(unit))
	}
	const nanoseconds = 1e9
	switch {
	case s.A.TimeOfDay() != "" && s.B.TimeOfDay() != "" && s.A.Realtime != s.B.Realtime:
		return difference(s.B.Realtime, s.A.Realtime, nanoseconds), true
	case s.A.Resolution == s.B.Resolution && s.A.Resolution > 0:
		return difference(s.B.Tick, s.A.Tick, s.A.Resolution), true
	}
	return nil, false
}

// clockWords is the number of words of ClockProperties: resolution, offset, length, time of day.
const clockWords = 4

// beginningOf returns what a trace's clock says of its beginning.
func beginningOf(src trace.Source) (b Beginning, err error) {
	meta := src.Meta()
	b = Beginning{Tick: meta.Epoch, Offset: meta.Epoch, Resolution: meta.Resolution}
	log, err := src.Definitions(0)
	for i := range log {
		if w := log[i].Words; log[i].Kind == trace.KindClockProperties && len(w) == clockWords {
			b.Realtime = w[3]
			b.declared += fmt.Sprintln(w[0], w[1], w[3])
		}
	}
	if b.Realtime == trace.Undefined {
		b.Realtime = 0
	}
	return b, err
}

// begin finds the beginnings of both traces, and gives their times a common unit.
func (c *comparison) begin() error {
	var at [2]Beginning
	for i, src := range []trace.Source{c.a, c.b} {
		var err error
		if at[i], err = beginningOf(src); err != nil {
			return err
		}
	}
	if at[0].Offset == 0 || at[1].Offset == 0 {
		for i, src := range []trace.Source{c.a, c.b} {
			first, err := instep.FirstEvent(c.ctx, src)
			if err != nil {
				return err
			}
			at[i].Tick += uint64(first)
		}
	}
	for i := range at {
		c.zero[i] = at[i].Tick - at[i].Offset
	}
	c.rules.relative = true
	c.rules.scale = commonUnit(at[0].Resolution, at[1].Resolution)
	if at[0] != at[1] {
		c.report.Start = &Start{at[0], at[1]}
	}
	return nil
}

// commonUnit returns what ticks of two resolutions are multiplied by to count the same: the smallest such numbers. Without a resolution
// ticks are compared as they are.
func commonUnit(a, b uint64) [2]uint64 {
	if a == 0 || b == 0 {
		return [2]uint64{1, 1}
	}
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return [2]uint64{b / x, a / x}
}
