package main

import (
	"bufio"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// lines prints records, one a line, as text or as JSON.
type lines struct {
	text *textLines
	json *jsonLines // nil for text
}

func newLines(f *opened, json bool) lines {
	if json {
		return lines{json: newJSONLines(f)}
	}
	return lines{text: newTextLines(f)}
}

// event appends the line of an event; ordinal is its number on its location.
func (l *lines) event(dst []byte, b *trace.Batch, i int, ordinal uint64) []byte {
	if l.json != nil {
		return l.json.event(dst, b, i, ordinal)
	}
	return l.text.event(dst, b, i)
}

func (l *lines) definition(dst []byte, d *trace.Record) []byte {
	if l.json != nil {
		return l.json.definition(dst, d)
	}
	return l.text.definition(dst, d)
}

func (l *lines) auxiliary(dst []byte, id trace.StreamID, b *trace.Batch, i int) []byte {
	if l.json != nil {
		return l.json.auxiliary(dst, id, b, i)
	}
	return l.text.auxiliary(dst, id, b, i)
}

// events writes the events of a window, at most limit of them. It says how many, and whether there are more. done
// is told the time of an event now and then.
func (l *lines) events(w *bufio.Writer, window *store.Window, limit int, done func(t int64)) (n int, more bool, err error) {
	const enough = 64 << 10 // bytes
	buf := make([]byte, 0, 2*enough)
	for e, err := range window.Events() {
		if err == nil && n == limit {
			more = true
			break
		}
		if err == nil {
			n++
			buf = l.event(buf, e.Batch, e.Index, e.Ordinal)
			if len(buf) < enough {
				continue
			}
		}
		if _, writeErr := w.Write(buf); writeErr != nil {
			return n, false, writeErr
		}
		if err != nil {
			return n, false, err
		}
		done(e.Batch.Times[e.Index])
		buf = buf[:0]
	}
	_, err = w.Write(buf)
	return n, more, err
}

// noLimit lets all through.
const noLimit = int(^uint(0) >> 1)

func addJSON(cmd *cobra.Command, json *bool, what string) {
	cmd.Flags().BoolVar(json, "json", false, what)
}
