// Package chrome reads and writes trace events, the JSON that Chrome's tracing, Perfetto and many profilers share.
//
//	{"traceEvents": [                                       or the list alone, with or without its end
//	  {"ph":"X","pid":1,"tid":2,"ts":12.345,"dur":6,"name":"f","cat":"c","args":{}},
//	  ...
//
// Times are microseconds with any number of digits behind the point. Events stand in no order, and what belongs together may
// stand far apart. So [Open] reads the file once, from begin to end, and keeps of each event a compact record, which it sorts
// by thread and time: in memory up to a budget, then on disk. Names, threads and counters are what stays in memory; their
// number has limits. The streams then give the events of each thread: slices that nest are calls, as begins and ends are; a
// slice that ends behind the one it began in becomes a span with a number. Flows become messages, paired by their ids.
//
// [Export] writes a window of a Pando file as trace events: calls, messages, counters, and the other events as instants.
package chrome
