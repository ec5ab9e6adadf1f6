package recording

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/recording/internal/symbol"
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

// nameFunctions finds the names of functions that have an address in place of one. Each file is opened once, for all that ranks have recorded of it.
func (a *Archive) nameFunctions() {
	wanted := map[symbolFile][]uint64{}
	for i := range a.defs.numbers {
		for _, r := range a.defs.numbers[i].functions {
			if r.object != nil {
				key := symbolFile{r.object.path, r.object.buildID}
				wanted[key] = append(wanted[key], r.address)
			}
		}
	}
	known := map[symbolFile]map[uint64]symbol.Function{}
	for _, key := range slices.SortedFunc(maps.Keys(wanted), func(x, y symbolFile) int {
		return cmp.Or(strings.Compare(x.path, y.path), strings.Compare(x.buildID, y.buildID))
	}) {
		list := wanted[key]
		slices.Sort(list)
		found, err := symbol.Find(key.path, []byte(key.buildID), slices.Compact(list))
		if err != nil {
			a.warnings.Add("functions without names", "%v", err)
		}
		known[key] = found
	}
	for i := range a.defs.numbers {
		a.defs.numbers[i].name(&a.defs, known)
	}
}

// symbolFile is a file that has symbols.
type symbolFile struct{ path, buildID string }

// name gives the regions of functions their names.
func (n *numbers) name(d *definitions, known map[symbolFile]map[uint64]symbol.Function) {
	for _, number := range slices.Sorted(maps.Keys(n.functions)) {
		r := n.functions[number]
		k := n.keys[number]
		k.name = r.name()
		if r.object != nil {
			if x, ok := known[symbolFile{r.object.path, r.object.buildID}][r.address]; ok && x.Name != "" {
				k.name, k.file, k.line = x.Name, x.File, x.Line
			}
		}
		n.regions[number] = d.region(k)
	}
}
