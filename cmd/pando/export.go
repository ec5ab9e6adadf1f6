package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/store"
)

// exportVerb writes tables.
type exportVerb struct {
	selection
	format, out string
	tables      []string
	json        bool
}

func newExport() *cobra.Command {
	v := &exportVerb{}
	cmd := &cobra.Command{
		Use:   "export FILE --to FORMAT --out DIR",
		Short: "Write tables for DuckDB, pandas, Polars, Spark, or a window for Perfetto",
		Long: `Write what a file holds, or a window of it, as tables: parquet, arrow (IPC files) or csv, one file
for each table. Calls and messages that reach into the window are written whole. Without --tables,
all tables are written that have something to say (help tables). Files that are there already are
overwritten.

With --to chrome, --out is one file, NAME.json or NAME.json.gz, of trace events: what Perfetto
(ui.perfetto.dev) and chrome://tracing open.`,
		Example: `  pando export run.pando --to parquet --out tables
  pando export run.pando --to csv --out . --tables calls --from 40% --until +5ms --region 'MPI_*'
  pando export run.pando --to chrome --out window.json.gz --from 40% --until +5ms`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&v.format, "to", "", "`FORMAT` of the tables: parquet, arrow or csv; or chrome")
	cmd.Flags().StringVar(&v.out, "out", "", "folder `DIR` for the files; the file, with --to chrome")
	cmd.Flags().StringSliceVar(&v.tables, "tables", nil, "only these `TABLES`, separated by commas (help tables)")
	v.addBounds(cmd, "until")
	v.addLocations(cmd)
	v.addRegions(cmd)
	addJSON(cmd, &v.json, "print the summary as JSON")
	return cmd
}

func (v *exportVerb) check() error {
	formats := []columnar.Format{columnar.Parquet, columnar.Arrow, columnar.CSV}
	switch {
	case v.format == "" || v.out == "":
		return usagef("--to FORMAT and --out DIR are needed")
	case v.format == chromeFormat && v.tables != nil:
		return usagef("--to chrome writes no tables")
	case v.format == chromeFormat && !isChromeName(v.out):
		return usagef("--out %s: a file of trace events is called NAME.json or NAME.json.gz", v.out)
	case v.format != chromeFormat && !slices.Contains(formats, columnar.Format(v.format)):
		return usagef("--to %s: tables can be parquet, arrow or csv; chrome is trace events (the end of the window is --until)", v.format)
	}
	return nil
}

func (v *exportVerb) run(out io.Writer, path string) error {
	if err := v.check(); err != nil {
		return err
	}
	if v.format == chromeFormat {
		return v.runChrome(out, path)
	}
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	opt, err := v.options(f)
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	bar := newProgress("exporting", "rows", v.expected(f.Info()))
	opt.Progress = bar.set
	files, err := columnar.Export(ctx, f.Reader, opt)
	bar.done()
	if err != nil {
		if v.namesUnknownTable() {
			return usageError{err}
		}
		return err
	}
	return buffered(out, func(w *bufio.Writer) error { return v.print(w, files) })
}

// options translates the selection.
func (v *exportVerb) options(f *opened) (opt columnar.Options, err error) {
	opt = columnar.Options{Dir: v.out, Format: columnar.Format(v.format), Tables: v.tables, Whole: v.from == "" && v.to == ""}
	if opt.From, opt.To, err = f.clock.window(v.from, v.to); err != nil {
		return opt, err
	}
	if opt.Locations, err = f.names.selectLocations(f.Info().Locations, v.locations); err != nil {
		return opt, err
	}
	opt.Regions, err = f.names.selectRegions(v.regions)
	return opt, err
}

// expected returns about how many rows there will be, 0 if nobody can tell.
func (v *exportVerb) expected(info *store.Info) int64 {
	if v.tables != nil || v.from != "" || v.to != "" || v.locations != nil || v.regions != nil {
		return 0
	}
	return int64(info.Calls + info.Messages + info.Events)
}

func (v *exportVerb) namesUnknownTable() bool {
	tables := columnar.Tables()
	return slices.ContainsFunc(v.tables, func(name string) bool {
		return !slices.ContainsFunc(tables, func(t columnar.Table) bool { return t.Name == name })
	})
}

// exportedTable is one table written, for JSON.
type exportedTable struct {
	Table string `json:"table"`
	Path  string `json:"path"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

func (v *exportVerb) print(w *bufio.Writer, files []columnar.File) error {
	if v.json {
		list := []exportedTable{}
		for _, f := range files {
			list = append(list, exportedTable(f))
		}
		return printJSON(w, list)
	}
	t := newTable([]string{"rows", "size"}, "table", "rows", "size", "file")
	for _, f := range files {
		t.AppendRow([]any{f.Table, grouped(f.Rows), size(f.Bytes), f.Path})
	}
	_, err := fmt.Fprintln(w, t.Render())
	return err
}
