package check

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Place is an event: the Ordinal-th of its location, from 0. Time is in ticks.
type Place struct {
	Location, Ordinal uint64
	Time              int64
}

// compare puts places in the order of time. Those of equal times are in order of locations, and of events.
func (p *Place) compare(o *Place) int {
	return cmp.Or(cmp.Compare(p.Time, o.Time), cmp.Compare(p.Location, o.Location), cmp.Compare(p.Ordinal, o.Ordinal))
}

// ValueKind says what a number of a finding is.
type ValueKind uint8

const (
	// Plain is a number without a unit.
	Plain ValueKind = iota
	// Region is the id of a region.
	Region
	// Location is the id of a location.
	Location
	// Communicator is the id of a communicator.
	Communicator
	// Operation is a number of trace.EnumCollectiveOp.
	Operation
	// Rank is a rank of the communicator that is named beside it.
	Rank
	// Instant is a time, in signed ticks.
	Instant
	// Duration is a length of time, in ticks.
	Duration
	// Bytes is a number of bytes.
	Bytes
	// Kind is a kind of events; see package trace.
	Kind
	// Space is a space of ids; see package trace.
	Space
)

// Value is something known of a finding.
type Value struct {
	Name   string
	Kind   ValueKind
	Number uint64
}

// Finding is one place where a condition is broken.
type Finding struct {
	Code     Code
	Severity Severity
	// At is the event. A finding about definitions has none, and HasEvent is false: At has the location of those that belong to one, trace.Undefined otherwise.
	At       Place
	HasEvent bool
	// Values say more, in an order that is the same for all findings of a code.
	Values []Value
	// Stack are the regions that are open at the event, the outermost one first.
	Stack []uint64
}

// Value returns a value by its name; ok is false if the finding has none of the name.
func (f *Finding) Value(name string) (number uint64, ok bool) {
	i := slices.IndexFunc(f.Values, func(v Value) bool { return v.Name == name })
	if i < 0 {
		return 0, false
	}
	return f.Values[i].Number, true
}

func (f *Finding) compare(o *Finding) int {
	return cmp.Or(cmp.Compare(f.Code, o.Code), f.At.compare(&o.At), slices.CompareFunc(f.Values, o.Values, func(a, b Value) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number))
	}))
}

// Count is how often a condition is broken on a location.
type Count struct {
	Code     Code
	Severity Severity
	// Location is the id of the location of the events, trace.Undefined for definitions.
	Location uint64
	N        uint64
}

// ledger keeps the first findings of each code, and counts all.
type ledger struct {
	limit  int
	only   [len(ruleNames)]bool
	window *Window         // nil for any time
	chosen map[uint64]bool // locations; nil for all
	counts map[countKey]uint64
	kept   [len(conditions)][]Finding // of each code, in order
}

type countKey struct {
	code     Code
	severity Severity
	location uint64
}

func newLedger(o *Options) *ledger {
	l := &ledger{limit: o.Limit, counts: map[countKey]uint64{}}
	for r := range l.only {
		l.only[r] = len(o.Only) == 0 || slices.Contains(o.Only, Rule(r))
	}
	l.window = o.Window
	if o.Locations != nil {
		l.chosen = map[uint64]bool{}
		for _, id := range o.Locations {
			l.chosen[id] = true
		}
	}
	return l
}

// has reports whether a finding is one of those that are wanted.
func (l *ledger) has(f *Finding, location uint64) bool {
	switch {
	case !l.only[f.Code.Rule()], l.chosen != nil && !l.chosen[location]:
		return false
	case l.window != nil:
		return f.HasEvent && l.window.From <= f.At.Time && f.At.Time < l.window.To
	}
	return true
}

// add counts a finding at an event, and keeps it if it is one of the first.
func (l *ledger) add(code Code, s Severity, at Place, values ...Value) {
	l.put(Finding{Code: code, Severity: s, At: at, HasEvent: true}, at.Location, values)
}

// define counts a finding about definitions.
func (l *ledger) define(code Code, values ...Value) {
	l.ofLocation(code, trace.Undefined, values...)
}

// ofLocation counts a finding about what is defined for one location alone.
func (l *ledger) ofLocation(code Code, location uint64, values ...Value) {
	l.put(Finding{Code: code, Severity: code.Severity(), At: Place{Location: location}}, location, values)
}

func (l *ledger) put(f Finding, location uint64, values []Value) {
	if !l.has(&f, location) {
		return
	}
	l.counts[countKey{f.Code, f.Severity, location}]++
	list := l.kept[f.Code]
	f.Values = values
	i, _ := slices.BinarySearchFunc(list, &f, func(a Finding, b *Finding) int { return a.compare(b) })
	if i >= l.limit {
		return
	}
	f.Values = slices.Clone(values)
	if list = slices.Insert(list, i, f); len(list) > l.limit {
		list = list[:l.limit]
	}
	l.kept[f.Code] = list
}

// unlessCut is the severity of what may only be missing because the trace was cut. Whether it was is known in the end.
const unlessCut = Error + 1

// severity returns the final one of a finding, in a trace that was cut or not.
func (c Code) severity(s Severity, cut bool) Severity {
	switch {
	case s != unlessCut:
		return s
	case cut:
		return Note
	}
	return c.Severity()
}

// result returns what was found in a trace that was cut or not, in order.
func (l *ledger) result(cut bool) *Result {
	r := &Result{}
	for _, list := range l.kept {
		r.Findings = append(r.Findings, list...)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Severity = f.Code.severity(f.Severity, cut)
	}
	counts := map[countKey]uint64{}
	for k, n := range l.counts {
		k.severity = k.code.severity(k.severity, cut)
		counts[k] += n
	}
	for k, n := range counts {
		r.Counts = append(r.Counts, Count{k.code, k.severity, k.location, n})
	}
	slices.SortFunc(r.Counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Location, b.Location))
	})
	return r
}
