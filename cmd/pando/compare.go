package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/stacks"
)

// compareVerb compares the calls of two runs and their times.
type compareVerb struct {
	answering
	selection
	flags         comparison.Flags
	bases         []string
	ranks, memory string
	strict        bool
	limit         int
	opt           contrast.Options
	checks        []contrast.Limit
	notes         io.Writer // for what is inconclusive
}

func newCompare() *cobra.Command {
	v := &compareVerb{}
	cmd := &cobra.Command{
		Use:   "compare A [B]",
		Short: "Find which calls of two runs differ, where, and how much time that cost",
		Long: `Compare two runs of a program: pair the calls of each location of A with those of its partner in B by
their structure, compare the times of each pair, and tell which regions became slower or faster, on
which locations, and from which call on. What differs no more than noise does is not told. Time in
communication and waiting is listed apart: it follows from the rest as a rule.

Calls that one side alone has are listed with their regions. Regions that one side alone has and that
stand around calls of the other side (a new wrapper, a function that was inlined) are transparent, and
so are those of --through. A call directly inside of one of the same region counts as one behind it:
the shape of a recursion follows its data (--nested leaves it).

With one file, compare two windows of it (--from a:0%,b:50% --to a:50%,b:100%), or locations of it
with each other (--ranks 0,5). With --base, B is compared with several runs, and limits count
for the median of these.`,
		Example: `  pando compare monday.pando tuesday.pando
  pando compare run.pando --ranks 0,5
  pando compare run.pando --from a:0%,b:50% --to a:50%,b:100%
  pando compare a.pando b.pando --fail-if 'time 5%' --fail-if 'region solve 10%'
  pando compare a.pando b.pando -o d.folded && flamegraph.pl d.folded > d.svg
  pando compare a.pando b.pando --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return arguments("A", "B")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			v.notes = cmd.ErrOrStderr()
			return v.run(cmd.OutOrStdout(), args)
		},
	}
	f := cmd.Flags()
	v.addWindow(cmd)
	v.addLocations(cmd)
	f.StringVar(&v.ranks, "ranks", "", "compare locations of one file: two `RANKS`, separated by a comma")
	f.StringVar(&v.flags.Match, "match", "rank", "which locations belong together: by `WAY` "+outputs.Listed(contrast.Matches()))
	f.StringVar(&v.flags.Level, "level", "tree", "how calls are aligned: "+outputs.Listed(comparison.Levels()))
	f.StringArrayVar(&v.bases, "base", nil, "another `FILE` that B is compared with")
	f.StringArrayVar(&v.flags.Through, "through", nil, "make a `REGION` transparent: what it calls stands in its place")
	f.StringArrayVar(&v.flags.Rename, "rename", nil, "give a region another name: `OLD=NEW`")
	f.StringArrayVar(&v.flags.Counters, "counter", nil, "compare the growth of this `COUNTER` in calls, too")
	f.BoolVar(&v.flags.Nested, "nested", false, "leave recursions as they are")
	f.BoolVar(&v.flags.Structure, "structure", false, "compare no times")
	f.StringArrayVar(&v.flags.Limits, "fail-if", nil, "exit with 1 beyond a `LIMIT`: 'time 5%', 'region NAME 10%', 'structure 0.99'")
	f.BoolVar(&v.strict, "strict", false, "exit with 1 if a limit is inconclusive, too")
	f.IntVar(&v.limit, "limit", 0, "tell about at most `N` regions")
	f.StringVar(&v.memory, "memory", "", "take about `SIZE` of memory (default 256MiB)")
	v.addAnswer(cmd, "print the outcome as JSON", slices.Concat([]outputs.Format{textFormat}, comparedStacks(), []outputs.Format{jsonFormat})...)
	completeFixed(cmd, "match", contrast.Matches())
	completeFixed(cmd, "level", comparison.Levels())
	for _, flag := range []string{"ranks", "through", "rename", "counter", "fail-if", "limit", "memory"} {
		completeFixed(cmd, flag, nil)
	}
	completeTraces(cmd)
	return cmd
}

// comparedStacks are the formats of call trees that have room for two runs.
func comparedStacks() []outputs.Format {
	return slices.DeleteFunc(stackFormats(), func(f outputs.Format) bool { return f.Name == svgFormat.Name })
}

func (v *compareVerb) run(out io.Writer, args []string) error {
	if err := v.check(args); err != nil {
		return err
	}
	all, err := v.compare(args)
	if err != nil {
		return err
	}
	r := comparison.New(all...)
	r.Limit(v.limit)
	if err := v.tell(out, r); err != nil {
		return err
	}
	return v.judge(all)
}

// check reads the flags.
func (v *compareVerb) check(args []string) (err error) {
	if err := v.choose(); err != nil {
		return err
	}
	if v.limit < 0 {
		return usagef("--limit %d is negative", v.limit)
	}
	if len(args) == 1 && v.ranks == "" && v.from+v.to == "" {
		return usagef("missing B, or --ranks, or two windows: --from a:TIME,b:TIME")
	}
	if v.opt, v.checks, err = v.flags.Parse(); err != nil {
		return usageError{err}
	}
	if v.memory != "" {
		if v.opt.Memory, err = memorySize(v.memory); err != nil {
			return err
		}
	}
	return nil
}

// compare compares the last file with the first one and with those of --base.
func (v *compareVerb) compare(args []string) (all []*contrast.Comparison, err error) {
	ctx, stop := interruptible()
	defer stop()
	last := args[len(args)-1]
	for _, base := range append([]string{args[0]}, v.bases...) {
		c, err := v.pair(ctx, base, last)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// pair compares two files.
func (v *compareVerb) pair(ctx context.Context, pathA, pathB string) (c *contrast.Comparison, err error) {
	opt := v.opt
	var sides [2]contrast.Side
	var files [2]*report.Trace
	for i, path := range []string{pathA, pathB} {
		own := v.selection
		own.from, own.to = comparison.PartOf(v.from, i), comparison.PartOf(v.to, i)
		f, w, err := own.open(path)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		files[i], sides[i] = f, contrast.Side{Name: path, Reader: f.Reader, Window: w}
	}
	if v.ranks != "" {
		if opt.Pairs, err = v.rankPairs(files); err != nil {
			return nil, err
		}
		for i := range sides {
			sides[i].Window = sides[i].Window.WithLocations(opt.Pairs[0][i])
		}
	}
	bar := progress.New("comparing", "events", 2*int64(files[0].Info().Events+files[1].Info().Events))
	defer bar.Done()
	opt.Progress = bar.Report
	return contrast.Compare(ctx, sides[0], sides[1], opt)
}

// rankPairs returns the pair of locations that --ranks names.
func (v *compareVerb) rankPairs(files [2]*report.Trace) ([][2]uint64, error) {
	names := strings.Split(v.ranks, ",")
	if len(names) != 2 {
		return nil, usagef("--ranks %s is not two ranks", v.ranks)
	}
	var pair [2]uint64
	for i, name := range names {
		name = strings.TrimSpace(name)
		if strings.Trim(name, "0123456789") == "" {
			name = "rank " + name
		}
		ids, err := files[i].FindLocations([]string{name})
		if err != nil {
			return nil, usageError{err}
		}
		if len(ids) != 1 {
			return nil, usagef("--ranks: %s are %d locations; name one of them, as in 'rank 0 thread 1'", name, len(ids))
		}
		pair[i] = ids[0]
	}
	return [][2]uint64{pair}, nil
}

// tell writes the outcome.
func (v *compareVerb) tell(out io.Writer, r *comparison.Report) error {
	f, ok := stacks.FormatNamed(v.chosen.Name)
	if ok {
		if v.flags.Structure {
			return usagef("--structure compares no times, which a file of format %s has", f.Name)
		}
		if v.output == "" || v.output == outputs.Standard {
			if err := outputs.CheckShown(out, v.chosen); err != nil {
				return usageError{err}
			}
		}
	}
	return v.print(out, func(_ context.Context, w *bufio.Writer) error {
		switch {
		case ok && f.Name == "folded":
			return stacks.WriteFoldedColumns(w, r.Stacks(), 0, 1)
		case ok:
			return f.Write(w, r.Stacks())
		}
		return r.Write(w, v.format)
	})
}

// judge holds the comparisons against the limits.
func (v *compareVerb) judge(all []*contrast.Comparison) error {
	var failed []error
	for _, l := range v.checks {
		verdict := l.Check(all)
		text := comparison.VerdictText(&verdict)
		switch {
		case verdict.Outcome == contrast.Beyond, verdict.Outcome == contrast.Inconclusive && v.strict:
			failed = append(failed, errors.New(text))
		case verdict.Outcome == contrast.Inconclusive:
			fmt.Fprintln(v.notes, "pando:", oneLine(errors.New(text)))
		}
	}
	return errors.Join(failed...)
}
