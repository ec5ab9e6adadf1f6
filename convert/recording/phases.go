package recording

import "fmt"

// tellPhases says in properties which calls stand for others, and how many these are.
func tellPhases(list []*location, add func(name, value string)) {
	phases, missed := uint64(0), uint64(0)
	for _, l := range list {
		phases, missed = phases+l.phases, missed+l.missed
	}
	if phases > 0 {
		add("phases", list[0].f.phases)
		add("left_out", fmt.Sprintf("%d phases with %d messages and other events", phases, missed))
	}
}

// everyPhase returns how many calls of a phase there are for one that is in the trace, at most; 0 if no calls were left out for others.
func everyPhase(list []*location) (every uint32) {
	for _, l := range list {
		if l.phases > 0 {
			every = max(every, l.f.every, 1)
		}
	}
	return every
}
