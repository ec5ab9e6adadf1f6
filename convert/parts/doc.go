// Package parts takes traces apart and puts them together: [Cut] selects a part of a file, [Concat] joins successive windows of the
// same locations, [Merge] unites traces of different ones. All of them are sources, to be written in any format.
//
// Calls and messages that are open where a trace is cut are kept: events that stand for what lies beyond the cut are put in there, each
// behind a record KindCutBefore or KindCutAfter that says so. Concat takes them out again.
package parts
