package sums

import (
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/trace"
)

// Hashes of structure are of the names of regions, which must be known when a slice is taken apart: what is defined first counts, so a name
// that is known stays. When a name may still come, no hashes are written from there on. Readers then go by the structure itself.

// RegionNames are the symbols of regions, as far as they are defined.
type RegionNames struct {
	texts    map[uint64]text      // by string
	regions  map[uint64][2]uint64 // the strings that name a region, the canonical one first
	contexts *trace.Definitions
	lost     bool // a string has the undefined id: regions without a name may have it for theirs
}

// NewRegionNames returns the names of regions before any is defined. Those of calling contexts are in the definitions.
func NewRegionNames(defs *trace.Definitions) *RegionNames {
	return &RegionNames{texts: map[uint64]text{}, regions: map[uint64][2]uint64{}, contexts: defs}
}

// Define notes definitions of strings and regions.
func (n *RegionNames) Define(log []trace.Record) {
	for i := range log {
		switch r := &log[i]; r.Kind {
		case trace.KindString:
			n.lost = n.lost || trace.IsUndefined(r.Words[0])
			if _, ok := n.texts[r.Words[0]]; !ok {
				t := r.TextOf(r.Words[1])
				n.texts[r.Words[0]] = text{content.SymbolsOf(t), t == ""}
			}
		case trace.KindRegion:
			if _, ok := n.regions[r.Words[0]]; !ok {
				n.regions[r.Words[0]] = [2]uint64{r.Words[canonicalWord], r.Words[nameWord]}
			}
		}
	}
}

// Words of the definition of a region.
var (
	nameWord      = trace.Standard.Spec(trace.KindRegion).Field("name")
	canonicalWord = trace.Standard.Spec(trace.KindRegion).Field("canonicalName")
)

// text is what a string is to the names of regions.
type text struct {
	symbols content.Symbols
	empty   bool
}

// symbols returns the symbols of a region; ok is false if its name is not known for certain. The rule is that of [trace.Definitions.RegionName].
func (n *RegionNames) symbols(region uint64) (s content.Symbols, ok bool) {
	if trace.IsUndefined(region) {
		return content.SymbolsOf(trace.NoRegion), true
	}
	names, ok := n.regions[region]
	if !ok || n.lost {
		return s, false
	}
	for _, id := range names {
		if trace.IsUndefined(id) {
			continue
		}
		if text, ok := n.texts[id]; !ok || !text.empty {
			return text.symbols, ok
		}
	}
	return content.SymbolsOf(trace.RegionNumber(region)), true
}
