// Package convert is the registry of trace formats. It finds out what is at a path and opens it as a trace.Source,
// whatever the format: a file, a folder that holds one trace, or a packed archive (tar, tar.gz, tar.zst) of one.
//
// A format is a package below this one and a row in the table of formats.go. Formats are told apart by content, never by
// file names.
package convert
