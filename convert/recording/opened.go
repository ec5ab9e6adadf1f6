package recording

import (
	"maps"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// opened is a file that ranks of a communicator have opened.
type opened struct {
	comm uint64
	path string
}

// defineFiles defines files, by their paths, and the handles of those that were opened.
func (d *definitions) defineFiles() {
	const parallel = 1
	files := map[string]uint64{}
	file := func(path string) uint64 {
		id, ok := files[path]
		if !ok {
			if id = uint64(len(files)); id == 0 {
				d.add(trace.KindIoParadigm, 0, d.text("MPI-IO"), d.text("MPI-IO"), parallel, 0, 0)
			}
			files[path] = id
			d.add(trace.KindIoRegularFile, id, d.text(path), undefined)
		}
		return id
	}
	for _, id := range slices.Sorted(maps.Keys(d.files)) {
		o := d.files[id]
		d.add(trace.KindIoHandle, id, d.text(o.path[strings.LastIndexByte(o.path, '/')+1:]), file(o.path), 0, 0, o.comm, undefined)
	}
	for i := range d.numbers {
		n := &d.numbers[i]
		for _, number := range slices.Sorted(maps.Keys(n.paths)) {
			n.files[number] = file(n.paths[number])
		}
	}
}
