package main

import (
	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
)

func newMerge() *cobra.Command {
	v := &joining{}
	align := string(edit.AlignClocks)
	cmd := &cobra.Command{
		Use:   "merge A B ... -o OUT",
		Short: "Unite traces of several runs or nodes",
		Long: `Unite traces of several runs or nodes. Where two of them give one id to different things, the later one's
gets another; strings, regions, attributes and counters that are alike become one. Processes are
ranked together, those of the first trace first.

Where clocks have different ticks per second, the result has their least common multiple, so that no
time is rounded. --align says what else to do about the clocks:

  clocks    nothing: the traces were recorded with one clock
  starts    let all traces begin at the same time
  realtime  go by the time of day at which they were recorded

Notes and annotations are kept. Where two traces say different things, each becomes one with the number of
its trace: the note KEY is 2.KEY, the annotation NAME is 2/NAME. Properties are kept as merged.2.NAME.

The result is a trace of no format in particular: local ids and local times of OTF2 archives are not
in it, nor are thumbnails. The name of OUT says what is written, as for pando convert.`,
		Example: `  pando merge node1.pando node2.pando -o both.pando
  pando merge monday.pando tuesday.pando -o compared.pando --align starts`,
		Args: atLeast("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch edit.Alignment(align) {
			case edit.AlignClocks, edit.AlignStarts, edit.AlignRealtime:
			default:
				return verb.Usagef("--align %s: it can be clocks, starts or realtime", align)
			}
			return v.join(cmd, args, func(t []*convert.Trace) *convert.Trace { return convert.Merge(edit.Alignment(align), t...) })
		},
	}
	v.addJoining(cmd)
	cmd.Flags().StringVar(&align, "align", align, "`HOW` to bring the clocks together: clocks, starts or realtime")
	verb.CompleteFixed(cmd, "align", []string{string(edit.AlignClocks), string(edit.AlignStarts), string(edit.AlignRealtime)})
	return cmd
}
