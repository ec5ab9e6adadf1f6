// Package summary answers what a window of a trace adds up to: as tables with a row for each region, location, pair or other thing, for
// people, as JSON and as CSV.
//
// A kind of rows is a list of columns, each with its names and its meaning ([Columns]); from them come the table for people, the JSON, the
// CSV, its schema and its document.
package summary
