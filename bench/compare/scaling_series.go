package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/pandotrace/pando/store"
)

// write makes the files of a series. They replace those of the series before.
func (b *bench) write(s series, t *table) error {
	generate, err := b.program("bench/generate")
	if err != nil {
		return err
	}
	all := each(s.points, func(p point) contender[usage] {
		return contender[usage]{p.name, func(int) (usage, error) {
			b.say("writing: %s %s", s.name, p.name)
			return b.measured(nil, cores(p.cores), append([]string{generate, "-out", p.file}, p.args...)...)
		}}
	})
	measured, err := inTurns(b.rounds, all)
	if err != nil {
		return err
	}
	var first *written
	for i, p := range s.points {
		info, err := p.info()
		if err != nil {
			return err
		}
		w := newWritten(info, measured[i])
		if first == nil {
			first = w
		}
		t.row(append([]any{s.name, p.name}, w.cells(first)...)...)
	}
	return nil
}

func (p point) info() (*store.Info, error) {
	r, err := store.Open(context.Background(), p.file, store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Info(), nil
}

// written says how a file was written.
type written struct {
	*store.Info
	wall, cpu, memory []float64 // by round: microseconds for each event, megabytes
	size              float64   // bytes for each event
}

func newWritten(info *store.Info, rounds []usage) *written {
	events := float64(max(1, info.Events))
	return &written{
		Info:   info,
		wall:   each(rounds, func(u usage) float64 { return 1e6 * wallSeconds(u) / events }),
		cpu:    each(rounds, func(u usage) float64 { return 1e6 * cpuSeconds(u) / events }),
		memory: each(rounds, func(u usage) float64 { return peakBytes(u) / 1e6 }),
		size:   float64(info.FileBytes) / events,
	}
}

func (w *written) cells(first *written) []any {
	speed := func(microseconds float64) float64 { return 1 / microseconds }
	return []any{
		w.Events, w.Locations, spreadOf(each(w.wall, speed)), spreadOf(each(w.cpu, speed)), spreadOf(w.memory), w.size,
		spreadOf(ratios(first.wall, w.wall)), w.size / first.size,
	}
}

// opened is a file of a series, open for reading.
type opened struct {
	point
	reader        *store.Reader
	windows       []window
	counts, bytes spread // calls in a window, bytes read for one
}

// read asks for windows of all files of a series in turns.
func (b *bench) read(s series, t *table) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var files []*opened
	for _, p := range s.points {
		b.say("reading: %s %s", s.name, p.name)
		o, err := b.open(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		defer o.reader.Close()
		files = append(files, o)
	}
	ms, err := b.race(b.windows, each(files, (*opened).contender))
	if err != nil {
		return err
	}
	for i, o := range files {
		row := append([]any{s.name, o.name, o.counts, o.bytes}, b.latencyCells(ms[i])...)
		t.row(append(append(row, b.latencyRatios(ms[i], ms[0])...), o.bytes.median/files[0].bytes.median)...)
	}
	return nil
}

func (b *bench) open(p point) (o *opened, err error) {
	o = &opened{point: p}
	if o.reader, err = store.Open(context.Background(), p.file, store.ReadOptions{}); err != nil {
		return nil, err
	}
	if err := b.look(o); err != nil {
		o.reader.Close()
		return nil, err
	}
	return o, nil
}

// look picks windows and sees what is in them.
func (b *bench) look(o *opened) error {
	pick, err := newPicker(o.reader)
	if err != nil {
		return err
	}
	if o.windows, err = pick.ofCalls(b.windows, windowCalls, 0, 1); err != nil {
		return err
	}
	calls, err := tryEach(o.windows, func(w window) (float64, error) { return countCalls(o.reader, w) })
	if err != nil {
		return err
	}
	bytes, err := tryEach(o.windows[:min(coldWindows, len(o.windows))], func(w window) (float64, error) {
		c, err := readCold(o.file, w)
		return c.window, err
	})
	if err != nil {
		return err
	}
	o.counts, o.bytes = spreadOf(calls), spreadOf(bytes)
	return nil
}

func (o *opened) contender() contender[timed] {
	return contender[timed]{o.name, func(turn int) (timed, error) {
		runtime.GOMAXPROCS(o.cores)
		begin := time.Now()
		_, err := countCalls(o.reader, o.windows[turn%len(o.windows)])
		return timed{ms: milliseconds(begin)}, err
	}}
}
