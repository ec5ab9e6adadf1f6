package index

import (
	"fmt"

	"github.com/pandotrace/pando/format"
)

// Division says how the slices of a file are divided: into nodes of the tree, and into groups that share statistics.
type Division struct {
	// Fanout is the number of children of a node.
	Fanout uint64
	// GroupSlices is the number of slices of a group. The slices of a node of level 2 are groups as a whole.
	GroupSlices uint64
}

// Tree returns the tree of intervals.
func (d *Division) Tree() Tree { return Tree{d.Fanout} }

// Ending returns up to which level nodes end with the last one of n slices: 0 if none does.
func (d *Division) Ending(n uint64) (levels int) {
	for n > 0 && n%d.Tree().Width(levels+1) == 0 {
		levels++
	}
	return levels
}

// GroupOf returns the group of a slice.
func (d *Division) GroupOf(slice uint64) uint64 { return slice / d.GroupSlices }

// FirstOf returns the first slice of a group.
func (d *Division) FirstOf(group uint64) uint64 { return group * d.GroupSlices }

// Check returns an error if no file is divided so.
func (d *Division) Check() error {
	const most = 1 << 16
	switch {
	case d.Fanout < 2 || d.Fanout >= most:
		return fmt.Errorf("fanout %d is not between 2 and %d", d.Fanout, most-1)
	case d.GroupSlices >= most:
		return fmt.Errorf("groups of %d slices have more than %d", d.GroupSlices, most-1)
	case d.GroupSlices < 1 || d.Fanout*d.Fanout%d.GroupSlices != 0:
		return fmt.Errorf("groups of %d slices do not divide the %d slices of a node of level 2", d.GroupSlices, d.Fanout*d.Fanout)
	}
	return nil
}

func (d *Division) read(r *format.Decoder) {
	d.Fanout, d.GroupSlices = r.Uvarint(), r.Uvarint()
	if err := d.Check(); err != nil {
		r.Fail("%v", err)
	}
}

func (d *Division) append(dst []byte) []byte {
	return format.AppendUvarint(format.AppendUvarint(dst, d.Fanout), d.GroupSlices)
}

// divisionTag is the tag of the extension of the meta block that says how a file is divided.
const divisionTag = 4

// AppendDivision appends extension 4 to a meta block, for who reads the file before it has a root:
//
//	uvarint  fanout
//	uvarint  slices of a group
func AppendDivision(meta []byte, d *Division) []byte {
	return format.AppendExtension(meta, divisionTag, d.append(nil))
}

// ReadDivision reads extension 4 among those of a meta block; ok is false if it is not there.
func ReadDivision(extensions []byte) (d Division, ok bool, err error) {
	b, ok := format.Extension(extensions, divisionTag)
	if !ok {
		return d, false, nil
	}
	r := format.NewDecoder("meta block", b)
	d.read(r)
	return d, true, r.Finish()
}
