// Package compare tells whether two traces, of whatever formats, are the same: their clocks and properties, definitions one by
// one, and the records of all streams one by one. Where they are not, it says where they first differ and counts the
// differences by location and kind.
//
// Events are matched by time: one that has no counterpart at its time is in one trace only. At one instant, and in definitions and
// all other streams, records are matched by their order.
package compare
