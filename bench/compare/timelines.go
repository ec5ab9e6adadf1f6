package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// timelinePixels is the width of the timelines that are measured.
const timelinePixels = 2000

// drawn is what a timeline took and came to.
type drawn struct{ slices, ms, blur, cells float64 }

// timelines shows how long it takes to divide windows of any length into pixels.
func (b *bench) timelines() error {
	b.printf(`
Timelines of %d pixels for all locations: %d random windows of each trace, as long as one slice up to all of the time, their
lengths evenly distributed on a logarithmic scale; warm. *blur*: the mean of the errors that the pixels report, in pixels. The pixels of
each location and region must add up to the exclusive time of `+"`Window.Summary`"+`.
`, timelinePixels, b.windows)
	samples, err := b.samples()
	if err != nil {
		return err
	}
	t := newTable("trace", "slices of a window", "windows", "p50 ms", "p99 ms", "blur", "cells")
	defer b.table(t)
	for _, s := range samples {
		b.say("timelines of %s", s.name)
		if err := b.timelinesOf(s, t); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (b *bench) timelinesOf(s *sample, t *table) error {
	r, err := store.Open(context.Background(), s.file, store.ReadOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	var all []drawn
	random := rand.New(rand.NewPCG(1, 1))
	for range b.windows {
		d, err := drawTimeline(r, random)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	for low := 1.0; low < float64(r.Info().Slices); low *= 10 {
		var some []drawn
		for _, d := range all {
			if d.slices >= low && d.slices < 10*low {
				some = append(some, d)
			}
		}
		if len(some) > 0 {
			timelineRow(s.name, fmt.Sprintf("%g to %g", low, min(10*low, float64(r.Info().Slices))), some, t)
		}
	}
	timelineRow(s.name, "all", all, t)
	return nil
}

func timelineRow(name, lengths string, of []drawn, t *table) {
	at := func(share float64, f func(drawn) float64) float64 { return quantile(each(of, f), share) }
	ms := func(d drawn) float64 { return d.ms }
	t.row(name, lengths, len(of), at(0.5, ms), at(0.99, ms), at(0.5, func(d drawn) float64 { return d.blur }), at(0.5, func(d drawn) float64 { return d.cells }))
}

// drawTimeline measures the timeline of a random window, which has been asked for once before.
func drawTimeline(r *store.Reader, random *rand.Rand) (d drawn, err error) {
	info := r.Info()
	span := float64(info.Last - info.First)
	slice := span / float64(max(info.Slices, 1))
	length := slice * math.Pow(span/slice, random.Float64())
	from := info.First + int64(random.Float64()*(span-length))
	w := r.Window(from, from+max(int64(length), 1))
	if _, err := w.Timeline(timelinePixels); err != nil {
		return d, err
	}
	begin := time.Now()
	t, err := w.Timeline(timelinePixels)
	if err != nil {
		return d, err
	}
	d = drawn{slices: length / slice, ms: milliseconds(begin), cells: float64(len(t.Cells))}
	for _, e := range t.Errors {
		d.blur += float64(e) / length
	}
	return d, addsUp(w, t)
}

// addsUp compares the sums of a timeline with those of its window.
func addsUp(w *store.Window, t *trace.Timeline) error {
	s, err := w.Summary(store.SummaryCalls)
	if err != nil {
		return err
	}
	left := map[[2]uint64]uint64{}
	for i, location := range t.Locations {
		for _, c := range t.Cells[t.Starts[i]:t.Starts[i+1]] {
			left[[2]uint64{location, t.Regions[c.Region]}] += c.Ticks
		}
	}
	for _, c := range s.Calls {
		left[[2]uint64{c.Location, c.Region}] -= c.Exclusive.Lo
	}
	for k, ticks := range left {
		if ticks != 0 {
			return fmt.Errorf("the pixels of location %d and region %d are off by %d ticks", k[0], k[1], int64(ticks))
		}
	}
	return nil
}
