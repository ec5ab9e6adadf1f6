// Package query answers windows. [Window] is an interval of time with filters; its methods yield calls, messages, events and
// batches. A sweep goes through the slices of the window in order, reads blocks ahead and decodes on all processors. A slice that
// is too large to be sorted at once is divided by time into pieces ([Span], from one [merged.Mark] to the next), which are worked on one after the other.
// [Source] gives the whole trace back, lane by lane.
package query
