// Package trace is Pando's data model: what a trace of a parallel program is, independent of any file format.
//
// A trace has a [Meta] (its clock, where it came from), an ordered log of definitions ([Record]), and streams of
// records: one stream of events per location and any number of auxiliary ones (snapshots, local definitions, markers).
// One table of kinds ([Standard]) says for each kind of record which fields it has, what they mean and how they are
// stored; readers, writers, printers and tables are driven by it.
//
// Events move in batches ([Batch]), struct of arrays for one stream, reused, so that no event costs an allocation or an
// interface call. A format that can be read implements [Source].
//
// The package knows no bytes and does no I/O.
package trace
