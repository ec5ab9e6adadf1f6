// Package instep reads the streams of a [trace.Source] in the order of time. [Run] always advances the stream that is furthest behind, so
// a source that stores the events of several locations together decodes each of its blocks once. [Groups] divides the streams as the
// source stores them.
package instep
