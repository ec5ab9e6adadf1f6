// Package viewing answers what the viewer asks, beyond what others ask, too: rows, tiles, messages, counters, the calls at a time, the next call,
// and windows as files. A [Question] reads its parameters and returns an [Answer]: what it will cost, and a function that writes it. Package
// serve admits it by its cost.
package viewing

import (
	"context"
	"io"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/serve/asked"
	"github.com/pandotrace/pando/internal/serve/tiles"
	"github.com/pandotrace/pando/store"
)

// Question is a question about a trace.
type Question struct {
	asked.Query
	// Context ends with the request, and work and waiting for it end with the context.
	Context context.Context
	// Trace is the trace, whose reader ends its work with the question.
	Trace *report.Trace
	// Rows are what is drawn of it.
	Rows *tiles.Rows
	// State tells states of files apart, each of which has its own tiles. Kept are those that were made.
	State uint64
	Kept  *Kept
	// Part returns the part of the trace that the usual parameters of windows select.
	Part func() (Part, error)
}

// Part is a part of a trace.
type Part struct {
	*store.Window
	From, To           int64
	Locations, Regions []uint64 // nil for all
	Rows               int      // locations
	Events             uint64   // of the slices that it touches
}

// Answer is an answer that has yet to be made.
type Answer struct {
	// Events are those of the slices that must be decoded, Cells the numbers in the answer, Bytes the memory besides.
	Events, Cells uint64
	Bytes         int64
	// Type is its media type, Name the name of the file that it is, "" for none.
	Type, Name string
	// Write makes the answer.
	Write func(io.Writer) error
}

// Media types of answers.
const (
	JSON  = "application/json"
	Tiles = "application/vnd.pando.tiles"
	Lines = "application/x-ndjson" // one object a line, as the program prints it
	File  = "application/vnd.pando.trace"
)

// sliceEvents returns the events of a slice, on average.
func (q *Question) sliceEvents() uint64 {
	i := q.Trace.Info()
	return i.Events / max(i.Slices, 1)
}
