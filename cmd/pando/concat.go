package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
)

func newConcat() *cobra.Command {
	v := &writing{}
	var out string
	cmd := &cobra.Command{
		Use:   "concat A B ... -o OUT",
		Short: "Join successive windows of a trace",
		Long: `Join successive windows of the same locations to one trace, in the order in which they are given. What
pando convert put in where a trace was cut is taken out again: windows that were cut out of a trace
without a gap make up the same trace, with the same SHA-256.

Clocks and definitions must not contradict each other, and no location may go back in time. The
name of OUT says what is written, as for pando convert.`,
		Example: `  pando concat first.pando second.pando third.pando -o run.pando`,
		Args:    atLeast("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v.by = converter(cmd, v.stamp)
			return v.join(cmd, args, out, func(t []*convert.Trace) *convert.Trace { return convert.Concat(t...) })
		},
	}
	v.addWriting(cmd, "OUT")
	addOut(cmd, &out)
	return cmd
}

func addOut(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVarP(out, "out", "o", "", "write to `OUT`")
}

// join writes what is made of several traces.
func (v *writing) join(cmd *cobra.Command, args []string, out string, of func([]*convert.Trace) *convert.Trace) error {
	if out == "" {
		return usagef("-o OUT is needed")
	}
	return v.make(cmd.OutOrStdout(), args, out, func(_ context.Context, t []*convert.Trace) (*convert.Trace, error) { return of(t), nil })
}

// atLeast checks that there are as many arguments as names, or more.
func atLeast(names ...string) cobra.PositionalArgs {
	exactly := arguments(names...)
	return func(cmd *cobra.Command, args []string) error { return exactly(cmd, args[:min(len(args), len(names))]) }
}
