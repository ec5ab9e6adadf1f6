// Package pando is the root of a storage engine and file format for event traces of parallel programs. It has no code;
// this is the map.
//
//   - [github.com/pandotrace/pando/trace] is the data model: definitions, events, calls, messages, and the table of
//     record kinds that drives everything else.
//   - [github.com/pandotrace/pando/store] is the engine: a Writer that makes a file of a trace in one pass, a Reader
//     that gives back any time window of it.
//   - convert and the packages below it read and write other formats: OTF2 and its relatives, Parquet, Arrow.
//   - format, encode and index are the parts that store is made of: the container, the coding of values, the interval
//     tree. None of them does I/O.
//   - cmd/pando is the program.
//
// Imports point one way only: trace and format know no other package of ours, encode builds on them, index on encode,
// store on all, convert on trace and store. A test in internal/lint enforces it.
//
// ARCHITECTURE.md follows an event through the packages and says where to start reading.
package pando
