package index

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Info is what a file says of its trace as a whole.
type Info struct {
	FileBytes int64
	// Events counts all events, Calls all enters, Messages all matched pairs of sends and receives.
	Events, Calls, Messages uint64
	// UnmatchedSends and UnmatchedReceives count ends of messages without a partner; CancelledSends are no ends at all.
	UnmatchedSends, UnmatchedReceives, CancelledSends uint64
	// SuspiciousMessages counts receives longer than their send.
	SuspiciousMessages uint64
	Doubts
	// Deviations say how much more the calls of regions added up to in the original of a trace with coarse times, or of which calls were left out; those of regions that are not listed are the same. Nil if they
	// are not known, as those of traces that were put together or cut.
	Deviations []trace.CallDeviation
	// MessageBytes is the sum of the lengths of all matched messages, as sent; it saturates.
	MessageBytes uint64
	// OpenCalls counts calls that were never left, CutCalls those that ended because one further out was left,
	// OrphanLeaves leaves of calls that were not open.
	OpenCalls, CutCalls, OrphanLeaves uint64
	// MaxDepth is the largest number of calls open at once on one location.
	MaxDepth uint64
	// First and Last are the times of the first and last event, in ticks relative to the epoch; 0 and 0 without events.
	First, Last int64
	Definitions uint64
	// SHA256 is the [trace.Fingerprint] of the events.
	SHA256 [32]byte
	// Locations is the number of locations.
	Locations uint64
	// Slices, Epochs, Lanes, Nodes and Levels tell the shape of the file.
	Slices, Epochs, Lanes, Nodes, Levels uint64
	// Kinds are the kinds of records that occur, by number: events, definitions and auxiliary records.
	Kinds []KindCount
	// AuxStreams lists the auxiliary streams in the order of their first records.
	AuxStreams []trace.StreamInfo
}

// Doubts count what a sound program does not do. [github.com/pandotrace/pando/analysis/check] tells which events they are.
type Doubts struct {
	// BackwardMessages are matched messages that are received before they are sent: clocks disagree.
	BackwardMessages uint64
	// OpenRequests are sends and receives that do not block, and that are neither completed nor cancelled.
	OpenRequests uint64
	// UnlikeRanks are ranks of communicators whose blocking collective operations, with their roots, are not the sequence that most ranks have,
	// which may be none. A rank counts once for each such communicator, if its process has events.
	UnlikeRanks uint64
	// Uncounted is how many of these three, from the last one, are 0 since nobody counted them: events are missing, or are yet to come.
	Uncounted int
}

// CountedDoubts returns the numbers of backward messages, open requests and unlike ranks; nil for each that nobody counted.
func (d *Doubts) CountedDoubts() (backward, open, unlike *uint64) {
	all := d.numbers()
	for k := len(all) - d.Uncounted; k < len(all); k++ {
		all[k] = nil
	}
	return all[0], all[1], all[2]
}

// MessagesAlone says that only messages were counted: where events are missing or yet to come, what they would tell is not held against a program.
func (d *Doubts) MessagesAlone() { d.OpenRequests, d.UnlikeRanks, d.Uncounted = 0, 0, 2 }

// Has reports whether there are records of one of some kinds.
func (i *Info) Has(kinds ...trace.Kind) bool {
	return slices.ContainsFunc(i.Kinds, func(k KindCount) bool { return k.Count > 0 && slices.Contains(kinds, k.Kind) })
}

// LocationInfo is what a file says of one location.
type LocationInfo struct {
	ID   uint64
	Lane uint32
	LocationTotals
}

// KindCount says how many records of a kind there are.
type KindCount struct {
	Kind  trace.Kind
	Count uint64
}
