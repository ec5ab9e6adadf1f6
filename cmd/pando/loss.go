package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/trace"
)

// lossFlags say how far what is written may be from what was read.
type lossFlags struct {
	name     string // of the flag with times
	times    string
	counters []string
	bounds   []edit.CounterBound
}

func (v *lossFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	v.name = "max-error"
	f.StringVar(&v.times, "max-error", "", "leave out what is finer than `TIME` of all times (1us), for a smaller file")
	f.StringArrayVar(&v.counters, "max-counter", nil, "leave out what is finer than V of the values of a counter (`NAME=V`)")
	verb.CompleteFixed(cmd, "max-error", nil)
	verb.CompleteFixed(cmd, "max-counter", nil)
}

// check reads the flags as far as no trace is needed for it.
func (v *lossFlags) check() error {
	if v.times != "" {
		if _, err := v.ticks(1e9); err != nil {
			return err
		}
	}
	for _, text := range v.counters {
		at := strings.LastIndexByte(text, '=')
		n, err := strconv.ParseUint(text[at+1:], 10, 58)
		if at < 1 || err != nil || n == 0 {
			return verb.Usagef("--max-counter %s: write NAME=V, where V is a whole number of 1 or more", text)
		}
		v.bounds = append(v.bounds, edit.CounterBound{Name: text[:at], Bound: n})
	}
	return nil
}

// ticks returns the largest error of times in ticks of a clock, rounded down.
func (v *lossFlags) ticks(resolution uint64) (uint64, error) {
	if strings.HasSuffix(v.times, "%") {
		return 0, verb.Usagef("--%s %s: times have absolute bounds only (1us). A share of each duration saves hardly anything, since the bits are in short ones, "+
			"and either times drift apart or messages arrive before they are sent; --max-counter bounds counters", v.name, v.times)
	}
	axis := trace.NewTimeAxis(0, 0, resolution)
	n, err := axis.ParseBound(v.times)
	if err != nil {
		return 0, verb.Usage(fmt.Errorf("--%s: %w", v.name, err))
	}
	if n > trace.MaxCell/2 {
		return 0, verb.Usagef("--%s %s: more than 2^59 ticks", v.name, v.times)
	}
	return uint64(max(n, 0)), nil
}

// coarsen returns the trace within the bounds: itself if there are none.
func (v *lossFlags) coarsen(t *convert.Trace) *convert.Trace {
	if v.times == "" && v.bounds == nil {
		return t
	}
	return t.Coarsen(v.of)
}

// of returns the bounds for a trace.
func (v *lossFlags) of(m *trace.Meta) (b edit.Bounds, err error) {
	b.Counters = v.bounds
	if v.times == "" {
		return b, nil
	}
	resolution := max(m.Resolution, 1)
	if b.Times, err = v.ticks(resolution); err == nil && b.Times == 0 {
		err = verb.Usagef("--max-error %s is less than a tick of the clock, which has %d per second: nothing can be left out", v.times, resolution)
	}
	return b, err
}
