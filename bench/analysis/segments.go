package main

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/store"
)

// measureSegments cuts a file into segments, judges them, and does the same with the next finer level in a hundredth of the time, from the middle
// on: what someone does who looks closer. Each begins with opening the file.
func measureSegments(ctx context.Context, path string, out io.Writer) error {
	var a *segment.Analysis
	find := func(opt segment.Options, part func(r *store.Reader) *store.Window) func() error {
		return func() error {
			r, err := store.Open(ctx, path, store.ReadOptions{})
			if err != nil {
				return err
			}
			defer r.Close()
			a, err = segment.Find(ctx, r, part(r), opt)
			return err
		}
	}
	all, err := measure(find(segment.Options{}, (*store.Reader).All))
	if err != nil {
		return err
	}
	count := func() (n int) {
		for i := range a.Level.Lines {
			n += len(a.Level.Lines[i].Own)
		}
		return n
	}
	fmt.Fprintf(out, "segments: %s; %d of %s\n", all, count(), a.Candidates[a.Chosen].Title())
	findings := 0
	judged, _ := measure(func() error { findings = len(a.Judge()); return nil })
	fmt.Fprintf(out, "findings: %s; %d\n", judged, findings)
	if len(a.Chain) > 1 {
		next := &a.Candidates[a.Chain[1]]
		opt := segment.Options{Region: next.Name}
		if next.Group {
			opt = segment.Options{Group: next.Title()}
		}
		finer, err := measure(find(opt, func(r *store.Reader) *store.Window {
			first, last := r.Info().First, r.Info().Last
			middle := first + (last-first)/2
			return r.Window(middle, middle+(last-first)/100)
		}))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "finer: %s; %d of %s\n", finer, count(), a.Candidates[a.Chosen].Title())
	}
	return nil
}
