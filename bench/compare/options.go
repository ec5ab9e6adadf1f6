package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// options are what the command line asks for.
type options struct {
	sections  []string
	rounds    int       // how often each contender does its work
	windows   int       // of each length
	threads   int       // of Pando and DuckDB
	calls     []float64 // in a window, about
	events    []float64 // of generated traces
	locations []float64 // of generated traces
	base      string    // what generated traces are made of
	profile   string    // that our programs are compiled by; empty for none
	full      bool
	keep, out string
	traces    []string
}

func parse(args []string, usage io.Writer) (o options, err error) {
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(usage)
	f.Usage = func() {
		fmt.Fprintf(usage, `Usage: compare [flags] [trace ...]

Traces are paths, or names of archives below $PANDO_TRACES or of those that come with the source.
Without any, all OTF2 archives there are taken.

`)
		f.PrintDefaults()
	}
	o = options{
		sections: sectionNames(), calls: []float64{1e4, 15e4, 15e5},
		events: []float64{1e6, 1e7, 1e8}, locations: []float64{8, 100, 1000, 10_000},
	}
	f.Func("section", "only these `sections`, separated by commas: "+strings.Join(o.sections, ", "), o.setSections)
	f.Func("calls", "`numbers` of calls in a window, about (default 10000,150000,1500000)", numbers(&o.calls))
	f.Func("events", "`numbers` of events of generated traces (default 1e6,1e7,1e8)", numbers(&o.events))
	f.Func("locations", "`numbers` of locations of generated traces (default 8,100,1000,10000)", numbers(&o.locations))
	f.IntVar(&o.rounds, "rounds", 5, "how often each program does the same work, in turns")
	f.IntVar(&o.windows, "windows", 200, "random windows of each length")
	f.IntVar(&o.threads, "threads", 2, "threads of Pando and of DuckDB")
	f.StringVar(&o.base, "base", "otf2.mg.S.8.snapmark", "the `trace` that generated traces repeat")
	f.StringVar(&o.profile, "profile", "bench/release.pgo", "the `profile` by which our programs are compiled, as releases are; empty for none")
	f.BoolVar(&o.full, "full", false, "xz for large archives, too")
	huge := f.Bool("huge", false, "1e9 generated events, too")
	f.StringVar(&o.keep, "work", "", "`folder` for what is prepared, to be kept (default: a temporary one)")
	f.StringVar(&o.out, "out", "", "write the report to this `file`, too")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.rounds < 1 || o.windows < 1 || o.threads < 1 {
		return o, errors.New("-rounds, -windows and -threads must be at least 1")
	}
	if *huge {
		o.events = append(o.events, 1e9)
	}
	o.traces = f.Args()
	return o, nil
}

func sectionNames() (names []string) {
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

func (o *options) wants(section string) bool { return slices.Contains(o.sections, section) }

func (o *options) setSections(list string) error {
	o.sections = strings.Split(list, ",")
	for _, s := range o.sections {
		if !slices.Contains(sectionNames(), s) {
			return fmt.Errorf("there is no section %q", s)
		}
	}
	return nil
}

// numbers returns what reads a list of whole numbers of at least one.
func numbers(into *[]float64) func(string) error {
	return func(list string) error {
		*into = nil
		for text := range strings.SplitSeq(list, ",") {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil || n < 1 || n > 1e12 || n != math.Trunc(n) {
				return fmt.Errorf("%q is no number from 1 to 1e12", text)
			}
			*into = append(*into, n)
		}
		return nil
	}
}
