package shape

import "encoding/binary"

// layouts are the lists of slots of leaves, each once: the leaves of a kind and key have few. Layout 0 has no slots. They stand one behind
// the other, in lists without pointers.
type layouts struct {
	slots []Slot
	ends  []uint32 // of a layout's slots
}

// layoutIndex finds the layouts that there are, while leaves are added.
type layoutIndex struct {
	numbers map[string]uint32 // by the bytes of their slots
	key     []byte
	homes   []uint32 // by column: see Dictionary.Home
}

// ManyLayouts is the home of a column with values in more than one layout.
const ManyLayouts = 1<<32 - 1

// add returns the number of the layout with certain slots.
func (x *layoutIndex) add(l *layouts, slots []Slot) uint32 {
	if len(l.ends) == 0 {
		l.ends = append(l.ends, 0)
	}
	if len(slots) == 0 {
		return 0
	}
	x.key = x.key[:0]
	for _, s := range slots {
		x.key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(x.key, s.Word), s.Column<<8|uint32(s.Mode))
	}
	if n, ok := x.numbers[string(x.key)]; ok {
		return n
	}
	if x.numbers == nil {
		x.numbers = map[string]uint32{}
	}
	n := uint32(len(l.ends))
	x.numbers[string(x.key)] = n
	for _, s := range slots {
		x.settle(s.Column, n)
	}
	l.slots = append(l.slots, slots...)
	l.ends = append(l.ends, uint32(len(l.slots)))
	return n
}

// settle notes that a column has values in a layout.
func (x *layoutIndex) settle(column, layout uint32) {
	for len(x.homes) <= int(column) {
		x.homes = append(x.homes, 0)
	}
	if home := &x.homes[column]; *home == 0 {
		*home = layout
	} else {
		*home = ManyLayouts // in one layout twice, too
	}
}

// of returns the slots of a layout.
func (l *layouts) of(number uint32) []Slot {
	if number == 0 {
		return nil
	}
	from, to := l.ends[number-1], l.ends[number]
	return l.slots[from:to:to]
}
