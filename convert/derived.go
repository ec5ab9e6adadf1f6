package convert

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// pandoName is the name of the format of our own files.
const pandoName = "Pando"

// IsPando reports whether the trace is a Pando file.
func (t *Trace) IsPando() bool { return t.Format == pandoName }

// Indexed returns the trace as a Pando file: itself, or a temporary one made of it, which Close of the result removes. Windows of it
// can be read, and the calls and messages told that are open at their ends.
func (t *Trace) Indexed(ctx context.Context, opt WriteOptions) (*Trace, error) {
	if t.IsPando() {
		return t, nil
	}
	temp, err := os.MkdirTemp(t.opt.TempDir, "pando-indexed-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(temp, "trace.pando")
	if err := t.index(ctx, path, opt); err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	f := formatNamed(pandoName)
	return &Trace{Format: f.Name, Path: path, Bytes: t.Bytes, format: f, opt: t.opt, temp: temp, origins: []*Trace{t}}, nil
}

// index copies the trace into a Pando file.
func (t *Trace) index(ctx context.Context, path string, opt WriteOptions) error {
	src, err := t.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	w, err := store.Create(ctx, path, src.Meta(), opt.Store)
	if err != nil {
		return err
	}
	err = store.Copy(ctx, w, src, opt.Progress)
	if err == nil && opt.Accept != nil {
		err = opt.Accept(src.Warnings())
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return nil
}

func formatNamed(name string) *Format {
	for i := range formats {
		if formats[i].Name == name {
			return &formats[i]
		}
	}
	return nil
}

// Select returns the trace with what is selected of it, of all of its time, see [edit.Select]. choose is asked whenever the trace is
// opened. To close one of them is to close both.
func (t *Trace) Select(choose func(trace.Source) (edit.Selection, error)) *Trace {
	c := *t
	c.choose = choose
	return &c
}

// openSelected opens the trace with what is selected of it.
func (t *Trace) openSelected(ctx context.Context) (trace.Source, error) {
	src, err := t.format.open(ctx, t.Path, t.opt)
	if err != nil {
		return nil, err
	}
	s, err := t.choose(src)
	var part trace.Source
	if err == nil {
		part, err = edit.Select(src, s)
	}
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return part, nil
}

// Cut returns a part of a trace that is a Pando file, see [Trace.Indexed]. To close one of them is to close both.
func (t *Trace) Cut(s edit.Selection) *Trace {
	c := *t
	c.cut = &s
	return &c
}

// BehindEnd reports whether a part of a Pando file begins behind the file's last event.
func (t *Trace) BehindEnd(ctx context.Context) (bool, error) {
	r, err := store.Open(ctx, t.Path, store.ReadOptions{})
	if err != nil {
		return false, err
	}
	defer r.Close()
	return t.cut != nil && t.cut.From > r.Info().Last, nil
}

// openCut opens a part of a Pando file.
func openCut(ctx context.Context, path string, s edit.Selection) (trace.Source, error) {
	r, err := store.Open(ctx, path, store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	src, err := edit.Cut(r, s)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), r.Close())
	}
	return &pandoSource{src, r}, nil
}

// window returns the part of a Pando file that the trace is.
func (t *Trace) window(r *store.Reader) *store.Window {
	if t.cut == nil {
		return r.All()
	}
	w := r.Window(t.cut.From, t.cut.To)
	if t.cut.Locations != nil {
		w = w.WithLocations(t.cut.Locations...)
	}
	if t.cut.Regions != nil {
		w = w.WithRegions(t.cut.Regions...)
	}
	return w
}

// Concat returns the trace that several successive windows of one make up, see [edit.Concat]. They are closed after it.
func Concat(traces ...*Trace) *Trace { return derived(traces, edit.Concat) }

// Merge returns the trace that several traces, which are Pando files, are together, see [edit.Merge]. They are closed after it.
func Merge(align edit.Alignment, traces ...*Trace) *Trace {
	return derived(traces, func(src ...trace.Source) (trace.Source, error) { return edit.Merge(align, src...) })
}

// derived returns a trace that is made of others.
func derived(traces []*Trace, join func(...trace.Source) (trace.Source, error)) *Trace {
	t := &Trace{Format: "several files", Path: traces[0].Path, origins: traces}
	for _, o := range traces {
		t.Bytes += o.Bytes
	}
	t.open = func(ctx context.Context) (trace.Source, error) {
		d := &derivedSource{}
		for _, o := range traces {
			src, err := o.Open(ctx)
			if err != nil {
				return nil, errors.Join(err, d.closeAll())
			}
			d.of = append(d.of, src)
		}
		var err error
		if d.Source, err = join(d.of...); err != nil {
			return nil, errors.Join(err, d.closeAll())
		}
		return d, nil
	}
	return t
}

// derivedSource closes the sources that it was made of.
type derivedSource struct {
	trace.Source
	of []trace.Source
}

// Close implements trace.Source.
func (d *derivedSource) Close() error { return errors.Join(d.Source.Close(), d.closeAll()) }

func (d *derivedSource) closeAll() (err error) {
	for _, s := range d.of {
		err = errors.Join(err, s.Close())
	}
	return err
}

// Coarsen returns the trace with less than it tells, see [edit.Coarsen]. bounds tells how much whenever the trace is opened. To close one of
// them is to close both.
func (t *Trace) Coarsen(bounds func(*trace.Meta) (edit.Bounds, error)) *Trace {
	c := &Trace{Format: t.Format + ", coarser", Path: t.Path, Bytes: t.Bytes, opt: t.opt, temp: t.temp, origins: []*Trace{t}}
	if len(t.origins) > 0 {
		c.origins = t.origins
	}
	c.open = func(ctx context.Context) (trace.Source, error) {
		src, err := t.Open(ctx)
		if err != nil {
			return nil, err
		}
		b, err := bounds(src.Meta())
		if err == nil {
			if whole, ok := src.(*pandoSource); ok && t.cut == nil {
				b.Original = whole.reader.Info().SHA256[:]
			}
			var coarse trace.Source
			if coarse, err = edit.Coarsen(src, b); err == nil {
				return coarse, nil
			}
		}
		return nil, errors.Join(err, src.Close())
	}
	return c
}

// Define returns the trace with further definitions, see [edit.Define]. To close one of them is to close both.
func (t *Trace) Define(further []trace.Record) *Trace {
	c := *t
	if len(t.origins) == 0 {
		c.origins = []*Trace{t}
	}
	c.open = func(ctx context.Context) (trace.Source, error) {
		src, err := t.Open(ctx)
		if err != nil {
			return nil, err
		}
		more, err := edit.Define(src, further)
		if err != nil {
			return nil, errors.Join(err, src.Close())
		}
		return more, nil
	}
	return &c
}
