package main

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert/chrome"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// exportVerb writes tables.
type exportVerb struct {
	selection
	format, out, period string
	tables              []string
	json, discard       bool
}

func newExport() *cobra.Command {
	v := &exportVerb{}
	cmd := &cobra.Command{
		Use:   "export FILE --to FORMAT --out OUT",
		Short: "Write tables for DuckDB, pandas, Polars, Spark, or a window for Perfetto",
		Long: `Write what a file holds, or a window of it, as tables: parquet, arrow (IPC files), arrows (IPC
streams), csv or json, one file for each table. Calls and messages that reach into the window are
written whole. Without --tables, all tables are written that have something to say (help tables).
Files that are there already are overwritten; each is written as TABLE.FORMAT.part until it is
complete. With --out - and one table, it goes to standard output.

With --partition PERIOD, each table becomes a folder, as Hive has them, for DuckDB, Spark and Trino:
OUT/TABLE/location_group=ID/period=N/part-0.parquet, where period N begins N times PERIOD after the
first event. Folders that are not empty are refused.

With --to chrome, --out is one file, NAME.json or NAME.json.gz, of trace events: what Perfetto
(ui.perfetto.dev) and chrome://tracing open.`,
		Example: `  pando export run.pando --to parquet --out tables
  pando export run.pando --to csv --out . --tables calls --from 40% --until +5ms --region 'MPI_*'
  pando export run.pando --to arrows --out - --tables calls --from 1s --until +5ms | python3 analyse.py
  pando export run.pando --to parquet --out dataset --partition 10s
  pando export run.pando --to chrome --out window.json.gz --from 40% --until +5ms`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	cmd.Flags().StringVar(&v.format, "to", "", "`FORMAT` of the tables: parquet, arrow, arrows, csv or json; or chrome")
	cmd.Flags().StringVar(&v.out, "out", "", "folder for the files; the file, with --to chrome; - for standard output")
	cmd.Flags().StringVar(&v.period, "partition", "", "divide tables by location group and `PERIOD` of time (help times)")
	cmd.Flags().StringSliceVar(&v.tables, "tables", nil, "only these `TABLES`, separated by commas (help tables)")
	v.addBounds(cmd, "until")
	v.addLocations(cmd)
	v.addRegions(cmd)
	addDiscard(cmd, &v.discard, "OUT")
	addJSON(cmd, &v.json, "print the summary as JSON")
	return cmd
}

func (v *exportVerb) check() error {
	switch {
	case v.format == "" || v.out == "":
		return usagef("--to FORMAT and --out OUT are needed")
	case v.out == "-" && (len(v.tables) != 1 || v.period != "" || v.json):
		return usagef("--out - is for one table: --tables NAME, without --partition and --json")
	case v.format == chromeFormat && v.period != "":
		return usagef("--to chrome is one file: it has no --partition")
	case v.format == chromeFormat && v.tables != nil:
		return usagef("--to chrome writes no tables")
	case v.format == chromeFormat && !isChromeName(v.out):
		return usagef("--out %s: a file of trace events is called NAME.json or NAME.json.gz", v.out)
	case v.format != chromeFormat && !slices.Contains(columnar.Formats(), columnar.Format(v.format)):
		return usagef("--to %s: tables can be parquet, arrow, arrows, csv or json; chrome is trace events (the end of the window is --until)", v.format)
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
	opt.Progress = bar.report
	files, err := v.export(ctx, out, f, opt)
	bar.done()
	switch {
	case err != nil && v.namesUnknownTable():
		return usageError{err}
	case err != nil || v.out == "-":
		return err
	}
	return write(out, report.NewExport(files), v.json)
}

// export writes files, or one table to the output.
func (v *exportVerb) export(ctx context.Context, out io.Writer, f *report.Trace, opt columnar.Options) ([]columnar.File, error) {
	x, err := columnar.New(f.Reader)
	if err != nil {
		return nil, err
	}
	if v.out != "-" {
		return x.Export(ctx, opt)
	}
	return nil, buffered(out, func(w *bufio.Writer) error {
		_, err := x.Write(ctx, w, v.tables[0], opt)
		return err
	})
}

// options translates the selection.
func (v *exportVerb) options(f *report.Trace) (opt columnar.Options, err error) {
	opt = columnar.Options{Dir: v.out, Format: columnar.Format(v.format), Tables: v.tables, Whole: v.from == "" && v.to == "", Output: store.OutputOptions{Discard: v.discard}}
	axis := f.TimeAxis()
	if opt.From, opt.To, err = axis.ParseWindow(v.from, v.to); err != nil {
		return opt, badTime(err)
	}
	if opt.Locations, err = f.FindLocations(v.locations); err != nil {
		return opt, usageError{err}
	}
	if opt.Regions, err = f.FindRegions(v.regions); err != nil {
		return opt, usageError{err}
	}
	if v.period == "" {
		return opt, nil
	}
	ticks, err := axis.ParseDuration(v.period)
	if err != nil {
		return opt, badTime(err)
	}
	if opt.Period = int64(axis.Seconds(ticks) * 1e9); opt.Period < 1 {
		return opt, usagef("--partition %s is less than a nanosecond", v.period)
	}
	return opt, nil
}

// expected returns the approximate number of rows of the export, 0 if it is not known.
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

// chromeFormat is the value of --to for trace events, the JSON that Perfetto and Chrome's viewer open.
const chromeFormat = "chrome"

// isChromeName reports whether a file to be written is one of trace events, by its name.
func isChromeName(path string) bool {
	return strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json.gz")
}

// writeTraceEvents writes a window of a file as trace events.
func (v *exportVerb) writeTraceEvents(ctx context.Context, f *report.Trace, w *store.Window) (s report.TraceEvents, err error) {
	from, to := w.Bounds()
	bar := newProgress("writing", "ticks", to-from)
	defer bar.done()
	s = report.TraceEvents{Input: f.Path, Output: v.out}
	s.Bytes, err = chrome.Export(ctx, f.Reader, w, v.out, chrome.ExportOptions{Progress: bar.report, Output: store.OutputOptions{Discard: v.discard}})
	return s, err
}

// runChrome exports a window as trace events.
func (v *exportVerb) runChrome(out io.Writer, path string) error {
	f, w, err := v.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return v.traceEvents(out, f, w)
}

func (v *exportVerb) traceEvents(out io.Writer, f *report.Trace, w *store.Window) error {
	ctx, stop := interruptible()
	defer stop()
	s, err := v.writeTraceEvents(ctx, f, w)
	if err != nil {
		return err
	}
	return write(out, &s, v.json)
}
