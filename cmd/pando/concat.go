package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
)

func newConcat() *cobra.Command {
	v := &joining{}
	cmd := &cobra.Command{
		Use:   "concat A B ... -o OUT",
		Short: "Join successive windows of a trace",
		Long: `Join successive windows of the same locations to one trace, in the order in which they are given. What
pando convert put in where a trace was cut is taken out again: windows that were cut out of a trace
without a gap make up the same trace, with the same SHA-256.

Clocks and definitions must not contradict each other, and no location may go back in time. The
name of OUT says what is written, as for pando convert. Of other inputs than Pando files temporary
ones are made.`,
		Example: `  pando concat first.pando second.pando third.pando -o run.pando`,
		Args:    atLeast("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.join(cmd, args, func(t []*convert.Trace) *convert.Trace { return convert.Concat(t...) })
		},
	}
	v.addJoining(cmd)
	return cmd
}

// joining makes one trace of several.
type joining struct {
	writing
}

func (v *joining) addJoining(cmd *cobra.Command) {
	v.addWriting(cmd, "OUT")
	verb.CompleteTraces(cmd)
}

// join writes what is made of several traces.
func (v *joining) join(cmd *cobra.Command, args []string, of func([]*convert.Trace) *convert.Trace) error {
	if v.output == "" && !v.loss.dryRun {
		return verb.Usagef("-o OUT is needed")
	}
	v.by, v.errors = converter(cmd, v.stamp), cmd.ErrOrStderr()
	var indexed []*convert.Trace
	defer func() {
		for _, t := range indexed {
			t.Close()
		}
	}()
	return v.make(cmd.OutOrStdout(), args, v.output, func(ctx context.Context, found []*convert.Trace) (*convert.Trace, error) {
		for _, t := range found {
			t, err := v.index(ctx, t)
			if err != nil {
				return nil, err
			}
			indexed = append(indexed, t)
		}
		return of(indexed), nil
	})
}

// atLeast checks that there are as many arguments as names, or more.
func atLeast(names ...string) cobra.PositionalArgs {
	exactly := verb.Arguments(names...)
	return func(cmd *cobra.Command, args []string) error { return exactly(cmd, args[:min(len(args), len(names))]) }
}
