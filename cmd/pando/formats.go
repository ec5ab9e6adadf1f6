package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/report"
)

// formatsVerb lists the formats that can be read.
type formatsVerb struct{ verb.Answering }

func newFormats() *cobra.Command {
	v := &formatsVerb{}
	var long strings.Builder
	long.WriteString("List the formats that can be read, and what traces of each can hold. To be named on the command line:\n\n")
	for _, f := range convert.Formats() {
		fmt.Fprintf(&long, "  %-8s %s\n", f.Name, f.Main)
	}
	long.WriteString("\nOr a folder that holds one trace, or a packed archive of one: tar, tar.gz, tar.zst. A single file or packed\narchive can come through a pipe, by the name -.\n\nTo be written by pando convert:\n\n")
	for _, o := range convert.Outputs() {
		fmt.Fprintf(&long, "  %-8s %s\n", o.Name, o.Main)
	}
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "List the formats that can be read, and what each can express",
		Long:  long.String(),
		Args:  verb.Arguments(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return v.run(cmd.OutOrStdout()) },
	}
	v.AddAnswer(cmd, "print the list as JSON", verb.TextFormat, verb.JSONFormat)
	return cmd
}

func (v *formatsVerb) run(out io.Writer) error {
	if err := v.Choose(); err != nil {
		return err
	}
	return v.Write(out, report.NewFormats())
}
