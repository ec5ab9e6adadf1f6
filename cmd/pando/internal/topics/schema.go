package topics

import (
	"bufio"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report/metamodel"
)

// schemaVerb lists what traces and answers can consist of.
type schemaVerb struct{ verb.Answering }

// NewSchema makes the verb schema.
func NewSchema() *cobra.Command {
	v := &schemaVerb{}
	cmd := &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Tell what traces and answers can consist of: kinds of records, tables, rules",
		Long: `Tell what traces and answers can consist of: kinds of events and definitions with their fields and
what these refer to, enumerations, tables of exports, queries and analyses with their columns, rows of
summaries, and the rules of checks. It is the same for all traces; pando info tells what one of them has.

With a NAME, all about what is called so: a kind, a table, an enumeration, a space of ids, a rule or
one of its codes, or rows of summaries.`,
		Example: `  pando schema
  pando schema MpiSend
  pando schema calls
  pando schema --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return verb.Arguments("NAME")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return verb.Beginning(metamodel.New().Names(), begun), cobra.ShellCompDirectiveNoFileComp
		},
	}
	v.AddAnswer(cmd, "print all of it as JSON", verb.TextFormat, verb.JSONFormat)
	return cmd
}

func (v *schemaVerb) run(out io.Writer, args []string) error {
	if err := v.Choose(); err != nil {
		return err
	}
	m := metamodel.New()
	if len(args) > 0 {
		var err error
		if m, err = m.Named(args[0]); err != nil {
			return verb.Usage(err)
		}
	}
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error { return m.Write(w, v.Format, len(args) > 0) })
}
