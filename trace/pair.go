package trace

import (
	"fmt"
	"strings"
)

// PairFamily names a relation between two events of which one opens something that the other closes.
type PairFamily uint8

// The numbers of pair families are part of the file format.
const (
	// PairCall is an enter and its leave, on one location; see [Call].
	PairCall PairFamily = 1
	// PairMessage is a send and its receive, between two processes; see [Message].
	PairMessage PairFamily = 2
	// PairSendRequest is a non-blocking send and the completion of its request.
	PairSendRequest PairFamily = 3
	// PairReceiveRequest is the posting of a non-blocking receive and its completion.
	PairReceiveRequest PairFamily = 4
	// PairCollective is the begin and end of one location's part of a collective operation.
	PairCollective PairFamily = 5
	// PairCollectiveRequest is the begin and completion of a non-blocking collective operation.
	PairCollectiveRequest PairFamily = 6
	// PairRmaCollective is the begin and end of a collective operation on a window.
	PairRmaCollective PairFamily = 7
	// PairRma is a one-sided operation and its completion.
	PairRma PairFamily = 8
	// PairIo is the begin of an I/O operation and its completion.
	PairIo PairFamily = 9
	// PairFork is a fork of threads and their join.
	PairFork PairFamily = 10
	// PairTeam is the begin and end of one thread's part in a team.
	PairTeam PairFamily = 11
	// PairLock is the acquisition of a lock and its release.
	PairLock PairFamily = 12
	// PairInterval is the begin and end of a state that is no call, on one location.
	PairInterval PairFamily = 13
	// PairArrow is the begin and end of an arrow between two locations.
	PairArrow PairFamily = 14
	// PairSpan is the begin and end of something that lasts and has a number, on any two locations.
	PairSpan PairFamily = 15
)

// PairRule says which open record a closing one belongs to.
type PairRule uint8

// The numbers of pair rules are part of the file format.
const (
	// InOrder pairs the n-th opening record with the n-th closing one of equal keys.
	InOrder PairRule = 1
	// ByKey pairs a closing record with the latest open one of equal keys.
	ByKey PairRule = 2
)

// Pair says that records of a kind open or close pairs of a family.
type Pair struct {
	Family PairFamily
	Closes bool
	Rule   PairRule
	// Keys are the names of the fields that must agree.
	Keys []string
}

// ColumnGroup is a group of values of events: a file has the values of each group by themselves, so that readers stop where they may.
type ColumnGroup uint8

// The numbers of groups are part of the file format.
const (
	// ColumnTimes are the times of events.
	ColumnTimes ColumnGroup = 0
	// ColumnPairs are fields of kinds that open or close calls, messages, requests and collective operations.
	ColumnPairs ColumnGroup = 1
	// ColumnMetrics are fields of the kind Metric.
	ColumnMetrics ColumnGroup = 2
	// ColumnOthers are all others: fields of other kinds, attributes, the lengths of texts, and residuals.
	ColumnOthers ColumnGroup = 3
)

// ColumnGroups is the number of groups.
const ColumnGroups = 4

// ColumnGroup returns the group that the fields of a kind stand in, but for texts. Most questions are of kinds that open or close calls,
// messages, requests and collective operations: these are in one.
func (s *Spec) ColumnGroup() ColumnGroup {
	if s.ID == KindMetric {
		return ColumnMetrics
	}
	for _, p := range s.Pairs {
		if p.Family >= PairCall && p.Family <= PairCollectiveRequest {
			return ColumnPairs
		}
	}
	return ColumnOthers
}

func opens(family PairFamily, rule PairRule, keys ...string) Pair {
	return Pair{Family: family, Rule: rule, Keys: keys}
}

func closes(family PairFamily, rule PairRule, keys ...string) Pair {
	return Pair{Family: family, Closes: true, Rule: rule, Keys: keys}
}

// PairScope says which events of a family can belong together: those of one location, of one process, or of all locations.
type PairScope uint8

// The scopes of families of pairs.
const (
	LocationScope PairScope = iota
	ProcessScope
	TraceScope
)

// Scope returns among which events the family is paired.
func (f PairFamily) Scope() PairScope {
	switch f {
	case PairMessage, PairArrow, PairSpan:
		return TraceScope
	case PairSendRequest, PairReceiveRequest, PairCollectiveRequest, PairRma, PairIo:
		return ProcessScope
	}
	return LocationScope
}

// Itemized reports whether a file lists the family's pairs that reach over slices, so that what is under way at a time is found
// without reading from its begin. Calls and messages have lists of their own; requests, collective operations, forks and teams have none, since calls
// tell as much of them.
func (f PairFamily) Itemized() bool {
	switch f {
	case PairRmaCollective, PairRma, PairIo, PairLock, PairInterval, PairArrow, PairSpan:
		return true
	}
	return false
}

// pairNames are the names of families of pairs.
var pairNames = map[PairFamily]string{
	PairCall: "call", PairMessage: "message", PairSendRequest: "send-request", PairReceiveRequest: "receive-request", PairCollective: "collective",
	PairCollectiveRequest: "collective-request", PairRmaCollective: "rma-collective", PairRma: "rma", PairIo: "io", PairFork: "fork", PairTeam: "team",
	PairLock: "lock", PairInterval: "interval", PairArrow: "arrow", PairSpan: "span",
}

// String returns the family's name: "io".
func (f PairFamily) String() string {
	if s, ok := pairNames[f]; ok {
		return s
	}
	return fmt.Sprintf("family %d", uint8(f))
}

// ItemizedFamilies lists the families whose pairs files have lists of.
func ItemizedFamilies() (all []PairFamily) {
	for f := PairCall; f <= PairSpan; f++ {
		if f.Itemized() {
			all = append(all, f)
		}
	}
	return all
}

// ParsePairFamily returns the itemized family of a name, in letters of any case.
func ParsePairFamily(name string) (PairFamily, error) {
	var known []string
	for _, f := range ItemizedFamilies() {
		if strings.EqualFold(f.String(), name) {
			return f, nil
		}
		known = append(known, f.String())
	}
	return 0, fmt.Errorf("%q is no family of pairs that are listed: %s", name, strings.Join(known, ", "))
}

// PairEnd is one of the two events of a pair.
type PairEnd struct {
	Location, Ordinal uint64
	Time              int64 // ticks relative to the epoch
	Kind              Kind
}

// EventPair is an event that opens something, and the one that closes it: a one-sided operation and its completion, a lock that is
// acquired and released, a span.
type EventPair struct {
	Family PairFamily
	Open   PairEnd
	// Close is the closing event. Of what is never closed, it has the kind 0, the time of the trace's last event, and the location of the opening event.
	Close PairEnd
}

// IsOpen reports whether the pair is never closed.
func (p *EventPair) IsOpen() bool { return p.Close.Kind == 0 }

// Overlaps reports whether the pair, which lasts from Open to Close, has a part in the interval [from, to), or begins in it.
func (p *EventPair) Overlaps(from, to int64) bool {
	return p.Open.Time < to && (p.Close.Time > from || p.Open.Time >= from)
}
