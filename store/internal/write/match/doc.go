// Package match finds out, while slices are taken apart, which send belongs to which receive.
//
//	events of a lane -> LaneEnds -> Matcher -> Block: pairs within a slice
//	                                        -> nodes.Lane: messages that span slices, and sums of all
//	                                        -> Unmatched: ends without a partner
//
// What takes a slice apart gives the events of point-to-point communication of each lane ([SliceEnds]); the [Matcher] follows, lane by
// lane and slice by slice, beside it. A group of slices is sealed when it is complete: pairs of its ends that are found later are
// messages that span slices, even if both ends are in one.
package match
