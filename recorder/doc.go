// Package recorder holds the recorder for programs in C and C++: pando_record.h, one header without a library, with which a running program
// writes its own trace in memory of a fixed size. Its files are those of package record (spec/recording); a test there holds both to the same bytes.
//
// pando_objects.h has what regions at addresses of the program need, of which conversion finds names and lines.
//
// [Header] is its text. docs/record.md says how to use it.
package recorder

import _ "embed" // of the header

// Header is the text of pando_record.h.
//
//go:embed pando_record.h
var Header string
