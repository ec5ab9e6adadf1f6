package main

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/store"
)

// measureWaits measures how long it takes to find the waits of a file, and its critical path, from opening it; before, how long it takes to read its
// events and messages and to do nothing else.
func measureWaits(ctx context.Context, path string, w io.Writer) error {
	var events uint64
	line := func(what string, do func(r *store.Reader) (string, error)) error {
		var outcome string
		u, err := measure(func() error {
			r, err := store.Open(ctx, path, store.ReadOptions{})
			if err != nil {
				return err
			}
			defer r.Close()
			events = r.Info().Events
			outcome, err = do(r)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %s: %w", path, what, err)
		}
		fmt.Fprintf(w, "%-14s %v, %5.1f ns of processor time/event%s\n", what, u, u.perEvent(events), outcome)
		return nil
	}
	fmt.Fprintln(w, path)
	if err := line("events", readAll); err != nil {
		return err
	}
	for _, critical := range []bool{false, true} {
		name := "waits"
		if critical {
			name = "critical path"
		}
		err := line(name, func(r *store.Reader) (string, error) {
			n := 0
			x, err := waits.Of(ctx, r, r.All(), waits.Options{Critical: critical, EachWait: func(*waits.Paths, *waits.Wait) error { n++; return nil }})
			if err != nil {
				return "", err
			}
			text := fmt.Sprintf(", %d messages, %d waits", x.Counts.Messages, n)
			if x.Critical != nil {
				text += fmt.Sprintf(", %d steps", x.Critical.Steps)
			}
			return text, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readAll reads all events and messages.
func readAll(r *store.Reader) (string, error) {
	n := 0
	for b, err := range r.All().Batches() {
		if err != nil {
			return "", err
		}
		n += b.Len()
	}
	for _, err := range r.All().Messages() {
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(", %d events", n), nil
}
