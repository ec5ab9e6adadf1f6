// Package columnar writes what a file holds, or a time window of it, as tables: Parquet, Arrow IPC files, CSV or JSON.
//
// It is the door to three rooms. Package table has the parts of a table: columns with name, type, unit, meaning and the function that
// takes a value from a row. Package content has the tables themselves (calls, messages, events, ...), one file each; [Tables] lists them,
// and docs/tables.md is written from that. Package encode turns batches of rows into bytes of one format. The door selects tables, claims
// their files, and moves batches from a table to an encoder; nothing is held longer than one group of rows.
//
// Times are counted from the trace's first event. Ids and other integers of the trace are 64 bits wide and unsigned; in
// tables they are int64, because signed integers are what every reader of Parquet and Arrow gets right, nulls and
// statistics included. A value of 2^63 and more, which no known writer of traces uses for an id, appears as the negative
// number of the same bits. The undefined reference of a format is null.
//
// The bytes of a table depend on the trace and the options alone.
package columnar
