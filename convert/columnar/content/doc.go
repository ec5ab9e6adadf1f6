// Package content has the tables of what a file holds: calls, messages, collective operations, events, values of metrics and parameters,
// I/O operations, locations, communicators and all other definitions.
//
// A table is one file. The file declares the table ([table.Declare]) with its name, its meaning and its columns; a column is a line with
// name, unit, meaning and the function that takes its value from a row. Below stand the type of a row and the function that makes rows of
// a part of a window, and, if columns need more of the definitions than the catalog has, a [table.Lookup].
package content
