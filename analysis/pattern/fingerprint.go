package pattern

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Fingerprint returns 16 bytes that are equal for patterns of equal class and parameters whose templates have equal shifts, tags and lengths, in any window of any trace: neither
// numbers of messages nor times count.
func (r *Result) Fingerprint() []byte {
	p := &r.Pattern
	h := sha256.New()
	fmt.Fprintln(h, p.Class, p.Sizes, p.Wraps, p.Corners, p.Wave, p.Root, p.Arity)
	var lines []string
	for i := range r.Templates {
		t := &r.Templates[i]
		lines = append(lines, fmt.Sprintln(t.Shift, t.Step, t.Tag, t.Length, t.Others))
	}
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		fmt.Fprint(h, line)
	}
	return h.Sum(nil)[:16]
}

// Communicator returns the id of the communicator of all templates; ok is false if there are several or none.
func (r *Result) Communicator() (id uint64, ok bool) {
	if len(r.Templates) == 0 {
		return 0, false
	}
	of := func(a, b Template) int { return cmp.Compare(a.Communicator, b.Communicator) }
	least, most := slices.MinFunc(r.Templates, of), slices.MaxFunc(r.Templates, of)
	return least.Communicator, least.Communicator == most.Communicator
}
