// Package query selects, groups and sorts the rows of a table of a trace: calls longer than a millisecond, by rank and name, with how many and how long.
//
//	New       reads and plans a query of a window
//	Plan      has the answer as a table, and says how it is found
//
// # How it works
//
// A condition is split at its "and". What concerns only locations, or only names of regions, is decided once for each of them; bounds of times and
// durations narrow the window: the store then leaves out slices, without decoding them. The rest is computed for batches of rows, column by column
// (package rule), of those columns alone that the query names. Groups are numbered batch by batch, and their sums are kept in flat slices.
//
// Rows that are sorted, groups, and values whose median is wanted are kept, within [Query.Memory]. Rows that are only selected pass through.
package query
