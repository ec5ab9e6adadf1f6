package store_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Tags and lengths of messages that are new in every iteration become values in the second epoch: all comes back, messages
// too, and the structure takes much less than with one epoch for all.
func TestDemotion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tags    bool
		lengths int64
		smaller int64 // factor
	}{
		"tags": {true, 1, 3}, "lengths": {false, 1 << 40, 3}, "both": {true, 1 << 40, 3}, "a few lengths": {false, 4, 0},
	} {
		t.Run(name, func(t *testing.T) {
			opt := store.Options{SliceEvents: 600, Fanout: 8, EpochSlices: 16}
			s := newSubject(t, func() trace.Source { return tracegen.Exchange(4, 1500, c.tags, c.lengths, 1) })
			file := write(t, s.open(), opt)
			all := newChecker(t, s, file, opt)
			all.wholeTrace()
			all.windowMessages(all.allTime())
			all.window(all.randomWindow())
			all.verified()
			opt.EpochSlices = 1 << 20
			one, _ := structureBytes(t, read(t, write(t, s.open(), opt)))
			several, _ := structureBytes(t, read(t, file))
			if several*c.smaller > one {
				t.Errorf("%d bytes of structure, %d in one epoch", several, one)
			}
		})
	}
}
