package columnar

import (
	"context"

	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
)

// pager collects batches in pages and writes these.
type pager struct {
	out  func(*table.Batch) error
	page *table.Batch
}

func (p *pager) add(b *table.Batch) error {
	if p.page != nil && p.page.TextBytes()+b.TextBytes() > table.PageText {
		if err := p.flush(); err != nil {
			return err
		}
	}
	if p.page == nil {
		p.page = b
	} else {
		p.page.Append(b)
		b.Release()
	}
	if p.page.Rows < table.PageRows && p.page.TextBytes() < table.PageText {
		return nil
	}
	return p.flush()
}

// flush writes what has been collected.
func (p *pager) flush() error {
	b := p.page
	if b == nil {
		return nil
	}
	p.page = nil
	defer b.Release()
	if b.Rows == 0 {
		return nil
	}
	return p.out(b)
}

// rowsTo gives the rows of a table, up to the limit, to an encoder, and tells how many there are.
func (e *exporter) rowsTo(ctx context.Context, out encode.Encoder, s *table.Table) (f File, err error) {
	f.Table = s.Name
	p := pager{out: func(b *table.Batch) error {
		f.Rows += int64(b.Rows)
		if err := e.written(b.Rows); err != nil {
			return err
		}
		return out.Write(b)
	}}
	left := e.options.Limit
	for b, err := range s.Batches(e.catalog, e.window) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && e.options.Limit > 0 {
			f.More = int64(b.Rows) > left
			b.Cut(int(min(left, int64(b.Rows))))
			left -= int64(b.Rows)
		}
		if err == nil {
			err = p.add(b)
		}
		if err != nil {
			return f, err
		}
		if f.More {
			break
		}
	}
	err = p.flush()
	return f, err
}

// written tells how far the export is.
func (e *exporter) written(rows int) error {
	if e.rows += int64(rows); e.options.MaxRows > 0 && e.rows > e.options.MaxRows {
		return ErrTooManyRows
	}
	e.options.Progress.Report(e.rows, 0)
	return nil
}
