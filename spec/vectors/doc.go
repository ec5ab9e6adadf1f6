// Package vectors makes the conformance vectors of the file format: small files with one feature or one fault each, and what a reader must
// make of them. [All] makes them; makevectors writes them to spec/v1/vectors. Expected calls and messages come from the naive model of
// the trace, not from a reader.
package vectors
