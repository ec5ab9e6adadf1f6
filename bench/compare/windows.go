package main

import (
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// windowSection compares how long it takes to get the calls of a window.
func (b *bench) windowSection() error {
	b.printf(`
All calls that overlap a window, all their fields: %d random windows of about as many calls, all warm: each was asked for once
before. Pando goes through `+"`Window.CallBatchesByLocation`"+` and adds up the columns; DuckDB adds them up where it has them, in a
prepared statement, and so is spared handing over rows. Neither sorts them. For those who want them in the order of time there is `+"`Window.CallBatches`"+`. The sums must
be equal.
`, b.windows)
	latency := newTable(append([]string{"trace", "calls", "program"}, latencyHead...)...)
	bytes := newTable("trace", "calls", "first tenth, bytes", "last tenth, bytes", "last / first", "open and one window, bytes", "ms")
	err := b.inArenas(func(a *arena) error {
		for _, calls := range b.calls {
			if float64(a.Calls) < 2*calls {
				b.say("%s has too few calls for windows of %.0f", a.name, calls)
				continue
			}
			b.say("windows of %s: %.0f calls", a.name, calls)
			if err := b.windowRace(a, calls, latency); err != nil {
				return err
			}
			if err := b.coldRow(a, calls, bytes); err != nil {
				return err
			}
		}
		return nil
	})
	b.table(latency)
	b.printf(`
Bytes that Pando reads from a file just opened for one window, in the first and in the last tenth of the calls; and those together
with opening the file, with the time that takes (the file is in the system's cache).
`)
	b.table(bytes)
	return err
}

func (b *bench) windowRace(a *arena, calls float64, t *table) error {
	windows, err := a.picker.ofCalls(b.windows, calls, 0, 1)
	if err != nil {
		return err
	}
	counts, err := tryEach(windows, func(w window) (float64, error) { return countCalls(a.reader, w) })
	if err != nil {
		return err
	}
	all := b.askers(a, windows, sumCalls, sumsQuery, comparedSums)
	all = slices.Insert(all, 1, contender[timed]{"Pando, in the order of time", func(turn int) (timed, error) {
		return sumCallsInOrder(a.reader, windows[turn%len(windows)])
	}})
	measured, err := b.race(len(windows), all)
	if err != nil {
		return err
	}
	b.latencyRows(t, []any{a.name, spreadOf(counts)}, all, measured)
	return nil
}

func countCalls(r *store.Reader, w window) (n float64, err error) {
	for b, err := range r.Window(w.from, w.to).CallBatches(trace.CallStarts) {
		if err != nil {
			return n, err
		}
		n += float64(b.Len())
	}
	return n, nil
}
