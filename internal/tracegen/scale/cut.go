package scale

import (
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// The body of a base is what is repeated. It begins and ends on each location at an event of the location's own, chosen so
// that the same calls are open there at both, and that no message is under way from one side to the other, nor a request
// or a collective operation open. Programs that do the same on all processes have such places where each of them enters a
// region for the n-th time.

var errNoBody = errors.New("no part of the base can be repeated: calls are not left as they were entered")

// body is a part of a base: on each location, the events in [from, to).
type body struct {
	from, to []int
	events   int
}

// findBody chooses the longest body between initialisation and finalisation. If that has less than a quarter of all events,
// the body is the whole base: the program is started anew with each repetition.
func (b *Base) findBody(m *messages) error {
	s := b.survey(m)
	chosen, all := s.longest(), s.everything()
	if chosen.events == 0 || chosen.events < all.events/4 {
		if s.stacksAt(all.from) != s.stacksAt(all.to) {
			return errNoBody
		}
		chosen = all
	}
	for i, l := range b.locations {
		l.from, l.to = chosen.from[i], chosen.to[i]
		b.length = max(b.length, l.tickAt(l.to)-l.tickAt(l.from))
	}
	return nil
}

// tickAt returns the tick of an event; that of the end is one after the last event's.
func (l *location) tickAt(event int) int64 {
	switch n := l.events.Len(); {
	case n == 0:
		return 0
	case event == n:
		return l.events.Times[n-1] + 1
	}
	return l.events.Times[event]
}

// survey is what a body is chosen by.
type survey struct {
	*Base
	flights []flight
	stacks  [][]uint64         // by location and event: a hash of the calls that are open before it
	enters  map[uint64][][]int // by call and location: the events that enter it
	program body               // from initialisation to finalisation
}

func (b *Base) survey(m *messages) *survey {
	s := &survey{Base: b, flights: m.flights, enters: map[uint64][][]int{}}
	starts, ends := b.programs()
	for i, l := range b.locations {
		s.replay(i, l)
		s.flights = append(s.flights, b.pairs(i)...)
		from, to := l.program(starts, ends)
		s.program.from, s.program.to = append(s.program.from, from), append(s.program.to, to)
	}
	return s
}

// replay follows the calls of a location.
func (s *survey) replay(number int, l *location) {
	open := stack{hash(uint64(number), trace.Undefined)}
	hashes := make([]uint64, 1, l.events.Len()+1)
	hashes[0] = open[0]
	for i, kind := range l.events.Kinds {
		words := l.events.Fields(i)
		if kind == trace.KindEnter || kind == trace.KindCallingContextEnter {
			events := s.enters[call(kind, words)]
			if events == nil {
				events = make([][]int, len(s.locations))
				s.enters[call(kind, words)] = events
			}
			events[number] = append(events[number], i)
		}
		open = open.after(kind, words)
		hashes = append(hashes, open[len(open)-1])
	}
	s.stacks = append(s.stacks, hashes)
}

// stack holds a hash for each open call, of it and all that enclose it; at its bottom stands one of the location.
type stack []uint64

func (s stack) after(kind trace.Kind, words []uint64) stack {
	switch kind {
	case trace.KindEnter, trace.KindCallingContextEnter:
		return append(s, hash(s[len(s)-1], call(kind, words)))
	case trace.KindLeave, trace.KindCallingContextLeave:
		for n := len(s) - 1; n > 0; n-- {
			if s[n] == hash(s[n-1], call(kind, words)) {
				return s[:n]
			}
		}
	}
	return s
}

// call returns what an enter and its leave agree in.
func call(kind trace.Kind, words []uint64) uint64 {
	if kind == trace.KindEnter || kind == trace.KindLeave {
		return words[0] << 1
	}
	return words[0]<<1 | 1
}

// hash mixes a number into a hash. Nothing is lost of either.
func hash(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// stacksAt returns a hash of the calls that are open before an event of each location.
func (s *survey) stacksAt(events []int) (sum uint64) {
	for i, event := range events {
		sum += s.stacks[i][event]
	}
	return sum
}

// everything is the whole base.
func (s *survey) everything() body {
	b := body{from: make([]int, len(s.locations))}
	for _, l := range s.locations {
		b.to = append(b.to, l.events.Len())
		b.events += l.events.Len()
	}
	return b
}

// longest returns the body of the most events in which no program begins or ends.
func (s *survey) longest() (best body) {
	for _, called := range slices.Sorted(maps.Keys(s.enters)) {
		if b := s.between(s.cuts(s.enters[called])); b.events > best.events {
			best = b
		}
	}
	return best
}

// cuts returns the places where a call is entered: for the first, second, ... time, the event of each location. Locations that do
// not enter it are cut at the time when one of their process does. There are none if some enter it more often than others.
func (s *survey) cuts(enters [][]int) [][]int {
	leaders, leader := map[process]int{}, -1
	for i, events := range enters {
		switch {
		case len(events) == 0:
		case leader >= 0 && len(events) != len(enters[leader]):
			return nil
		default:
			leader = i
			leaders[s.process(i)] = i
		}
	}
	cuts := make([][]int, len(enters[leader]))
	for n := range cuts {
		cuts[n] = make([]int, len(enters))
		for i, events := range enters {
			if len(events) > 0 {
				cuts[n][i] = events[n]
				continue
			}
			by, ok := leaders[s.process(i)]
			if !ok {
				by = leader
			}
			cuts[n][i] = before(s.locations[i].events.Times, s.locations[by].events.Times[enters[by][n]])
		}
	}
	return cuts
}

// process returns the process of a location.
func (b *Base) process(location int) process {
	id, defined := b.definitions.Process(b.locations[location].id)
	return process{id, defined}
}

// before returns the number of ticks before t.
func before(ticks []int64, t int64) int {
	return sort.Search(len(ticks), func(i int) bool { return ticks[i] >= t })
}

// between returns the longest body from one cut to another.
func (s *survey) between(cuts [][]int) (best body) {
	busy := s.busy(cuts)
	firsts := map[uint64]int{}
	for n, c := range cuts {
		if busy[n] || !s.inProgram(c) {
			continue
		}
		at := s.stacksAt(c)
		if first, ok := firsts[at]; !ok {
			firsts[at] = n
		} else if events := sum(c) - sum(cuts[first]); events > best.events {
			best = body{cuts[first], c, events}
		}
	}
	return best
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

func (s *survey) inProgram(cut []int) bool {
	for i, event := range cut {
		if event < s.program.from[i] || event > s.program.to[i] {
			return false
		}
	}
	return true
}

// busy reports for each cut whether something is under way across it.
func (s *survey) busy(cuts [][]int) []bool {
	change := make([]int, len(cuts)+1)
	for _, f := range s.flights {
		a, b := f.a.cutsUpTo(cuts), f.b.cutsUpTo(cuts)
		change[min(a, b)]++
		change[max(a, b)]--
	}
	all := make([]bool, len(cuts))
	under := 0
	for n := range cuts {
		under += change[n]
		all[n] = under > 0
	}
	return all
}

// cutsUpTo returns how many of the cuts come before an event.
func (p eventID) cutsUpTo(cuts [][]int) int {
	return sort.Search(len(cuts), func(n int) bool { return cuts[n][p.location] > p.event })
}

// programs returns the regions at whose leave a program begins, and at whose enter it ends.
func (b *Base) programs() (starts, ends map[uint64]bool) {
	starts, ends = map[uint64]bool{}, map[uint64]bool{}
	for _, id := range b.definitions.Regions() {
		name := strings.ToLower(b.definitions.Name(trace.SpaceRegion, id))
		starts[id] = name == "mpi_init" || name == "mpi_init_thread"
		ends[id] = name == "mpi_finalize"
	}
	return starts, ends
}

// program returns the part of a location in which its program neither begins nor ends.
func (l *location) program(starts, ends map[uint64]bool) (from, to int) {
	to = l.events.Len()
	for i, kind := range l.events.Kinds {
		switch {
		case kind == trace.KindProgramBegin, kind == trace.KindLeave && starts[l.events.Fields(i)[0]]:
			from = i + 1
		case to == l.events.Len() && (kind == trace.KindProgramEnd || kind == trace.KindEnter && ends[l.events.Fields(i)[0]]):
			to = i
		}
	}
	return from, to
}
