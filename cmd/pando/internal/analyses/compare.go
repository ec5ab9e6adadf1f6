package analyses

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/comparison/tables"
	"github.com/pandotrace/pando/internal/stacks"
	"github.com/pandotrace/pando/store"
)

// compareVerb compares the calls of two runs and their times.
type compareVerb struct {
	verb.Answering
	verb.Selection
	verb.Memory
	flags             comparison.Flags
	bases             []string
	ranks             string
	strict            bool
	limit             int
	opt               contrast.Options
	checks            []contrast.Limit
	notes             io.Writer // for what is inconclusive
	similarity, first bool
}

// NewCompare makes the verb compare.
func NewCompare() *cobra.Command {
	v := &compareVerb{}
	cmd := &cobra.Command{
		Use:   "compare A [B ...]",
		Short: "Find which calls of two runs differ, where, and how much time that cost",
		Long: `Compare two runs of a program: pair the calls of each location of A with those of its partner in B by
their structure, compare the times of each pair, and tell which regions became slower or faster, on
which locations, and from which call on. What differs no more than noise does is not told. Time in
communication and waiting is listed apart: it follows from the rest as a rule.

Calls that one side alone has are listed with their regions. Regions that one side alone has and that
stand around calls of the other side (a new wrapper, a function that was inlined) are transparent, and
so are those of --through. A call directly inside of one of the same region counts as one behind it:
the shape of a recursion follows its data (--nested leaves it).

With --with messages, each send and each receive is a call that takes no time, named by the distance
to its peer ("send to +1"): runs with the same calls but other messages differ then.

With one file, compare two windows of it (--from a:0%,b:50% --to a:50%,b:100%), or locations of it
with each other (--ranks 0,5). With --base, B is compared with several runs, and limits count
for the median of these. With more files, A is compared with each of the others, and a table of all
follows; limits hold for each.

-o NAME.png or NAME.svg draws both timelines and where they differ. --tables writes tables, as
pando export does: -o FOLDER --format parquet, or -o NAME.parquet for one (docs/tables.md). --similarity
tells how alike all pairs of locations are, as text, JSON or a picture; one file is enough.`,
		Example: `  pando compare monday.pando tuesday.pando
  pando compare monday.pando tuesday.pando wednesday.pando thursday.pando
  pando compare run.pando --ranks 0,5
  pando compare run.pando --from a:0%,b:50% --to a:50%,b:100%
  pando compare a.pando b.pando --fail-if 'time 5%' --fail-if 'region solve 10%'
  pando compare a.pando b.pando -o d.folded && flamegraph.pl d.folded > d.svg
  pando compare a.pando b.pando --json
  pando compare a.pando b.pando -o differences.png
  pando compare a.pando b.pando --tables aligned_calls -o calls.parquet
  pando compare run.pando --similarity -o alike.svg`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return verb.Arguments("A", "B")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			v.notes = cmd.ErrOrStderr()
			return v.run(cmd.OutOrStdout(), args)
		},
	}
	f := cmd.Flags()
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	f.StringVar(&v.ranks, "ranks", "", "compare locations of one file: two `RANKS`, separated by a comma")
	f.StringVar(&v.flags.Match, "match", "rank", "which locations belong together: by `WAY` "+outputs.Listed(contrast.Matches()))
	f.StringVar(&v.flags.Level, "level", "tree", "how calls are aligned: "+outputs.Listed(comparison.Levels()))
	f.StringArrayVar(&v.bases, "base", nil, "another `FILE` that B is compared with")
	f.StringArrayVar(&v.flags.Through, "through", nil, "make a `REGION` transparent: what it calls stands in its place")
	f.StringArrayVar(&v.flags.Rename, "rename", nil, "give a region another name: `OLD=NEW`")
	f.StringArrayVar(&v.flags.Counters, "counter", nil, "compare the growth of this `COUNTER` in calls, too")
	f.StringArrayVar(&v.flags.With, "with", nil, "compare `WHAT` beside calls: "+comparison.WithMessages)
	f.BoolVar(&v.flags.Nested, "nested", false, "leave recursions as they are")
	f.BoolVar(&v.flags.Structure, "structure", false, "compare no times")
	f.StringArrayVar(&v.flags.Limits, "fail-if", nil, "exit with 1 beyond a `LIMIT`: 'time 5%', 'region NAME 10%', 'structure 0.99'")
	f.BoolVar(&v.strict, "strict", false, "exit with 1 if a limit is inconclusive, too")
	f.IntVar(&v.limit, "limit", 0, "tell about at most `N` regions")
	f.BoolVar(&v.similarity, "similarity", false, "tell how alike the calls of all pairs of locations are: of A with B, or of A alone")
	f.BoolVar(&v.first, "first", false, "tell only where the calls of each location first differ, by hashes where files have them (convert --hashes)")
	v.AddMemory(cmd)
	v.AddAnswer(cmd, "print the outcome as JSON", comparedFormats()...)
	v.AddTables(cmd, "a comparison", tables.Names())
	verb.CompleteFixed(cmd, "match", contrast.Matches())
	verb.CompleteFixed(cmd, "level", comparison.Levels())
	verb.CompleteFixed(cmd, "with", []string{comparison.WithMessages})
	for _, flag := range []string{"ranks", "through", "rename", "counter", "fail-if", "limit"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteTraces(cmd)
	return cmd
}

func (v *compareVerb) run(out io.Writer, args []string) (err error) {
	if err := v.check(out, args); err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	var in verb.Inputs
	defer func() { err = errors.Join(err, in.Close()) }()
	sides, err := v.open(&in, args)
	if err != nil {
		return err
	}
	v.noteLeftOut(sides)
	if len(args) > 2 {
		return v.tellEach(ctx, out, sides)
	}
	if v.similarity {
		return v.tellLikeness(ctx, out, sides)
	}
	if v.first {
		return v.tellFirst(ctx, out, sides)
	}
	if len(args) == 1 && !v.apart() {
		return v.WriteTablesOf(ctx, out, tables.OfLikeness(ctx, v.alike(ctx, sides)).Set)
	}
	if v.IsPicture() {
		v.opt.Bins = comparison.PictureBins(verb.UsualPicture)
		if v.From+v.To == "" {
			if err := comparison.PictureSides(sides); err != nil {
				return err
			}
		}
	}
	all, err := v.compare(ctx, sides)
	if err != nil {
		return err
	}
	if err := v.tell(ctx, out, all, sides); err != nil {
		return err
	}
	failed, unsure := comparison.Judge(v.checks, all, v.strict)
	for _, text := range unsure {
		fmt.Fprintln(v.notes, "pando:", verb.OneLine(text))
	}
	return errors.Join(failed...)
}

// noteLeftOut tells that unlike calls were left out of two runs.
func (v *compareVerb) noteLeftOut(sides []contrast.Side) {
	first := report.LeftOut(sides[0].Reader.Meta())
	for _, s := range sides[1:] {
		if left := report.LeftOut(s.Reader.Meta()); left != first {
			fmt.Fprintf(v.notes, "pando: unlike calls were left out, and differences may be of that: of %s, %s; of %s, %s\n", sides[0].Name, first, s.Name, left)
		}
	}
}

// cacheShare is the part of the memory that is for decoded blocks of all files: each is read from begin to end, once for structure and once for times.
const cacheShare = 8

// apart reports whether the flags name two parts of one file.
func (v *compareVerb) apart() bool { return v.ranks+v.From+v.To != "" }

// check reads the flags.
func (v *compareVerb) check(out io.Writer, args []string) (err error) {
	if err := v.chooseOutput(out); err != nil {
		return err
	}
	if len(args) > 2 {
		if err := v.checkEach(); err != nil {
			return err
		}
	}
	alone := v.similarity || slices.Equal(v.Tables, []string{"similarity"})
	switch _, isStack := stacks.FormatNamed(v.Chosen.Name); {
	case v.limit < 0:
		return verb.Usagef("--limit %d is negative", v.limit)
	case v.first && (v.ranks != "" || v.flags.Limits != nil || v.Tables != nil || v.similarity || v.Chosen.Binary):
		return verb.Usagef("--first is of equal locations, as text or JSON")
	case v.first && v.flags.With != nil:
		return verb.Usagef("--first compares calls alone, without --with")
	case len(args) == 1 && !v.apart() && !alone:
		return verb.Usagef("missing B, or --ranks, or two windows: --from a:TIME,b:TIME")
	case v.similarity && (v.ranks != "" || v.flags.Limits != nil || v.bases != nil):
		return verb.Usagef("--similarity is of all locations: no --ranks, no --base, no --fail-if")
	case v.flags.Structure && (isStack && v.Tables == nil || v.IsPicture() && !v.similarity || tables.Timed(v.Tables)):
		return verb.Usagef("--structure compares no times, which this output has")
	}
	if v.opt, v.checks, err = v.flags.Parse(); err != nil {
		return verb.Usage(err)
	}
	if v.opt.Memory, err = v.Bytes(); err != nil {
		return err
	}
	v.Cache = store.NewCache(v.opt.Memory / cacheShare)
	return nil
}

// open opens the sides: A, those of --base, and all B, of which there is A again if none is named.
func (v *compareVerb) open(in *verb.Inputs, args []string) (sides []contrast.Side, err error) {
	paths := slices.Concat(args[:1], v.bases, args[1:])
	if len(args) == 1 && v.apart() {
		paths = append(paths, args[0])
	}
	for i, path := range paths {
		own, side := v.Selection, 0
		if i > len(v.bases) {
			side = 1
		}
		own.From, own.To = comparison.PartOf(v.From, side), comparison.PartOf(v.To, side)
		if err := in.Open(&own, path); err != nil {
			return nil, err
		}
		sides = append(sides, contrast.Side{Name: path, Reader: in.Traces[i].Reader, Window: in.Windows[i]})
	}
	if v.ranks != "" {
		if v.opt.Pairs, err = comparison.RankPairs(v.ranks, in.Traces[0], in.Traces[len(paths)-1]); err != nil {
			return nil, verb.Usage(err)
		}
		for i := range sides {
			sides[i].Window = sides[i].Window.WithLocations(v.opt.Pairs[0][min(1, i/max(1, len(sides)-1))])
		}
	}
	return sides, nil
}

// compare compares the last side with all others.
func (v *compareVerb) compare(ctx context.Context, sides []contrast.Side) (*contrast.Several, error) {
	opt := v.opt
	bases, b := sides[:len(sides)-1], sides[len(sides)-1]
	events := int64(b.Reader.Info().Events) * int64(1+len(bases)) // for structure, and with each base run for times
	for _, a := range bases {
		events += 2 * int64(a.Reader.Info().Events)
	}
	bar := progress.New("comparing", "events", events)
	defer bar.Done()
	opt.Progress = bar.Report
	all, err := contrast.CompareSeveral(ctx, bases, b, opt)
	if option, ok := comparison.OptionOf(err); ok {
		err = verb.Usagef("--%s %q: %s", option.Option, option.Value, option.Reason)
	}
	return all, err
}
