package main

import (
	"context"
	"slices"
	"time"

	"github.com/pandotrace/pando/store"
)

// coldWindows is how many windows are read from a file just opened.
const coldWindows = 20

// cold is what one window costs of a file just opened.
type cold struct {
	window, all float64 // bytes read for the window, and with opening
	ms          float64
}

func readCold(file string, w window) (c cold, err error) {
	begin := time.Now()
	r, err := store.Open(context.Background(), file, store.ReadOptions{})
	if err != nil {
		return c, err
	}
	defer r.Close()
	opening := r.BytesRead()
	if _, err := countCalls(r, w); err != nil {
		return c, err
	}
	all := r.BytesRead()
	return cold{float64(all - opening), float64(all), milliseconds(begin)}, nil
}

func (b *bench) coldRow(a *arena, calls float64, t *table) error {
	var parts [2][]cold
	for i, from := range []float64{0, 0.9} {
		windows, err := a.picker.ofCalls(min(coldWindows, b.windows), calls, from, from+0.1)
		if err != nil {
			return err
		}
		if parts[i], err = tryEach(windows, func(w window) (cold, error) { return readCold(a.file, w) }); err != nil {
			return err
		}
	}
	window := func(c cold) float64 { return c.window }
	begin, end := spreadOf(each(parts[0], window)), spreadOf(each(parts[1], window))
	both := slices.Concat(parts[0], parts[1])
	t.row(a.name, calls, begin, end, end.median/begin.median,
		spreadOf(each(both, func(c cold) float64 { return c.all })), spreadOf(each(both, func(c cold) float64 { return c.ms })))
	return nil
}
