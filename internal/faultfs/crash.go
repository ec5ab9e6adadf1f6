package faultfs

import (
	"maps"
	"math/rand/v2"
)

// page is the number of bytes that reach the disk together.
const page = 512

// Crash returns the files that are found when the power is back. Changes of names that were not synced took place up to any of them; pages
// that were not synced are there or not, each by itself, and so may be the length of a file.
func (f *FS) Crash(r *rand.Rand) map[string][]byte {
	names := maps.Clone(f.durable)
	for _, apply := range f.changes[:r.IntN(len(f.changes)+1)] {
		apply(names)
	}
	found := map[string][]byte{}
	for name, file := range names {
		if file != nil {
			found[name] = file.crash(r)
		}
	}
	return found
}

// crash returns what is left of a file.
func (f *file) crash(r *rand.Rand) []byte {
	left := make([]byte, len(f.bytes))
	copy(left, f.bytes[:f.durable])
	end := f.durable
	kept := []int{0, 5, 9, 10}[r.IntN(4)] // pages of ten
	for at := f.durable; at < len(f.bytes); at += page {
		if next := min(at+page, len(f.bytes)); r.IntN(10) < kept {
			copy(left[at:next], f.bytes[at:next])
			end = next
		}
	}
	return left[:end+r.IntN(len(left)-end+1)]
}
