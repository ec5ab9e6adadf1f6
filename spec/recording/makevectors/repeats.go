package main

import "fmt"

// repeats makes events that are like ones before in their bin: messages, requests with other numbers, the 131st record in the place of the third one, and in another bin an event like
// one that is not there.
func repeats() vector {
	const request, test, operation = 15, 20, 86
	first := []event{
		happened(kindSend, 0, 0, 0, 7, 64), // place 0
		happened(kindCollective, 10),       // place 1
		again(0, 10), again(1, 10), again(0, 1<<20),
		happened(request, 10, 0, 0, 7, 64, 1000), // place 2
		again(2, 10, 2), again(2, 10, 7),         // requests 1001 and 997
		happened(operation, 10, 11, 0, 1, 8, 8, 5), // six words are too many for a place
		happened(test, 10, 1<<64-1),                // place 3
		again(3, 10, 2),                            // request 0
	}
	at := uint64(1_000_000)
	expected := "resolution 1000000000\nlocation main of rank 0\n"
	line := func(since uint64, text string) {
		at += since
		expected += fmt.Sprintf("%d %s\n", at, text)
	}
	line(0, "MpiSend 0 0 7 64")
	line(10, "MpiCollectiveBegin")
	line(10, "MpiSend 0 0 7 64")
	line(10, "MpiCollectiveBegin")
	line(1<<20, "MpiSend 0 0 7 64")
	line(10, "MpiIsend 0 0 7 64 1000")
	line(10, "MpiIsend 0 0 7 64 1001")
	line(10, "MpiIsend 0 0 7 64 997")
	line(10, "NonBlockingCollectiveComplete 11 0 1 8 8 5")
	line(10, "MpiRequestTest 18446744073709551615")
	line(10, "MpiRequestTest 0")
	for i := range uint64(127) { // places 4 to 127, and 0 to 2
		first = append(first, happened(kindReceive, 1, 0, 0, i, 64))
		line(1, fmt.Sprintf("MpiRecv 0 0 %d 64", i))
	}
	for _, x := range []struct {
		place byte
		text  string
	}{{0, "MpiRecv 0 0 124 64"}, {2, "MpiRecv 0 0 126 64"}, {4, "MpiRecv 0 0 0 64"}, {127, "MpiRecv 0 0 123 64"}} {
		first = append(first, again(x.place, 5))
		line(5, x.text)
	}
	at = 4_000_000
	line(0, "MpiSend 0 0 8 64")
	line(10, "MpiSend 0 0 8 64")
	r := one(named, idle, events(eventsBin, 0, 1_000_000, first...),
		events(eventsBin, 0, 4_000_000, happened(kindSend, 0, 0, 0, 8, 64), again(0, 10), again(1, 10), again(0, 10)))
	r.end = 9_000_000
	return vector{"repeats", "events like ones before in their bin, and one like an event that is not there", []*file{r}, expected + "lost\n"}
}
