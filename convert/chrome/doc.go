// Package chrome reads and writes trace events, the JSON that Chrome's tracing, Perfetto and many profilers share.
//
//	{"traceEvents": [                                       or the list alone, with or without its end
//	  {"ph":"X","pid":1,"tid":2,"ts":12.345,"dur":6,"name":"f","cat":"c","args":{}},
//	  ...
//
// Times are microseconds with any number of digits behind the point. Events stand in no order, and the begin and end of a call may be far
// apart in the file. [Open] reads the file once and sorts compact records of its events by thread and time. [Export] writes a window of a
// Pando file as trace events: calls, messages, counters, and the other events as instants.
//
// Package internal/scan reads JSON text and its numbers, internal/sorting sorts in memory and on disk, internal/read makes a source of a
// file, internal/write exports, and internal/form has the names that reading and writing share.
package chrome
