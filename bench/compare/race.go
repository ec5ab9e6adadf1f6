package main

import (
	"fmt"
	"slices"
	"time"
)

// timed is an answer to a question, and how many milliseconds it took.
type timed struct {
	ms     float64
	answer []uint64
}

// milliseconds returns how long ago begin was.
func milliseconds(begin time.Time) float64 { return time.Since(begin).Seconds() * 1e3 }

// race asks all contenders the same questions in turns, so often as there are rounds, after a first round to warm up. It
// returns milliseconds by contender; their answers must be equal.
func (b *bench) race(questions int, all []contender[timed]) ([][]float64, error) {
	if _, err := inTurns(questions, all); err != nil {
		return nil, err
	}
	measured, err := inTurns(b.rounds*questions, all)
	if err != nil {
		return nil, err
	}
	for i := range all {
		for turn, m := range measured[i] {
			if want := measured[0][turn].answer; !slices.Equal(m.answer, want) {
				return nil, fmt.Errorf("question %d: %s answers %d, %s %d", turn%questions, all[0].name, want, all[i].name, m.answer)
			}
		}
	}
	return each(measured, func(of []timed) []float64 { return each(of, func(t timed) float64 { return t.ms }) }), nil
}

// latencyShares are the quantiles that are shown.
var latencyShares = []float64{0.5, 0.99}

// latencyHead are the columns that latencyRows fills, behind the contender's name.
var latencyHead = []string{"p50 ms", "p99 ms", "p50 ratio", "p99 ratio"}

// latencyCells shows quantiles of milliseconds.
func (b *bench) latencyCells(of []float64) (cells []any) {
	for _, share := range latencyShares {
		cells = append(cells, spreadOf(quantiles(of, b.rounds, share)))
	}
	return cells
}

// latencyRatios shows the ratios of those quantiles to others.
func (b *bench) latencyRatios(of, to []float64) (cells []any) {
	for _, share := range latencyShares {
		cells = append(cells, spreadOf(ratios(quantiles(of, b.rounds, share), quantiles(to, b.rounds, share))))
	}
	return cells
}

// latencyRows adds a row for each contender. The first is Pando, the others are compared with it.
func (b *bench) latencyRows(t *table, lead []any, all []contender[timed], ms [][]float64) {
	for i, c := range all {
		row := append(slices.Concat(lead, []any{c.name}), b.latencyCells(ms[i])...)
		if i > 0 {
			row = append(row, b.latencyRatios(ms[i], ms[0])...)
		}
		t.row(row...)
	}
}
