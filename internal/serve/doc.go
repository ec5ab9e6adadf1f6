// Package serve answers questions about Pando files over HTTP, so that a notebook on a laptop reads one second out of a trace that
// stays where it is. It only reads, and nothing but the files that it was given, or those in the folders that it was given.
//
// A request passes the guard (who may ask, how many at once, for how long, the access log), is checked against its route's
// parameters, takes the trace from the library, which opens files and notices when they are replaced, and streams its answer. The
// table of routes is what the mux, the checks and the OpenAPI document are made from.
package serve
