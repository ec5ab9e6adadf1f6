package model

import "github.com/pandotrace/pando/trace"

// teams finds threads that work in a team while their process has no fork open. Forks and joins of a process are counted in the order of time; the begin and the
// end of a time in which some are open belong to it. A process without any fork, or with more than 1,024 such events before its first one, has a tracer that does not tell.
func (f *findings) teams() {
	type span struct{ from, to int64 }
	type forks struct {
		open  int
		spans []span
	}
	of := map[process]*forks{}
	var work []Event
	for _, e := range f.Events() {
		p := f.process(e.Location)
		if of[p] == nil {
			of[p] = &forks{}
		}
		switch n := of[p]; e.Kind {
		case trace.KindOmpFork, trace.KindThreadFork:
			if n.open++; n.open == 1 {
				n.spans = append(n.spans, span{e.Time, 1<<63 - 1})
			}
		case trace.KindOmpJoin, trace.KindThreadJoin:
			if n.open > 0 {
				if n.open--; n.open == 0 {
					n.spans[len(n.spans)-1].to = e.Time
				}
			}
		case trace.KindThreadTeamBegin, trace.KindThreadTeamEnd:
			work = append(work, e)
		}
	}
	early := map[process]int{}
	for _, e := range work {
		if spans := of[f.process(e.Location)].spans; len(spans) > 0 && e.Time < spans[0].from {
			early[f.process(e.Location)]++
		}
	}
	for _, e := range work {
		p := f.process(e.Location)
		spans, inside := of[p].spans, false
		for _, s := range spans {
			inside = inside || s.from <= e.Time && e.Time <= s.to
		}
		if len(spans) == 0 || inside || e.Time < spans[0].from && early[p] > 1024 {
			continue
		}
		f.add("team-outside-fork", e.ID(), true)
	}
}
