package verb

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/tables"
)

// AddTables adds the flag --tables of a verb whose answer has tables of some names. what says whose they are: "a comparison".
func (a *Answering) AddTables(cmd *cobra.Command, what string, names []string) {
	a.tablesOf, a.tableNames = what, names
	cmd.Flags().StringSliceVar(&a.Tables, "tables", nil, "write these `TABLES` to -o, separated by commas: "+strings.Join(names, ", "))
	CompleteList(cmd, "tables", func() []string { return names })
}

// ChooseAnswer chooses the format of an answer in one of some formats, or of the tables that --tables names.
func (a *Answering) ChooseAnswer(out io.Writer, formats ...outputs.Format) error {
	if a.Tables != nil {
		return a.chooseTables(out)
	}
	a.Formats = formats
	if err := a.Choose(); err != nil {
		return err
	}
	return a.CheckShown(out)
}

// chooseTables checks the names of tables, and chooses their format by the flags and by the name of the output.
func (a *Answering) chooseTables(out io.Writer) (err error) {
	if err := tables.Check(a.tablesOf, a.tableNames, a.Tables); err != nil {
		return Usage(err)
	}
	if a.Output == "" {
		return Usagef("-o OUT is needed for tables: a folder, a file such as %s.parquet, or - for standard output", a.Tables[0])
	}
	if a.Chosen, err = outputs.ChooseTable(a.Output, a.Name, outputs.Tables()); err != nil {
		return Usage(err)
	}
	if !outputs.IsTableFolder(a.Output, a.Chosen) && len(a.Tables) != 1 {
		return Usagef("-o %s is for one table; for several, -o FOLDER --format %s", a.Output, a.Chosen.Name)
	}
	return a.CheckShown(out)
}

// WriteTablesOf writes the tables that --tables names, which some function makes.
func (a *Answering) WriteTablesOf(ctx context.Context, out io.Writer, make func(names []string) (*tables.Set, error)) error {
	set, err := make(a.Tables)
	if err != nil {
		return err
	}
	return a.WriteTables(ctx, out, set)
}

// WriteTables writes the tables of a set. Of files in a folder it tells which they are.
func (a *Answering) WriteTables(ctx context.Context, out io.Writer, s *tables.Set) error {
	format := columnar.Format(a.Chosen.Name)
	if !outputs.IsTableFolder(a.Output, a.Chosen) {
		return a.Print(out, func(_ context.Context, w *bufio.Writer) error {
			_, err := s.Write(ctx, w, s.Tables[0], columnar.Options{Format: format})
			return err
		})
	}
	files, err := s.Export(ctx, a.Output, format, func(path string) (tables.File, error) { return CreateOutput(nil, path, a.Replacing) })
	if err != nil {
		return err
	}
	return report.Write(out, report.NewExport(files), report.Text)
}
