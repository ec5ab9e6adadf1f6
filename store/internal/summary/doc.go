// Package summary adds up windows exactly. A summary of calls is the difference of two sums, up to the window's end and up to its
// begin. Messages, collective operations and metric values are added up from the tables of nodes between the ends of the window,
// and from the slices at its ends.
package summary
