package trace

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
)

// Loss says that a trace tells less than the one that it was made of, and by how much. Numbers, ids, tags, lengths and the order of
// the events of a location are never less, and structure is so only by calls that were left out, and by events inside of phases that others stand for.
type Loss struct {
	// Bounds are of one column of values each, in the order of their classes, metrics and members, none twice.
	Bounds []Bound
	// Original is the [Fingerprint] of the trace that nothing was left out of, empty if nobody knows it.
	Original []byte
}

// LossClass is a class of columns that may have bounds.
type LossClass uint8

// The numbers of classes are part of the file format.
const (
	// LossTimes is the times of events, and times in fields of events and snapshots.
	LossTimes LossClass = 0
	// LossMetric is a member of a metric.
	LossMetric LossClass = 1
	// LossCalls is calls that were left out, for a reason.
	LossCalls LossClass = 2
)

// Bound says how far values of a column may be from those of the original.
type Bound struct {
	Class LossClass
	// Metric is the id of a metric, Member the place among its values; both are 0 for times. For calls, Metric is a [LeftReason].
	Metric, Member uint64
	// Bound is the largest deviation: ticks for times. For calls it is what the reason says.
	Bound uint64
	// Cell and Offset are those of the grid that all values lie on: Offset plus a multiple of Cell, which is more than Offset. A Cell
	// of 0 says that there is no grid, for traces that were put together. For calls, Cell is Bound if none is there that might have been left out, and else 0.
	Cell, Offset uint64
}

// TimeBound returns the bound of times whose cells are as large as they may be for a largest deviation, in ticks. Each cell becomes its middle, so that cells
// which are a multiple of others, and begin at tick 0 like these, have the same middles whichever of both a time came through first.
func TimeBound(most uint64) Bound { return Bound{Bound: most, Cell: 2 * most, Offset: most} }

// Times returns the bound of times; ok is false if they are exact.
func (l *Loss) Times() (b Bound, ok bool) {
	if l == nil || len(l.Bounds) == 0 || l.Bounds[0].Class != LossTimes {
		return Bound{}, false
	}
	return l.Bounds[0], true
}

// Names of the properties of traces in other formats, and of tables, that say what was lost: the largest deviation of times, and the duration below which calls were left
// out, both in nanoseconds; and, behind a prefix, other reasons for which calls were left out, with their bounds.
const (
	MaxErrorName       = "pando.max_error_ns"
	CallsBelowName     = "pando.calls_below_ns"
	CallsLeftOutPrefix = "pando.calls_left_out."
)

// PropertyName returns the name of the property that says in other formats what was lost; of values of metrics there is none.
func (b *Bound) PropertyName() string {
	switch b.Class {
	case LossTimes:
		return MaxErrorName
	case LossCalls:
		return [...]string{CallsBelowName, CallsLeftOutPrefix + "deep", CallsLeftOutPrefix + "filtered", CallsLeftOutPrefix + "level",
			CallsLeftOutPrefix + "class", CallsLeftOutPrefix + "later", CallsLeftOutPrefix + "phases"}[b.Metric]
	}
	return ""
}

// LossProperties returns the properties that say what was lost, none if nothing was. Their values are numbers.
func (m *Meta) LossProperties() (list []Property) {
	for i := 0; m.Loss != nil && i < len(m.Loss.Bounds); i++ {
		b := &m.Loss.Bounds[i]
		name, value := b.PropertyName(), float64(b.Bound)
		if name == MaxErrorName || name == CallsBelowName {
			value = 1e9 * value / float64(max(m.Resolution, 1))
		}
		if name != "" {
			list = append(list, Property{name, strconv.FormatFloat(value, 'g', -1, 64)})
		}
	}
	return list
}

// Round returns the middle of the cell that a time lies in. It does not decrease where times rise.
func (b *Bound) Round(t int64) int64 {
	cell := int64(b.Cell)
	into := t % cell
	if into < 0 {
		into += cell
	}
	return t - into + int64(b.Offset)
}

// InReach reports whether a number is one that is rounded: a time at which there may be events, or a little more. Fields may hold anything.
func InReach(t int64) bool { return t >= -1<<62 && t <= 1<<62 }

// RoundAll rounds times. Most stand in the cell of the one before.
func (b *Bound) RoundAll(times []int64) {
	begin, middle := int64(0), b.Round(0)
	for i, t := range times {
		if uint64(t-begin) >= b.Cell {
			if !InReach(t) {
				continue
			}
			middle = b.Round(t)
			begin = middle - int64(b.Offset)
		}
		times[i] = middle
	}
}

// Has reports whether a time lies on the grid.
func (b *Bound) Has(t int64) bool { return b.Cell == 0 || b.Round(t) == t }

// MaxCell is the largest cell, in ticks.
const MaxCell = 1 << 60

// Check returns an error if the bounds are not as Loss says.
func (l *Loss) Check() error {
	for i := range l.Bounds {
		b := &l.Bounds[i]
		switch {
		case b.Class > LossCalls:
			return fmt.Errorf("bounds of class %d, which is none", b.Class)
		case b.Class == LossTimes && (b.Metric != 0 || b.Member != 0):
			return fmt.Errorf("a bound of times with metric %d and member %d", b.Metric, b.Member)
		case b.Bound == 0:
			return errors.New("a bound of 0")
		case b.Bound > MaxCell || b.Cell > MaxCell:
			return fmt.Errorf("a bound of %d with cells of %d is over 2^60", b.Bound, b.Cell)
		case b.Cell > 0 && b.Offset >= b.Cell || b.Cell == 0 && b.Offset != 0:
			return fmt.Errorf("an offset of %d in cells of %d", b.Offset, b.Cell)
		case i > 0 && l.Bounds[i-1].Compare(*b) >= 0:
			return errors.New("bounds are out of order")
		case b.Class == LossCalls:
			if err := b.checkCalls(); err != nil {
				return err
			}
		}
	}
	switch {
	case len(l.Bounds) == 0:
		return errors.New("no bounds")
	case len(l.Original) != 0 && len(l.Original) != FingerprintSize:
		return fmt.Errorf("a fingerprint of %d bytes", len(l.Original))
	}
	return nil
}

// Compare orders bounds by their columns.
func (b Bound) Compare(o Bound) int {
	return cmp.Or(cmp.Compare(b.Class, o.Class), cmp.Compare(b.Metric, o.Metric), cmp.Compare(b.Member, o.Member))
}

// CallDeviation says how much more the calls of a region add up to in the original of a trace with coarse times, or of which calls were left out, than in the trace, over all
// locations; times are in ticks. See [CallTotals] for what is added up. Of calls that were left out nobody may know which lay inside another of the same region: Busy counts as if none did.
type CallDeviation struct {
	Region                     uint64
	Count                      uint64 // calls that were left out
	Inclusive, Exclusive, Busy int64
}

// A Deviant is a Source that can tell how far sums of its calls are from those of its original, when all its events were read.
type Deviant interface {
	Source
	// Deviations returns those of regions whose calls deviate, in order of their ids. They are not known of all traces.
	Deviations() (list []CallDeviation, known bool)
}

// DeviationsOf returns a source's deviations; those of a source that is no Deviant are not known.
func DeviationsOf(src Source) (list []CallDeviation, known bool) {
	if s, ok := src.(Deviant); ok {
		return s.Deviations()
	}
	return nil, false
}

// FingerprintSize is the number of bytes of a fingerprint.
const FingerprintSize = 32

// LeftReason says which calls may be missing from a trace, with their enters and leaves. Those that are missing count for the sums of their regions, see [CallDeviation].
type LeftReason uint64

// The numbers of reasons are part of the file format.
const (
	// LeftShort is calls that took less than a bound, in ticks, with no event inside but calls and values of metrics. A bound of 2^60 is any duration.
	LeftShort LeftReason = 0
	// LeftDeep is calls with as many calls around them as a bound says, or more.
	LeftDeep LeftReason = 1
	// LeftFiltered is calls of regions that were filtered out by their names. The bound is 1.
	LeftFiltered LeftReason = 2
	// LeftLevel is calls with as many calls around them as a bound says, or more, with no event inside but calls and values of metrics.
	LeftLevel LeftReason = 3
	// LeftClass is calls of regions of as many classes as a bound says, with no event inside but calls and values of metrics. The cell is 0.
	LeftClass LeftReason = 4
	// LeftLater is calls that were not among the first of their region at their location to end, with no event inside but calls and values of metrics. The bound is the number, from 1, of the first one
	// that is missing; the cell is 0.
	LeftLater LeftReason = 5
	// LeftPhases is calls that others of their region stand for, of which a bound says the number for one, at most; calls inside of them; and, as for no other reason, events inside. The cell is 0.
	LeftPhases LeftReason = 6
)

// CallsBound returns the bound of a trace that has no call of those that a reason is about. The cell is 0 if the calls themselves do not tell which these are.
func CallsBound(reason LeftReason, bound uint64) Bound {
	b := Bound{Class: LossCalls, Metric: uint64(reason), Bound: min(bound, MaxCell)}
	if reason < LeftClass {
		b.Cell = b.Bound
	}
	return b
}

// checkCalls returns an error if a bound of calls is none. Its cell says that no such call is there, or is 0.
func (b *Bound) checkCalls() error {
	switch {
	case b.Metric > uint64(LeftPhases) || b.Member != 0:
		return fmt.Errorf("calls left out for reason %d, member %d", b.Metric, b.Member)
	case b.Cell != 0 && b.Cell != b.Bound || b.Offset != 0:
		return fmt.Errorf("a bound of calls of %d with a cell of %d and an offset of %d", b.Bound, b.Cell, b.Offset)
	}
	return nil
}

// Calls returns the bounds of calls that were left out, none if all are there.
func (l *Loss) Calls() []Bound {
	if l == nil {
		return nil
	}
	for i := range l.Bounds {
		if l.Bounds[i].Class == LossCalls {
			return l.Bounds[i:]
		}
	}
	return nil
}

// Deviates reports whether sums of calls are other ones than those of the original.
func (l *Loss) Deviates() bool {
	_, times := l.Times()
	return times || len(l.Calls()) > 0
}

// Unsure is the loss of a part of a trace, in which events inside of calls may be missing: that no call is there which might have been left out holds no more.
func (l *Loss) Unsure() *Loss {
	if len(l.Calls()) == 0 {
		return l
	}
	of := *l
	of.Bounds = append([]Bound(nil), l.Bounds...)
	calls := of.Calls()
	for i := range calls {
		calls[i].Cell = 0
	}
	return &of
}
