package columnar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store"
)

// A partitioned table is a folder TABLE/location_group=ID/period=N with files part-0.parquet, part-1.parquet, ...: the layout of Hive.
// Readers take the two as columns. Rows are collected for each file, and written when there are enough of them, or too many in all.
const (
	waitingRows = 1 << 20 // of all open files
	openFiles   = 96
	passGroups  = 64 // location groups that are written at once: about a lane of the file
)

// errNotEmpty is why a partitioned table is not written: readers would take what is in its folder for a part of it.
var errNotEmpty = errors.New("the folder is not empty")

// folder is the place of some rows.
type folder struct {
	group     int64
	grouped   bool // there is a group, and it is not null
	period    int64
	hasPeriod bool
}

// path returns the path of a folder below that of the table.
func (f folder) path(p *table.Partitioning) string {
	path := ""
	if p.Group != "" {
		path = "location_group=__HIVE_DEFAULT_PARTITION__"
		if f.grouped {
			path = fmt.Sprintf("location_group=%d", f.group)
		}
	}
	if f.hasPeriod {
		path = filepath.Join(path, fmt.Sprintf("period=%d", f.period))
	}
	return path
}

// shelf is an open file with rows that wait to be written to it.
type shelf struct {
	folder
	file  *file
	part  *os.File
	out   encode.Encoder
	rows  *table.Batch
	total int64 // rows in the file
}

// dataset writes one table as a partitioned one.
type dataset struct {
	*exporter
	source  *table.Table
	names   encode.Header
	dir     string         // when it is complete
	part    string         // until then
	columns []int          // of the group, then of times
	wanted  map[int64]bool // groups of this pass; nil for all
	shelves []*shelf       // the one used last is the last
	parts   map[folder]int // files so far
	waiting int
	files   []File
}

// datasetOf writes a table as a partitioned one.
func (e *exporter) datasetOf(ctx context.Context, s *table.Table, to *claim.Folder) ([]File, error) {
	d := &dataset{exporter: e, source: s, names: e.header(s), dir: filepath.Join(e.options.Dir, s.Name), part: to.Part(), parts: map[folder]int{}}
	if err := d.write(ctx); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d.files, to.Commit()
}

// write writes all files.
func (d *dataset) write(ctx context.Context) error {
	e, s := d.exporter, d.source
	d.columns = []int{IndexOf(s, s.Partition.Group)}
	for _, name := range s.Partition.Times {
		d.columns = append(d.columns, IndexOf(s, name))
	}
	for _, pass := range e.passes(s) {
		d.wanted = pass.groups
		for b, err := range s.Batches(e.catalog, pass.window) {
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = d.add(b)
			}
			if err != nil {
				return err
			}
		}
		for len(d.shelves) > 0 {
			if err := d.closeFirst(); err != nil {
				return err
			}
		}
	}
	if len(d.files) == 0 { // a table without rows has its schema
		if err := d.put(folder{}, table.NewBatch(len(s.Columns)), nil); err != nil {
			return err
		}
		return d.closeFirst()
	}
	return nil
}

// IndexOf returns the place of a column, -1 if there is none.
func IndexOf(s *table.Table, name string) int {
	return slices.IndexFunc(s.Columns, func(c table.Column) bool { return c.Name == name })
}

// pass is a part of a table whose files can be open at once.
type pass struct {
	window *store.Window
	groups map[int64]bool // nil for all
}

// passes divides the location groups of a table that is partitioned by them.
func (e *exporter) passes(s *table.Table) (list []pass) {
	groups := map[int64][]uint64{}
	var order []int64
	for i := range e.catalog.Places {
		p := &e.catalog.Places[i]
		g := group(p)
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], p.ID)
	}
	if s.Partition.Group == "" || len(order) <= passGroups {
		return []pass{{window: e.window}}
	}
	for some := range slices.Chunk(order, passGroups) {
		p := pass{window: e.window, groups: map[int64]bool{}}
		var locations []uint64
		for _, g := range some {
			p.groups[g] = true
			locations = append(locations, groups[g]...)
		}
		if !s.Partition.Ends {
			p.window = p.window.WithLocations(locations...)
		}
		list = append(list, p)
	}
	return list
}

// noGroup is the location group of locations that have none.
const noGroup = -1 << 63

func group(p *table.Place) int64 {
	if p.InProcess {
		return p.Process
	}
	return noGroup
}

// add puts the rows of a batch where they belong.
func (d *dataset) add(b *table.Batch) error {
	defer b.Release()
	rows := map[folder][]int32{}
	var order []folder
	for i := range b.Rows {
		f := d.folderOf(b, i)
		if group := f.group; d.wanted != nil && !d.wanted[group] {
			continue
		}
		if rows[f] == nil {
			order = append(order, f)
		}
		rows[f] = append(rows[f], int32(i))
	}
	for _, f := range order {
		if err := d.put(f, b, rows[f]); err != nil {
			return err
		}
	}
	return nil
}

func (d *dataset) folderOf(b *table.Batch, row int) (f folder) {
	if c := d.columns[0]; c >= 0 {
		f.group, f.grouped = b.Vectors[c].Ints[row], !b.Vectors[c].IsNull(row)
		if !f.grouped {
			f.group = noGroup
		}
	}
	for _, c := range d.columns[1:] {
		v := &b.Vectors[c]
		if v.IsNull(row) {
			continue
		}
		period := floorDiv(v.Ints[row], d.options.Period)
		if !f.hasPeriod || period < f.period {
			f.period, f.hasPeriod = period, true
		}
	}
	return f
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// put adds rows to the file of a folder.
func (d *dataset) put(f folder, b *table.Batch, rows []int32) error {
	s, err := d.shelf(f)
	if err != nil {
		return err
	}
	s.rows.Gather(b, rows)
	d.waiting += len(rows)
	if err := d.written(len(rows)); err != nil {
		return err
	}
	if s.rows.Rows >= encode.GroupRows || s.rows.TextBytes() >= table.PageText {
		return d.empty(s)
	}
	for d.waiting > waitingRows {
		fullest := slices.MaxFunc(d.shelves, func(a, b *shelf) int { return a.rows.Rows - b.rows.Rows })
		if err := d.empty(fullest); err != nil {
			return err
		}
	}
	return nil
}

// empty writes the rows that wait.
func (d *dataset) empty(s *shelf) error {
	d.waiting -= s.rows.Rows
	s.total += int64(s.rows.Rows)
	defer s.rows.Reset()
	if s.rows.Rows == 0 {
		return nil
	}
	return s.out.Write(s.rows)
}

// shelf returns the open file of a folder, and opens one if there is none.
func (d *dataset) shelf(f folder) (*shelf, error) {
	if i := slices.IndexFunc(d.shelves, func(s *shelf) bool { return s.folder == f }); i >= 0 {
		s := d.shelves[i]
		d.shelves = append(slices.Delete(d.shelves, i, i+1), s)
		return s, nil
	}
	if len(d.shelves) >= openFiles {
		if err := d.closeFirst(); err != nil {
			return nil, err
		}
	}
	name := filepath.Join(f.path(&d.source.Partition), fmt.Sprintf("part-%d.%s", d.parts[f], d.options.Format))
	if err := os.MkdirAll(filepath.Join(d.part, filepath.Dir(name)), fs.ModePerm); err != nil {
		return nil, err
	}
	part, err := os.Create(filepath.Join(d.part, name))
	if err != nil {
		return nil, err
	}
	d.parts[f]++
	s := &shelf{folder: f, file: newFile(filepath.Join(d.dir, name), part), part: part, rows: table.NewBatch(len(d.source.Columns))}
	d.shelves = append(d.shelves, s)
	s.out, err = encode.New(d.options.Format, &s.file.output, d.names)
	return s, err
}

// closeFirst completes the file that has not been used for the longest time.
func (d *dataset) closeFirst() error {
	s := d.shelves[0]
	if err := d.empty(s); err != nil {
		return err
	}
	if err := s.out.Close(); err != nil {
		return err
	}
	if err := s.file.buf.Flush(); err != nil {
		return err
	}
	if err := s.part.Close(); err != nil {
		return err
	}
	d.shelves = slices.Delete(d.shelves, 0, 1)
	s.rows.Release()
	d.files = append(d.files, File{Table: d.source.Name, Path: s.file.path, Rows: s.total, Bytes: s.file.size})
	return nil
}

// close closes the files that are not complete.
func (d *dataset) close() (err error) {
	for _, s := range d.shelves {
		err = errors.Join(err, s.part.Close())
	}
	return err
}
