package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/pandotrace/pando/record"
)

// sample is what a batch took, in nanoseconds of an event.
type sample struct{ processor, wall float64 }

// percentiles are the median and the 99th percentile, of both times.
func percentiles(list []sample) string {
	text := ""
	for _, of := range []func(sample) float64{func(s sample) float64 { return s.processor }, func(s sample) float64 { return s.wall }} {
		v := make([]float64, len(list))
		for i, s := range list {
			v[i] = of(s)
		}
		slices.Sort(v)
		text += fmt.Sprintf(" %.1f | %.1f |", v[len(v)/2], v[len(v)*99/100])
	}
	return text
}

// budgets are those in which costs are measured.
var budgets = []struct {
	name  string
	bytes int
}{{"never full", 512 << 20}, {"8 MiB, by duration", 8 << 20}}

// costs prints what an Enter or a Leave costs.
func costs(ctx context.Context, o *order, out io.Writer) error {
	program, err := o.built(ctx, "batches", "-lopen-trace-format2")
	if err != nil {
		if program, err = o.built(ctx, "batches", "-lotf2"); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nNanoseconds for an Enter or a Leave, of %d batches of 16,800 events each; C and OTF2 in turns:\n\n", o.batches)
	fmt.Fprint(out, "| | processor, p50 | p99 | wall, p50 | p99 |\n|---|---|---|---|---|\n")
	for given, clock := range []string{"with clock", "time given"} {
		for _, b := range budgets {
			text, err := o.recorded(ctx, []string{fmt.Sprint("PANDO_BUDGET=", b.bytes)}, program, fmt.Sprint(o.batches), fmt.Sprint(given))
			if err != nil {
				return err
			}
			samples, err := parse(text)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "| C, %s, %s |%s\n| OTF2's writer, %s, between them |%s\n", clock, b.name, percentiles(samples["pando"]), clock, percentiles(samples["otf2"]))
		}
	}
	for given, clock := range []string{"with clock", "time given"} {
		for _, b := range budgets {
			if err := costsInGo(o, out, given > 0, clock, b.name, b.bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// parse reads what batches printed.
func parse(text string) (map[string][]sample, error) {
	_, text, ok := strings.Cut(text, "begin\n")
	if !ok {
		return nil, errors.New("batches measured nothing")
	}
	list := map[string][]sample{}
	for line := range strings.Lines(text) {
		var name string
		var s sample
		if _, err := fmt.Sscan(line, &name, &s.processor, &s.wall); err != nil {
			return nil, fmt.Errorf("batches printed %q: %w", line, err)
		}
		list[name] = append(list[name], s)
	}
	return list, nil
}

const (
	rounds = 400
	events = 42 * rounds
)

// costsInGo measures package record, then runtime/trace.
func costsInGo(o *order, out io.Writer, given bool, clock, name string, budget int) error {
	dir, err := os.MkdirTemp(o.work, "go")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := record.Start(dir, record.Options{Budget: budget, Prefault: true})
	if err != nil {
		return err
	}
	defer r.Close()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	l, regions := r.Location("main"), [3]record.Region{r.Region("first"), r.Region("second"), r.Region("third")}
	at := uint64(1) << 40
	ours := func() sample {
		if given {
			return measure(func() { at = batchAt(l, &regions, at) })
		}
		return measure(func() { batch(l, &regions) })
	}
	const warm = 3
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range warm {
		ours()
	}
	runtime.ReadMemStats(&after)
	var samples, theirs []sample
	for range o.batches {
		samples = append(samples, ours())
	}
	fmt.Fprintf(out, "| Go, %s, %s; %.4f allocations |%s\n", clock, name, float64(after.Mallocs-before.Mallocs)/(warm*events), percentiles(samples))
	if given {
		return nil
	}
	// Not in turns: the collector of garbage that regions of runtime/trace start would go on in batches of ours.
	if err := trace.Start(io.Discard); err != nil {
		return err
	}
	defer trace.Stop()
	for range o.batches {
		theirs = append(theirs, measure(regionsOfRuntime))
	}
	fmt.Fprintf(out, "| `runtime/trace`, half of a region, after them |%s\n", percentiles(theirs))
	return nil
}

func measure(do func()) sample {
	processor, begin := threadTime(), time.Now()
	do()
	wall := time.Since(begin)
	return sample{float64(threadTime()-processor) / events, float64(wall) / events}
}

// threadTime is the processor time of this thread, in nanoseconds.
func threadTime() int64 {
	const clockOfThread = 3
	var t syscall.Timespec
	_, _, _ = syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockOfThread, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

func batch(l *record.Location, r *[3]record.Region) {
	for range rounds {
		l.Enter(r[0])
		for range 4 {
			l.Enter(r[1])
			for range 4 {
				l.Enter(r[2])
				l.Leave()
			}
			l.Leave()
		}
		l.Leave()
	}
}

func batchAt(l *record.Location, r *[3]record.Region, t uint64) uint64 {
	for range rounds {
		l.EnterAt(r[0], t)
		for range 4 {
			l.EnterAt(r[1], t+20)
			for range 4 {
				l.EnterAt(r[2], t+50)
				t += 90
				l.LeaveAt(t)
			}
			t += 40
			l.LeaveAt(t)
		}
		l.LeaveAt(t + 30)
		t += 60
	}
	return t
}

func regionsOfRuntime() {
	for range events / 2 {
		trace.StartRegion(context.Background(), "region").End()
	}
}

// stalls prints the longest time of an event in which calls were given up.
func stalls(ctx context.Context, o *order, out io.Writer) error {
	program, err := o.built(ctx, "batches", "-lopen-trace-format2")
	if err != nil {
		return err
	}
	text, err := o.recorded(ctx, []string{"PANDO_BUDGET=64M"}, program, "stall", fmt.Sprint(o.calls))
	if err != nil {
		return err
	}
	var longest, reductions int
	if _, err := fmt.Sscan(text, &longest, &reductions); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nC, %d calls in 64 MiB by duration: %d reductions, the longest event among them took %d ns.\n", o.calls, reductions, longest)
	s, err := stallsInGo(o)
	fmt.Fprintf(out, "\nGo, the same: %d reductions, the longest event among them took %d ns; the 42 events around one took %d ns of processor time at most.\n", s.reductions, s.longest, s.processor)
	return err
}

// stalled is what reductions took, in nanoseconds: the longest event in which there was one, and the most processor time of the 42 events around one. What the event took besides, the thread
// was not running.
type stalled struct{ reductions, longest, processor int }

func stallsInGo(o *order) (s stalled, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	dir, err := os.MkdirTemp(o.work, "go")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	r, err := record.Start(dir, record.Options{Budget: 64 << 20, Prefault: true})
	if err != nil {
		return s, err
	}
	defer r.Close()
	l, regions := r.Location("main"), [3]record.Region{r.Region("first"), r.Region("second"), r.Region("third")}
	depth, given := 0, false
	step := func(enter bool) {
		begin := time.Now()
		if enter {
			l.Enter(regions[depth])
			depth++
		} else {
			depth--
			l.Leave()
		}
		took := time.Since(begin)
		if g := r.GivenUp(); g.Reductions > s.reductions {
			s.longest, s.reductions, given = max(s.longest, int(took)), g.Reductions, true
		}
	}
	for n := 0; n < o.calls; n += 21 {
		before := threadTime()
		step(true)
		for range 4 {
			step(true)
			for range 4 {
				step(true)
				step(false)
			}
			step(false)
		}
		step(false)
		if given {
			s.processor, given = max(s.processor, int(threadTime()-before)), false
		}
	}
	return s, nil
}
