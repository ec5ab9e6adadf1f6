// Command generate makes large Pando files for measurements: out of a real trace, which is repeated and copied with other
// times, or of an extreme kind.
//
//	go run ./bench/generate -base traces.otf2 -events 1e8 -ranks 64 -out large.pando
//	go run ./bench/generate -extreme open-calls -events 1e7 -out open.pando
//
// Traces with many definitions are made as text, for a converter to read.
//
//	go run ./bench/generate -text names -events 1e6 -out names.json
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracegen/scale"
	"github.com/pandotrace/pando/trace"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// order is what the command line asks for.
type order struct {
	base, extreme, text, wordy, out string
	ring, refinement                bool
	counted                         bool // -events is given
	events                          float64
	ranks, depth                    int
	seed                            uint64
}

func run(args []string, out, progress io.Writer) error {
	var o order
	f := flag.NewFlagSet("generate", flag.ContinueOnError)
	f.SetOutput(progress)
	f.StringVar(&o.base, "base", "", "a trace of any known format, to be repeated")
	f.StringVar(&o.extreme, "extreme", "", "a kind of extreme trace:\n"+extremes())
	f.StringVar(&o.text, "text", "", "a trace of many definitions, as Chrome's trace events:\n"+listed())
	f.StringVar(&o.wordy, "wordy", "", "a trace that is mostly definitions and texts, -events of them or the usual number:\n"+wordies())
	f.BoolVar(&o.ring, "ring", false, "a regular program: messages to neighbours, collective operations, a counter")
	f.BoolVar(&o.refinement, "refinement", false, "an irregular program: no two ranks have the same calls")
	f.Float64Var(&o.events, "events", 1e6, "about so many events")
	f.IntVar(&o.ranks, "ranks", 0, "processes: at least so many, in copies of the base's; or so many of another trace (default: the usual)")
	f.IntVar(&o.depth, "depth", 0, "depth of calls of an extreme trace (default: the usual)")
	f.Uint64Var(&o.seed, "seed", 1, "equal seeds make equal traces")
	f.StringVar(&o.out, "out", "", "the file to be written")
	if err := f.Parse(args); err != nil {
		return err
	}
	f.Visit(func(f *flag.Flag) { o.counted = o.counted || f.Name == "events" })
	if o.kinds() != 1 || o.out == "" || f.NArg() > 0 || o.events < 1 || o.events > 1e15 {
		return errors.New("give -out, -events of 1 to 1e15, and one of -base, -extreme, -text, -wordy, -ring and -refinement; -help lists the flags")
	}
	if o.text != "" {
		return writeText(o.text, uint64(o.events), o.out)
	}
	src, err := o.source(out)
	if err != nil {
		return err
	}
	return write(src, o.out, out, progress)
}

// kinds returns the number of flags that choose a kind of trace.
func (o *order) kinds() (n int) {
	for _, asked := range []bool{o.base != "", o.extreme != "", o.text != "", o.wordy != "", o.ring, o.refinement} {
		if asked {
			n++
		}
	}
	return n
}

func extremes() string {
	var b strings.Builder
	for _, e := range tracegen.Extremes() {
		fmt.Fprintf(&b, "%s: %s\n", e.Name, e.What)
	}
	return b.String()
}

func wordies() string {
	var b strings.Builder
	for _, w := range tracegen.Wordies() {
		fmt.Fprintf(&b, "%s: %s (%d)\n", w.Name, w.What, w.Usual)
	}
	return b.String()
}

// source returns the trace that the flags choose.
func (o *order) source(out io.Writer) (trace.Source, error) {
	if o.base != "" {
		return o.scaled(out)
	}
	if o.ring {
		ranks := cmp.Or(o.ranks, ringRanks)
		return tracegen.Ring(ranks, max(1, int(o.events)/ranks/ringEvents), o.seed), nil
	}
	if o.refinement {
		ranks := cmp.Or(o.ranks, ringRanks)
		return tracegen.Refinement(ranks, max(1, int(o.events)/ranks/2), o.seed), nil
	}
	for _, w := range tracegen.Wordies() {
		if w.Name != o.wordy {
			continue
		}
		if o.counted {
			return w.Trace(int(o.events), o.seed), nil
		}
		return w.Trace(0, o.seed), nil
	}
	if o.wordy != "" {
		return nil, fmt.Errorf("%s is no kind of trace with many definitions; there are\n%s", o.wordy, wordies())
	}
	for _, e := range tracegen.Extremes() {
		if e.Name == o.extreme {
			return e.Trace(o.ranks, o.depth, uint64(o.events), o.seed), nil
		}
	}
	return nil, fmt.Errorf("%s is no kind of extreme trace; there are\n%s", o.extreme, extremes())
}

// Defaults of a ring: its ranks, and the events of a rank in an iteration.
const ringRanks, ringEvents = 64, 30

// scaled records the base and says how it is played.
func (o *order) scaled(out io.Writer) (trace.Source, error) {
	src, err := convert.Open(context.Background(), o.base, convert.Options{})
	if err != nil {
		return nil, err
	}
	base, err := scale.Record(src)
	if err := errors.Join(err, src.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", o.base, err)
	}
	processes := base.Processes()
	copies := max(1, (o.ranks+processes-1)/processes)
	repetitions := base.Repetitions(uint64(o.events), copies)
	p := base.Parts()
	fmt.Fprintf(out, "base:   %d events before the body, %d in it, %d after it\n", p.Head, p.Body, p.Tail)
	fmt.Fprintf(out, "played: %d times the body, %d copies of %d processes\n", repetitions, copies, processes)
	return base.Play(scale.Options{Repetitions: repetitions, Copies: copies, Seed: o.seed})
}
