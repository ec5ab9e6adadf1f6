package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// ListOptions of a Listing.
type ListOptions struct {
	// Format is Text, JSON or CSV; JSON is one object a line.
	Format Format
	// Columns are the names of members of the JSON of calls, messages and events: each line has these, in their order. Without, JSON and CSV
	// have all, and text is laid out for people.
	Columns []string
	// Limit is the largest number of lines of a section, 0 for no limit.
	Limit int
	// Headings puts the name of each section above it, in text.
	Headings bool
	// Bare leaves out everything in text but the lines themselves: names of columns, and remarks about lines that are missing.
	Bare bool
	// Window is the window that the lines are of, nil for the whole trace.
	Window *store.Window
	// Progress, if not nil, is called now and then with the time of the line that was written last, in ticks relative to the epoch.
	Progress func(t int64)
}

// Listing writes calls, messages, events and other records of a trace, one a line, in sections.
type Listing struct {
	w       *bufio.Writer
	trace   *Trace
	opt     ListOptions
	started bool
	buf     []byte
}

// NewListing starts a listing. As JSON its first line tells the window and the clock.
func NewListing(w *bufio.Writer, t *Trace, opt ListOptions) *Listing {
	l := &Listing{w: w, trace: t, opt: opt}
	if opt.Format == JSON {
		if opt.Window == nil {
			opt.Window = t.All()
		}
		l.buf = newJSONLines(t).window(l.buf, opt.Window)
	}
	return l
}

// Calls writes a section of calls.
func (l *Listing) Calls(calls iter.Seq2[trace.Call, error]) error {
	p := newItemPrinter(l.trace, l.lines())
	start := func(c *trace.Call) int64 { return c.Start }
	return list(l, section{"calls", p.callHeader(), callMembers}, calls, start, p.call)
}

// Messages writes a section of messages.
func (l *Listing) Messages(messages iter.Seq2[trace.Message, error]) error {
	p := newItemPrinter(l.trace, l.lines())
	start := func(m *trace.Message) int64 { return min(m.SendTime, m.ReceiveTime) }
	return list(l, section{"messages", p.messageHeader(), messageMembers}, messages, start, p.message)
}

// Events writes a section of events. The noun for its heading and remarks is what.
func (l *Listing) Events(what string, events iter.Seq2[trace.Event, error]) error {
	p := newRecordPrinter(l.trace, l.lines())
	start := func(e *trace.Event) int64 { return e.Batch.Times[e.Index] }
	return list(l, section{what, "", eventMembers}, events, start, func(dst []byte, e *trace.Event) []byte { return p.event(dst, e) })
}

// lines returns the format of the lines that columns are picked from.
func (l *Listing) lines() Format {
	if len(l.opt.Columns) > 0 || l.opt.Format == CSV {
		return JSON
	}
	return l.opt.Format
}

// section is a part of a listing: the noun for its elements, the line above them in text, and the columns that can be chosen.
type section struct {
	what, heading string
	columns       func() []string
}

// picked returns a function that appends the line of an element with the chosen columns; line appends the whole one.
func picked[T any](p *picker, line func([]byte, *T) []byte) func([]byte, *T) []byte {
	var whole []byte
	return func(dst []byte, x *T) []byte {
		whole = line(whole[:0], x)
		return p.row(dst, whole)
	}
}

// list writes a section within the limit, below a line with the names of columns. start returns the time of an element, line appends
// its line.
func list[T any](l *Listing, s section, all iter.Seq2[T, error], start func(*T) int64, line func([]byte, *T) []byte) error {
	p, err := newPicker(&l.opt, s.columns)
	if err != nil {
		return err
	}
	what, columns := s.what, s.heading
	l.head(what)
	if p != nil {
		columns, line = "", picked(p, line)
		l.buf = p.head(l.buf)
	}
	n, more := 0, false
	var x T // one for all: each element of a range that escapes would be allocated
	for element, err := range all {
		x = element
		if err != nil {
			return errors.Join(err, l.flush())
		}
		if more = l.opt.Limit > 0 && n == l.opt.Limit; more {
			break
		}
		if n++; n == 1 && l.remarks() && columns != "" {
			l.buf = append(append(l.buf, columns...), '\n')
		}
		if l.buf = line(l.buf, &x); len(l.buf) < enough {
			continue
		}
		if err := l.flush(); err != nil {
			return err
		}
		if l.opt.Progress != nil {
			l.opt.Progress(start(&x))
		}
	}
	if p != nil {
		l.buf = p.release(l.buf)
	}
	if err := l.flush(); err != nil {
		return err
	}
	l.foot(n, more, what)
	return nil
}

// enough is the number of bytes that are collected before they are written.
const enough = 64 << 10

func (l *Listing) flush() error {
	_, err := l.w.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// remarks reports whether there is text besides the lines.
func (l *Listing) remarks() bool { return l.opt.Format == Text && !l.opt.Bare }

// head begins a section of text.
func (l *Listing) head(what string) {
	if !l.remarks() {
		return
	}
	if l.started {
		fmt.Fprintln(l.w)
	}
	l.started = true
	if l.opt.Headings {
		fmt.Fprintln(l.w, what)
	}
}

// foot ends a section of text with a remark if lines were left out, or if there were none.
func (l *Listing) foot(n int, more bool, what string) {
	switch {
	case !l.remarks():
	case more:
		fmt.Fprintf(l.w, "… more %s follow (--limit %d)\n", what, l.opt.Limit)
	case n == 0:
		fmt.Fprintf(l.w, "no %s\n", what)
	}
}

// Stack writes the open calls of a location, the outermost first.
func (l *Listing) Stack(calls []trace.Call) error {
	p := newItemPrinter(l.trace, l.opt.Format)
	switch {
	case !l.remarks():
	case len(calls) == 0:
		fmt.Fprintln(l.w, "no call is open")
	default:
		fmt.Fprintln(l.w, p.callHeader())
	}
	for i := range calls {
		l.buf = p.call(l.buf, &calls[i])
	}
	return l.flush()
}

// Definitions writes the definitions, in their order.
func (l *Listing) Definitions() error {
	p := newRecordPrinter(l.trace, l.opt.Format)
	log := l.trace.names.defs.Log
	for i := range log {
		if l.buf = p.definition(l.buf, &log[i]); len(l.buf) < enough {
			continue
		}
		if err := l.flush(); err != nil {
			return err
		}
	}
	return l.flush()
}

// Auxiliary writes the records of all streams of the trace that are no events.
func (l *Listing) Auxiliary() error {
	p, src := newRecordPrinter(l.trace, l.opt.Format), l.trace.Source()
	for _, info := range src.Streams() {
		if info.Class == trace.StreamEvents {
			continue
		}
		s, err := src.Open(info.StreamID)
		if err != nil {
			return err
		}
		err = l.stream(s, info.StreamID, p)
		s.Close()
		if err != nil {
			return err
		}
	}
	return l.flush()
}

func (l *Listing) stream(s trace.Stream, id trace.StreamID, p recordPrinter) error {
	const atOnce = 1024 // records
	var b trace.Batch
	for {
		err := s.Next(&b, atOnce)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range b.Len() {
			l.buf = p.auxiliary(l.buf, id, &b, i)
		}
		if err := l.flush(); err != nil {
			return err
		}
	}
}

// recordPrinter writes records, one a line, as text or as JSON.
type recordPrinter struct {
	text *textLines
	json *jsonLines // nil for text
}

func newRecordPrinter(t *Trace, f Format) recordPrinter {
	if f == JSON {
		return recordPrinter{json: newJSONLines(t)}
	}
	return recordPrinter{text: newTextLines(t)}
}

func (p *recordPrinter) event(dst []byte, e *trace.Event) []byte {
	if p.json != nil {
		return p.json.event(dst, e.Batch, e.Index, e.Ordinal)
	}
	return p.text.event(dst, e.Batch, e.Index)
}

func (p *recordPrinter) definition(dst []byte, d *trace.Record) []byte {
	if p.json != nil {
		return p.json.definition(dst, d)
	}
	return p.text.definition(dst, d)
}

func (p *recordPrinter) auxiliary(dst []byte, id trace.StreamID, b *trace.Batch, i int) []byte {
	if p.json != nil {
		return p.json.auxiliary(dst, id, b, i)
	}
	return p.text.auxiliary(dst, id, b, i)
}
