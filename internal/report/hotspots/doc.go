// Package hotspots prints where a trace loses time: what package segment finds, as text, as JSON, as a table of all segments, and as a map of SOS
// times over locations and segments.
//
// A [Report] is made of an analysis with [New]. It reads the segments of its findings once more, for the calls in which the time went.
package hotspots
