package viewing

import (
	"errors"
	"io"

	"github.com/pandotrace/pando/convert/chrome"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/store"
)

// exportBytes is the memory for a part of a trace that is written in another form, in bytes.
const exportBytes = 64 << 20

// Export answers with a window as a file of its own: trace events, which Perfetto opens, or a Pando file.
func (q *Question) Export() (Answer, error) {
	p, err := q.Part()
	if err != nil {
		return Answer{}, err
	}
	format, err := q.OneOf("format", "chrome", "pando")
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Events: p.Events, Bytes: exportBytes, Type: JSON, Name: "window.json", Write: func(to io.Writer) error {
		return chrome.Write(q.Context, to, q.Trace.Reader, p.Window, chrome.ExportOptions{})
	}}
	if format == "pando" {
		a.Type, a.Name, a.Write = File, "window.pando", func(to io.Writer) error { return q.cut(to, &p) }
	}
	return a, nil
}

// cut writes a part of the trace as a Pando file, with what is open at its ends.
func (q *Question) cut(to io.Writer, p *Part) (err error) {
	src, err := edit.Cut(q.Trace.Reader, edit.Selection{From: p.From, To: p.To, Locations: p.Locations, Regions: p.Regions})
	if err != nil {
		return err
	}
	if c, ok := src.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	out, err := store.NewWriter(q.Context, to, src.Meta(), store.Options{Memory: exportBytes})
	if err != nil {
		return err
	}
	if err := store.Copy(q.Context, out, src, nil); err != nil {
		return errors.Join(err, out.Abort())
	}
	return out.Close()
}
