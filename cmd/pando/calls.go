package main

import (
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// callPrinter prints calls, one a line.
type callPrinter struct {
	file  *opened
	json  *jsonLines // nil for text
	width int        // of the labels of locations
}

func newCallPrinter(f *opened, json bool) *callPrinter {
	p := &callPrinter{file: f, width: labelWidth(f.names, f.Info().Locations)}
	if json {
		p.json = newJSONLines(f)
	}
	return p
}

const durationWidth = 9

func (p *callPrinter) header() string {
	return padLeft("START [s]", p.file.clock.width) + "  " + padLeft("DURATION", durationWidth) + "  " +
		padRight("LOCATION", p.width) + "  CALL"
}

// append appends the line of a call.
func (p *callPrinter) append(dst []byte, c *trace.Call) []byte {
	if p.json != nil {
		return p.json.call(dst, c)
	}
	return p.text(dst, c)
}

func (p *callPrinter) text(dst []byte, c *trace.Call) []byte {
	dst = p.file.clock.padded(dst, c.Start)
	dst = append(append(dst, "  "...), padLeft(p.file.clock.human(c.Duration()), durationWidth)...)
	dst = append(append(dst, "  "...), padRight(p.file.names.location(c.Location), p.width)...)
	dst = append(append(dst, "  "...), indent(c.Depth)...)
	dst = append(dst, p.file.names.call(c)...)
	return append(append(dst, callNote(c)...), '\n')
}

// call returns the name of what was called.
func (n *names) call(c *trace.Call) string {
	if undefined(c.Region) && c.Context != trace.Undefined {
		return "context " + n.plain(trace.SpaceCallingContext, c.Context)
	}
	return n.plain(trace.SpaceRegion, c.Region)
}

func callNote(c *trace.Call) string {
	switch {
	case c.Flags&trace.CallOpen != 0:
		return "  (never left)"
	case c.Flags&trace.CallCut != 0:
		return "  (ended by a leave further out)"
	}
	return ""
}

// indent shows depth; beyond a bound it says the depth instead.
func indent(depth int) string {
	const most = 12
	if depth > most {
		return strings.Repeat("  ", most) + strconv.Itoa(depth) + ": "
	}
	return strings.Repeat("  ", depth)
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-len([]rune(s)))) + s
}

// call appends a call as JSON.
func (l *jsonLines) call(dst []byte, c *trace.Call) []byte {
	number := func(key string, v int64) {
		dst = strconv.AppendInt(append(append(append(dst, `,"`...), key...), `":`...), v, 10)
	}
	dst = l.place(append(dst, `{"type":"call",`...), "location", c.Location)
	dst = l.reference(dst, "region", trace.SpaceRegion, c.Region)
	if c.Context != trace.Undefined {
		dst = l.reference(dst, "context", trace.SpaceCallingContext, c.Context)
	}
	number("start", c.Start-l.clock.first)
	number("end", c.End-l.clock.first)
	number("duration", c.Duration())
	number("exclusive", c.Exclusive)
	number("depth", int64(c.Depth))
	number("children", int64(c.Children))
	number("ordinal", int64(c.Ordinal))
	if c.Parent == trace.Undefined {
		dst = append(dst, `,"parent":null`...)
	} else {
		number("parent", int64(c.Parent))
	}
	dst = strconv.AppendBool(append(dst, `,"open":`...), c.Flags&trace.CallOpen != 0)
	dst = strconv.AppendBool(append(dst, `,"cut":`...), c.Flags&trace.CallCut != 0)
	return append(dst, "}\n"...)
}

// reference appends an id and the name it stands for.
func (l *jsonLines) reference(dst []byte, key string, space trace.Space, id uint64) []byte {
	dst = append(append(append(dst, `,"`...), key...), `":`...)
	name := []byte("null")
	if undefined(id) {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendUint(dst, id, 10)
		name = l.names.json.get(space, id)
	}
	return append(append(append(append(dst, `,"`...), key...), `_name":`...), name...)
}
