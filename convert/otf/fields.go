package otf

import "slices"

// fields reads the fields of a record into values: numbers as they are, of strings and lists where they stand (in data, in list)
// as begin and end.
func (r *reader) fields(f *form) {
	r.list, r.source = r.list[:0], 0
	fused := false // the field's keyword was read already
	for i := range f.fields {
		fd := &f.fields[i]
		if len(fd.keys) > 0 && !fused {
			key, end := r.peek()
			switch {
			case fd.matches(key):
				r.pos = end
			case slices.Contains(fd.fused, key):
				r.pos, fused = end, true
				r.values[fd.slot] = 0
				continue
			case fd.optional:
				r.absent(fd)
				continue
			default:
				r.fail("%s is missing", fd.name)
				return
			}
		}
		fused = false
		r.value(fd)
	}
	r.blanks()
}

// peek returns the next keyword and where it ends.
func (r *reader) peek() (key uint64, end int) {
	if classes[r.data[r.pos]] != capital {
		r.blanks()
	}
	return run(r.data, r.pos)
}

// absent gives an optional field its value.
func (r *reader) absent(fd *field) {
	if !fd.again && !fd.source {
		r.values[fd.slot] = 0
	}
}

// value reads the value of a field.
func (r *reader) value(fd *field) {
	switch {
	case fd.plain:
		r.values[fd.slot] = r.number(fd.bits)
	case fd.source:
		r.source = r.number(32)
	case fd.what == quoted:
		from, to := r.scanner.text()
		r.values[fd.slot] = span(from, to)
	case fd.what == numbers:
		r.values[fd.slot] = r.numbers()
	default:
		r.dot()
		r.values[fd.slot] = r.number(fd.bits)
	}
}

// dot moves over a full stop.
func (r *reader) dot() {
	if r.blanks(); r.data[r.pos] != '.' {
		r.fail("a full stop is missing")
		return
	}
	r.pos++
}

// numbers reads the members of a list, which end in commas.
func (r *reader) numbers() uint64 {
	from := len(r.list)
	for {
		r.blanks()
		if classes[r.data[r.pos]] >= notDigit {
			return span(from, len(r.list))
		}
		r.list = append(r.list, r.number(32))
		if r.blanks(); r.data[r.pos] != ',' {
			r.fail("a comma is missing in a list")
			return 0
		}
		r.pos++
	}
}

// span packs begin and end.
func span(from, to int) uint64 { return uint64(from)<<32 | uint64(to) }

// str returns the string of a slot.
func (r *reader) str(slot int) []byte {
	return r.data[r.values[slot]>>32 : r.values[slot]&0xffffffff]
}

// members returns the list of a slot.
func (r *reader) members(slot int) []uint64 {
	return r.list[r.values[slot]>>32 : r.values[slot]&0xffffffff]
}
