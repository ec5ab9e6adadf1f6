package trace

import (
	"fmt"
	"slices"
)

// Table is a set of kinds with their specifications. The zero Table is empty.
// A Table may be read from many goroutines once it is complete.
type Table struct {
	specs []*Spec // by id; nil where there is none
	words []int   // by id: the number of a record's words where that says all of them; -1 where there may be more to check
}

// Standard is the table of all kinds of Pando's registry.
var Standard = newTable(eventSpecs, otfEventSpecs, definitionSpecs, otfDefinitionSpecs, localSpecs, snapshotSpecs, otfSnapshotSpecs,
	markerSpecs, statisticsSpecs, mpeEventSpecs, mpeDefinitionSpecs, mpeLocalSpecs, chromeEventSpecs, cutEventSpecs)

func newTable(lists ...[]Spec) *Table {
	t := &Table{}
	for _, list := range lists {
		for i := range list {
			if err := t.Add(&list[i]); err != nil {
				panic(err) // the standard table is ours: a duplicate is a programmer's mistake
			}
		}
	}
	return t
}

// Add puts a kind into the table. It is an error if the table has another kind of that number, or if the kind has a peer that is none.
func (t *Table) Add(s *Spec) error {
	if err := s.CheckPeer(); err != nil {
		return err
	}
	if t.Spec(s.ID) != nil {
		return fmt.Errorf("kind %d: %s and %s share the number", s.ID, t.Spec(s.ID).Name, s.Name)
	}
	if more := int(s.ID) + 1 - len(t.specs); more > 0 {
		t.specs = append(t.specs, make([]*Spec, more)...)
		t.words = append(t.words, slices.Repeat([]int{-1}, more)...)
	}
	t.specs[s.ID] = s
	if before, group, _ := s.Shape(); group == 0 && !s.HasText() {
		t.words[s.ID] = before
	}
	return nil
}

// Spec returns the specification of a kind, nil if the table does not have it.
func (t *Table) Spec(k Kind) *Spec {
	if int(k) >= len(t.specs) {
		return nil
	}
	return t.specs[k]
}

// All returns the table's kinds in order of their numbers.
func (t *Table) All() []*Spec {
	return slices.DeleteFunc(slices.Clone(t.specs), func(s *Spec) bool { return s == nil })
}
