// Package store reads and writes Pando files: traces of parallel programs, any time window of which is read at a cost set by the window.
//
// # Basics
//
// [Open] returns a [Reader], which is safe for concurrent use. Its [Window] selects a half-open interval of time [from, to), optionally
// narrowed to locations, regions, kinds of events or a least duration. A window is a value that reads nothing; its methods answer questions:
//
//	r, err := store.Open(ctx, "run.pando", store.ReadOptions{})
//	w := r.Window(from, to).WithLocations(3)
//	for call, err := range w.Calls() { ... }      // calls that overlap the window, by start time
//	for e, err := range w.Events() { ... }        // events, merged by time; Batches is faster
//	sum, err := w.Summary(store.SummaryCalls)     // exact totals by location and region
//	line, err := w.Timeline(1000)                 // who did what in each of 1000 pixels
//
// Times are ticks of the trace's clock (Meta.Resolution per second), relative to its epoch; ids are those of the trace's definitions.
// [trace.TimeAxis] turns what people write ("40%", "1.5s") into ticks.
//
// [Create] returns a [Writer]. It takes definitions, and batches of events in time order within each location, and writes the file in one
// pass; [Copy] gives it a whole [trace.Source]. Options.Memory bounds the memory it takes. The file appears under its name only after Close.
//
// [Reader.Verify] checks a file, and [Recover] makes a sound file of a damaged one or of one that was never finished.
//
// # How a question is answered
//
//	          file, from its end                     what it is for
//	footer    -> root of the directory               which pages have times of [from, to)
//	page      -> slices [a, b) that touch it,        where the blocks are; postings say which slices can be left out
//	             nodes on the paths to a and b       calls and messages that cross slices; tables of sums; bins
//	slice     -> dictionary of shapes + model        shared by many slices, kept in the cache
//	          -> tokens -> shapes -> leaves          structure: which events, in which order
//	          -> columns                             their times and values
//	          = trace.Batch -> calls, messages       merged over lanes, by time
//
// Summaries read tables for what lies between the slices at the window's ends, timelines read bins where pixels are wide: both take
// about the same time for windows of any length.
//
// Hashes of structure say whether locations, of one file or of two, call the same in the same order. Options.Hashes puts them into nodes
// ([Window.Hashes]). Without them the structure of slices says it ([Window.Structure]); package fingerprint of analysis compares by either.
//
// # Contexts
//
// All work of a Reader or Writer ends when the context that it was opened with is done. [Reader.WithContext] and [Window.WithContext] put
// another one in its place, for a request or a single question. The context is looked at for each block, not for each event.
//
// # Caveats
//
// Batches and events of an iterator are valid until its next step, those of a [Part] until its function returns.
// Iterators yield an error as their last step; a range over one must look at it.
// What a Reader returns without copying (Info, Meta, Definitions) must not be changed.
// Errors of damaged bytes are *[format.CorruptError]; [ErrNotPando], [ErrUnsupported] and [ErrLimit] tell those apart that mean no damage.
// An unfinished file is NAME.part, which one writer at a time may have; what a killed one leaves can be recovered.
//
// # Where the engine is
//
// This package is the door. The engine lies in the packages below internal: read turns the directory into blocks and
// blocks into decoded lanes; query answers windows; summary and timeline add up; verify checks; write makes files; recovery
// makes a sound file of a damaged one; account measures what the bytes of a file are for. Below them, layout says what reader and
// writer agree on, pairing matches the messages of one slice, blockio holds bytes at rest, and cache keeps what was decoded.
package store
