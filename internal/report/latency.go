package report

import (
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// PairSum is what the messages from a location to another add up to.
type PairSum struct {
	trace.MessageTotals
	// Latency is the time from send to receive; of none if it was not asked for.
	Latency Spread
}

// PairSums adds up the messages of a window by their two locations. With timed it reads all of them; without, the sums of the file are at
// hand.
func PairSums(window *store.Window, timed bool) ([]PairSum, error) {
	found, err := window.Summary(store.SummaryMessages)
	if err != nil {
		return nil, err
	}
	list := make([]PairSum, len(found.Messages))
	for i := range list {
		list[i].MessageTotals = found.Messages[i]
	}
	if !timed {
		return list, nil
	}
	latency, err := latencies(window)
	for i := range list {
		if l := latency[pair{list[i].SendLocation, list[i].ReceiveLocation}]; l != nil {
			list[i].Latency = *l
		}
	}
	return list, err
}

// pair is the locations of a message.
type pair struct{ send, receive uint64 }

// latencies adds up the times from send to receive of the messages of a window, on all processors.
func latencies(window *store.Window) (map[pair]*Spread, error) {
	all := map[pair]*Spread{}
	parts := store.Parts(window, store.PartMessages, func(p *store.Part) (map[pair]*Spread, error) {
		messages, err := p.Messages()
		some := map[pair]*Spread{}
		for i := range messages {
			m := &messages[i]
			spreadOf(some, pair{m.SendLocation, m.ReceiveLocation}).Add(m.ReceiveTime - m.SendTime)
		}
		return some, err
	})
	for some, err := range parts {
		if err != nil {
			return nil, err
		}
		for key := range some {
			spreadOf(all, key).Join(some[key])
		}
	}
	return all, nil
}

func spreadOf(m map[pair]*Spread, key pair) *Spread {
	s := m[key]
	if s == nil {
		s = &Spread{}
		m[key] = s
	}
	return s
}
