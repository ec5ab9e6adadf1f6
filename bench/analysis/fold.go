package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/store"
)

const (
	foldPixels = 2000
	foldRounds = 7
	foldCache  = 64 << 20 // of the reader, in bytes
	nodeRanks  = 64       // locations of a group, where locations are divided
)

// measureFold compares the time of folding with that of the timelines that are folded, in rounds that take turns. The least
// processor time of each counts.
func measureFold(ctx context.Context, path string, out io.Writer) error {
	cases := []struct {
		name  string
		size  int // locations of a group, 0 for all
		opt   fold.Options
		times []usage
	}{
		{name: "timelines alone"},
		{name: "all", opt: fold.Options{Select: fold.Max}},
		{name: "all, differences", opt: fold.Options{Select: fold.Diff}},
		{name: "all, without sweeping calls", opt: fold.Options{Select: fold.Idle, Quick: true}},
		{name: "all, quantiles", opt: fold.Options{Select: fold.Quantiles}},
		{name: fmt.Sprintf("groups of %d", nodeRanks), size: nodeRanks, opt: fold.Options{Select: fold.Max}},
		{name: "each location", size: 1, opt: fold.Options{Select: fold.Max}},
	}
	for range foldRounds {
		for i := range cases {
			c := &cases[i]
			took, err := measure(func() error {
				if i == 0 {
					return drainTimelines(ctx, path)
				}
				return foldFile(ctx, path, c.size, c.opt)
			})
			if err != nil {
				return err
			}
			c.times = append(c.times, took)
		}
	}
	for i := range cases {
		c := &cases[i]
		least := func(of []usage) usage {
			return slices.MinFunc(of, func(a, b usage) int { return cmp.Compare(a.processor, b.processor) })
		}
		took, base := least(c.times), least(cases[0].times)
		fmt.Fprintf(out, "%-28s %v, %+.1f %%\n", c.name, took, 100*(float64(took.processor)/float64(base.processor)-1))
	}
	return nil
}

// drainTimelines makes the timelines of all locations.
func drainTimelines(ctx context.Context, path string) error {
	r, err := store.Open(ctx, path, store.ReadOptions{CacheBytes: foldCache})
	if err != nil {
		return err
	}
	defer r.Close()
	for _, err := range r.All().Timelines(store.TimelineOptions{Pixels: foldPixels}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// foldFile folds neighbouring locations.
func foldFile(ctx context.Context, path string, size int, o fold.Options) error {
	r, err := store.Open(ctx, path, store.ReadOptions{CacheBytes: foldCache})
	if err != nil {
		return err
	}
	defer r.Close()
	ids, err := r.LocationIDs()
	if err != nil {
		return err
	}
	var groups []fold.Group
	for some := range slices.Chunk(ids, cmp.Or(size, max(len(ids), 1))) {
		groups = append(groups, fold.Group{Locations: some})
	}
	o.Pixels = foldPixels
	for _, err := range fold.Rows(ctx, r, r.All(), groups, o) {
		if err != nil {
			return err
		}
	}
	return nil
}
