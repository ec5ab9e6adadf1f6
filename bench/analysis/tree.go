package main

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/store"
)

// treeRounds is how often a tree is made.
const treeRounds = 3

// measureTree measures how long it takes to make the merged call tree of a file, from opening it: without times, and with.
func measureTree(ctx context.Context, path string, w io.Writer) error {
	for _, c := range []struct {
		name string
		opt  merge.Options
	}{
		{"structure, by names", merge.Options{StructureOnly: true}},
		{"structure", merge.Options{Level: align.Tree, StructureOnly: true}},
		{"with times", merge.Options{Level: align.Tree}},
	} {
		for range treeRounds {
			var t *merge.Tree
			u, err := measure(func() (err error) {
				r, err := store.Open(ctx, path, store.ReadOptions{})
				if err != nil {
					return err
				}
				defer r.Close()
				t, err = merge.Of(ctx, []merge.Source{{Name: path, Reader: r, Window: r.All()}}, c.opt)
				return err
			})
			if err != nil {
				return err
			}
			calls := uint64(0)
			for i := range t.Nodes {
				calls += t.Nodes[i].Calls
			}
			fmt.Fprintf(w, "%-20s %v, %d locations of %d structures, %d calls at %d places\n", c.name, u, len(t.Members), t.Structures, calls, len(t.Nodes))
		}
	}
	return nil
}

// measureSimilarity measures how long it takes to align all pairs of locations of a file, from opening it.
func measureSimilarity(ctx context.Context, path string, w io.Writer) error {
	var l *contrast.Likeness
	u, err := measure(func() error {
		r, err := store.Open(ctx, path, store.ReadOptions{})
		if err != nil {
			return err
		}
		defer r.Close()
		l, err = contrast.Alike(ctx, []contrast.Side{{Name: path, Reader: r, Window: r.All()}}, contrast.Options{Level: align.Tree})
		return err
	})
	if err != nil {
		return err
	}
	proven := 0
	for i := range l.Costs {
		if l.Costs[i].Proven() {
			proven++
		}
	}
	_, err = fmt.Fprintf(w, "all pairs of %d locations: %d, %v; %d of %d costs are proven\n", len(l.Locations[0]), l.Pairs, u, proven, len(l.Costs))
	return err
}
