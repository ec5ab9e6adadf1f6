package main

import "fmt"

// vector is a run: the recordings of its ranks, and what a reader makes of them.
type vector struct {
	name  string
	about string
	files []*file
	// expected was written by hand, from the text of the layout: no reader made it. Times are ticks of the first file's clock.
	expected string
}

// began is when most recordings began: in ticks, and in the time of day.
var began = pair{1000, 1_700_000_000_000_000_000}

// one is the recording of a process alone that has ended at tick 9,000.
func one(bins ...bin) *file {
	return &file{ranks: 1, run: 7, clock: monotonic, state: closed, end: 9000, began: began,
		newer: [2]pair{{9000, began.real + 8000}}, host: "node1", bins: bins}
}

// named are the definitions of most vectors, and idle is the bin of a location without open calls.
var (
	named = definitions(0, region(0, "solve"), region(1, "step"), metric(0, "load", "1"), location(0, "main"))
	idle  = (&state{}).bin(0)
)

const (
	kindSend       = 14
	kindReceive    = 18
	kindCollective = 22
	kindEnd        = 23
	kindMetric     = 31
)

func send(since uint64) event { return happened(kindSend, since, 0, 0, 7, 64) }

func load(since, value uint64) event { return happened(kindMetric, since, 0, 1, 4, value) }

func all() []vector {
	return []vector{
		complete, numbers, inOrder, everyKind, everyDefinition, counting, addresses, windows, grids, filesOpened, markers,
		running, paused, killed, torn, floor, onlyProtected, last, stopped, clipped, newestPair,
		ranks, unlikeFloors, hosts,
		levels, occurrences, classesOfRegions, unlikeReductions, phases, partners, givenUpPartners, clocksOfHosts, repeats(),
		badBins, badRecords, badDefinition,
		refused("refused-magic", "no recording", 0, 'X'),
		refused("refused-version", "another version of the layout", 8, 1),
		refused("refused-head", "a head of 12,288 bytes", 13, 48),
		refused("refused-bin-size", "bins of 16,385 bytes", 16, 1),
		refused("refused-clock", "a clock of kind 9", 44, 9),
		refused("refused-reduction", "reduction 4", 52, 4),
		refused("refused-classes", "17 classes of regions", 144, 17),
	}
}

func refused(name, about string, at int, value byte) vector {
	r := one(named, idle, calls(0, 3, 1010, call{region: 1, duration: 10}))
	r.patches = map[int]byte{at: value}
	return vector{name, about, []*file{r}, "refused\n"}
}

var complete = vector{"complete", "calls in calls, a message, a collective operation, values of a metric, a profile", []*file{one(
	named, idle,
	profile(0, 0, sums{1, 1100, 968}, sums{3, 132, 132}),
	calls(0, 6+protected, 1180, call{region: 1, duration: 80}),
	calls(0, 10+protected, 2100, call{region: 0, duration: 1100}),
	calls(0, 5, 1240, call{region: 1, duration: 42}),
	calls(0, 3, 1255, call{region: 1, duration: 10}),
	events(eventsBin, 0, 1110, send(0), happened(kindCollective, 20), happened(kindEnd, 30, 11, 0, 4294967295, 8, 8)),
	events(metricsBin, 0, 1200, load(0, 3), load(300, 1<<40)),
)}, `resolution 1000000000
location main of rank 0
1000 Enter solve
1100 Enter step
1110 MpiSend 0 0 7 64
1130 MpiCollectiveBegin
1160 MpiCollectiveEnd 11 0 4294967295 8 8
1180 Leave step
1198 Enter step
1200 Metric load 1 4 3
1240 Leave step
1245 Enter step
1255 Leave step
1500 Metric load 1 4 1099511627776
2100 Leave solve
profile solve 1 1100 968
profile step 3 132 132
`}

var numbers = vector{"numbers", "regions of one and two bytes, and of the record before; times and durations of one to eight bytes, padded ones; a call of one tick", []*file{{
	ranks: 1, run: 7, clock: monotonic, state: closed, began: began, newer: [2]pair{{1 << 58, began.real + 1<<58 - 1000}}, host: "node1", bins: []bin{
		definitions(0, append(many(129), location(0, "main"))...), idle,
		calls(0, 0, 1001, call{region: 0, duration: 1}, call{region: 1, since: 2, duration: 1, nSince: 8, nTicks: 8}),
		calls(0, 3, 1110, call{region: 127, duration: 10}, call{again: true, since: 20, duration: 10}, call{region: 127, since: 20, duration: 10}, call{region: 128, since: 20, duration: 10},
			call{again: true, since: 20, duration: 10}),
		calls(0, 3, 1310, call{region: 128, duration: 10}),
		calls(0, 40, 2_000_000_000_000, call{region: 0, duration: 1 << 40}, call{region: 1, since: 1 << 56, duration: 1<<41 - 1}),
	}}}, `resolution 1000000000
location main of rank 0
1000 Enter f0
1001 Leave f0
1002 Enter f1
1003 Leave f1
1100 Enter f127
1110 Leave f127
1120 Enter f127
1130 Leave f127
1140 Enter f127
1150 Leave f127
1160 Enter f128
1170 Leave f128
1180 Enter f128
1190 Leave f128
1300 Enter f128
1310 Leave f128
900488372224 Enter f0
2000000000000 Leave f0
72057395014672385 Enter f1
72059594037927936 Leave f1
`}

// many defines regions f0, f1 and so on.
func many(n uint64) (list [][]byte) {
	for i := range n {
		list = append(list, region(i, fmt.Sprint("f", i)))
	}
	return list
}

var inOrder = vector{"in-order", "bins of one class in any order in the file, and two calls of a class in each other", []*file{one(
	named, idle,
	calls(0, 4, 1400, call{region: 1, duration: 17}),
	calls(0, 4, 1100, call{region: 1, duration: 16}, call{region: 0, since: 4, duration: 31}, call{region: 1, since: 100, duration: 20}),
	calls(0, 4, 1300, call{region: 1, duration: 18}),
)}, `resolution 1000000000
location main of rank 0
1073 Enter solve
1084 Enter step
1100 Leave step
1104 Leave solve
1184 Enter step
1204 Leave step
1282 Enter step
1300 Leave step
1383 Enter step
1400 Leave step
`}

var everyDefinition = vector{"definitions", "definitions in two bins, members in two parts, the longer name of two communicators", []*file{one(
	definitions(0, region(0, "solve"), communicator(3, "row"), members(3, 0), communicator(9, ""), members(9)),
	definitions(1, members(3, 2, 1), region(1, "größer <T>"), metric(0, "load", "1"), metric(1, "power", "W"), location(1, "worker")),
	idle, (&state{}).bin(1),
	calls(1, 2, 1010, call{region: 1, duration: 5}),
	events(metricsBin, 1, 1020, happened(kindMetric, 0, 1, 1, 4, 95)),
)}, `resolution 1000000000
communicator 3 row: 0 2 1
communicator 9 :
location location 0 of rank 0
location worker of rank 0
1005 Enter größer <T>
1010 Leave größer <T>
1020 Metric power 1 4 95
`}

var counting = vector{"counters", "a metric, and a counter: numbers of both are those of metrics", []*file{one(
	definitions(0, region(0, "solve"), metric(0, "load", "1"), numbered(10, []uint64{1}, "page-faults", ""), location(0, "main")), idle,
	calls(0, 4, 1040, call{region: 0, duration: 30}),
	events(metricsBin, 0, 1009, happened(kindMetric, 0, 1, 1, 4, 17), happened(kindMetric, 30, 1, 1, 4, 217)),
)}, `resolution 1000000000
location main of rank 0
1009 Metric page-faults 1 4 17
1010 Enter solve
1039 Metric page-faults 1 4 217
1040 Leave solve
`}

var addresses = vector{"addresses", "functions of executables that are not there: by their addresses in the object that was told of last before them, or in none", []*file{one(
	definitions(0,
		object(0x401000, 0x1000, 0, "/nowhere/a.out"), function(0, 0x401136), function(1, 0x7f0000001234), region(2, "solve"),
		object(0x7f0000001000, 0x1000, 0x7f0000000000, "/nowhere/libx.so"), function(3, 0x7f0000001234), object(0x401800, 0x800, 0x400000, "/nowhere/liby.so"),
		function(4, 0x401900), function(5, 0x4017ff), location(0, "main")),
	idle,
	calls(0, 3, 1010, call{region: 0, duration: 10}, call{region: 1, since: 10, duration: 8}, call{region: 2, since: 10, duration: 8}, call{region: 3, since: 10, duration: 8},
		call{region: 4, since: 10, duration: 8}, call{region: 5, since: 10, duration: 8}),
)}, `resolution 1000000000
location main of rank 0
1000 Enter a.out+0x401136
1010 Leave a.out+0x401136
1012 Enter 0x7f0000001234
1020 Leave 0x7f0000001234
1022 Enter solve
1030 Leave solve
1032 Enter libx.so+0x1234
1040 Leave libx.so+0x1234
1042 Enter liby.so+0x1900
1050 Leave liby.so+0x1900
1052 Enter a.out+0x4017ff
1060 Leave a.out+0x4017ff
`}

var windows = vector{"windows", "windows, the later name of one; groups of unlike numbers in two recordings; a communicator between two groups; a group that is not defined", []*file{
	synchronised(0, definitions(0, location(0, "main"), communicator(3, "all"), members(3, 0, 1), window(8, 3, ""), window(8, 3, "halo"), window(9, 0, "x"),
		group(0, 0), group(1, 1), between(12, 0, 1, "pair")), 1),
	synchronised(1, definitions(0, location(0, "main"), group(0, 0), group(1), group(1, 0), group(1, 1)), 2),
}, `resolution 1000000000
communicator 3 all: 0 1
communicator 12 pair: 0 | 1
window 8 halo of communicator 3
window 9 x of communicator 0
location main of rank 0
1010 RmaGroupSync 1 8 {1}
1020 RmaGroupSync 3 8 {0}
location main of rank 1
1010 RmaGroupSync 1 8 {}
1020 RmaGroupSync 3 8 {0}
`}

// synchronised is a rank that synchronises a window with two groups.
func synchronised(n uint32, defined bin, first uint64) *file {
	r := rank(n, defined, idle, events(eventsBin, 0, 1010, happened(39, 0, 1, 8, first), happened(39, 10, 3, 8, 0)))
	r.ranks = 2
	return r
}

var grids = vector{"grids", "topologies: of two dimensions, one of them periodic; of one; one that does not fit its communicator", []*file{
	rank(0, definitions(0, location(0, "main"), communicator(3, "plate"), members(3, 0, 1, 2, 3, 4, 5), grid(3, 2, 1, 3, 0), communicator(4, "row"), members(4, 2, 1),
		grid(4, 2, 0), communicator(5, "few"), members(5, 0), grid(5, 3, 0)), idle),
}, `resolution 1000000000
communicator 3 plate: 0 1 2 3 4 5
communicator 4 row: 2 1
communicator 5 few: 0
topology 3: 2 periodic x 3
rank 0 at 0 0
rank 1 at 0 1
rank 2 at 0 2
rank 3 at 1 0
rank 4 at 1 1
rank 5 at 1 2
topology 4: 2
rank 0 at 0
rank 1 at 1
location main of rank 0
lost
`}

var filesOpened = vector{"files", "files that are opened, one of them by two ranks, read, closed and deleted; paths of unlike numbers in two recordings; a path that is not defined", []*file{
	worked(0, definitions(0, location(0, "main"), opened(9, 0, "/data/all"), path(1, "/tmp/b"), path(0, "/tmp/a")), happened(74, 10, 0, 1), happened(74, 10, 0, 0)),
	worked(1, definitions(0, location(0, "main"), opened(12, 1, "/tmp/b"), path(0, "/tmp/b")), happened(74, 10, 0, 0), happened(74, 10, 0, 5)),
}, `resolution 1000000000
file 9 /data/all of communicator 0
file 12 /tmp/b of communicator 1
location main of rank 0
1010 IoCreateHandle 9 2 1 0
1020 IoOperationBegin 9 0 2 64 1
1030 IoOperationComplete 9 60 1
1040 IoDestroyHandle 9
1050 IoDeleteFile 0 /tmp/b
1060 IoDeleteFile 0 /tmp/a
location main of rank 1
1010 IoCreateHandle 9 2 1 0
1020 IoOperationBegin 9 0 2 64 1
1030 IoOperationComplete 9 60 1
1040 IoDestroyHandle 9
1050 IoDeleteFile 0 /tmp/b
1060 IoDeleteFile 0 unknown
`}

// worked is a rank that reads from a file, and deletes others.
func worked(n uint32, defined bin, deletes ...event) *file {
	list := append([]event{happened(69, 0, 9, 2, 1, 0), happened(75, 10, 9, 0, 2, 64, 1), happened(78, 10, 9, 60, 1), happened(70, 10, 9)}, deletes...)
	r := rank(n, defined, idle, events(eventsBin, 0, 1010, list...))
	r.ranks = 2
	return r
}

var ranks = vector{"ranks", "three ranks of one run, in which two locations record and a message is sent", []*file{
	rank(2, definitions(0, region(0, "receive"), region(1, "idle")), idle, calls(0, 6+protected, 1200, call{region: 0, duration: 100}),
		events(eventsBin, 0, 1190, happened(kindReceive, 0, 0, 5, 7, 64)), profile(0, 0, sums{1, 100, 100})),
	rank(0, definitions(0, region(0, "idle"), region(1, "send"), location(0, "main"), location(1, "worker"), communicator(5, "pair"), members(5, 0, 2)), idle,
		(&state{}).bin(1), calls(0, 4+protected, 1120, call{region: 1, duration: 20}), events(eventsBin, 0, 1105, happened(kindSend, 0, 1, 5, 7, 64)),
		calls(1, 3, 1115, call{region: 0, duration: 8})),
	rank(1, definitions(0, region(0, "idle"), location(0, "main")), idle, calls(0, 3, 1109, call{region: 0, duration: 9})),
}, `resolution 1000000000
communicator 5 pair: 0 2
location main of rank 0
1100 Enter send
1105 MpiSend 1 5 7 64
1120 Leave send
location worker of rank 0
1107 Enter idle
1115 Leave idle
location main of rank 1
1100 Enter idle
1109 Leave idle
location location 0 of rank 2
1100 Enter receive
1190 MpiRecv 0 5 7 64
1200 Leave receive
profile receive 1 100 100
`}

// rank is the recording of one rank of three.
func rank(n uint32, bins ...bin) *file {
	r := one(bins...)
	r.rank, r.ranks = n, 3
	return r
}

var unlikeFloors = vector{"unlike-floors", "two ranks of which one gave up calls below 16 ticks: the trace has none of them", []*file{
	floored(0, 0), floored(1, 4),
}, `resolution 1000000000
location main of rank 0
1010 Enter solve
1026 Leave solve
profile solve 1 16 16
profile step 1 15 15
location main of rank 1
1010 Enter solve
1026 Leave solve
profile solve 1 16 16
profile step 1 15 15
`}

func floored(n, floor uint32) *file {
	r := rank(n, named, idle, calls(0, 3, 1045, call{region: 1, duration: 15}), calls(0, 4, 1026, call{region: 0, duration: 16}),
		profile(0, 0, sums{1, 16, 16}, sums{1, 15, 15}))
	r.ranks, r.floor = 2, floor
	return r
}
