// Package read turns bytes of a file into what queries work on.
//
//	directory root -> page -> block -> dictionary, statistics -> decoded lane of a slice
//
// [File] is an open file. Its methods find slices and blocks (lookup.go), read blocks ahead (load.go), decode a lane of a slice into
// events (File.Events) or into enters and leaves only (File.CallSteps), follow those to calls (File.Calls), and read what nodes of
// the interval tree hold: spanning calls and messages, and tables of sums. Everything decoded is kept in the file's cache.
package read
