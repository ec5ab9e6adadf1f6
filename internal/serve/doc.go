// Package serve answers questions about Pando files over HTTP, so that a notebook on a laptop reads one second out of a trace that
// stays where it is. It only reads, and nothing but the files that it was given, or those in the folders that it was given.
//
// A request passes the guard (who may ask, from which site, which paths and methods there are, the access log, metrics, the last resort for
// faults of the program) and is checked against its route's parameters. A client that has the answer already is told so (tag.go). Other
// questions are admitted by the gate of their kind, which shares out turns and memory, take the trace from the library, which opens files and
// notices when they are replaced, and stream their answers (collecting.go), compressed if the client accepts it (coding.go). The table of routes is
// what the look-up of paths, the checks, the metrics and the OpenAPI document are made from.
//
// Answers are types of internal/report, which the program prints in the same bytes. A new question is a row in the table of routes, with a
// function that reads its parameters, names its cost (kinds.go) and asks internal/report.
package serve
