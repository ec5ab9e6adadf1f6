// Package store reads and writes Pando files.
//
// # Reading
//
// [Open] returns a [Reader]. A [Window] selects a half-open interval of time [from, to), optionally narrowed to locations,
// regions, kinds of events or a least duration. Its methods answer questions at a cost set by the window, not by the file:
//
//	r, err := store.Open(ctx, "run.pando", store.ReadOptions{})
//	for call, err := range r.Window(from, to).Calls() { ... } // calls that overlap the window, by start time
//	sum, err := r.Window(from, to).Summary()                  // exact totals by location and region
//
// Times are ticks of the trace's clock (Meta.Clock), relative to its epoch. A Reader is safe for concurrent use.
//
// # Writing
//
// A [Writer] takes batches of events, in time order within each location, and writes slices, interval tree and directory in
// one pass. Options.Memory bounds the memory it takes. The file appears under its name only after Close.
//
// # How a window is answered
//
//	footer -> root of the directory -> pages of [from, to)
//	page   -> slices [a, b)  +  nodes on the paths root -> a and root -> b (spanning calls and messages, tables of sums)
//	slice  -> dictionary of shapes, model, tokens, values -> trace.Batch
//
// # Where the engine is
//
// This package is the door. The engine lies in the packages below internal: read turns the directory into blocks and
// blocks into decoded lanes; query answers windows; summary and timeline add up; verify checks; write makes files, recovery
// makes a sound file of a damaged one; account tells what the bytes of a file are for. Below them, layout says what reader and
// writer agree on, pairing matches the messages of one slice, blockio holds bytes at rest, and cache keeps what was decoded.
//
// # Caveats
//
// Batches and events of an iterator are valid until its next step. Errors of damaged bytes are *format.CorruptError; [Reader.Verify]
// checks a file, [OpenRecovery] saves what is left of it.
package store
