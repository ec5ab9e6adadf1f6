package main

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/store"
)

// measureClusters measures how long it takes to cluster the locations of a file, in each way, from opening it; before, how long it takes to read its
// definitions and its structure, and nothing else.
func measureClusters(ctx context.Context, path string, w io.Writer) error {
	events := uint64(0)
	open := func() (*store.Reader, error) { return store.Open(ctx, path, store.ReadOptions{}) }
	base, err := measure(func() error {
		r, err := open()
		if err != nil {
			return err
		}
		defer r.Close()
		events = r.Info().Events
		fmt.Fprintf(w, "%s: %d events, %d locations\n", path, events, r.Info().Locations)
		if _, err := r.Definitions(); err != nil {
			return err
		}
		for _, err := range r.All().Structure() {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	line := func(what string, u usage, groups string) {
		fmt.Fprintf(w, "%-10s %v, %5.1f ns of processor time/event%s\n", what, u, u.perEvent(events), groups)
	}
	line("structure", base, "")
	for _, name := range cluster.Names() {
		by, err := cluster.Named(name)
		if err != nil {
			return err
		}
		groups := 0
		u, err := measure(func() error {
			r, err := open()
			if err != nil {
				return err
			}
			defer r.Close()
			c, err := cluster.Find(ctx, []cluster.Side{{Reader: r, Window: r.All()}}, cluster.Options{By: by})
			if err == nil {
				groups = len(c.Groups)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s by %s: %w", path, by, err)
		}
		line(name, u, fmt.Sprintf(", %d groups", groups))
	}
	return nil
}
