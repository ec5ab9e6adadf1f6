package main

// Vectors of recorders that give up other calls than the shortest ones.

// reduced makes a recording one with another reduction.
func reduced(reduction, floor uint32, r *file) *file {
	r.reduction, r.floor = reduction, floor
	return r
}

var levels = vector{"levels", "calls inside two others or more were given up, but for one with an event inside", []*file{reduced(1, 62, one(
	named, idle,
	calls(0, 61, 1030, call{region: 0, duration: 10}, call{region: 0, since: 570, duration: 100}), // void
	calls(0, 62, 1090, call{region: 1, duration: 80}, call{region: 1, since: 1470, duration: 10}),
	calls(0, 63, 1100, call{region: 0, duration: 100}),
	calls(0, 4+protected, 1420, call{region: 0, duration: 20}),
	calls(0, 10+protected, 2500, call{region: 1, duration: 1200}, call{region: 0, since: 100, duration: 1400}),
	events(eventsBin, 0, 1410, send(0)),
))}, `resolution 1000000000
location main of rank 0
1000 Enter solve
1010 Enter step
1090 Leave step
1100 Leave solve
1200 Enter solve
1300 Enter step
1400 Enter solve
1410 MpiSend 0 0 7 64
1420 Leave solve
2500 Leave step
2550 Enter step
2560 Leave step
2600 Leave solve
`}

var occurrences = vector{"occurrences", "the first three calls of each region are there; one begins before the end of the bin before its own", []*file{reduced(3, 62, one(
	named, idle,
	calls(0, 61, 1080, call{region: 1, duration: 10}), // void
	calls(0, 62, 1400, call{region: 0, duration: 150}),
	calls(0, 62, 1040, call{region: 1, duration: 10}, call{region: 1, since: 20, duration: 10}, call{region: 0, since: 290, duration: 50}),
	calls(0, 63, 1020, call{region: 1, duration: 10}, call{region: 0, since: 180, duration: 195}),
))}, `resolution 1000000000
location main of rank 0
1005 Enter solve
1010 Enter step
1020 Leave step
1030 Enter step
1040 Leave step
1050 Enter step
1060 Leave step
1200 Leave solve
1250 Enter solve
1300 Enter solve
1350 Leave solve
1400 Leave solve
`}

var classesOfRegions = vector{"classes", "calls of step were given up, and those below 16 ticks of others; one of step had an event inside", []*file{ofClasses("step", 1, reduced(2, 5, one(
	named, idle,
	calls(0, 0, 1240, call{region: 1, duration: 200}), // void
	calls(0, 4, 1035, call{region: 0, duration: 15}),  // void
	calls(0, 5, 1016, call{region: 0, duration: 16}),
	calls(0, 6, 1440, call{region: 0, duration: 40}),
	calls(0, 4+protected, 1320, call{region: 1, duration: 20}),
	events(eventsBin, 0, 1310, send(0)),
)))}, `resolution 1000000000
location main of rank 0
1000 Enter solve
1016 Leave solve
1300 Enter step
1310 MpiSend 0 0 7 64
1320 Leave step
1400 Enter solve
1440 Leave solve
`}

func ofClasses(patterns string, n uint32, r *file) *file {
	r.patterns, r.classes = patterns, n
	return r
}

var unlikeReductions = vector{"refused-unlike-reductions", "two ranks that gave up calls in unlike orders", []*file{floored(0, 0), reduced(1, 0, floored(1, 0))}, "refused\n"}

var phases = vector{"phases", "a program that runs: of the calls of step every second is recorded; it is inside of one that is not", []*file{going(inPhases("step=every:2", 2, one(
	named, (&state{depth: 3, phases: 2, missed: 5, stack: []open{{1000, 0, 1, 380}, {2000, 1, 2, 0}, {2010, 0, 2, 0}}}).bin(0),
	profile(0, 0, sums{}, sums{3, 380, 380}),
	calls(0, 6+protected, 1200, call{region: 1, duration: 100}),
	calls(0, 7, 1600, call{region: 1, duration: 150}),
	events(eventsBin, 0, 1150, send(0)),
)))}, `resolution 1000000000
location main of rank 0
1000 Enter solve
1100 Enter step
1150 MpiSend 0 0 7 64
1200 Leave step
1450 Enter step
1600 Leave step
profile step 3 380 380
`}

// partners: rank 0 has left out sends 1 and 2 of tag 7 and the end of a request to send, and the begin of one to receive; rank 1 has left out what send 1 sends.
var partners = vector{"partners", "two ranks that left out unlike messages in phases: those of which one end is missing are none of the trace, requests of which one end is missing are messages without a request", []*file{
	inPhases("step=every:2", 2, rank(0, named, (&state{phases: 2}).bin(0), events(eventsBin, 0, 1100,
		happened(kindSend, 0, 1, 0, 7, 64), happened(0, 0, 0, 1, 0, 7, 2), happened(kindSend, 10, 1, 0, 7, 67), happened(15, 10, 1, 0, 7, 68, 9), happened(19, 10, 1, 0, 8, 5, 11),
	))),
	inPhases("step=every:2", 2, rank(1, named, (&state{phases: 2}).bin(0), events(eventsBin, 0, 1200,
		happened(kindReceive, 0, 0, 0, 7, 64), happened(0, 0, 1, 0, 0, 7, 1), happened(kindReceive, 10, 0, 0, 7, 66), happened(kindReceive, 10, 0, 0, 7, 67),
		happened(17, 10, 21), happened(19, 10, 0, 0, 7, 68, 21), happened(kindSend, 10, 0, 0, 8, 5),
	))),
}, `resolution 1000000000
location main of rank 0
1100 MpiSend 1 0 7 64
1110 MpiSend 1 0 7 67
1120 MpiSend 1 0 7 68
1130 MpiRecv 1 0 8 5
location main of rank 1
1200 MpiRecv 0 0 7 64
1220 MpiRecv 0 0 7 67
1230 MpiIrecvRequest 21
1240 MpiIrecv 0 0 7 68 21
1250 MpiSend 0 0 8 5
`}

var givenUpPartners = vector{"given-up-partners", "two flight recorders: ends of messages whose other end was given up are none of the trace, by their numbers; nor are those of channels of which the other rank has nothing, if the other end was too old", []*file{
	lastSince(2000, rank(0, named, idle, events(eventsBin, 0, 1990,
		happened(0, 0, 0, 1, 0, 7, 0, 40), happened(kindSend, 0, 1, 0, 7, 40), happened(0, 0, 0, 1, 0, 10, 0, 4), happened(kindSend, 13, 1, 0, 10, 50), happened(kindSend, 7, 1, 0, 7, 41),
		happened(0, 0, 1, 1, 0, 8, 0, 3), happened(kindReceive, 10, 1, 0, 8, 3), happened(kindSend, 30, 1, 0, 10, 51), happened(kindSend, 10, 1, 0, 7, 42),
	))),
	lastSince(2005, rank(1, named, idle, events(eventsBin, 0, 1995,
		happened(0, 0, 1, 0, 0, 7, 0, 39), happened(kindReceive, 0, 0, 0, 7, 39), happened(0, 0, 0, 0, 0, 8, 0, 3), happened(kindSend, 5, 0, 0, 8, 3), happened(kindReceive, 6, 0, 0, 7, 40),
		happened(kindReceive, 24, 0, 0, 7, 41), happened(0, 0, 1, 0, 0, 9, 0, 0), happened(kindReceive, 10, 0, 0, 9, 1), happened(19, 30, 0, 0, 7, 42, 5),
	))),
}, `resolution 1000000000
location main of rank 0
2010 MpiSend 1 0 7 41
2050 MpiSend 1 0 10 51
2060 MpiSend 1 0 7 42
location main of rank 1
2030 MpiRecv 0 0 7 41
2070 MpiRecv 0 0 7 42
`}

// lastSince makes a recording one of mode last, with a horizon.
func lastSince(horizon uint64, r *file) *file {
	r.mode, r.horizon, r.ranks = 2, horizon, 2
	return r
}

func inPhases(text string, every uint32, r *file) *file {
	r.phases, r.every = text, every
	return r
}
