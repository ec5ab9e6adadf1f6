package store

import (
	"context"
	"iter"

	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/summary"
	"github.com/pandotrace/pando/store/internal/timeline"
	"github.com/pandotrace/pando/trace"
)

// Window is a half-open interval [from, to) of the trace's time, with filters. [trace.Call.Overlaps] says which calls it
// contains. The With methods return a narrowed copy. Iterators yield an error as their last step.
type Window struct{ w *query.Window }

// Window returns the window [from, to), in ticks relative to the epoch.
func (r *Reader) Window(from, to int64) *Window { return &Window{query.NewWindow(r.file, from, to)} }

// TimeAxis returns the axis by which times of the trace are read and written.
func (r *Reader) TimeAxis() trace.TimeAxis {
	info := r.file.Info()
	return trace.NewTimeAxis(info.First, info.Last, r.file.Meta().Resolution)
}

// ParseWindow returns a window whose bounds are texts: times since the first event ("1.5s", "40%", or ticks), and for the end also a time
// since the begin ("+5ms"). An empty text is the begin or end of the trace.
func (r *Reader) ParseWindow(from, to string) (*Window, error) {
	axis := r.TimeAxis()
	begin, end, err := axis.ParseWindow(from, to)
	if err != nil {
		return nil, err
	}
	return r.Window(begin, end), nil
}

// All returns the window of the whole trace.
func (r *Reader) All() *Window { return &Window{query.All(r.file)} }

// WithContext returns the window for work that ends when ctx is done: iterators yield its error, and other methods return it.
func (w *Window) WithContext(ctx context.Context) *Window { return &Window{w.w.WithContext(ctx)} }

// WithLocations keeps what happens on the locations of these ids; messages need one end there. What the file says of them is read; if that
// fails, the error is that of each question of the window.
func (w *Window) WithLocations(ids ...uint64) *Window { return &Window{w.w.WithLocations(ids...)} }

// WithRegions keeps calls of the regions of these ids.
func (w *Window) WithRegions(ids ...uint64) *Window { return &Window{w.w.WithRegions(ids...)} }

// WithKinds keeps events of these kinds.
func (w *Window) WithKinds(kinds ...trace.Kind) *Window { return &Window{w.w.WithKinds(kinds...)} }

// WithMinDuration keeps calls that last at least a number of ticks. Slices that are shorter are not decoded: see [Window.LongSlices].
func (w *Window) WithMinDuration(ticks int64) *Window { return &Window{w.w.WithMinDuration(ticks)} }

// LeastDuration returns how long a call of the window lasts at least, in ticks: see [Window.WithMinDuration]; 0 for calls of any length.
func (w *Window) LeastDuration() int64 { return w.w.Shortest }

// LongSlices returns the number of slices that [Window.Calls] has to decode: those that are longer than the least duration of the window's calls.
// A viewer that wants its answer at once asks for longer calls where they are many. It reads the directory alone.
func (w *Window) LongSlices() (uint64, error) { return w.w.LongSlices() }

// Within returns the window [from, to) with the filters of this one.
func (w *Window) Within(from, to int64) *Window { return &Window{w.w.Within(from, to)} }

// Whole returns the window of the whole trace, without the filters of this one.
func (w *Window) Whole() *Window { return &Window{query.All(w.w.Reader)} }

// Bounds returns the window's interval.
func (w *Window) Bounds() (from, to int64) { return w.w.Bounds() }

// Cuts returns up to n-1 times, rising, that divide the window into parts of about equally many slices. A summary between two cuts reads no
// slice where the tables of the file are fine enough. A row of such windows costs little more than one long window.
func (w *Window) Cuts(n int) ([]int64, error) { return w.w.Cuts(n) }

// TouchedEvents returns about how many events the slices have that the window touches, of all locations: what may have to be decoded
// for a question about it. It reads no slice.
func (w *Window) TouchedEvents() (uint64, error) { return w.w.TouchedEvents() }

// Calls yields the calls of the window, whole, in order of start, location (in the order of definition) and ordinal.
func (w *Window) Calls() iter.Seq2[trace.Call, error] { return w.w.Calls() }

// CallBatches yields what [Window.Calls] does as columns, slice by slice, large slices in parts: the fastest way to go through all calls. Columns are those
// that are named, all of them if none is. A batch is valid until the next step, its memory is used again, and it must not be changed.
func (w *Window) CallBatches(columns ...trace.CallColumns) iter.Seq2[*trace.CallBatch, error] {
	return w.w.CallBatches(false, anyOf(columns))
}

// CallBatchesByLocation is CallBatches in another order: in each batch the calls are ordered by location (in the order of definition) and ordinal. Sums and
// filters, which ask for no order of time, are made in less time.
func (w *Window) CallBatchesByLocation(columns ...trace.CallColumns) iter.Seq2[*trace.CallBatch, error] {
	return w.w.CallBatches(true, anyOf(columns))
}

// anyOf returns all columns that are named, or all there are.
func anyOf(columns []trace.CallColumns) (all trace.CallColumns) {
	for _, c := range columns {
		all |= c
	}
	if len(columns) == 0 {
		return trace.AllCallColumns
	}
	return all
}

// CallsByStart yields the calls that begin in the window, in order of start, location and ordinal. Only slices that have calls of the
// window's regions and locations are read, so that the next call of a region is found at once, however far it is.
func (w *Window) CallsByStart() iter.Seq2[trace.Call, error] { return w.w.CallsByStart() }

// CallsByStartBackward yields what CallsByStart does, the last one first.
func (w *Window) CallsByStartBackward() iter.Seq2[trace.Call, error] {
	return w.w.CallsByStartBackward()
}

// LongestCalls returns the n longest calls of the window, by their whole duration, the longest first; among equal ones the earlier.
// Slices in which no call can be long enough are not read.
func (w *Window) LongestCalls(n int) ([]trace.Call, error) { return w.w.LongestCalls(n) }

// Messages yields the messages of the window in order of send, by location and ordinal.
func (w *Window) Messages() iter.Seq2[trace.Message, error] { return w.w.Messages() }

// Pairs yields the pairs of events of a family that have a part in the window, in order of the opening event: by time, location and ordinal. Of a window
// of some locations, one end is there. What began before the window is found without reading from the trace's begin. The family is one of
// [trace.ItemizedFamilies]; of others, there are none. Memory is that of the pairs of a slice.
func (w *Window) Pairs(family trace.PairFamily) iter.Seq2[trace.EventPair, error] {
	return w.w.Pairs(family)
}

// OpenPairs returns the pairs of a family that begin before the window and end at its begin or later, by location and ordinal of the opening event: what
// is under way at that time.
func (w *Window) OpenPairs(family trace.PairFamily) ([]trace.EventPair, error) {
	return w.w.OpenPairs(family)
}

// UnmatchedMessageEnds yields the ends of messages in the window that have no partner.
func (w *Window) UnmatchedMessageEnds() iter.Seq2[trace.Event, error] {
	return w.w.UnmatchedMessageEnds()
}

// Events yields the events of the window in merged order: by time, location (in the order of definition) and ordinal.
// Where one instant holds more events than a slice, they come slice by slice.
func (w *Window) Events() iter.Seq2[trace.Event, error] { return w.w.Events() }

// EventsBackward yields what Events does, the last one first. Where one instant holds more events than a slice, they come slice
// by slice.
func (w *Window) EventsBackward() iter.Seq2[trace.Event, error] { return w.w.EventsBackward() }

// Batches yields the events of the window slice by slice, large ones in parts, location by location: the fastest way to go
// through all. Events of all kinds are in them. A batch is valid until the next step and must not be changed.
func (w *Window) Batches() iter.Seq2[*trace.Batch, error] { return w.w.Batches() }

// LaneStructure is the structure of the events of a lane of locations in one slice: calls as counted shapes, without values.
type LaneStructure = query.LaneStructure

// ShapeRun is the structure of the events of one location in one slice.
type ShapeRun = query.ShapeRun

// TimeRun is the times of the events of one location in one slice, without their other values.
type TimeRun = query.TimeRun

// Structure yields the structure of the events of the window's locations, lane by lane in the order of slices, without decoding any value.
// Slices are whole: where one begins before the window or ends behind it, so do the events. Filters other than locations do not apply.
func (w *Window) Structure() iter.Seq2[*LaneStructure, error] { return w.w.Structure() }

// Times yields the times of the events of the window's locations, in the order of slices: of each, those of some lanes after the others. Filters
// other than locations do not apply.
func (w *Window) Times() iter.Seq2[*TimeRun, error] { return w.w.Times() }

// OpenCalls returns the calls of the window's locations that begin before the window and end at its begin or later: the stacks with which
// its first events are met. They are ordered by location (in the order of definition), the outermost first. Filters other than locations
// do not apply.
func (w *Window) OpenCalls() ([]trace.Call, error) { return w.w.OpenCalls() }

// Source returns the events of the window as a trace with all definitions and no auxiliary records.
func (w *Window) Source() trace.Source { return w.w.Source() }

// SummaryPart is a part of a summary.
type SummaryPart = summary.SummaryPart

// The parts of a summary.
const (
	SummaryCalls       = summary.SummaryCalls
	SummaryMessages    = summary.SummaryMessages
	SummaryCollectives = summary.SummaryCollectives
	SummaryMetrics     = summary.SummaryMetrics
)

// Summary adds up parts of the window, all of them if none is named. Times and counts are exact.
func (w *Window) Summary(parts ...SummaryPart) (*trace.Summary, error) {
	return summary.Summarize(w.w, parts...)
}

// CallSums adds up the calls of the window's locations, region by region in the order of their ids: what [Window.Summary] has of them, without a line for each
// location. Location is [trace.Undefined]. With [Window.WithLocations] it is the sum over a group. Memory is that of the regions and of some lanes, however
// many locations there are. Times are ticks, and exact.
func (w *Window) CallSums() ([]trace.CallTotals, error) { return summary.Together(w.w) }

// MetricPixels divides the window into pixels of equal length, and tells for each location what a member of a metric was in them: from exact sums, in
// order of the locations. Where nothing changes for many pixels, one sum answers for all of them.
func (w *Window) MetricPixels(pixels int, metric, member uint64) ([]trace.MetricPixels, error) {
	return summary.MetricPixels(w.w, pixels, metric, member)
}

// MaxPixels is the largest number of pixels of a timeline.
const MaxPixels = timeline.MaxPixels

// Timeline divides the window into pixels of equal length.
func (w *Window) Timeline(pixels int) (*trace.Timeline, error) { return timeline.Make(w.w, pixels) }

// TimelineSum divides the window into pixels of equal length and adds up the time of its locations, pixel by pixel and region by region: the answer has
// one row of cells, Cells[Starts[0]:Starts[1]], and no Locations. A cell has at most as many ticks as the pixel has, times the number of locations.
// Errors are those of a single location. With [Window.WithLocations] it is the sum over a group; how many locations that has makes no difference to the memory.
func (w *Window) TimelineSum(pixels int) (*trace.Timeline, error) { return timeline.Sum(w.w, pixels) }

// TimelineOptions say how timelines are made.
type TimelineOptions = timeline.Options

// Timelines yields what Timeline returns, some locations at a time: each is in one of the timelines, with the cells that it has in that of
// Timeline, and valid until the next step. Memory is that of one of them, however many locations there are; [TimelineOptions] can also ask for exact cells.
func (w *Window) Timelines(o TimelineOptions) iter.Seq2[*trace.Timeline, error] {
	return timeline.Each(w.w, o)
}

// TimelineRuns is a timeline that says a region once which has all the time of several pixels in a row.
type TimelineRuns = timeline.Runs

// TimelineRun is the time of a region in such pixels, or in one.
type TimelineRun = timeline.Run

// TimelineRuns yields what Timelines yields, but does not divide what fills several pixels: who adds up many locations has less to go through.
func (w *Window) TimelineRuns(o TimelineOptions) iter.Seq2[*TimelineRuns, error] {
	return timeline.EachRuns(w.w, o)
}

// LocationIDs returns the ids of the window's locations, in the order of definition, whether they have events in its time or not.
func (w *Window) LocationIDs() ([]uint64, error) { return w.w.LocationIDs() }

// HasRegion reports whether the window's filters keep calls of a region.
func (w *Window) HasRegion(id uint64) bool { return w.w.Regions == nil || w.w.Regions[id] }

// Part is what of a window lies in one slice, or in a part of it if the slice is large. It belongs to one goroutine, and is
// valid until the function that it was given to returns.
type Part struct {
	window *Window
	part   *query.Part
}

// PartContents says what will be asked of the parts of a window, so that it is read ahead, and no more than that.
type PartContents = query.PartContents

// The contents of parts.
const (
	PartCalls    = query.PartCalls
	PartEvents   = query.PartEvents
	PartMessages = query.PartMessages
)

// Parts does something with each part of a window, on all processors, and yields the results in order. The function may be called
// again for smaller parts of a part that turns out to be too large; its first result then counts for nothing. Together the parts have the
// calls, events and messages that the window has, each once, in the window's order.
func Parts[T any](w *Window, of PartContents, do func(*Part) (T, error)) iter.Seq2[T, error] {
	return query.Parts(w.w, of, func(p *query.Part) (T, error) { return do(&Part{w, p}) })
}

// StreamParts is Parts with several results of each part, in order: they are yielded while the part is worked on, so that not all of a large
// one are in memory. Of parts whose turn has not come a few results wait, and then give does, until it returns false: no more are wanted then.
// What is asked of the part is asked before the first result is given, and results hold
// nothing that is valid as long as the part.
func StreamParts[T any](w *Window, of PartContents, do func(p *Part, give func(T) bool) error) iter.Seq2[T, error] {
	return query.StreamParts(w.w, of, func(p *query.Part, give func(T) bool) error { return do(&Part{w, p}, give) })
}

// Calls returns the window's calls that begin in the part, in order, and in the first part those that are open when it begins.
func (p *Part) Calls() ([]trace.Call, error) { return p.part.Calls() }

// OverlappingCalls returns the window's calls that begin in the part or are open when it begins, in order. In a part that is not the
// first, the open ones belong to parts before it.
func (p *Part) OverlappingCalls() ([]trace.Call, error) { return p.part.OverlappingCalls() }

// Messages returns the window's messages whose earlier end lies in the part, in order, and in the first part those that are
// under way when it begins.
func (p *Part) Messages() ([]trace.Message, error) { return p.part.Messages() }

// Events calls visit with each of the window's events in the part, in order. They are valid as long as the part.
func (p *Part) Events(visit func(trace.Event)) error { return p.part.Events(visit) }

// Batches calls visit with the window's events in the part, location by location in the order of definition, and the ordinal of the first one of
// each batch. Events of all kinds are in them. They are valid as long as the part, and must not be changed.
func (p *Part) Batches(visit func(b *trace.Batch, first uint64)) error { return p.part.Batches(visit) }

// Window returns the window that the part belongs to.
func (p *Part) Window() *Window { return p.window }
