// Package columnar writes what a file holds, or a time window of it, as tables: Parquet, Arrow IPC files, or CSV.
//
// There are three layers. A table (calls, messages, events, ...) is a list of columns, each with name, type, unit, meaning
// and the function that takes its value from a row; [Tables] shows them, and docs/tables.md is written from it. Rows come
// from the iterators of [store.Window] and are taken apart, some thousand at a time, into a batch of vectors, one per
// column. An encoder turns batches into bytes of one format. Nothing is held longer than one group of rows.
//
// Times are counted from the trace's first event. Ids and other integers of the trace are 64 bits wide and unsigned; in
// tables they are int64, because signed integers are what every reader of Parquet and Arrow gets right, nulls and
// statistics included. A value of 2^63 and more, which no known writer of traces uses for an id, appears as the negative
// number of the same bits. The undefined reference of a format is null.
//
// The bytes of a table depend on the trace and the options alone.
package columnar
