package main

// Vectors of programs that run, were killed, or gave something up.

var running = vector{"running", "a program that runs: two calls are open, and the clock was compared a second time", []*file{going(one(
	named, (&state{depth: 2, stack: []open{{1100, 0, 1, 30}, {1200, 1, 0, 0}}}).bin(0),
	profile(0, 0, sums{}, sums{1, 30, 30}),
	calls(0, 4+protected, 1150, call{region: 1, duration: 30}),
	events(eventsBin, 0, 1140, send(0)),
))}, `resolution 1000000000
location main of rank 0
1100 Enter solve
1120 Enter step
1140 MpiSend 0 0 7 64
1150 Leave step
1200 Enter step
profile step 1 30 30
`}

// going makes a recording that of a program that has not ended.
func going(r *file) *file {
	r.state, r.end = 0, 0
	return r
}

var paused = vector{"paused", "recording is paused: of two open calls, the one that began in the pause is none of the trace; a call that had begun before has ended since", []*file{pausing(going(one(
	named, (&state{depth: 2, stack: []open{{1100, 0, 1, 40}, {1210, 1, 2, 0}}}).bin(0),
	profile(0, 0, sums{}, sums{2, 50, 50}),
	calls(0, 5, 1180, call{region: 1, duration: 40}),
	events(eventsBin, 0, 1150, happened(11, 0, 2)),
)))}, `resolution 1000000000
location main of rank 0
1100 Enter solve
1140 Enter step
1150 MeasurementOnOff 2
1180 Leave step
profile step 2 50 50
`}

// pausing makes a recording that of a program that was asked once to pause, and has done it.
func pausing(r *file) *file {
	r.patches = map[int]byte{1984: 2, 1988: 1, 1992: 1, 1996: 1, 2000: 1, 2004: 1, 2008: 1}
	return r
}

var killed = vector{"killed", "killed between the record of a call and the end of its entry among the open calls: it has ended; an entry beyond the open ones does not count", []*file{going(one(
	named, (&state{depth: 2, stack: []open{{1100, 0, 0, 0}, {1200, 1, 0, 0}, {1210, 1, 0, 0}}}).bin(0),
	profile(0, 0, sums{}, sums{1, 40, 40}),
	calls(0, 5, 1240, call{region: 1, duration: 40}),
	bin{}, // free
))}, `resolution 1000000000
location main of rank 0
1100 Enter solve
1200 Enter step
1240 Leave step
profile step 1 40 40
`}

var torn = vector{"torn", "the file ends within its last bin, which is missing", []*file{cut(one(
	named, idle, calls(0, 3, 1010, call{region: 1, duration: 10}), calls(0, 4, 1050, call{region: 0, duration: 20}),
), 100)}, `resolution 1000000000
location main of rank 0
1000 Enter step
1010 Leave step
`}

func cut(r *file, bytes int) *file {
	r.cut = bytes
	return r
}

var floor = vector{"floor", "calls below 32 ticks without events inside, and all values of metrics, were given up; their bins are still in the file", []*file{givenUp(5)}, `resolution 1000000000
location main of rank 0
1000 Enter solve
1020 Enter step
1030 MpiSend 0 0 7 64
1040 Leave step
1100 Enter step
1132 Leave step
2500 Leave solve
profile solve 1 1500 1428
profile step 3 72 72
`}

var onlyProtected = vector{"only-protected", "all calls without events inside were given up", []*file{givenUp(64)}, `resolution 1000000000
location main of rank 0
1000 Enter solve
1020 Enter step
1030 MpiSend 0 0 7 64
1040 Leave step
2500 Leave solve
profile solve 1 1500 1428
profile step 3 72 72
`}

func givenUp(floor uint32) *file {
	r := one(
		named, idle,
		profile(0, 0, sums{1, 1500, 1428}, sums{3, 72, 72}),
		calls(0, 4+protected, 1040, call{region: 1, duration: 20}),
		calls(0, 10+protected, 2500, call{region: 0, duration: 1500}),
		calls(0, 4, 1080, call{region: 1, duration: 20}),
		calls(0, 5, 1132, call{region: 1, duration: 32}),
		events(eventsBin, 0, 1030, send(0)),
		events(metricsBin, 0, 1200, load(0, 3)),
	)
	r.floor, r.noMetrics = floor, 1
	return r
}

var last = vector{"last", "a flight recorder: what ended before tick 2,000 was given up, longer calls are there from their begins on", []*file{flight()}, `resolution 1000000000
location main of rank 0
1500 Enter solve
1980 Enter step
2000 Leave step
2010 MpiSend 0 0 7 64
2100 Leave solve
`}

func flight() *file {
	r := one(
		named, idle,
		calls(0, 4, 1970, call{region: 1, duration: 20}, call{region: 1, since: 30, duration: 20}),
		calls(0, 9+protected, 2100, call{region: 0, duration: 600}),
		events(eventsBin, 0, 1960, send(0), send(50)),
	)
	r.horizon = 2000
	return r
}

var stopped = vector{"stopped", "there was no memory for what ended at tick 2,000 or later: the calls that were open then are those that the location kept", []*file{full()}, `resolution 1000000000
location main of rank 0
1100 Enter solve
1480 Enter step
1500 Leave step
1900 Enter step
profile solve 1 4000 3890
profile step 2 110 110
`}

func full() *file {
	r := one(
		named,
		(&state{depth: 1, stack: []open{{8000, 1, 0, 0}}, stoppedDepth: 2, stopped: []open{{enter: 1100, region: 0}, {enter: 1900, region: 1}}}).bin(0),
		profile(0, 0, sums{1, 4000, 3890}, sums{2, 110, 110}),
		calls(0, 4, 1500, call{region: 1, duration: 20}),
		events(eventsBin, 0, 2000, send(0)),
	)
	r.stop = 2000
	return r
}

var clipped = vector{"clipped", "the recording ended at tick 2,000: later events are no part of it, and a call that ended later is open", []*file{ended(2000)}, `resolution 1000000000
location main of rank 0
1900 Enter solve
1980 Enter step
1990 MpiSend 0 0 7 64
2000 Leave step
`}

func ended(at uint64) *file {
	r := one(
		named, (&state{depth: 1, stack: []open{{2050, 0, 0, 0}}}).bin(0),
		calls(0, 4+protected, 2000, call{region: 1, duration: 20}, call{region: 1, since: 30, duration: 20}),
		calls(0, 7+protected, 2040, call{region: 0, duration: 140}),
		events(eventsBin, 0, 1990, send(0), send(30)),
	)
	r.end = at
	return r
}

var newestPair = vector{"newest-pair", "a processor's counter of 2.5 GHz: the second newer pair is the valid one", []*file{counted()}, `resolution 2500000000
location main of rank 0
1000 Enter solve
2000 Leave solve
`}

func counted() *file {
	r := one(named, idle, calls(0, 9, 2000, call{region: 0, duration: 1000}))
	r.clock, r.newest, r.end = counter, 3, 0
	r.newer = [2]pair{{5_000_001_000, began.real + 1_900_000_000}, {10_000_001_000, began.real + 4_000_000_000}}
	return r
}

// Vectors of which some bins or records cannot be read: the others are.

var badBins = vector{"bad-bins", "a bin of kind 9, calls of class 200, a bin whose base lies before the end of the one before, a location that is not the first", []*file{one(
	bin{kind: 9}, named, bin{kind: callsBin, class: 200}, (&state{}).bin(2),
	calls(2, 4, 1100, call{region: 1, duration: 20}, call{region: 1, since: 200, duration: 20}),
	calls(2, 4, 1200, call{region: 0, duration: 20}),
	calls(2, 4, 1400, call{region: 0, duration: 20}),
)}, `resolution 1000000000
location location 2 of rank 0
1080 Enter step
1100 Leave step
1280 Enter step
1300 Leave step
1380 Enter solve
1400 Leave solve
lost
`}

var badRecords = vector{"bad-records", "a call whose duration is not of its class ends its bin, as do one of no region and a byte that begins no record; an event of two words that needs four is left out", []*file{one(
	named, idle,
	calls(0, 4, 1100, call{region: 1, duration: 20}, call{region: 1, since: 50, duration: 40}, call{region: 1, since: 50, duration: 20}),
	calls(0, 3, 1400, call{again: true, duration: 10}),
	bin{callsBin, 0, 5, 2000, append(calls(0, 5, 2000, call{region: 0, duration: 40}).content, 0x7f)},
	events(eventsBin, 0, 1500, happened(kindSend, 0, 0, 0), send(10)),
)}, `resolution 1000000000
location main of rank 0
1080 Enter step
1100 Leave step
1510 MpiSend 0 0 7 64
1960 Enter solve
2000 Leave solve
lost
`}

var badDefinition = vector{"bad-definition", "a definition that is longer than its bin ends the definitions of the bin", []*file{one(
	bin{definitionsBin, 0, 0, 0, append(definitions(0, region(0, "solve")).content, 1, 1, 0, 0, 0xff, 0xff, 0xff, 0)},
	definitions(1, region(1, "step")),
	idle, calls(0, 4, 1100, call{region: 1, duration: 20}),
)}, `resolution 1000000000
location location 0 of rank 0
1080 Enter step
1100 Leave step
lost
`}
