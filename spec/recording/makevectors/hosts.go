package main

// Vectors of runs on several hosts.

var hosts = vector{"hosts", "a rank of another host, whose clock began at another number 500 ns later", []*file{
	rank(0, named, idle, calls(0, 4, 2000, call{region: 0, duration: 20})), elsewhere(),
}, `resolution 1000000000
location main of rank 0
1980 Enter solve
2000 Leave solve
location main of rank 1
1599 Enter solve
1600 Leave solve
`}

func elsewhere() *file {
	r := rank(1, named, idle, calls(0, 0, 5_000_100, call{region: 0, duration: 1}))
	r.began, r.newer[0], r.end = pair{5_000_000, began.real + 500}, pair{5_004_000, began.real + 4500}, 0
	r.host = "node2"
	return r
}

var clocksOfHosts = vector{"clocks", "ranks of two other hosts, whose clocks were compared with that of the first rank: twice, in between of which one gains a hundredth; and once, which has the rate of the times of day", []*file{
	rank(0, definitions(0, region(0, "solve"), location(0, "main"), asked(1, 5_000_000, 1000, 10), asked(3, 7000, 1500, 8), asked(1, 5_002_020, 3000, 12)), idle,
		calls(0, 4, 2000, call{region: 0, duration: 20})),
	on("node2", 1, 5_000_000, calls(0, 6, 5_001_010, call{region: 0, duration: 101})),
	on("node2", 2, 5_000_500, calls(0, 9, 5_003_030, call{region: 0, duration: 1010 - 202})),
	on("node3", 3, 6000, calls(0, 6, 7600, call{region: 0, duration: 100})),
}, `resolution 1000000000
location main of rank 0
1980 Enter solve
2000 Leave solve
location main of rank 1
1900 Enter solve
2000 Leave solve
location main of rank 2
3200 Enter solve
4000 Leave solve
location main of rank 3
2000 Enter solve
2100 Leave solve
`}

// on is the recording of a rank of another host, whose time of day is far off.
func on(host string, n uint32, start uint64, list bin) *file {
	r := rank(n, definitions(0, region(0, "solve"), location(0, "main")), idle, list)
	r.began, r.newer[0], r.end = pair{start, began.real + 999_999}, pair{start + 4000, began.real + 999_999 + 4000}, 0
	r.host, r.ranks = host, 4
	return r
}
