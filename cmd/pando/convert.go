package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/selector"
)

// convertVerb makes a Pando file of a trace, or writes it in another format.
type convertVerb struct {
	writing
	verb.Selection
	dropMetrics bool
}

func newConvert() *cobra.Command {
	v := &convertVerb{}
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Make a Pando file of a trace, or another format of a Pando file",
		Long: `Make a Pando file of a trace: of its main file, of a folder that holds one trace, or of a packed
archive (tar, tar.gz, tar.zst) of one; - is one of these but the folder from standard input. A Pando file
can be converted too, to change its options.
The file is written as OUT.part and gets its name when it is complete. It notes what it was made of and
how (pando info tells it); made once more of the same files, it is the same but for its id.

The name of OUT, which may also be given as -o OUT, says what is written (help outputs):

  NAME.pando                 a Pando file
  NAME.otf2                  an OTF2 archive: the anchor file NAME.otf2, NAME.def, the folder NAME.
                             What came from an archive is restored; of other traces, what OTF2
                             does not know is left out and counted.
  NAME.json, NAME.json.gz    trace events, of a Pando file: what Perfetto and chrome://tracing
                             open
  -                          standard output gets a Pando file, or trace events with --format chrome

A part of the trace is written with --from, --to, --location, --region and --drop-metrics. Calls and
messages that are open where it is cut are kept: events that stand for what lies beyond are put in
there, each behind an event CutBefore or CutAfter that says when it was (in OTF2, and in trace events
of such a part, an attribute pando.cut.before or pando.cut.after). Definitions stay as they are, and so do markers
and thumbnails. Locations that are not selected stay defined and are empty: they have no events, no local
definitions, no snapshots and no statistics.

Of a trace in another format only the selected locations are read: --location opens no file of any other
location, and works if such files are damaged or gone. Formats that have one file for all of them (CLOG-2,
SLOG-2, Chrome) are scanned, and trace events are made of all of a trace, since they show the messages
of other locations with the selected ones. A window of time needs a temporary Pando file of the selected locations and
their processes; times count from the first event of all locations, whose begins are read for it, and a
time in percent, or a window behind the last event of the selected locations, needs all of the trace's events
to be read.`,
		Example: `  pando convert scorep-run/traces.otf2 run.pando
  pando convert old-run.tar.zst run.pando
  pando convert run.pando small-slices.pando --slice-events 4096
  pando convert run.pando restored/traces.otf2
  pando convert run.pando run.json.gz
  ssh cluster cat run.tar.zst | pando convert - run.pando
  pando convert old-run.tar.zst - | ssh cluster 'cat >run.pando'
  pando convert run.pando part.pando --from 40% --to +5ms --location 'rank 1*'
  pando convert run.pando coarse.pando --max-error 10us
  pando convert run.pando --dry-run
  pando convert run.pando small.pando --budget 10MB
  pando convert run.pando part/traces.otf2 --from 1.5s --to 2s --drop-metrics`,
		Args: inAndOut(&v.output, &v.loss.dryRun),
		RunE: func(cmd *cobra.Command, args []string) error {
			v.by, v.errors = converter(cmd, v.stamp), cmd.ErrOrStderr()
			return v.run(cmd.OutOrStdout(), args[0], outOf(v.output, args))
		},
	}
	v.addWriting(cmd, "OUT")
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddRegions(cmd)
	cmd.Flags().BoolVar(&v.dropMetrics, "drop-metrics", false, "leave out the values of counters")
	verb.CompleteTraces(cmd)
	return cmd
}

func (v *convertVerb) run(out io.Writer, from, to string) error {
	return v.make(out, []string{from}, to, func(ctx context.Context, found []*convert.Trace) (*convert.Trace, error) {
		return v.part(ctx, found[0], v.chosen)
	})
}

// part returns the selected part of a trace: all of it if nothing is selected.
func (v *convertVerb) part(ctx context.Context, t *convert.Trace, o *convert.Output) (*convert.Trace, error) {
	windowed := v.From != "" || v.To != ""
	switch {
	case !windowed && v.Locations == nil && v.Regions == nil && !v.dropMetrics:
		return t, nil
	case t.IsPando():
		return v.cut(t, nil)
	case !o.Takes(t.Format): // it shows messages to and from other locations too
		return v.cutIndexed(ctx, t, nil)
	case !windowed:
		return t.Select(v.choose), nil
	case v.Locations == nil:
		return v.cutIndexed(ctx, t, nil)
	}
	return v.cutLocations(ctx, t)
}

// cutLocations returns a window of some locations of a foreign trace, by way of a temporary Pando file of these locations alone. If they end
// before the window, the end of all locations decides whether calls that were never left are open in it.
func (v *convertVerb) cutLocations(ctx context.Context, t *convert.Trace) (*convert.Trace, error) {
	times, err := v.times(ctx, t)
	if err != nil {
		return nil, err
	}
	part, err := v.cutIndexed(ctx, t.Select(v.chooseProcesses), times)
	if err != nil {
		return nil, err
	}
	behind, err := part.BehindEnd(ctx)
	if err == nil && !behind {
		return part, nil
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return nil, err
	}
	return v.cutIndexed(ctx, t, nil)
}

// cutIndexed returns the selected part of a temporary Pando file of a trace.
func (v *convertVerb) cutIndexed(ctx context.Context, t *convert.Trace, times *trace.TimeAxis) (*convert.Trace, error) {
	t, err := v.index(ctx, t)
	if err != nil {
		return nil, err
	}
	return v.cut(t, times)
}

// cut returns the selected part of a Pando file. A nil axis is the file's own.
func (v *convertVerb) cut(t *convert.Trace, times *trace.TimeAxis) (*convert.Trace, error) {
	s, err := v.parts(t.Path, times)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t.Cut(s), nil
}

// parts translates the selection.
func (v *convertVerb) parts(path string, times *trace.TimeAxis) (s edit.Selection, err error) {
	f, err := verb.Open(path)
	if err != nil {
		return s, err
	}
	defer f.Close()
	axis := f.TimeAxis()
	if times != nil {
		axis = *times
	}
	if s.From, s.To, err = axis.ParseWindow(v.From, v.To); err != nil {
		return s, verb.BadTime(err)
	}
	return v.named(s, f.FindLocations, f.FindRegions)
}

// named adds the selection by names, with functions that find locations and regions by patterns.
func (v *convertVerb) named(s edit.Selection, locations, regions func([]string) ([]uint64, error)) (_ edit.Selection, err error) {
	s.DropMetrics = v.dropMetrics
	if v.Locations != nil {
		if s.Locations, err = locations(v.Locations); err != nil {
			return s, verb.Usage(err)
		}
	}
	if v.Regions != nil {
		if s.Regions, err = regions(v.Regions); err != nil {
			return s, verb.Usage(err)
		}
	}
	return s, nil
}

// choose translates the selection by the definitions of a trace of any format.
func (v *convertVerb) choose(src trace.Source) (edit.Selection, error) {
	log, err := src.Definitions(0)
	if err != nil {
		return edit.Selection{}, err
	}
	var ids []uint64
	for _, s := range src.Streams() {
		if s.Class == trace.StreamEvents {
			ids = append(ids, s.Location)
		}
	}
	defs := trace.NewDefinitions(log)
	locations := func(patterns []string) ([]uint64, error) {
		return selector.Locations(defs, ids, patterns)
	}
	regions := func(selectors []string) ([]uint64, error) { return selector.Regions(defs, selectors) }
	return v.named(edit.Selection{}, locations, regions)
}

// chooseProcesses selects all locations of the processes of selected locations, because sends and receives are matched among all locations
// of a process.
func (v *convertVerb) chooseProcesses(src trace.Source) (s edit.Selection, err error) {
	chosen, err := v.choose(src)
	if err != nil {
		return s, err
	}
	s.Locations, err = edit.WholeProcesses(src, chosen.Locations)
	return s, err
}

// times returns the time axis of all locations of a trace. The end of the trace, for which all events are read, is looked up only if a time
// is a percentage.
func (v *convertVerb) times(ctx context.Context, t *convert.Trace) (*trace.TimeAxis, error) {
	src, err := t.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	first, err := instep.FirstEvent(ctx, src)
	if err != nil {
		return nil, err
	}
	last := int64(store.MaxTime)
	if strings.Contains(v.From+v.To, "%") {
		if last, err = instep.LastEvent(ctx, src); err != nil {
			return nil, err
		}
	}
	axis := trace.NewTimeAxis(first, last, src.Meta().Resolution)
	return &axis, nil
}
