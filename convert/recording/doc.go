// Package recording reads recordings: what programs write with package record, or with pando_record.h. spec/recording describes the layout.
//
// A recording of a running or killed program is read like any other: it ends where it ends. A folder of recordings, one for each process, is
// one trace.
//
// An [Archive] reads the heads of files and bins when it is opened. A stream merges the chains of its location: calls of
// each class lie in the order of their ends, and no call of a class is longer than that class allows, so that a few records read ahead are
// enough to know the order of their begins. Where classes are not of durations, a first pass finds the calls that reach over bins. Memory is a bin for each
// class that a location uses.
package recording
