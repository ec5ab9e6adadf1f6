package edit

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"

	"github.com/pandotrace/pando/trace"
)

// align finds out what is added to each trace's times.
func (m *merge) align(how Alignment) error {
	for i, t := range m.members[1:] {
		var later int64
		var err error
		if t.shift, err = m.sinceEpoch(t); err != nil {
			return fmt.Errorf("trace %d: %w", i+2, err)
		}
		switch how {
		case AlignClocks:
		case AlignStarts:
			later, err = m.afterStart(t)
		case AlignRealtime:
			later, err = m.afterRealtime(t)
		default:
			err = fmt.Errorf("%q is no way to align clocks: clocks, starts or realtime", how)
		}
		if err != nil {
			return fmt.Errorf("trace %d: %w", i+2, err)
		}
		t.shift -= later
	}
	return nil
}

// afterStart returns how much later a trace's first event is than that of the first trace, by their clocks.
func (m *merge) afterStart(t *member) (int64, error) {
	a, err := m.members[0].firstTime()
	if err != nil {
		return 0, err
	}
	b, err := t.firstTime()
	return t.at(b) - m.members[0].at(a), err
}

// firstTime returns the time of the first event; 0 if there is none.
func (t *member) firstTime() (int64, error) {
	first := int64(math.MaxInt64)
	var b trace.Batch
	for _, info := range t.src.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		s, err := t.src.Open(info.StreamID)
		if err != nil {
			return 0, err
		}
		err = s.Next(&b, 1)
		if b.Len() > 0 {
			first = min(first, b.Times[0])
		}
		if err = errors.Join(err, s.Close()); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	if first == math.MaxInt64 {
		return 0, nil
	}
	return first, nil
}

// afterRealtime returns how much later a trace's clock tells the time of day than that of the first trace.
func (m *merge) afterRealtime(t *member) (int64, error) {
	a, b := m.members[0].definitions.Clock, t.definitions.Clock
	if known(a) && known(b) {
		// Both clocks show their global offset at their realtime. What one shows at the realtime of the other one follows.
		passed := new(big.Int).SetInt64(int64(b.Realtime - a.Realtime))
		passed.Mul(passed, new(big.Int).SetUint64(m.meta.Resolution)).Quo(passed, big.NewInt(1e9))
		if passed.IsInt64() {
			return int64(b.GlobalOffset*t.scale-a.GlobalOffset*m.members[0].scale) - passed.Int64(), nil
		}
	}
	return 0, errors.New("it, or the first one, does not tell the time of day at which it was recorded")
}

func known(c trace.ClockProperties) bool {
	return c.Resolution > 0 && c.Realtime != trace.Undefined && c.Realtime != 0
}

// clock makes the clock's definition: that of the first trace, with a length up to the end of the last one.
func (m *merge) clock() []uint64 {
	c := m.members[0].definitions.Clock
	if c.Resolution == 0 {
		c = trace.ClockProperties{GlobalOffset: m.members[0].src.Meta().Epoch, Realtime: trace.Undefined}
	}
	c.GlobalOffset, c.Length = c.GlobalOffset*m.members[0].scale, c.Length*m.members[0].scale
	end := c.GlobalOffset + c.Length
	for _, t := range m.members {
		if o := t.definitions.Clock; o.Resolution > 0 {
			at := (o.GlobalOffset-t.src.Meta().Epoch+o.Length)*t.scale + uint64(t.shift) + m.meta.Epoch
			if int64(at-end) > 0 {
				end = at
			}
		}
	}
	return []uint64{m.meta.Resolution, c.GlobalOffset, end - c.GlobalOffset, c.Realtime}
}
