package model_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// twoRanks is the trace that the tests of windows ask; r1 is called from 10 to 40 on both locations.
func twoRanks(t *testing.T) *model.Trace {
	src, l := ranks(2)
	put(l[0], enter(10, 1), send(15, 1, 0, 0, 8), enter(20, 2), leave(20, 2), enter(20, 3), leave(30, 3), leave(40, 1))
	put(l[1], enter(10, 1), recv(20, 0, 0, 0, 8), leave(40, 1), enter(40, 3), leave(41, 3))
	return load(t, src)
}

func TestWindowOfCalls(t *testing.T) {
	calls := twoRanks(t).Calls()
	short := func(c trace.Call) string { return fmt.Sprintf("L%d r%d %d..%d", c.Location, c.Region, c.Start, c.End) }
	a1, b1 := "L10 r1 10..40", "L20 r1 10..40"
	a2, a3, b3 := "L10 r2 20..20", "L10 r3 20..30", "L20 r3 40..41"
	for _, c := range []struct {
		window model.Window
		want   []string
	}{
		{model.Window{From: 0, To: 10}, nil},
		{model.Window{From: 0, To: 11}, []string{a1, b1}},
		{model.Window{From: 10, To: 10}, nil},
		{model.Window{From: 20, To: 20}, []string{a1, b1}}, // only what lies around it
		{model.Window{From: 19, To: 20}, []string{a1, b1}},
		{model.Window{From: 20, To: 21}, []string{a1, b1, a2, a3}},
		{model.Window{From: 21, To: 40}, []string{a1, b1, a3}},
		{model.Window{From: 40, To: 50}, []string{b3}},
		{model.Window{From: 0, To: 99, Locations: []uint64{20, 99}}, []string{b1, b3}},
		{model.Window{From: 0, To: 99, Regions: []uint64{3, 2}}, []string{a2, a3, b3}},
		{model.Window{From: 0, To: 99, MinDuration: 10}, []string{a1, b1, a3}},
		{model.Window{From: 0, To: 99, MinDuration: 1, Locations: []uint64{10}, Regions: []uint64{2, 3}}, []string{a3}},
	} {
		expect(t, fmt.Sprint(c.window), c.window.Calls(calls), short, c.want...)
	}
}

// A call that was never left is still open in the trace's last instant, and not behind it.
func TestWindowOfOpenCalls(t *testing.T) {
	src, l := ranks(1)
	put(l[0], enter(10, 1), enter(12, 2), leave(20, 2), enter(20, 3))
	calls := load(t, src).Calls()
	short := func(c trace.Call) string { return fmt.Sprintf("r%d %d..%d", c.Region, c.Start, c.End) }
	one, two, three := "r1 10..20", "r2 12..20", "r3 20..20"
	for _, c := range []struct {
		from, to int64
		want     []string
	}{
		{10, 11, []string{one}}, {19, 20, []string{one, two}}, {19, 21, []string{one, two, three}}, {20, 20, []string{one}},
		{20, 21, []string{one, three}}, {20, 99, []string{one, three}}, {21, 21, nil}, {21, 99, nil}, {9, 10, nil},
	} {
		w := model.Window{From: c.from, To: c.to}
		expect(t, fmt.Sprint(w), w.Calls(calls), short, c.want...)
		for _, call := range calls {
			if call.Overlaps(c.from, c.to) != w.HasCall(&call) {
				t.Errorf("%v: Overlaps of %s is %v", w, short(call), call.Overlaps(c.from, c.to))
			}
		}
	}
}

func TestWindowOfMessages(t *testing.T) {
	messages := twoRanks(t).Match().Messages // one, from 15 on location 10 to 20 on location 20
	for _, c := range []struct {
		window model.Window
		want   int
	}{
		{model.Window{From: 0, To: 15}, 0},
		{model.Window{From: 0, To: 16}, 1},
		{model.Window{From: 19, To: 20}, 1},
		{model.Window{From: 20, To: 30}, 0},
		{model.Window{From: 0, To: 99, Locations: []uint64{10}}, 1},
		{model.Window{From: 0, To: 99, Locations: []uint64{20}}, 1},
		{model.Window{From: 0, To: 99, Locations: []uint64{30}}, 0},
		{model.Window{From: 0, To: 99, Regions: []uint64{77}, Kinds: []trace.Kind{77}, MinDuration: 77}, 1},
	} {
		if got := len(c.window.Messages(messages)); got != c.want {
			t.Errorf("%v: %d messages, want %d", c.window, got, c.want)
		}
	}
}

func TestWindowOfEvents(t *testing.T) {
	events := twoRanks(t).Events()
	for _, c := range []struct {
		window model.Window
		want   []string
	}{
		{model.Window{From: 20, To: 30}, []string{
			"20 L10.2 Enter", "20 L10.3 Leave", "20 L10.4 Enter", "20 L20.1 MpiRecv"}},
		{model.Window{From: 20, To: 20}, nil},
		{model.Window{From: 40, To: 99}, []string{"40 L10.6 Leave", "40 L20.2 Leave", "40 L20.3 Enter", "41 L20.4 Leave"}},
		{model.Window{From: 0, To: 99, Locations: []uint64{20}, Kinds: []trace.Kind{trace.KindEnter, trace.KindMpiRecv}},
			[]string{"10 L20.0 Enter", "20 L20.1 MpiRecv", "40 L20.3 Enter"}},
	} {
		expect(t, fmt.Sprint(c.window), c.window.Events(events), printEvent, c.want...)
	}
}

func TestProfile(t *testing.T) {
	calls := twoRanks(t).Calls()
	whole := []string{"r1 2 60 50", "r2 1 0 0", "r3 2 11 11"}
	for _, c := range []struct {
		from, to int64
		want     []string
	}{
		{0, 99, whole},
		{math.MinInt64, math.MaxInt64, whole},
		{25, 35, []string{"r1 2 20 15", "r3 1 5 5"}},
		{41, 99, nil},
	} {
		sums := model.Profile(calls, c.from, c.to)
		var got []string
		for region := range uint64(5) {
			if s, ok := sums[region]; ok {
				got = append(got, fmt.Sprintf("r%d %d %s %s", region, s.Calls, s.Inclusive, s.Exclusive))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("profile of [%d, %d) (-want +got):\n%s", c.from, c.to, diff)
		}
	}
}

// Sums may be larger than any time.
func TestProfileBeyond64Bits(t *testing.T) {
	src := tracegen.New(trace.Meta{})
	b := src.Location(0, src.Process("p"))
	for range 4 {
		put(b, enter(-1<<61, 1))
	}
	put(b, other(1<<61))
	sum := model.Profile(load(t, src).Calls(), math.MinInt64, math.MaxInt64)[1]
	if sum.Inclusive.String() != "18446744073709551616" || sum.Exclusive.String() != "4611686018427387904" {
		t.Errorf("inclusive %s, exclusive %s", sum.Inclusive, sum.Exclusive)
	}
}
