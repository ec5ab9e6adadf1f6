// Package equal compares two traces of any formats. [Traces] compares all definitions and records as they are, [Runs] compares them
// with ids and starting times set aside, [Programs] compares only the sequences of calls and communication. A [Report] names the first
// difference of each stream and counts the differences by location and kind.
//
// Events are matched by time: an event without a counterpart at its time exists in one trace only. Events of one time, definitions and
// the records of all other streams are matched by their order.
package equal
