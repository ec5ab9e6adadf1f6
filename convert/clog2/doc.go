// Package clog2 reads CLOG-2, the log files of MPE, without the MPE library: finished ones, which hold the merged records of
// all processes, and the files of single processes that a crash leaves behind.
//
// A file is a preamble of text, blocks of one size, and a table of communicators:
//
//	preamble  1024 bytes: the version, then titles and values, as strings that end in 00
//	block     records, the last of them of type 1 (of the last block: type 0), then whatever was in memory
//	record    float64 seconds | communicator, rank in it, thread, type (int32 each) | payload of the type's size
//	table     number of entries | entries of 40 bytes
//
// Finished files are big-endian. [Open] gives a trace of one or more files as a [trace.Source]: a location is a thread of
// a process, whatever communicator an event was logged on. States that nest are calls, others are intervals; see [mpe.Nesting].
// All that a record says can be had back from the trace: times are ticks of a nanosecond and a clock for each location
// (see [mpe.SecondsClock]), the communicator is an attribute where it is not the location's usual one, and cargo becomes
// attributes too.
//
// Opening goes through all records twice: first for what is defined, mostly behind the events that need it, and for
// communicators; then for clocks and for states that do not nest. A finished file is read in stretches of some blocks, several at once,
// each by itself; what they say is taken in one after the other. What a file holds for its locations is interleaved; streams
// share the pieces of it that were read last.
package clog2
