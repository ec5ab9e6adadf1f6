package write

import (
	"maps"
	"slices"
	"sync"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Drops counts records that an archive cannot hold, by kind. It may be used from many goroutines.
type Drops struct {
	mu     sync.Mutex
	Counts map[trace.Kind]uint64
}

func (d *Drops) add(kind trace.Kind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Counts == nil {
		d.Counts = map[trace.Kind]uint64{}
	}
	d.Counts[kind]++
}

// Warnings lists the counts in order of the kinds.
func (d *Drops) Warnings(table *trace.Table) []trace.Warning {
	var list []trace.Warning
	for _, kind := range slices.Sorted(maps.Keys(d.Counts)) {
		name := kind.String()
		if spec := table.Spec(kind); spec != nil {
			name = spec.Name
		}
		list = append(list, trace.Warning{Kind: "left out", Count: d.Counts[kind], Example: name + " is nothing that OTF2 knows"})
	}
	return list
}

// checkKinds refuses tables of kinds whose records have other fields than those that this package writes.
func checkKinds(table *trace.Table) error {
	for _, spec := range table.All() {
		known := trace.Standard.Spec(spec.ID)
		if known == nil || spec.ID >= form.LastKind || slices.EqualFunc(spec.Fields, known.Fields, sameForm) {
			continue
		}
		return &trace.SourceError{Format: "otf2", File: spec.Name, Problem: "records of this kind have other fields than this version of the program writes", Class: trace.ErrUnsupported}
	}
	return nil
}

func sameForm(a, b trace.Field) bool {
	return a.Type == b.Type && a.Bits == b.Bits && a.Repeat == b.Repeat && a.Ref == b.Ref
}
