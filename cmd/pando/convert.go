package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/convert/parts"
)

// convertVerb makes a Pando file of a trace, or writes it in another format.
type convertVerb struct {
	writing
	selection
	dropMetrics bool
}

func newConvert() *cobra.Command {
	v := &convertVerb{}
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Make a Pando file of a trace, or another format of a Pando file",
		Long: `Make a Pando file of a trace: of its main file, of a folder that holds one trace, or of a packed
archive (tar, tar.gz, tar.zst) of one. A Pando file can be converted too, to change its options.
The file is written as OUT.part and gets its name when it is complete. It notes what it was made of and
how (pando info tells it); made once more of the same files, it is the same but for its id.

The name of OUT says what is written:

  NAME.otf2                  an OTF2 archive: the anchor file NAME.otf2, NAME.def, the folder NAME.
                             What came from an archive is restored; of other traces, what OTF2
                             does not know is left out and counted.
  NAME.json, NAME.json.gz    trace events, of a Pando file: what Perfetto and chrome://tracing
                             open. For a window of it see pando export --to chrome.
  any other name             a Pando file

A part of the trace is written with --from, --to, --location, --region and --drop-metrics. Calls and
messages that are open where it is cut are kept: events that stand for what lies beyond are put in
there, each behind an event CutBefore or CutAfter that says when it was (in OTF2, and in trace events
of such a part, an attribute pando.cut.before or pando.cut.after). Definitions stay as they are, and so do records that are no events. For parts of other traces
than Pando files, a temporary one is made.`,
		Example: `  pando convert scorep-run/traces.otf2 run.pando
  pando convert old-run.tar.zst run.pando
  pando convert run.pando small-slices.pando --slice-events 4096
  pando convert run.pando restored/traces.otf2
  pando convert run.pando run.json.gz
  pando convert run.pando part.pando --from 40% --to +5ms --location 'rank 1*'
  pando convert run.pando part/traces.otf2 --from 1.5s --to 2s --drop-metrics`,
		Args: arguments("IN", "OUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v.by = converter(cmd, v.stamp)
			return v.run(cmd.OutOrStdout(), args[0], args[1])
		},
	}
	v.addWriting(cmd, "OUT")
	v.addWindow(cmd)
	v.addLocations(cmd)
	v.addRegions(cmd)
	cmd.Flags().BoolVar(&v.dropMetrics, "drop-metrics", false, "leave out the values of counters")
	return cmd
}

func (v *convertVerb) run(out io.Writer, from, to string) error {
	return v.make(out, []string{from}, to, func(ctx context.Context, found []*convert.Trace) (*convert.Trace, error) {
		return v.part(ctx, found[0])
	})
}

// part returns the selected part of a trace: all of it if nothing is selected.
func (v *convertVerb) part(ctx context.Context, t *convert.Trace) (*convert.Trace, error) {
	if v.from == "" && v.to == "" && v.locations == nil && v.regions == nil && !v.dropMetrics {
		return t, nil
	}
	t, err := v.index(ctx, t)
	if err != nil {
		return nil, err
	}
	s, err := v.parts(t.Path)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t.Cut(s), nil
}

// parts translates the selection.
func (v *convertVerb) parts(path string) (s parts.Selection, err error) {
	f, err := open(path)
	if err != nil {
		return s, err
	}
	defer f.Close()
	s.DropMetrics = v.dropMetrics
	if s.From, s.To, err = f.clock.window(v.from, v.to); err != nil {
		return s, err
	}
	if v.locations != nil {
		if s.Locations, err = f.names.selectLocations(f.Info().Locations, v.locations); err != nil {
			return s, err
		}
	}
	if v.regions != nil {
		s.Regions, err = f.names.selectRegions(v.regions)
	}
	return s, err
}
