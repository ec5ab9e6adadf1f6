// Package read gives a file of trace events as a [trace.Source].
//
// The file is read once, from begin to end. Each event becomes a compact record, and the records are sorted by thread and time. Names,
// threads and counters stay in memory; their number is limited. The streams then give the events of each thread: slices that nest are
// calls, as begins and ends are, and a slice that ends after the slice it began in becomes a span with a number. Flows become messages,
// paired by their ids.
package read
