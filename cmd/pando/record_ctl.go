package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/control"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
)

// snapshot writes the trace of a snapshot.
type snapshot struct{ writing }

func newControl() *cobra.Command {
	v := &snapshot{}
	cmd := control.New(&v.Outcome, v)
	verb.AddOutput(cmd, &v.output, "snapshot: write to `OUT`")
	v.AddReplacing(cmd, "OUT")
	v.AddOutcome(cmd)
	return cmd
}

// Check refuses an output that cannot be.
func (v *snapshot) Check(cmd *cobra.Command) error {
	if v.output == "" || v.output == "-" {
		return verb.Usagef("-o OUT is needed")
	}
	return v.check(cmd.OutOrStdout(), v.output)
}

// Convert makes the trace of a copy of a folder of recordings.
func (v *snapshot) Convert(cmd *cobra.Command, copied, folder string) error {
	v.shown = folder
	v.by, v.errors = converter(cmd, false), cmd.ErrOrStderr()
	return v.make(cmd.OutOrStdout(), []string{copied}, v.output, func(_ context.Context, found []*convert.Trace) (*convert.Trace, error) { return found[0], nil })
}
