// Package annotation has what people and programs say of a trace afterwards: names for its patterns. Annotations are no part of the trace: its fingerprint and
// comparisons leave them out, and OTF2 archives do not have them.
//
//	Annotation   a name for something of the trace, and a text
//	Check        whether a list is as files have it
//	With, Join   lists with further annotations
package annotation
