// Package patterns writes which patterns the messages of a trace make, as package analysis/pattern finds them: as text for people, as JSON, and as
// tables.
//
//	Question   a window of a trace, and how long its periods are
//	Find       asks it, and makes a [Report]
//	Tables     the patterns, the pairs of ranks, and the templates, for notebooks
package patterns
