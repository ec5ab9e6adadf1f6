package main

const kindMarker = 646

func marker(number uint64, severity byte, group, category string) []byte {
	b := append(numbered(15, []uint64{number}), severity)
	return text(text(b, group), category)
}

func said(number uint64, s string) []byte { return numbered(16, []uint64{number}, s) }

// The second rank has other numbers, a marker before its horizon, and one that it has not defined; the first one had no room for two texts.
var markers = vector{"markers", "markers, some like ones before in their bin; one before the horizon, and ones that are not defined or have a text that is not", []*file{
	marked(0, 0, definitions(0, location(0, "main"), marker(0, 1, "steps", "slow"), said(0, "step 7"), marker(1, 3, "steps", "failed"), said(1, "größer")),
		&state{marks: 2},
		happened(kindMarker, 0, 1, 0), send(10), happened(kindMarker, 10, 0, 1), again(0, 10), again(1, 10)),
	marked(1, 1015, definitions(0, location(0, "main"), said(0, ""), marker(0, 3, "steps", "failed")),
		&state{},
		happened(kindMarker, 0, 0, 0), happened(kindMarker, 10, 0, 0), happened(kindMarker, 10, 1, 0), happened(kindMarker, 10, 0, 1), again(0, 10), happened(kindMarker, 10, 0)),
}, `resolution 1000000000
location main of rank 0
1020 MpiSend 0 0 7 64
1050 MpiSend 0 0 7 64
marker 1010 3 steps, failed: step 7
marker 1030 1 steps, slow: größer
marker 1040 3 steps, failed: step 7
location main of rank 1
marker 1020 3 steps, failed: 
marker 1050 3 steps, failed: 
lost
`}

func marked(n uint32, horizon uint64, defined bin, s *state, list ...event) *file {
	r := rank(n, defined, s.bin(0), events(eventsBin, 0, 1010, list...))
	r.ranks, r.horizon = 2, horizon
	return r
}
