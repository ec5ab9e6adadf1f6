// Package read gives an OTF2 archive as a [trace.Source]. A stream reads its file in small windows and decodes records into batches: ids
// become global by the location's mapping tables, and times are corrected by its clock offsets. No file stays open between calls if too
// many are open already.
package read
