package columnar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options say what is exported, and to where.
type Options struct {
	// Dir is the folder for the files; it is made if it is missing.
	Dir    string
	Format Format
	// Tables are the names of the tables wanted. Without (nil), all tables are written except those of rare kinds of
	// definitions that the trace does not have, and except the table in the layout of Pipit.
	Tables []string
	// From and To are the bounds of the window [From, To), in ticks relative to the trace's epoch. They do not matter if
	// Whole is set: then the window is the whole trace. Tables of definitions are always whole.
	From, To int64
	Whole    bool
	// Locations and Regions are the ids of the locations and, for the table of calls, regions wanted; nil means all.
	// Messages need one end on a location.
	Locations, Regions []uint64
	// Period, in nanoseconds, makes tables partitioned if it is not 0: a table is a folder with files for each location group and
	// period of time, DIR/TABLE/location_group=ID/period=N/part-0.FORMAT; period N begins N*Period nanoseconds after the
	// trace's first event, and has the rows that begin in it.
	Period int64
	// Columns are the names of the columns wanted, in their order, of each table; nil means all. Other columns are not made.
	Columns []string
	// Limit is the largest number of rows of each table, 0 for all: the first rows are written, and nothing is read for the others.
	Limit int64
	// MaxRows ends an export with [ErrTooManyRows] when it has more rows, all tables together; 0 is no limit.
	MaxRows int64
	// Output says what becomes of files that are there already. Folders of partitioned tables must be empty in any case.
	Output store.OutputOptions
	// Progress counts rows written, all tables together. Their total is not known.
	Progress trace.Progress
}

// ErrTooManyRows says that an export has more rows than [Options.MaxRows].
var ErrTooManyRows = errors.New("there are more rows than allowed")

// check finds fault with options.
func (o *Options) check() error {
	switch {
	case !slices.Contains(Formats(), o.Format):
		return fmt.Errorf("there is no table format %q", o.Format)
	case !o.Whole && o.From > o.To:
		return fmt.Errorf("the window ends (%d) before it begins (%d)", o.To, o.From)
	case o.Period < 0:
		return fmt.Errorf("a period of %d ns is not a length of time", o.Period)
	case o.Limit < 0:
		return fmt.Errorf("a table cannot have %d rows", o.Limit)
	case o.Columns != nil && len(o.Columns) == 0:
		return errors.New("a table needs a column")
	case o.Period > 0 && (o.Columns != nil || o.Limit > 0):
		return errors.New("a partitioned table has all columns and rows")
	}
	return nil
}

// File is one file written.
type File struct {
	Table, Path string
	Rows, Bytes int64
	// More is true if the table has more rows than [Options.Limit].
	More bool
}

// Exporter writes tables of one file. It is safe for concurrent use.
type Exporter struct {
	reader  *store.Reader
	catalog *table.Catalog
	about   []encode.Property
}

// New prepares to write tables of a file: it reads the definitions.
func New(r *store.Reader) (*Exporter, error) {
	x, err := table.NewCatalog(r)
	if err != nil {
		return nil, err
	}
	return &Exporter{reader: r, catalog: x, about: about(r)}, nil
}

// Export writes tables to files DIR/TABLE.FORMAT, or to partitioned folders. Each file or folder is written as NAME.part, by one
// writer at a time, and gets its name when it is complete. After an error there is no unfinished one; those returned are complete.
func (x *Exporter) Export(ctx context.Context, opt Options) (files []File, err error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	chosen, err := x.choose(opt.Tables, opt.Columns)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(opt.Dir, fs.ModePerm); err != nil {
		return nil, err
	}
	to, err := claimAll(chosen, &opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.discard()) }()
	e := exporter{Exporter: x, options: opt, window: opt.window(x.reader.WithContext(ctx))}
	for i, s := range chosen {
		some, err := e.table(ctx, s, to, i)
		files = append(files, some...)
		if err != nil {
			return files, fmt.Errorf("table %s: %w", s.Name, err)
		}
	}
	return files, nil
}

// Write writes one table to a writer, and returns what was written, without a path. The options' Dir, Tables and Period do not matter.
func (x *Exporter) Write(ctx context.Context, w io.Writer, table string, opt Options) (File, error) {
	opt.Period = 0
	if err := opt.check(); err != nil {
		return File{}, err
	}
	chosen, err := x.choose([]string{table}, opt.Columns)
	if err != nil {
		return File{}, err
	}
	e := exporter{Exporter: x, options: opt, window: opt.window(x.reader.WithContext(ctx))}
	to := output{w: w}
	f, err := e.write(ctx, &to, chosen[0])
	if err != nil {
		return f, fmt.Errorf("table %s: %w", table, err)
	}
	return f, nil
}

// WriteTable writes a table whose rows are made of an answer instead of a file, with what files of tables say about it. Of the options, those matter
// that are not about files and windows: Format, Columns, Limit, MaxRows, Progress.
func WriteTable(ctx context.Context, w io.Writer, t *table.Table, about []encode.Property, opt Options) (f File, err error) {
	opt.Whole = true
	if err := opt.check(); err != nil {
		return f, err
	}
	if opt.Columns != nil {
		if t, err = t.Choose(opt.Columns); err != nil {
			return f, err
		}
	}
	e := exporter{Exporter: &Exporter{about: about}, options: opt}
	return e.write(ctx, &output{w: w}, t)
}

// Check returns an error if there is no such table, or not with these columns: a [ColumnError].
func (x *Exporter) Check(table string, columns []string) error {
	_, err := x.choose([]string{table}, columns)
	return err
}

// choose returns tables with the chosen columns.
func (x *Exporter) choose(tables, columns []string) ([]*table.Table, error) {
	chosen, err := choose(x.catalog, tables)
	for i := 0; i < len(chosen) && columns != nil && err == nil; i++ {
		chosen[i], err = chosen[i].Choose(columns)
	}
	return chosen, err
}

// Has reports whether there is a table of a name.
func (x *Exporter) Has(table string) bool {
	_, err := choose(x.catalog, []string{table})
	return err == nil
}

func (o *Options) window(r *store.Reader) *store.Window {
	w := r.Window(o.From, o.To)
	if o.Whole {
		w = r.All()
	}
	if o.Locations != nil {
		w = w.WithLocations(o.Locations...)
	}
	if o.Regions != nil {
		w = w.WithRegions(o.Regions...)
	}
	return w
}

// about says of a trace what tells the meaning of its times.
func about(r *store.Reader) []encode.Property {
	m := r.Meta()
	list := []encode.Property{
		{Name: "pando.source_format", Value: m.Format},
		{Name: "pando.ticks_per_second", Value: strconv.FormatUint(m.Resolution, 10)},
		{Name: "pando.first_event_ticks", Value: m.SourceTime(r.Info().First).String()},
	}
	for _, p := range m.LossProperties() {
		list = append(list, encode.Property(p))
	}
	for _, p := range m.Properties {
		if strings.HasPrefix(p.Name, trace.NotePrefix) {
			list = append(list, encode.Property{Name: "pando." + p.Name, Value: strings.ToValidUTF8(p.Value, "\uFFFD")})
		}
	}
	return list
}

// exporter writes the tables of one export.
type exporter struct {
	*Exporter
	options Options
	window  *store.Window
	rows    int64 // of all tables so far
}

// table writes one table, to the output of a number.
func (e *exporter) table(ctx context.Context, s *table.Table, to *outputs, i int) ([]File, error) {
	if e.options.Period > 0 {
		return e.datasetOf(ctx, s, to.folders[i])
	}
	f := newFile(filepath.Join(e.options.Dir, s.Name+"."+string(e.options.Format)), to.files[i])
	written, err := e.write(ctx, &f.output, s)
	if err == nil {
		err = f.buf.Flush()
	}
	if err == nil {
		err = to.files[i].Commit()
	}
	if err != nil {
		return nil, err
	}
	written.Path = f.path
	return []File{written}, nil
}

// write writes one table to an output.
func (e *exporter) write(ctx context.Context, to *output, s *table.Table) (f File, err error) {
	out, err := encode.New(e.options.Format, to, e.header(s))
	if err != nil {
		return f, err
	}
	if f, err = e.rowsTo(ctx, out, s); err == nil {
		err = out.Close()
	}
	f.Bytes = to.size
	return f, err
}

func (e *exporter) header(s *table.Table) encode.Header {
	h := encode.Header{Schema: &s.Schema, Names: make([]*table.Names, len(s.Columns)), About: e.about}
	for i, names := range s.Names {
		if names != nil {
			h.Names[i] = names(e.catalog)
		}
	}
	return h
}
