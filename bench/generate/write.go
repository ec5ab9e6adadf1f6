package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pandotrace/pando/internal/heap"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// write writes a trace to a file and prints what became of it.
func write(src trace.Source, path string, out, progress io.Writer) error {
	heap.Within(store.DefaultMemory) // as a conversion does, so that memory and time are those of one
	begin := time.Now()
	w, err := store.Create(context.Background(), path, src.Meta(), store.Options{})
	if err != nil {
		return err
	}
	line := line{out: progress, total: promised(src), begin: begin, next: begin.Add(time.Second)}
	if err = store.Copy(context.Background(), w, src, line.set); err == nil {
		err = w.Close()
	}
	line.end()
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return summarize(path, time.Since(begin), out)
}

// promised returns the number of events that a source says it has.
func promised(src trace.Source) (n uint64) {
	for _, s := range src.Streams() {
		n += s.Records
	}
	return n
}

func summarize(path string, took time.Duration, out io.Writer) error {
	r, err := store.Open(context.Background(), path, store.ReadOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	i := r.Info()
	seconds := took.Seconds()
	fmt.Fprintf(out, "events: %d on %d locations, %d calls, %d messages\n", i.Events, i.Locations, i.Calls, i.Messages)
	fmt.Fprintf(out, "size:   %d bytes, %.3f bits per event\n", i.FileBytes, 8*float64(i.FileBytes)/float64(max(1, i.Events)))
	fmt.Fprintf(out, "time:   %.1f s, %.2f M events/s\n", seconds, float64(i.Events)/seconds/1e6)
	return nil
}

// line is a line that shows the progress, once a second.
type line struct {
	out         io.Writer
	total       uint64
	begin, next time.Time
	shown       bool
}

func (l *line) set(done, _ int64) {
	events := uint64(done)
	now := time.Now()
	if now.Before(l.next) {
		return
	}
	l.next = now.Add(time.Second)
	l.shown = true
	speed := float64(events) / now.Sub(l.begin).Seconds()
	if l.total == 0 { // the source does not say how many there will be
		fmt.Fprintf(l.out, "\r%.1f M events, %.2f M events/s  ", float64(events)/1e6, speed/1e6)
		return
	}
	left := time.Duration(float64(l.total-min(events, l.total)) / max(speed, 1) * float64(time.Second))
	fmt.Fprintf(l.out, "\r%5.1f %%, %.2f M events/s, %v left  ", 100*float64(events)/float64(l.total), speed/1e6, left.Round(time.Second))
}

// end ends the line.
func (l *line) end() {
	if l.shown {
		fmt.Fprintln(l.out)
	}
}
