package main

import "fmt"

// timeShares are the lengths of windows that are summed up, as shares of the trace's time.
var timeShares = []float64{0.001, 0.01, 0.1, 1}

// summaries compares how long it takes to add up the calls of a window.
func (b *bench) summaries() error {
	b.printf(`
Calls of a window by location and region: their number, and their time within the window. %d random windows of each share of the
trace's time, warm. Pando: `+"`Window.Summary`"+`, which tells exclusive times and busy time as well; DuckDB: a prepared group by. The
lines must be equal.
`, b.windows)
	t := newTable(append([]string{"trace", "time", "lines", "program"}, latencyHead...)...)
	err := b.inArenas(func(a *arena) error {
		for _, share := range timeShares {
			b.say("summaries of %s: %g %% of the time", a.name, 100*share)
			if err := b.summaryRace(a, share, t); err != nil {
				return err
			}
		}
		return nil
	})
	b.table(t)
	return err
}

func (b *bench) summaryRace(a *arena, share float64, t *table) error {
	windows, err := a.picker.ofTime(b.windows, share)
	if err != nil {
		return err
	}
	lines, err := tryEach(windows, func(w window) (float64, error) {
		m, err := summarize(a.reader, w)
		if err != nil {
			return 0, err
		}
		return float64(m.answer[0]), nil
	})
	if err != nil {
		return err
	}
	all := b.askers(a, windows, summarize, summaryQuery, digest)
	measured, err := b.race(len(windows), all)
	if err != nil {
		return err
	}
	b.latencyRows(t, []any{a.name, fmt.Sprintf("%g %%", 100*share), spreadOf(lines)}, all, measured)
	return nil
}
