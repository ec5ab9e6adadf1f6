package symbol

import (
	"debug/dwarf"
	"debug/elf"
	"slices"
)

// byLines finds places in the tables of lines of all units: parts of a unit's code may stand anywhere, in any order.
func byLines(f *elf.File, addresses []uint64, found map[uint64]Function) {
	data, err := f.DWARF()
	if err != nil {
		return
	}
	sorted := slices.Sorted(slices.Values(addresses))
	for r := data.Reader(); ; r.SkipChildren() {
		unit, err := r.Next()
		if err != nil || unit == nil {
			return
		}
		if unit.Tag != dwarf.TagCompileUnit {
			continue
		}
		if lines, err := data.LineReader(unit); err == nil && lines != nil {
			inTable(lines, sorted, found)
		}
	}
}

// inTable finds the places of a table: a row holds up to the next one.
func inTable(lines *dwarf.LineReader, sorted []uint64, found map[uint64]Function) {
	var row, next dwarf.LineEntry
	for row.EndSequence = true; lines.Next(&next) == nil; row = next {
		if row.EndSequence || row.File == nil || row.Line <= 0 || row.Address >= next.Address {
			continue
		}
		i, _ := slices.BinarySearch(sorted, row.Address)
		for ; i < len(sorted) && sorted[i] < next.Address; i++ {
			if _, ok := found[sorted[i]]; !ok {
				found[sorted[i]] = Function{File: row.File.Name, Line: uint64(row.Line)}
			}
		}
	}
}
