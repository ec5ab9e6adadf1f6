package model

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Pairs returns the pairs of events of a family, in merged order of the opening events.
func (t *Trace) Pairs(family trace.PairFamily) (all []trace.EventPair) {
	events := t.Events()
	last := int64(0)
	for i := range events {
		last = max(last, events[i].Time)
	}
	open := map[string][]*Event{} // by what must agree, in order
	add := func(from *Event, to trace.PairEnd) {
		all = append(all, trace.EventPair{Family: family, Open: pairEnd(from), Close: to})
	}
	for i := range events {
		e := &events[i]
		spec := t.Meta.Table().Spec(e.Kind)
		for _, p := range spec.Pairs {
			if p.Family != family {
				continue
			}
			key := t.scope(family, e.Location)
			for _, name := range p.Keys {
				for f := range spec.Fields {
					if spec.Fields[f].Name == name {
						key += fmt.Sprintf(" %d", e.Words[f])
					}
				}
			}
			of := open[key]
			switch {
			case !p.Closes:
				open[key] = append(of, e)
			case len(of) == 0:
			case p.Rule == trace.ByKey:
				add(of[len(of)-1], pairEnd(e))
				open[key] = of[:len(of)-1]
			default:
				add(of[0], pairEnd(e))
				open[key] = of[1:]
			}
		}
	}
	for _, of := range open {
		for _, e := range of {
			add(e, trace.PairEnd{Location: e.Location, Time: last})
		}
	}
	place := map[EventID]int{}
	for i := range events {
		place[events[i].ID()] = i
	}
	slices.SortFunc(all, func(a, b trace.EventPair) int {
		return place[EventID{a.Open.Location, a.Open.Ordinal}] - place[EventID{b.Open.Location, b.Open.Ordinal}]
	})
	return all
}

// scope names among which events those of a location are paired.
func (t *Trace) scope(family trace.PairFamily, location uint64) string {
	switch family {
	case trace.PairSpan, trace.PairArrow:
		return "all"
	case trace.PairRma, trace.PairIo:
		if process, ok := t.Definitions.Process(location); ok {
			return fmt.Sprint("process ", process)
		}
	}
	return fmt.Sprint("location ", location)
}

func pairEnd(e *Event) trace.PairEnd {
	return trace.PairEnd{Location: e.Location, Ordinal: e.Ordinal, Time: e.Time, Kind: e.Kind}
}
