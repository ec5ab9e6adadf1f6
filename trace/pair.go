package trace

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
