// Package serve answers questions about Pando files over HTTP, so that a notebook on a laptop reads one second out of a trace that
// stays where it is. It only reads, and nothing but the files that it was given, or those in the folders that it was given.
//
// A request passes the guard (who may ask, from which site, the access log, the last resort for faults of the program), is checked against
// its route's parameters, and is admitted by the gate of its kind, which shares out turns and memory. It takes the trace from the library,
// which opens files and notices when they are replaced, and streams its answer. The table of routes is what the mux, the checks and the
// OpenAPI document are made from.
//
// Answers are types of internal/report, which the program prints in the same bytes. A new question is a row in the table of routes, with a
// function that reads its parameters, names its cost (kinds.go) and asks internal/report.
package serve
