package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/convert/chrome"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// exportVerb writes tables.
type exportVerb struct {
	verb.Selection
	verb.Replacing
	verb.Outcome
	verb.Rows
	verb.Memory
	output, name, period string
	tables               []string
	format               outputs.Format // that was chosen
	errors               io.Writer      // standard error
}

func newExport() *cobra.Command {
	v := &exportVerb{}
	cmd := &cobra.Command{
		Use:   "export FILE -o OUT",
		Short: "Write tables for DuckDB, pandas, Polars, Spark, or a window for Perfetto",
		Long: `Write what a file holds, or a window of it, as tables: parquet, arrow (IPC files), arrows (IPC
streams), csv or json. Calls and messages that reach into the window are written whole.

  -o FOLDER --format parquet     a file for each table, FOLDER/TABLE.parquet
  -o NAME.parquet --tables NAME  one table: the ending chooses the format
  -o - --format csv --tables T   one table to standard output
  -o NAME.json, NAME.json.gz     without --tables: trace events, which Perfetto (ui.perfetto.dev)
                                 and chrome://tracing open; --format chrome says the same

Without --tables, all tables are written but those of definitions that the trace does not have and
hardly any trace has (help tables). Each file is written as OUT.part until it is complete.

With --partition PERIOD, each table becomes a folder, as Hive has them, for DuckDB, Spark and Trino:
OUT/TABLE/location_group=ID/period=N/part-0.parquet, where period N begins N times PERIOD after the
first event. Folders that are not empty are refused.`,
		Example: `  pando export run.pando --format parquet -o tables
  pando export run.pando --tables calls -o calls.csv --from 40% --to +5ms --region 'MPI_*'
  pando export run.pando --tables calls --columns name,rank,start_ns,duration_ns -o calls.parquet
  pando export run.pando --format arrows -o - --tables calls --from 1s --to +5ms | python3 analyse.py
  pando export run.pando --format parquet -o dataset --partition 10s
  pando export run.pando -o window.json.gz --from 40% --to +5ms`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v.errors = cmd.ErrOrStderr()
			return v.run(cmd.OutOrStdout(), args[0])
		},
	}
	verb.AddOutput(cmd, &v.output, "write to `OUT`: a folder, a file, or - for standard output (help outputs)")
	verb.AddFormat(cmd, &v.name, verb.InFormat, append(outputs.Tables(), chromeFormat))
	v.AddReplacing(cmd, "OUT")
	cmd.Flags().StringVar(&v.period, "partition", "", "divide tables by location group and `PERIOD` of time (help times)")
	cmd.Flags().StringSliceVar(&v.tables, "tables", nil, "only these `TABLES`, separated by commas (help tables)")
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddRegions(cmd)
	v.AddRows(cmd, "write at most `N` rows of each table", v.columnNames)
	v.AddMemory(cmd)
	v.AddOutcome(cmd)
	verb.CompleteFixed(cmd, "partition", nil)
	verb.CompleteList(cmd, "tables", tableNames)
	verb.CompleteFiles(cmd)
	return cmd
}

// chromeFormat is that of trace events, which Perfetto and Chrome's viewer open.
var chromeFormat = outputs.Format{Name: "chrome", Endings: []string{".json", ".json.gz"}}

// cacheShare is the share of the memory that blocks of the file take at most: the rest is for rows on their way.
const cacheShare = 4

// tableNames lists the tables.
func tableNames() (names []string) {
	for _, t := range columnar.Tables() {
		names = append(names, t.Name)
	}
	return names
}

// columnNames lists the columns of the chosen tables.
func (v *exportVerb) columnNames() (names []string) {
	for _, t := range columnar.Tables() {
		if v.tables != nil && !slices.Contains(v.tables, t.Name) {
			continue
		}
		for _, c := range t.Columns {
			names = append(names, c.Name)
		}
	}
	return names
}

// check chooses the format, and finds fault with combinations of flags.
func (v *exportVerb) check() error {
	if slices.Contains(append(outputs.Names(outputs.Tables()), chromeFormat.Name), v.To) {
		return verb.Usagef("--to %s: --to is the end of the window; the format is --format %s", v.To, v.To)
	}
	if v.output == "" {
		return verb.Usagef("-o OUT is needed: a folder, a file such as calls.parquet or window.json, or - for standard output")
	}
	if err := v.choose(); err != nil {
		return verb.Usage(err)
	}
	isChrome, parts := v.format.Name == chromeFormat.Name, v.Columns != nil || v.Limit > 0
	switch {
	case isChrome && (v.period != "" || v.tables != nil || parts):
		return verb.Usagef("trace events are no tables: they have no --tables, --partition, --columns and --limit")
	case v.period != "" && parts:
		return verb.Usagef("tables of --partition have all columns and rows: no --columns, no --limit")
	case isChrome && outputs.IsTableFolder(v.output, v.format):
		return verb.Usagef("%s: a file of trace events is called NAME.json or NAME.json.gz", v.output)
	case !isChrome && v.single() && (len(v.tables) != 1 || v.period != ""):
		return verb.Usagef("-o %s is for one table: --tables NAME, without --partition; for several, -o FOLDER --format %s", v.output, v.format.Name)
	case v.output == outputs.Standard && v.JSON:
		return verb.Usagef("--json says as JSON what was written, where -o - has the table; a table as JSON is --format json")
	}
	return v.CheckRows()
}

// choose chooses the format by the flag and the name of the output. NAME.json is a table with --tables, else it has trace events.
func (v *exportVerb) choose() (err error) {
	formats := append([]outputs.Format{chromeFormat}, outputs.Tables()...)
	if v.tables != nil {
		formats = append(outputs.Tables(), chromeFormat)
	}
	v.format, err = outputs.ChooseTable(v.output, v.name, formats)
	if err == nil && v.output == outputs.Standard {
		err = outputs.CheckShown(os.Stdout, v.format)
	}
	return err
}

// single reports whether the output takes one table.
func (v *exportVerb) single() bool { return !outputs.IsTableFolder(v.output, v.format) }

func (v *exportVerb) run(out io.Writer, path string) error {
	if err := v.check(); err != nil {
		return err
	}
	memory, err := v.Bytes()
	if err != nil {
		return err
	}
	v.Cache = store.NewCache(memory / cacheShare)
	f, w, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	v.warn(f.Meta())
	ctx, stop := verb.Interruptible()
	defer stop()
	if v.format.Name == chromeFormat.Name {
		return v.traceEvents(ctx, out, f, w)
	}
	opt, err := v.options(f, w)
	if err != nil {
		return err
	}
	bar := v.Bar("exporting", "rows", v.expected(f.Info()))
	opt.Progress = bar.Report
	files, err := v.export(ctx, out, f, opt)
	bar.Done()
	if err != nil {
		return v.explained(err)
	}
	if v.output == outputs.Standard {
		return nil
	}
	return v.Tell(out, report.NewExport(files))
}

// warn says on standard error that times are coarse, that calls were left out, and that annotations are.
func (v *exportVerb) warn(m *trace.Meta) {
	if v.Quiet {
		return
	}
	if b, lost := m.Loss.Times(); lost {
		fmt.Fprintf(v.errors, "pando: times are within %s of those of the original; durations below twice that mean nothing one by one (%s)\n",
			report.Duration(float64(b.Bound)/float64(max(m.Resolution, 1))), trace.MaxErrorName)
	}
	calls := m.Loss.Calls()
	for i := range calls {
		fmt.Fprintf(v.errors, "pando: %s were left out when the program was recorded (%s)\n", report.Lost.Which(&calls[i], m.Resolution), calls[i].PropertyName())
	}
	if v.format.Name == chromeFormat.Name {
		printWarnings(v.errors, convert.Unsaid(m, "the format of trace events"))
	}
}

// explained makes an error about the name of a table or column one of usage.
func (v *exportVerb) explained(err error) error {
	var column *columnar.ColumnError
	if errors.As(err, &column) {
		return verb.Usagef("--columns: %w%s", column, verb.DidYouMean(column.Name, column.Columns))
	}
	if unknown := v.unknownTable(); unknown != "" {
		return verb.Usagef("%w%s", err, verb.DidYouMean(unknown, tableNames()))
	}
	return err
}

// export writes the files of tables, or one table.
func (v *exportVerb) export(ctx context.Context, out io.Writer, f *report.Trace, opt columnar.Options) ([]columnar.File, error) {
	x, err := columnar.New(f.Reader)
	if err != nil {
		return nil, err
	}
	if !v.single() {
		return x.Export(ctx, opt)
	}
	var file columnar.File
	print := func(w *bufio.Writer) (err error) {
		file, err = x.Write(ctx, w, v.tables[0], opt)
		return err
	}
	if v.output == outputs.Standard {
		return nil, verb.Buffered(out, print)
	}
	if err := verb.WriteFile(ctx, v.output, v.Replacing, print); err != nil {
		return nil, err
	}
	file.Path = v.output
	return []columnar.File{file}, nil
}

// options translates the selection.
func (v *exportVerb) options(f *report.Trace, w *store.Window) (opt columnar.Options, err error) {
	opt = columnar.Options{Dir: v.output, Format: columnar.Format(v.format.Name), Tables: v.tables, Columns: v.Columns, Limit: int64(v.Limit),
		Whole: v.From == "" && v.To == "", Output: v.Replacing.Options()}
	opt.From, opt.To = w.Bounds()
	if opt.Locations, err = f.FindLocations(v.Locations); err != nil {
		return opt, verb.Usage(err)
	}
	if opt.Regions, err = f.FindRegions(v.Regions); err != nil {
		return opt, verb.Usage(err)
	}
	if v.period == "" {
		return opt, nil
	}
	axis := f.TimeAxis()
	ticks, err := axis.ParseDuration(v.period)
	if err != nil {
		return opt, verb.BadTime(err)
	}
	if opt.Period = int64(axis.Seconds(ticks) * 1e9); opt.Period < 1 {
		return opt, verb.Usagef("--partition %s is less than a nanosecond", v.period)
	}
	return opt, nil
}

// expected returns the approximate number of rows of the export, 0 if it is not known.
func (v *exportVerb) expected(info *store.Info) int64 {
	if v.tables != nil || v.Limit > 0 || v.From != "" || v.To != "" || v.Locations != nil || v.Regions != nil {
		return 0
	}
	return int64(info.Calls + info.Messages + info.Events)
}

// unknownTable returns the first of the chosen names that no table has, "" if each is one.
func (v *exportVerb) unknownTable() string {
	names := tableNames()
	if at := slices.IndexFunc(v.tables, func(name string) bool { return !slices.Contains(names, name) }); at >= 0 {
		return v.tables[at]
	}
	return ""
}

// traceEvents writes a window of a file as trace events.
func (v *exportVerb) traceEvents(ctx context.Context, out io.Writer, f *report.Trace, w *store.Window) (err error) {
	from, to := w.Bounds()
	bar := v.Bar("writing", "ticks", to-from)
	defer bar.Done()
	opt := chrome.ExportOptions{Progress: bar.Report, Output: v.Replacing.Options()}
	if v.output == outputs.Standard {
		return chrome.Write(ctx, out, f.Reader, w, opt)
	}
	if err := verb.CheckOutput(v.output, v.Force); err != nil {
		return err
	}
	s := report.TraceEvents{Input: f.Path, Output: v.output}
	if s.Bytes, err = chrome.Export(ctx, f.Reader, w, v.output, opt); err != nil {
		return err
	}
	bar.Done()
	return v.Tell(out, &s)
}
