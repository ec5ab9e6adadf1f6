// Window tells where the time goes in a window of a trace: the regions whose calls that overlap it took longest, their children not
// counted. It is what window.mjs does, without a server.
//
//	go run ./examples/window run.pando 1s +20ms
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"

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
		log.Fatal("usage: window FILE FROM TO, as in: window run.pando 1s +20ms, or: window run.pando 40% 60%")
	}
	list, err := top(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range list[:min(len(list), 10)] {
		fmt.Printf("%d ns %d calls %s\n", r.exclusive, r.calls, r.name)
	}
}

// top adds up the calls of a window by region, the region with most time first.
func top(path, from, to string) ([]region, error) {
	r, err := store.Open(context.Background(), path, store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	window, err := r.ParseWindow(from, to)
	if err != nil {
		return nil, err
	}
	axis := r.TimeAxis()
	perTick := 1e9 / float64(axis.Resolution()) // ns

	sums := map[string]region{}
	for call, err := range window.Calls() {
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
