package model_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// single returns the model of a trace with one location, number 7.
func single(t *testing.T, events ...event) *model.Trace {
	t.Helper()
	src := tracegen.New(trace.Meta{})
	put(src.Location(7, src.Process("p")), events...)
	return load(t, src)
}

func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name    string
		events  []event
		calls   []string
		orphans []string
	}{
		{name: "nested", events: []event{
			enter(10, 1), enter(12, 2), leave(15, 2), other(16), enter(20, 3), leave(21, 3), leave(30, 1)},
			calls: []string{
				"L7 r1 10..30 excl 16 kids 2 depth 0 events 0..6 in -",
				"L7 r2 12..15 excl 3 kids 0 depth 1 events 1..2 in 0",
				"L7 r3 20..21 excl 1 kids 0 depth 1 events 4..5 in 0"}},
		{name: "recursion closes the innermost", events: []event{
			enter(0, 1), enter(1, 1), enter(2, 1), leave(5, 1), leave(7, 1), leave(10, 1)},
			calls: []string{
				"L7 r1 0..10 excl 4 kids 1 depth 0 events 0..5 in -",
				"L7 r1 1..7 excl 3 kids 1 depth 1 events 1..4 in 0",
				"L7 r1 2..5 excl 3 kids 0 depth 2 events 2..3 in 1"}},
		{name: "a leave further out cuts what is above", events: []event{
			enter(0, 1), enter(1, 2), enter(2, 3), enter(4, 4), leave(9, 2), leave(12, 1)},
			calls: []string{
				"L7 r1 0..12 excl 4 kids 1 depth 0 events 0..5 in -",
				"L7 r2 1..9 excl 1 kids 1 depth 1 events 1..4 in 0",
				"L7 r3 2..9 excl 2 kids 1 depth 2 events 2..4 in 1 cut",
				"L7 r4 4..9 excl 5 kids 0 depth 3 events 3..4 in 2 cut"}},
		{name: "orphans close nothing", events: []event{
			leave(1, 1), enter(2, 1), leave(3, 2), leave(4, 1), leave(5, 1)},
			calls:   []string{"L7 r1 2..4 excl 2 kids 0 depth 0 events 1..3 in -"},
			orphans: []string{"L7.0", "L7.2", "L7.4"}},
		{name: "a cut call's own leave is an orphan", events: []event{
			enter(0, 1), enter(1, 2), leave(2, 1), leave(3, 2)},
			calls: []string{
				"L7 r1 0..2 excl 1 kids 1 depth 0 events 0..2 in -",
				"L7 r2 1..2 excl 1 kids 0 depth 1 events 1..2 in 0 cut"},
			orphans: []string{"L7.3"}},
		{name: "open calls last to the trace's end", events: []event{
			enter(0, 1), enter(3, 2), leave(4, 2), enter(6, 3), other(10)},
			calls: []string{
				"L7 r1 0..10 excl 5 kids 2 depth 0 events 0..5 in - open",
				"L7 r2 3..4 excl 1 kids 0 depth 1 events 1..2 in 0",
				"L7 r3 6..10 excl 4 kids 0 depth 1 events 3..5 in 0 open"}},
		{name: "no length", events: []event{
			enter(5, 1), leave(5, 1), enter(5, 1), enter(5, 2), leave(5, 1), enter(5, 3)},
			calls: []string{
				"L7 r1 5..5 excl 0 kids 0 depth 0 events 0..1 in -",
				"L7 r1 5..5 excl 0 kids 1 depth 0 events 2..4 in -",
				"L7 r2 5..5 excl 0 kids 0 depth 1 events 3..4 in 2 cut",
				"L7 r3 5..5 excl 0 kids 0 depth 0 events 5..6 in - open"}},
		{name: "negative times", events: []event{enter(-9, 1), enter(-5, 2), leave(-1, 2), leave(4, 1)},
			calls: []string{
				"L7 r1 -9..4 excl 9 kids 1 depth 0 events 0..3 in -",
				"L7 r2 -5..-1 excl 4 kids 0 depth 1 events 1..2 in 0"}},
		{name: "none", events: []event{other(1)}},
		{name: "no events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := single(t, c.events...)
			expect(t, "calls", m.Calls(), printCall, c.calls...)
			expect(t, "orphans", m.Orphans(), printID, c.orphans...)
		})
	}
}

// Regions and calling contexts share the stack, but a leave of the one never closes a call of the other, though the
// numbers agree.
func TestContextCalls(t *testing.T) {
	src := tracegen.New(trace.Meta{})
	for range 5 {
		src.Region("f")
	}
	root := src.Context(4, 1<<32-1)  // context 0 is a call of region 4
	inner := src.Context(3, root)    // context 1 of region 3
	const unknown, noRegion = 77, 78 // of which 78 is defined below, with no region
	src.Define(trace.KindCallingContext, noRegion, 1<<32-1, 0, root)
	put(src.Location(7, src.Process("p")),
		contextEnter(0, root), enter(1, root), contextEnter(2, inner), contextLeave(4, inner), contextLeave(5, root),
		enter(6, inner), contextLeave(7, inner), leave(8, inner),
		contextEnter(9, unknown), contextLeave(10, unknown), contextEnter(11, noRegion), leave(12, 1<<32-1))
	m := load(t, src)
	expect(t, "calls", m.Calls(), printCall,
		"L7 r4 0..5 excl 1 kids 1 depth 0 events 0..4 in - context 0",
		"L7 r0 1..5 excl 2 kids 1 depth 1 events 1..4 in 0 cut",
		"L7 r3 2..4 excl 2 kids 0 depth 2 events 2..3 in 1 context 1",
		"L7 r1 6..8 excl 2 kids 0 depth 0 events 5..7 in -",
		"L7 r- 9..10 excl 1 kids 0 depth 0 events 8..9 in - context 77",
		"L7 r4294967295 11..12 excl 1 kids 0 depth 0 events 10..12 in - context 78 open")
	expect(t, "orphans", m.Orphans(), printID, "L7.6", "L7.11")
}

// An open call ends with the last event of all locations, and calls are ordered by start, definition, ordinal.
func TestCallsOfSeveralLocations(t *testing.T) {
	src := tracegen.New(trace.Meta{})
	p := src.Process("p")
	src.Events(1) // a stream without definition comes after all others
	put(src.Location(9, p), enter(5, 1), enter(5, 2))
	put(src.Location(2, p), enter(5, 3), leave(50, 3))
	src.Location(4, p)
	put(src.Events(1), enter(5, 4), enter(6, 5))
	m := load(t, src)
	expect(t, "calls", m.Calls(), printCall,
		"L9 r1 5..50 excl 0 kids 1 depth 0 events 0..2 in - open",
		"L9 r2 5..50 excl 45 kids 0 depth 1 events 1..2 in 0 open",
		"L2 r3 5..50 excl 45 kids 0 depth 0 events 0..1 in -",
		"L1 r4 5..50 excl 1 kids 1 depth 0 events 0..2 in - open",
		"L1 r5 6..50 excl 44 kids 0 depth 1 events 1..2 in 0 open")
}

func TestCallStack(t *testing.T) {
	m := single(t, enter(10, 1), enter(10, 2), leave(20, 2), enter(20, 3), enter(25, 4), leave(30, 1), enter(40, 5), other(90))
	r1 := "L7 r1 10..30 excl 0 kids 2 depth 0 events 0..5 in -"
	r2 := "L7 r2 10..20 excl 10 kids 0 depth 1 events 1..2 in 0"
	r3 := "L7 r3 20..30 excl 5 kids 1 depth 1 events 3..5 in 0 cut"
	r4 := "L7 r4 25..30 excl 5 kids 0 depth 2 events 4..5 in 3 cut"
	r5 := "L7 r5 40..90 excl 50 kids 0 depth 0 events 6..8 in - open"
	for at, want := range map[int64][]string{
		9: nil, 10: {r1, r2}, 19: {r1, r2}, 20: {r1, r3}, 25: {r1, r3, r4}, 29: {r1, r3, r4}, 30: nil, 39: nil,
		40: {r5}, 90: {r5}, 1000: {r5},
	} {
		expect(t, "stack", m.CallStack(7, at), printCall, want...)
	}
	expect(t, "stack of no location", m.CallStack(8, 20), printCall)
}
