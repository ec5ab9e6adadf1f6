package report

import (
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// itemPrinter writes calls and messages, one a line.
type itemPrinter struct {
	trace  *Trace
	json   *jsonLines // nil for text
	places *places
}

func newItemPrinter(t *Trace, f Format) *itemPrinter {
	p := &itemPrinter{trace: t, places: newPlaces(t)}
	if f == JSON {
		p.json = newJSONLines(t)
	}
	return p
}

const durationWidth = 9

func (p *itemPrinter) callHeader() string {
	return padLeft("START [s]", p.trace.clock.width) + "  " + padLeft("DURATION", durationWidth) + "  " +
		padRight("LOCATION", p.places.width) + "  CALL"
}

// call appends the line of a call.
func (p *itemPrinter) call(dst []byte, c *trace.Call) []byte {
	if p.json != nil {
		return p.json.call(dst, c)
	}
	return p.callText(dst, c)
}

func (p *itemPrinter) callText(dst []byte, c *trace.Call) []byte {
	dst = append(p.trace.clock.padded(dst, c.Start), "  "...)
	dst = alignRight(appendDuration(dst, p.trace.clock.Seconds(c.Duration())), len(dst), durationWidth)
	dst = append(append(dst, "  "...), p.places.label(c.Location)...)
	dst = append(append(dst, "  "...), indent(c.Depth)...)
	if trace.IsUndefined(c.Region) && c.Context != trace.Undefined {
		dst = append(append(dst, "context "...), p.trace.names.shown.get(trace.SpaceCallingContext, c.Context)...)
	} else {
		dst = append(dst, p.trace.names.shown.get(trace.SpaceRegion, c.Region)...)
	}
	return append(append(dst, callNote(c)...), '\n')
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

// indent returns spaces for a depth, and beyond a bound the depth as a number.
func indent(depth int) string {
	if most := len(spaces) / 2; depth > most {
		return spaces + strconv.Itoa(depth) + ": "
	}
	return spaces[:2*depth]
}

const spaces = "                        "

// call appends a call as JSON.
func (l *jsonLines) call(dst []byte, c *trace.Call) []byte {
	number := func(key string, v int64) {
		dst = strconv.AppendInt(append(append(append(dst, `,"`...), key...), `":`...), v, 10)
	}
	dst = l.place(append(dst, `{"type":"call",`...), "", c.Location)
	dst = l.reference(dst, "region", trace.SpaceRegion, c.Region)
	if c.Context != trace.Undefined {
		dst = l.reference(dst, "calling_context", trace.SpaceCallingContext, c.Context)
	}
	dst = l.times(dst, "start_", c.Start-l.clock.First())
	dst = l.times(dst, "end_", c.End-l.clock.First())
	dst = l.times(dst, "duration_", c.Duration())
	dst = l.times(dst, "exclusive_", c.Exclusive)
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

// reference appends the id of a definition and its name.
func (l *jsonLines) reference(dst []byte, key string, space trace.Space, id uint64) []byte {
	dst = append(append(append(dst, `,"`...), key...), `":`...)
	name := []byte("null")
	if trace.IsUndefined(id) {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendUint(dst, id, 10)
		name = l.names.json.get(space, id)
	}
	return append(append(append(append(dst, `,"`...), key...), `_name":`...), name...)
}
