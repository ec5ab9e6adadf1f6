// Window tells where the time goes in a window of a trace: the regions whose calls that overlap it took longest, their children not
// counted. It is what window.mjs does, without a server.
//
//	go run ./examples/window run.pando 1s 20ms
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// region is what the calls of a region add up to.
type region struct {
	name      string
	calls     int
	exclusive int64 // ns
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: window FILE FROM LENGTH, as in: window run.pando 1s 20ms")
	}
	from, err := time.ParseDuration(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	length, err := time.ParseDuration(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	list, err := top(os.Args[1], from, length)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range list[:min(len(list), 10)] {
		fmt.Printf("%d ns %d calls %s\n", r.exclusive, r.calls, r.name)
	}
}

// top adds up the calls of a window, which begins so long after the trace's first event.
func top(path string, from, length time.Duration) ([]region, error) {
	r, err := store.Open(context.Background(), path, store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	perTick := float64(time.Second) / float64(r.Meta().Resolution) // ns
	ticks := func(d time.Duration) int64 { return int64(float64(d) / perTick) }
	begin := r.Info().First + ticks(from)

	sums := map[string]region{}
	for call, err := range r.Window(begin, begin+ticks(length)).Calls() {
		if err != nil {
			return nil, err
		}
		name := cmp.Or(d.Name(trace.SpaceRegion, call.Region), "(no name)")
		s := sums[name]
		sums[name] = region{name, s.calls + 1, s.exclusive + int64(float64(call.Exclusive)*perTick)}
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b region) int {
		return cmp.Or(cmp.Compare(b.exclusive, a.exclusive), cmp.Compare(a.name, b.name))
	}), nil
}
