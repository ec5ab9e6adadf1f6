package report

import (
	"strings"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Suspicious counts what a sound program, traced by clocks that agree, does not do. `pando check` lists the events. The last three are nil where the
// writer did not count them, as in a trace that was cut.
type Suspicious struct {
	// OddLeaves are leaves of calls that are not open, and calls that end because one around them is left. UnmatchedEnds are sends without a
	// receive, and receives without a send. Both are 0 in a trace that was cut, where they are nothing odd.
	OddLeaves     uint64 `json:"calls_not_left_in_order"`
	UnmatchedEnds uint64 `json:"unmatched_ends_of_messages"`
	// LongerMessages are longer as received than as sent.
	LongerMessages uint64 `json:"messages_longer_than_sent"`
	// BackwardMessages are received before they are sent: clocks disagree.
	BackwardMessages *uint64 `json:"messages_received_before_sent"`
	// OpenRequests are sends and receives that do not block and are neither completed nor cancelled.
	OpenRequests *uint64 `json:"requests_never_completed"`
	// UnlikeRanks take part in other collective operations, or name other roots, than most ranks of their communicator.
	UnlikeRanks *uint64 `json:"ranks_with_other_collectives"`
}

func newSuspicious(i *store.Info) Suspicious {
	s := Suspicious{LongerMessages: i.SuspiciousMessages}
	s.BackwardMessages, s.OpenRequests, s.UnlikeRanks = i.CountedDoubts()
	if !i.Has(trace.KindCutBefore, trace.KindCutAfter) {
		s.OddLeaves, s.UnmatchedEnds = i.CutCalls+i.OrphanLeaves, i.UnmatchedSends+i.UnmatchedReceives
	}
	return s
}

// text says in words what there is, and how to list it. It is empty if there is nothing.
func (s *Suspicious) text(path string) string {
	list := notes(
		note{s.OddLeaves, "call not left in order", "calls not left in order"},
		note{s.UnmatchedEnds, "unmatched end of a message", "unmatched ends of messages"},
		note{s.LongerMessages, "message longer than sent", "messages longer than sent"},
		note{counted(s.BackwardMessages), "message received before it is sent", "messages received before they are sent"},
		note{counted(s.OpenRequests), "request never completed", "requests never completed"},
		note{counted(s.UnlikeRanks), "rank with other collective operations than most", "ranks with other collective operations than most"})
	if list == "" {
		return ""
	}
	return strings.TrimPrefix(list, "; ") + "; list them: pando check " + Printable(path)
}

// counted returns a number, or 0 if it was not counted.
func counted(n *uint64) uint64 {
	if n == nil {
		return 0
	}
	return *n
}
