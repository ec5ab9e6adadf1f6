package record

import (
	"fmt"
	"strconv"
	"strings"
)

// Phases says of which regions only some calls are recorded, with all that happens inside of them, to stand for the others: "step=every:10; iteration ?=every:100". Of the calls of the regions
// that a pattern fits, in which * stands for any text and ? for one byte, each location records the first, the 11th, the 21st, and so on. The others, and calls inside of them, are counted in the
// profile only, and messages and other events inside are left out. Calls inside of one that is left out do not count. There may be 15 patterns.
type Phases string

const (
	maxPhases    = 15
	maxPhaseText = 512 // in bytes, with a zero behind it
	everyWord    = "=every:"
	maxEvery     = 1_000_000_000
)

// A Region has the number of its pattern, from 1, in the highest bits.
const (
	phaseAt    = classAt + 5
	firstPhase = 1 << phaseAt
)

// rhythm is a Phases as the recorder follows it: how many calls there are for one that is recorded, by the numbers of patterns.
type rhythm [maxPhases + 1]uint64

// Check returns an error if the phases are not as Phases says.
func (p Phases) Check() error {
	_, err := p.rhythm()
	return err
}

func (p Phases) rhythm() (every rhythm, err error) {
	n := 0
	for rule := range patterns(string(p)) {
		at := strings.LastIndex(rule, everyWord)
		if at < 0 || strings.Trim(rule[:at], blanks) == "" {
			return every, fmt.Errorf("record: a phase %q, not REGION=every:N", rule)
		}
		number, err := strconv.ParseUint(rule[at+len(everyWord):], 10, 64)
		if err != nil || number < 1 || number > maxEvery {
			return every, fmt.Errorf("record: a phase %q: its number is 1 to %d", rule, maxEvery)
		}
		if n++; n > maxPhases {
			return every, fmt.Errorf("record: more than %d phases", maxPhases)
		}
		every[n] = number
	}
	if len(p) >= maxPhaseText || strings.ContainsRune(string(p), 0) {
		return every, fmt.Errorf("record: phases of %d bytes; they may be %d bytes of text", len(p), maxPhaseText-1)
	}
	return every, nil
}

// phaseOf returns the number of the first pattern that a name fits, from 1; 0 if it fits none.
func (p Phases) phaseOf(name string) Region {
	n := Region(0)
	for rule := range patterns(string(p)) {
		n++
		if matches(strings.Trim(rule[:strings.LastIndex(rule, everyWord)], blanks), name) {
			return n
		}
	}
	return 0
}

// most is the largest number of calls for one that is recorded, 0 if there are no phases.
func (every *rhythm) most() (n uint64) {
	for _, e := range every {
		n = max(n, e)
	}
	return n
}

// phases says whether a location is inside a call that stands for others, or that others stand for.
type phases struct {
	every *rhythm
	calls rhythm // so far
	// from is the depth, from 1, of the call that is left out with all inside of it; 0: there is none.
	from uint32
}

// leavesOut counts a call of a pattern's regions, and reports whether it is left out.
func (p *phases) leavesOut(number Region) bool {
	if p.from != 0 {
		return false
	}
	p.calls[number]++
	return (p.calls[number]-1)%max(p.every[number], 1) != 0
}

// beginPhase returns what becomes of a call of a phase that begins.
func (l *Location) beginPhase(region Region) Region {
	if l.phases.leavesOut(region>>phaseAt) && l.depth < maxDepth {
		l.phases.from, l.attention = l.depth+1, &always
		*l.counter(locationAtPhases)++
		region |= filteredOut
	}
	return region
}

// endPhase goes on recording.
func (l *Location) endPhase() {
	l.phases.from, l.attention = 0, l.r.control.attention
}

// leftEvent counts an event that is left out in a phase.
func (l *Location) leftEvent() {
	if l.phases.from != 0 {
		*l.counter(locationAtEvents)++
	}
}
