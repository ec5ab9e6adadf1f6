// Package form describes the files of an archive for reading and for writing: the anchor, the grammars of the streams (which ids are
// which kinds), the layout of the fields of each kind, the mapping tables of local ids, and what Pando adds, the marks of cuts and the
// origin of times.
//
// Layouts are derived from the table of kinds of package trace; quirks.go lists the differences between that table and the files.
package form
