package recording

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/recording/internal/symbol"
	"github.com/pandotrace/pando/trace"
)

// object is an executable or a shared library in the memory of a process.
type object struct {
	begin, size uint64 // of its code
	bias        uint64 // what is added to its own addresses
	path        string
	buildID     string
}

// function is the object of a function, nil if no object was at its address, and its address in it.
type function struct {
	object  *object
	address uint64
}

// name is what a function is called that nothing is known of.
func (f function) name() string {
	if f.object == nil {
		return fmt.Sprintf("0x%x", f.address)
	}
	return fmt.Sprintf("%s+0x%x", filepath.Base(f.object.path), f.address)
}

// locate finds the object of an address: of several, the one that was told of last.
func (n *numbers) locate(address uint64) function {
	for _, o := range slices.Backward(n.objects) {
		if address-o.begin < o.size {
			return function{o, address - o.bias}
		}
	}
	return function{nil, address}
}

// nameFunctions finds the names of functions that have an address in place of one, and the lines of regions that have both. Each file is opened once for each, for all that ranks have recorded of it.
func (a *Archive) nameFunctions() {
	functions := look(a.defs.numbers, &a.warnings, symbol.Find, func(k regionKey) bool { return k.name == "" })
	lines := look(a.defs.numbers, &a.warnings, symbol.Lines, func(k regionKey) bool { return k.name != "" })
	for i := range a.defs.numbers {
		a.defs.numbers[i].name(&a.defs, functions, lines)
	}
}

// symbolFile is a file that has symbols.
type symbolFile struct{ path, buildID string }

type symbols map[symbolFile]map[uint64]symbol.Function

// of returns what is known of an address.
func (s symbols) of(f function) (symbol.Function, bool) {
	if f.object == nil {
		return symbol.Function{}, false
	}
	x, ok := s[symbolFile{f.object.path, f.object.buildID}][f.address]
	return x, ok
}

// look asks for the addresses of some regions.
func look(files []numbers, warnings *trace.Warnings, find func(path string, buildID []byte, addresses []uint64) (map[uint64]symbol.Function, error), of func(regionKey) bool) symbols {
	wanted := map[symbolFile][]uint64{}
	for i := range files {
		n := &files[i]
		for number, r := range n.functions {
			if r.object != nil && of(n.keys[number]) {
				key := symbolFile{r.object.path, r.object.buildID}
				wanted[key] = append(wanted[key], r.address)
			}
		}
	}
	known := symbols{}
	for _, key := range slices.SortedFunc(maps.Keys(wanted), func(x, y symbolFile) int {
		return cmp.Or(strings.Compare(x.path, y.path), strings.Compare(x.buildID, y.buildID))
	}) {
		list := wanted[key]
		slices.Sort(list)
		found, err := find(key.path, []byte(key.buildID), slices.Compact(list))
		if err != nil {
			warnings.Add("functions without names", "%v", err)
		}
		known[key] = found
	}
	return known
}

// name gives the regions of functions their names, and others their lines. A name has its line at its end, since regions of one name at two lines are two.
func (n *numbers) name(d *definitions, functions, lines symbols) {
	for _, number := range slices.Sorted(maps.Keys(n.functions)) {
		r := n.functions[number]
		k := n.keys[number]
		if k.name != "" {
			if x, ok := lines.of(r); ok {
				k.name, k.file, k.line = fmt.Sprintf("%s @%s:%d", k.name, filepath.Base(x.File), x.Line), x.File, x.Line
			}
		} else if x, ok := functions.of(r); ok && x.Name != "" {
			k.name, k.file, k.line = x.Name, x.File, x.Line
		} else {
			k.name = r.name()
		}
		n.regions[number] = d.region(k)
	}
}
