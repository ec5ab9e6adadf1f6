package columnar

import "context"

// pager collects batches in pages and writes these.
type pager struct {
	out  func(*batch) error
	page *batch
}

func (p *pager) add(b *batch) error {
	if p.page != nil && p.page.textBytes()+b.textBytes() > pageText {
		if err := p.flush(); err != nil {
			return err
		}
	}
	if p.page == nil {
		p.page = b
	} else {
		p.page.append(b)
		b.release()
	}
	if p.page.rows < pageRows && p.page.textBytes() < pageText {
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
	defer b.release()
	if b.rows == 0 {
		return nil
	}
	return p.out(b)
}

// rowsTo gives all rows of a table to an encoder and returns their number.
func (e *exporter) rowsTo(ctx context.Context, out encoder, s *source) (rows int64, err error) {
	p := pager{out: func(b *batch) error {
		rows += int64(b.rows)
		if err := e.written(b.rows); err != nil {
			return err
		}
		return out.write(b)
	}}
	for b, err := range s.batches(e.catalog, e.window) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = p.add(b)
		}
		if err != nil {
			return rows, err
		}
	}
	return rows, p.flush()
}

// written tells how far the export is.
func (e *exporter) written(rows int) error {
	if e.rows += int64(rows); e.options.MaxRows > 0 && e.rows > e.options.MaxRows {
		return ErrTooManyRows
	}
	e.options.Progress.Report(e.rows, 0)
	return nil
}
