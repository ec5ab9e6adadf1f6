package check

import (
	"fmt"
	"iter"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Severity says how bad a finding is.
type Severity uint8

const (
	// Note is what has a good reason, or may have one: a call that was open when the trace was cut.
	Note Severity = iota
	// Warning is what tracers disagree about, or what leaves the rest of the trace usable.
	Warning
	// Error is what cannot have happened: the trace is wrong, or the program is.
	Error
)

// String returns the name.
func (s Severity) String() string { return [...]string{"note", "warning", "error"}[s] }

// Rule is a family of conditions on a trace.
type Rule uint8

const (
	// Nest is about enters and leaves.
	Nest Rule = iota
	// Time is about the times of one location's events.
	Time
	// Clock is about the order of events on different locations.
	Clock
	// Messages is about sends and receives.
	Messages
	// Requests is about operations of MPI that do not block.
	Requests
	// Collectives is about operations that all ranks of a communicator take part in.
	Collectives
	// CollectiveData is about what ranks say to have sent and received in such operations.
	CollectiveData
	// Metrics is about the values of counters.
	Metrics
	// References is about ids that events and definitions refer to.
	References
	// Pairs is about locks, one-sided operations, I/O, forks, teams, intervals and spans.
	Pairs
	// Topology is about coordinates of ranks.
	Topology
	// Graph is about the graph of calls: each call is made by one other, and no call is inside of itself. It has no codes: reading the structure of a Pando file
	// checks that, and a file in which it does not hold is damaged. Traces of other formats have events, of which such a graph is made.
	Graph
)

var ruleNames = [...]string{"nest", "time", "clock", "messages", "requests", "collectives", "collective-data", "metrics", "references", "pairs", "topology", "graph"}

// String returns the name.
func (r Rule) String() string { return ruleNames[r] }

// onEvents reports whether a rule looks at events: others look at definitions, or at structure alone.
func (r Rule) onEvents() bool { return r != Topology && r != Graph }

// Rules returns all rules.
func Rules() []Rule {
	list := make([]Rule, len(ruleNames))
	for i := range list {
		list[i] = Rule(i)
	}
	return list
}

// ParseRule returns the rule of a name. The error is a [trace.UnknownNameError].
func ParseRule(name string) (Rule, error) {
	if i := slices.Index(ruleNames[:], name); i >= 0 {
		return Rule(i), nil
	}
	return 0, fmt.Errorf("%q is none of the rules%s", name, trace.DidYouMean(trace.Near(name, slices.Values(ruleNames[:]))))
}

// Code is one condition of a rule, or rather what breaks it.
type Code uint8

// The codes, rule by rule. What each means stands in the table of conditions.
const (
	LostLeave Code = iota
	LostEnter
	OpenCall
	TimeDecreases
	OutsideClock
	OffsetOutOfOrder
	ClockDrifts
	ReceivedBeforeSent
	LeftBeforeAll
	TeamOutsideFork
	UnmatchedSend
	UnmatchedReceive
	LongerThanSent
	UnknownPeer
	SendNeverCompleted
	ReceiveNeverCompleted
	CollectiveNeverCompleted
	UnknownRequest
	RequestInUse
	MissingPart
	OtherOperation
	OtherRoot
	NotAMember
	LostCollectiveBegin
	LostCollectiveEnd
	BarrierWithData
	RootWithoutNeed
	NoRoot
	RootIsNoRank
	BroadcastDiffers
	BytesOffRoot
	OtherNumberOfValues
	OtherType
	CounterDecreases
	OtherRecorder
	ScopeElsewhere
	Undefined
	DefinedTwice
	LostOpening
	OpenPair
	NoCoordinates
	OutsideGrid
	CoordinatesTwice
)

// condition is what is known of a code.
type condition struct {
	name     string
	rule     Rule
	severity Severity
	what     string // as a sentence of a list, for people
}

var conditions = [...]condition{
	LostLeave:                {"lost-leave", Nest, Error, "a call is still open when a call around it is left"},
	LostEnter:                {"lost-enter", Nest, Error, "a region is left that is not open"},
	OpenCall:                 {"open-call", Nest, Warning, "a call is open at the end of the trace"},
	TimeDecreases:            {"time-decreases", Time, Error, "an event is earlier than the one before on its location"},
	OutsideClock:             {"outside-clock", Time, Warning, "an event is earlier or later than the trace says to begin and end"},
	OffsetOutOfOrder:         {"offset-out-of-order", Time, Warning, "the offset of a clock was measured at a time that is not after that of the one before, and corrects nothing"},
	ClockDrifts:              {"clock-drifts", Time, Warning, "the measured offsets say that a clock is more than a tenth faster or slower than that of the trace"},
	ReceivedBeforeSent:       {"received-before-sent", Clock, Error, "a message is received before it is sent"},
	LeftBeforeAll:            {"left-before-all", Clock, Error, "a rank leaves an operation before a rank enters that it has to wait for"},
	TeamOutsideFork:          {"team-outside-fork", Clock, Error, "a thread begins or ends its part in a team while its process has not forked"},
	UnmatchedSend:            {"unmatched-send", Messages, Error, "a message is never received"},
	UnmatchedReceive:         {"unmatched-receive", Messages, Error, "a message is received that was never sent"},
	LongerThanSent:           {"longer-than-sent", Messages, Error, "more bytes are received than were sent"},
	UnknownPeer:              {"unknown-peer", Messages, Error, "the other rank of a message is none of the communicator"},
	SendNeverCompleted:       {"send-never-completed", Requests, Error, "a send that does not block is neither completed nor cancelled"},
	ReceiveNeverCompleted:    {"receive-never-completed", Requests, Error, "a receive is posted and neither completed nor cancelled"},
	CollectiveNeverCompleted: {"collective-never-completed", Requests, Error, "an operation that does not block is never completed"},
	UnknownRequest:           {"unknown-request", Requests, Error, "a request is completed or cancelled that is not under way"},
	RequestInUse:             {"request-in-use", Requests, Error, "a request is begun that is under way already"},
	MissingPart:              {"missing-part", Collectives, Error, "a rank of the communicator takes no part in an operation"},
	OtherOperation:           {"other-operation", Collectives, Error, "a rank does another operation than the others"},
	OtherRoot:                {"other-root", Collectives, Error, "a rank names another root than the others"},
	NotAMember:               {"not-a-member", Collectives, Error, "a location takes part that is none of the communicator"},
	LostCollectiveBegin:      {"lost-collective-begin", Collectives, Error, "an operation ends that was not begun"},
	LostCollectiveEnd:        {"lost-collective-end", Collectives, Error, "an operation is begun that does not end"},
	BarrierWithData:          {"barrier-with-data", CollectiveData, Warning, "a rank sends or receives bytes in a barrier"},
	RootWithoutNeed:          {"root-without-need", CollectiveData, Warning, "an operation has a root that needs none"},
	NoRoot:                   {"no-root", CollectiveData, Warning, "an operation has no root that needs one"},
	RootIsNoRank:             {"root-is-no-rank", CollectiveData, Error, "the root is no rank of the communicator"},
	BroadcastDiffers:         {"broadcast-differs", CollectiveData, Warning, "a rank receives other bytes in a broadcast than the others, or than the root sends"},
	BytesOffRoot:             {"bytes-off-root", CollectiveData, Warning, "a rank that is not the root receives bytes in a gather operation or a reduction"},
	OtherNumberOfValues:      {"other-number-of-values", Metrics, Error, "there are more or fewer values than the metric has members"},
	OtherType:                {"other-type", Metrics, Error, "a value has another type than its member"},
	CounterDecreases:         {"counter-decreases", Metrics, Warning, "a counter that adds up becomes less"},
	OtherRecorder:            {"other-recorder", Metrics, Error, "a metric is recorded by another location than its definition says"},
	ScopeElsewhere:           {"scope-elsewhere", Metrics, Warning, "a metric is about a process, node or group that the location which records it is no part of"},
	Undefined:                {"undefined", References, Error, "an event refers to what is not defined"},
	DefinedTwice:             {"defined-twice", References, Warning, "an id is defined twice"},
	LostOpening:              {"lost-opening", Pairs, Error, "something ends that was not begun"},
	OpenPair:                 {"open-pair", Pairs, Warning, "something is begun that does not end"},
	NoCoordinates:            {"no-coordinates", Topology, Warning, "a rank of a topology has no coordinates"},
	OutsideGrid:              {"outside-grid", Topology, Error, "coordinates are not in the grid"},
	CoordinatesTwice:         {"coordinates-twice", Topology, Error, "two ranks have the same coordinates"},
}

// String returns the name, as reports and lists of known findings have it.
func (c Code) String() string { return conditions[c].name }

// Rule returns the rule that it belongs to.
func (c Code) Rule() Rule { return conditions[c].rule }

// Severity returns how bad it is, where no good reason is known.
func (c Code) Severity() Severity { return conditions[c].severity }

// What returns a sentence for people, without a full stop.
func (c Code) What() string { return conditions[c].what }

// Codes returns all codes, rule by rule.
func Codes() iter.Seq[Code] {
	return func(yield func(Code) bool) {
		for i := range conditions {
			if !yield(Code(i)) {
				return
			}
		}
	}
}
