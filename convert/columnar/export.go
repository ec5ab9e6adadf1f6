package columnar

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/store"
)

// Format is a format of tables, and the extension of its files.
type Format string

// Formats of tables.
const (
	// Parquet files are small and read by everything that reads columns.
	Parquet Format = "parquet"
	// Arrow files (the IPC file format, also called Feather 2) hold columns as they stand in memory: not compressed, to be
	// mapped.
	Arrow Format = "arrow"
	// CSV files have a line of column names and a line for each row. Null and the empty string look alike in them.
	CSV Format = "csv"
)

// Options say what is exported, and to where.
type Options struct {
	// Dir is the folder for the files; it is made if it is missing.
	Dir    string
	Format Format
	// Tables are the names of the tables wanted. Without (nil), all tables are written except those of rare kinds of
	// definitions that the trace does not have.
	Tables []string
	// From and To are the bounds of the window [From, To), in ticks relative to the trace's epoch. They do not matter if
	// Whole is set: then the window is the whole trace. Tables of definitions are always whole.
	From, To int64
	Whole    bool
	// Locations and Regions are the ids of the locations and, for the table of calls, regions wanted; nil means all.
	// Messages need one end on a location.
	Locations, Regions []uint64
	// Progress, which may be nil, is called now and then with the number of rows written so far, all tables together.
	Progress func(rows int64)
}

// File is one file written.
type File struct {
	Table, Path string
	Rows, Bytes int64
}

// Export writes tables to files DIR/TABLE.FORMAT. Each is written as TABLE.FORMAT.part and gets its name when it is complete.
// After an error there is no unfinished file; those returned are complete.
func Export(ctx context.Context, r *store.Reader, opt Options) ([]File, error) {
	if !slices.Contains([]Format{Parquet, Arrow, CSV}, opt.Format) {
		return nil, fmt.Errorf("there is no table format %q", opt.Format)
	}
	if !opt.Whole && opt.From > opt.To {
		return nil, fmt.Errorf("the window ends (%d) before it begins (%d)", opt.To, opt.From)
	}
	x, err := newCatalog(r)
	if err != nil {
		return nil, err
	}
	chosen, err := x.choose(opt.Tables)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(opt.Dir, 0o777); err != nil {
		return nil, err
	}
	e := exporter{ctx: ctx, catalog: x, options: opt, window: opt.window(r), about: about(r)}
	var files []File
	for _, s := range chosen {
		f, err := e.table(s)
		if err != nil {
			return files, fmt.Errorf("table %s: %w", s.Name, err)
		}
		files = append(files, f)
	}
	return files, nil
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

// property is a name with a value that a file of a table carries besides the table.
type property struct{ name, value string }

// about says of a trace what tells the meaning of its times.
func about(r *store.Reader) []property {
	m := r.Meta()
	return []property{
		{"pando.source_format", m.Format},
		{"pando.ticks_per_second", strconv.FormatUint(m.Resolution, 10)},
		{"pando.first_event_ticks", strconv.FormatUint(m.Epoch+uint64(r.Info().First), 10)},
	}
}

// exporter writes the tables of one export.
type exporter struct {
	ctx     context.Context
	catalog *catalog
	options Options
	window  *store.Window
	about   []property
	rows    int64 // of all tables so far
}

// table writes one table.
func (e *exporter) table(s *source) (File, error) {
	f, err := createFile(e.options.Dir, s.Name+"."+string(e.options.Format))
	if err != nil {
		return File{}, err
	}
	defer f.discard()
	out, err := newEncoder(e.options.Format, f, e.header(s))
	if err != nil {
		return File{}, err
	}
	rows, err := e.rowsTo(e.ctx, out, s, e.window)
	if err != nil {
		return File{}, err
	}
	if err := out.close(); err != nil {
		return File{}, err
	}
	if err := f.commit(); err != nil {
		return File{}, err
	}
	return File{Table: s.Name, Path: f.path, Rows: rows, Bytes: f.size}, nil
}

// header is what an encoder must know of a table before the first row.
type header struct {
	*Table
	names []*names // by column, nil for those that are no names
	about []property
}

func (e *exporter) header(s *source) header {
	h := header{Table: &s.Table, names: make([]*names, len(s.Columns)), about: e.about}
	for i, names := range s.names {
		if names != nil {
			h.names[i] = names(e.catalog)
		}
	}
	return h
}

// encoder writes a table in one format. A table without rows has no batches.
type encoder interface {
	write(b *batch) error
	close() error
}

func newEncoder(f Format, out *file, h header) (encoder, error) {
	switch f {
	case Parquet:
		return newParquetEncoder(out, h)
	case Arrow:
		return newArrowEncoder(out, h)
	default:
		return newCSVEncoder(out, h)
	}
}
