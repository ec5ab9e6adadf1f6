package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// workers opens a file, in memory, of a manager and of workers, every second of which computes with another function.
func workers(ranks int) *store.Reader {
	ctx := context.Background()
	src := tracegen.New(trace.Meta{Resolution: 1000})
	manage, work, fast, slow := src.Region("manage"), src.Region("work"), src.Region("vector"), src.Region("scalar")
	var all []uint64
	for rank := range uint64(ranks) {
		b := src.Location(rank, src.Process("process"))
		all = append(all, rank)
		calls := []uint64{work, []uint64{fast, slow}[rank%2]}
		if rank == 0 {
			calls = []uint64{manage}
		}
		for i, region := range calls {
			b.Append(trace.KindEnter, int64(i), region)
		}
		for i := range calls {
			b.Append(trace.KindLeave, int64(10+i), calls[len(calls)-1-i])
		}
	}
	src.CommLocations(all...)
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(ctx, w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
	r, err := store.NewReader(ctx, bytes.NewReader(file.Bytes()), int64(file.Len()), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// Groups have names, and functions that others lack.
func ExampleFind() {
	r := workers(9)
	c, err := cluster.Find(context.Background(), []cluster.Side{{Reader: r, Window: r.All()}}, cluster.Options{By: cluster.Functions})
	if err != nil {
		log.Fatal(err)
	}
	for i := range c.Groups {
		g := &c.Groups[i]
		fmt.Printf("%d locations, %s: only they call %v\n", len(g.Members), g.Rule.String(), g.Only.Functions)
	}
	// Output:
	// 4 locations, odd ranks: only they call [scalar]
	// 4 locations, even ranks from 2 on: only they call [vector]
	// 1 locations, rank 0: only they call [manage]
}

// What all have in common stands above what some have.
func ExampleClusters_Lattice() {
	r := workers(9)
	c, err := cluster.Find(context.Background(), []cluster.Side{{Reader: r, Window: r.All()}}, cluster.Options{By: cluster.Functions})
	if err != nil {
		log.Fatal(err)
	}
	l, err := c.Lattice(context.Background(), 0)
	if err != nil {
		log.Fatal(err)
	}
	for i := range l.Concepts {
		o := &l.Concepts[i]
		fmt.Printf("%d: %d locations, own %v, below %v\n", i, o.Locations, o.Own.Functions, o.Above)
	}
	// Output:
	// 0: 9 locations, own [], below []
	// 1: 8 locations, own [work], below [0]
	// 2: 4 locations, own [scalar], below [1]
	// 3: 4 locations, own [vector], below [1]
	// 4: 1 locations, own [manage], below [0]
	// 5: 0 locations, own [], below [2 3 4]
}
