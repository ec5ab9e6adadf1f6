package record

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/trace"
)

// happening is an event as the naive recorder and the archive both give it.
type happening struct {
	time  uint64
	kind  trace.Kind
	words string
}

// naive keeps everything.
type naive struct {
	t            uint64
	calls        []naiveCall
	open         []int
	events       []happening
	ended        [regions]int // calls
	paused, told bool
	every        map[int]int // of regions that are phases: how many calls there are for one that is recorded
	phases       [regions]int
	skipping     int // depth, from 1, of the call that is left out with all inside of it
	skipped      uint64
	missed       uint64                // events inside of what is left out
	leftOut      func(region int) bool // by the filter; nil: none
	changed      bool                  // calls were left out for other reasons than want of memory
}

type naiveCall struct {
	start, end uint64
	region     int
	children   uint64
	protected  bool
	out        bool // it is counted only
	depth      int  // calls around it
	ordinal    int  // among those of its region that ended, from 1
}

func (n *naive) enter(region int) {
	n.open = append(n.open, len(n.calls))
	if every := n.every[region]; every > 0 && n.skipping == 0 {
		if n.phases[region]++; n.phases[region]%every != 1%every {
			n.skipping = len(n.open)
			n.skipped++
		}
	}
	n.calls = append(n.calls, naiveCall{start: n.t, region: region, depth: len(n.open) - 1, out: n.skipping > 0 || n.paused || n.leftOut != nil && n.leftOut(region)})
}

func (n *naive) leave() {
	k := len(n.open) - 1
	if n.skipping == k+1 {
		n.skipping = 0
	}
	c := &n.calls[n.open[k]]
	c.end = n.t
	n.ended[c.region]++
	c.ordinal = n.ended[c.region]
	if n.open = n.open[:k]; k > 0 {
		up := &n.calls[n.open[k-1]]
		up.protected = up.protected || c.protected
		up.children += c.end - c.start
	}
}

func (n *naive) event(h happening) {
	n.events = append(n.events, h)
	if len(n.open) > 0 {
		n.calls[n.open[len(n.open)-1]].protected = true
	}
}

// attend says that recording was paused or resumed, if that is news, by an event in front of what happens.
func (n *naive) attend() {
	if n.told == n.paused || n.skipping > 0 {
		return
	}
	n.told = n.paused
	mode := "[1]"
	if n.paused {
		mode = "[2]"
	}
	n.event(happening{n.t, trace.KindMeasurementOnOff, mode})
	n.t++
}

// expect lists what a recording should hold, by what it gave up: calls for which keep is true, and open ones.
func (n *naive) expect(keep func(*naiveCall) bool, keepEvent func(happening) bool) []happening {
	var list []happening
	for i := range n.calls {
		c := &n.calls[i]
		if c.end != 0 && !keep(c) || c.out {
			continue
		}
		list = append(list, happening{c.start, trace.KindEnter, fmt.Sprint([]uint64{uint64(c.region)})})
		if c.end != 0 {
			list = append(list, happening{c.end, trace.KindLeave, fmt.Sprint([]uint64{uint64(c.region)})})
		}
	}
	for _, h := range n.events {
		if keepEvent(h) {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b happening) int { return int(int64(a.time - b.time)) })
	return list
}

// totals are the sums of all calls that have ended, by region.
func (n *naive) totals() map[uint64][3]uint64 {
	sums := map[uint64][3]uint64{}
	for i := range n.calls {
		if c := &n.calls[i]; c.end != 0 {
			s := sums[uint64(c.region)]
			d := c.end - c.start
			sums[uint64(c.region)] = [3]uint64{s[0] + 1, s[1] + d - c.children, s[2] + d}
		}
	}
	return sums
}

// held reads what is in a recording.
func held(t testing.TB, path string) (list []happening, totals map[uint64][3]uint64, warnings []trace.Warning) {
	t.Helper()
	locations, totals, a := heldBy(t, path)
	return slices.Concat(locations...), totals, a.Warnings()
}

// sumsKept are the sums of the calls that ended and are kept, by region: number, exclusive and inclusive time.
func (n *naive) sumsKept(keep func(*naiveCall) bool) map[uint64][3]int64 {
	sums := map[uint64][3]int64{}
	var open []*naiveCall // that are kept
	var inside []int64
	leave := func() {
		k := len(open) - 1
		c, d := open[k], int64(open[k].end-open[k].start)
		s := sums[uint64(c.region)]
		sums[uint64(c.region)] = [3]int64{s[0] + 1, s[1] + d - inside[k], s[2] + d}
		if open, inside = open[:k], inside[:k]; k > 0 {
			inside[k-1] += d
		}
	}
	for i := range n.calls {
		c := &n.calls[i]
		if c.end != 0 && !keep(c) || c.out {
			continue
		}
		for len(open) > 0 && open[len(open)-1].end != 0 && open[len(open)-1].end <= c.start {
			leave()
		}
		open, inside = append(open, c), append(inside, 0)
	}
	for len(open) > 0 && open[len(open)-1].end != 0 {
		leave()
	}
	return sums
}

// heldBy reads what is in a recording, location by location.
func heldBy(t testing.TB, path string) (locations [][]happening, totals map[uint64][3]uint64, a *recording.Archive) {
	t.Helper()
	a, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	totals = map[uint64][3]uint64{}
	for _, info := range a.Streams() {
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var b trace.Batch
		var list []happening
		for {
			err := s.Next(&b, 1000)
			if err == io.EOF {
				break
			}
			if err == nil {
				err = b.Check(trace.Standard)
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, k := range b.Kinds {
				w := b.Fields(i)
				if info.Class == trace.StreamStatistics {
					s := totals[w[0]]
					totals[w[0]] = [3]uint64{s[0] + w[1], s[1] + w[2], s[2] + w[3]}
					continue
				}
				if info.Class == trace.StreamMarkers {
					locations = withMark(t, locations, &b, i, a.Meta().Epoch)
					continue
				}
				list = append(list, happening{uint64(b.Times[i]) + a.Meta().Epoch, k, fmt.Sprint(w)})
			}
		}
		locations = append(locations, list)
	}
	return locations, totals, a
}

// compare fails the test at the first difference.
func compare(t testing.TB, got, want []happening) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("event %d is %v, not %v (%d events, not %d)", i, got[i], want[i], len(got), len(want))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d events, not %d", len(got), len(want))
	}
}
