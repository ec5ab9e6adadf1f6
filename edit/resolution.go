package edit

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// resolve gives the merged trace the least number of ticks per second in which all times are whole, and its epoch, which is that of the
// first trace.
func (m *merge) resolve() error {
	common := big.NewInt(1)
	for i, t := range m.members {
		r := new(big.Int).SetUint64(max(t.src.Meta().Resolution, 1))
		common.Mul(common, new(big.Int).Quo(r, new(big.Int).GCD(nil, nil, common, r)))
		if !common.IsUint64() {
			return fmt.Errorf("trace %d: its clock has %d ticks per second: no 64-bit number is a multiple of this and of those before", i+1, r)
		}
	}
	m.meta.Resolution = common.Uint64()
	for i, t := range m.members {
		t.scale = m.meta.Resolution / max(t.src.Meta().Resolution, 1)
		if t.scale > store.MaxTime {
			return fmt.Errorf("trace %d: with %d ticks per second, no time but 0 fits 64 bits", i+1, m.meta.Resolution)
		}
		t.reach = store.MaxTime / int64(t.scale)
	}
	first := m.members[0]
	over, epoch := bits.Mul64(first.src.Meta().Epoch, first.scale)
	if over > 0 {
		return fmt.Errorf("trace 1: with %d ticks per second, its epoch does not fit 64 bits", m.meta.Resolution)
	}
	m.meta.Epoch = epoch
	return nil
}

// sinceEpoch returns how much later a trace's epoch is than the merged one's, in ticks of the merged clock.
func (m *merge) sinceEpoch(t *member) (int64, error) {
	since := new(big.Int).SetUint64(t.src.Meta().Epoch)
	since.Mul(since, new(big.Int).SetUint64(t.scale)).Sub(since, new(big.Int).SetUint64(m.meta.Epoch))
	if t.scale == 1 && m.members[0].scale == 1 { // epochs are those of one clock, which may run over
		return int64(t.src.Meta().Epoch - m.meta.Epoch), nil
	}
	if !since.IsInt64() {
		return 0, fmt.Errorf("with %d ticks per second, the epochs are too far apart for 64 bits", m.meta.Resolution)
	}
	return since.Int64(), nil
}

// at returns a time of this trace as one of the merged trace.
func (t *member) at(time int64) int64 { return time*int64(t.scale) + t.shift }

// reaches returns an error if a time or duration of a record does not fit 64 bits in ticks of the merged clock.
func (t *member) reaches(kind trace.Kind, words []uint64) (err error) {
	if t.scale == 1 {
		return nil
	}
	t.table.Spec(kind).Walk(words, func(_ int, f *trace.Field, w uint64) {
		at := int64(w)
		if f.Type == trace.TypeTime && (at > t.reach || at < -t.reach) || f.Type == trace.TypeDuration && w > math.MaxUint64/t.scale {
			err = fmt.Errorf("a %s of %d ticks does not fit 64 bits in ticks of 1/%d of that", f.Name, w, t.scale)
		}
	})
	return err
}

// retime gives times of this trace those of the merged one.
func (t *member) retime(times []int64) error {
	for i, at := range times {
		if t.scale > 1 && (at > t.reach || at < -t.reach) {
			return fmt.Errorf("a time of %d ticks does not fit 64 bits in ticks of 1/%d of that", at, t.scale)
		}
		times[i] = t.at(at)
	}
	return nil
}
