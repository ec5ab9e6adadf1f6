package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/bounds"
	"github.com/pandotrace/pando/trace"
)

// lossFlags say how far what is written may be from what was read.
type lossFlags struct {
	name     string // of the flag with times
	times    string
	counters []string
	bounds   []edit.CounterBound
	relative string
	share    float64 // of the median step of a counter, 0 for none
	budget   string
	bytes    int64 // of the budget, 0 if there is none
	dryRun   bool
}

func (v *lossFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	v.name = "max-error"
	f.StringVar(&v.times, "max-error", "", "leave out what is finer than `TIME` of all times (1us), for a smaller file")
	f.StringArrayVar(&v.counters, "max-counter", nil, "leave out what is finer than V of the values of a counter (`NAME=V`)")
	f.StringVar(&v.relative, "max-relative", "", "leave out what is finer than this `SHARE` (5%) of the median step of each counter")
	f.StringVar(&v.budget, "budget", "", "leave out of all times what it takes to have a Pando file of at most `SIZE` (10MB)")
	f.BoolVar(&v.dryRun, "dry-run", false, "write nothing: tell how large the Pando file would be with some bounds of times; OUT may be left out")
	for _, flag := range []string{"max-error", "max-counter", "max-relative", "budget"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
}

// check reads the flags as far as no trace is needed for it.
func (v *lossFlags) check() error {
	if v.times != "" {
		if _, err := v.ticks(1e9); err != nil {
			return err
		}
	}
	if err := v.checkBudget(); err != nil {
		return err
	}
	if err := v.checkRelative(); err != nil {
		return err
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

// checkBudget reads the budget.
func (v *lossFlags) checkBudget() (err error) {
	switch {
	case v.budget == "":
		return nil
	case v.times != "":
		return verb.Usagef("--budget finds a bound, and --max-error says one: give either")
	}
	if v.bytes, err = verb.ByteSize(v.budget); err == nil && v.bytes == 0 {
		err = verb.Usagef("--budget %s: no file is that small", v.budget)
	}
	return err
}

// checkRelative reads the share.
func (v *lossFlags) checkRelative() error {
	if v.relative == "" {
		return nil
	}
	text, ok := strings.CutSuffix(v.relative, "%")
	share, err := strconv.ParseFloat(text, 64)
	if v.share = share / 100; !ok || err != nil || !(share > 0 && share <= 100) {
		return verb.Usagef("--max-relative %s: write a share of the steps of counters, up to 100%% (5%%). Times have no relative bounds, %s; --max-error bounds them", v.relative, noShare)
	}
	return nil
}

// noShare says why times have no relative bounds.
const noShare = "since a share of each duration saves hardly anything: the bits are in short ones, and either times drift apart or messages arrive before they are sent"

// resolve finds the bounds of the counters of a trace that are a share of their steps.
func (v *lossFlags) resolve(ctx context.Context, t *convert.Trace) error {
	if v.share == 0 {
		return nil
	}
	src, err := t.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	found, err := edit.RelativeBounds(ctx, src, v.share)
	for _, b := range found {
		if !slices.ContainsFunc(v.bounds, func(o edit.CounterBound) bool { return o.Name == b.Name }) {
			v.bounds = append(v.bounds, b)
		}
	}
	if err == nil && len(found) == 0 && v.times == "" && v.bytes == 0 && len(v.bounds) == 0 {
		err = verb.Usagef("--max-relative %s: the trace has no counter of which that leaves anything out", v.relative)
	}
	return err
}

// ticks returns the largest error of times in ticks of a clock, rounded down.
func (v *lossFlags) ticks(resolution uint64) (uint64, error) {
	if strings.HasSuffix(v.times, "%") {
		return 0, verb.Usagef("--%s %s: times have absolute bounds only (1us), %s; --max-relative bounds counters", v.name, v.times, noShare)
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

// coarsen returns the trace within the bounds: itself if there are none. With a budget, trials look for the bound.
func (v *lossFlags) coarsen(ctx context.Context, t *convert.Trace, opt convert.WriteOptions) (*convert.Trace, error) {
	if err := v.resolve(ctx, t); err != nil {
		return nil, err
	}
	if v.bytes > 0 {
		trials, err := convert.NewTrials(ctx, t, v.bounds, opt)
		if err != nil {
			return nil, err
		}
		bound, err := trials.Fit(v.bytes)
		return trials.Coarse(bound), v.explained(err)
	}
	if v.times == "" && v.bounds == nil {
		return t, nil
	}
	return t.Coarsen(v.of), nil
}

// explained says of which flag an error is.
func (v *lossFlags) explained(err error) error {
	var floor *convert.FloorError
	if errors.As(err, &floor) {
		return fmt.Errorf("--budget %s: %s", v.budget, bounds.FloorText(floor))
	}
	return err
}

// foreseen are bounds of times that a dry run tries, in nanoseconds.
var foreseen = []uint64{100, 1_000, 10_000, 100_000, 1_000_000}

// foresee tells how large the file would be with some bounds, and with that of the flags.
func (v *lossFlags) foresee(ctx context.Context, t *convert.Trace, opt convert.WriteOptions) (*bounds.Foreseen, error) {
	if err := v.resolve(ctx, t); err != nil {
		return nil, err
	}
	trials, err := convert.NewTrials(ctx, t, v.bounds, opt)
	if err != nil {
		return nil, err
	}
	tried := []uint64{0}
	for _, ns := range foreseen {
		high, low := bits.Mul64(ns, trials.Resolution)
		if high < 1e9 {
			ticks, _ := bits.Div64(high, low, 1e9)
			tried = append(tried, ticks/trials.Unit*trials.Unit) // 0 if it leaves nothing out
		}
	}
	f := &bounds.Foreseen{}
	if v.times != "" {
		if f.Asked, err = v.ticks(trials.Resolution); err != nil {
			return nil, err
		}
		tried = append(tried, f.Asked)
	}
	if v.bytes > 0 {
		if f.Asked, err = trials.Fit(v.bytes); err != nil {
			return nil, v.explained(err)
		}
	}
	for _, b := range tried {
		if _, err := trials.Size(b); err != nil {
			return nil, err
		}
	}
	f.Add(trials)
	return f, nil
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

// unnested says in units of time which bounds would do, where that of --max-error is none for times that are coarse already.
func unnested(err error) error {
	nest, ok := errors.AsType[*edit.NestError](err)
	if !ok {
		return err
	}
	text := func(ticks uint64) string { return report.Duration(float64(ticks) / float64(max(nest.Resolution, 1))) }
	return verb.Usagef("--max-error: times are coarse already, and a bound of %s would cut their cells: %s or %s would do", text(nest.Bound), text(nest.Below), text(nest.Above))
}
