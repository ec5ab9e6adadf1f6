package analyses

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report/queries"
)

// answeredFormats are the formats of answers to queries.
func answeredFormats() []outputs.Format {
	return slices.Concat([]outputs.Format{verb.TextFormat}, outputs.Tables())
}

// queryVerb selects, groups and sorts the rows of a table.
type queryVerb struct {
	verb.Answering
	verb.Selection
	query   queries.Question
	explain bool
}

// NewQuery makes the verb query.
func NewQuery() *cobra.Command {
	v := &queryVerb{}
	cmd := &cobra.Command{
		Use:   "query FILE TABLE",
		Short: "Select, group and sort the rows of a table: calls, messages, events, metrics, ...",
		Long: `Select, group and sort the rows of a table (help tables), without writing it first.

A condition compares columns: duration > 20ms && name startsWith "MPI_" && rank in [0, 3]. There are
  == != < <= > >=  in  not in  contains  startsWith  endsWith  matches  && || !  + - * / %
  abs(x) len(x) lower(x) upper(x) float(x), nil for null, and times with units: 1.5s, 20ms, 3us, 100ns.
A column NAME_ns is also called NAME; as such it is a time. region == "solve" compares the name.
Of a call, parent.NAME is a column of the call around it: parent.region == "exchange".
What is computed of null is null, and a row counts if its condition is true.

--by groups rows. Of groups, --show takes count(), sum(x), mean(x), min(x), max(x), median(x), p99(x).
In --sort, a minus before a column puts its greatest value first.

What concerns locations, regions and times is decided before rows are read; --explain says how.`,
		Example: `  pando query run.pando calls --where 'duration > 1ms && name startsWith "MPI_"' --limit 10
  pando query run.pando calls --by rank,name --show 'count(), sum(exclusive), p99(duration)' --sort -sum_exclusive_ns
  pando query run.pando messages --where 'latency < 0ns' --by send_rank,receive_rank
  pando query run.pando shapes --where 'unusual > 100' --sort -unusual
  pando query run.pando calls --where 'region == "solve"' --from 40% --to +1s -o solve.parquet`,
		Args: verb.Arguments("FILE", "TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v.query.Table = args[1]
			return v.run(cmd.OutOrStdout(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.query.Where, "where", "", "only rows for which the `CONDITION` is true")
	f.StringVar(&v.query.By, "by", "", "group rows by these `EXPRESSIONS`, separated by commas")
	f.StringVar(&v.query.Show, "show", "", "show these `EXPRESSIONS`, separated by commas (default all columns; of groups, count())")
	f.StringVar(&v.query.Sort, "sort", "", "sort by these `COLUMNS` of the answer, separated by commas; -COLUMN falls")
	f.Int64Var(&v.query.Limit, "limit", 0, "the first `N` rows")
	f.BoolVar(&v.explain, "explain", false, "print how the answer is found, and not the answer")
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddAnswer(cmd, "print the rows as JSON", answeredFormats()...)
	for _, name := range []string{"where", "by", "show", "sort", "limit"} {
		verb.CompleteFixed(cmd, name, nil)
	}
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *queryVerb) run(out io.Writer, path string) error {
	if v.query.Limit < 0 {
		return verb.Usagef("--limit %d is negative", v.query.Limit)
	}
	if err := v.ChooseAnswer(out, answeredFormats()...); err != nil {
		return err
	}
	f, w, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, stop := verb.Interruptible()
	defer stop()
	p, err := v.query.Plan(ctx, f, w)
	var asked *query.Error
	if errors.As(err, &asked) {
		return verb.Usage(err)
	} else if err != nil {
		return err
	}
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		switch {
		case v.explain:
			return queries.WritePlan(w, p, v.Format)
		case v.Chosen.Name == verb.TextFormat.Name:
			return queries.WriteText(w, p, v.query.Limit > 0)
		}
		return queries.WriteTable(ctx, w, p, f.Meta(), columnar.Format(v.Chosen.Name), 0)
	})
}
