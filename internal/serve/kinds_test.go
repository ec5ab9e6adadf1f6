package serve

import "testing"

// TestBudget: what the parts of the budget may come to is no more than the budget.
func TestBudget(t *testing.T) {
	for _, memory := range []int64{leastMemory, 256e6, defaultMemory, 1 << 40} {
		o := Options{Memory: memory}.withDefaults()
		sum := o.CacheBytes + memory/allParts*openParts + int64(cap(newDoor(nil, memory).places))*connectionBytes
		for kind, g := range newGates(memory) {
			sum += g.Room
			if g.Room < 2*firstWork[kind] {
				t.Errorf("%d bytes: kind %d has room for %d", memory, kind, g.Room)
			}
		}
		if sum > memory {
			t.Errorf("%d bytes are divided into %d", memory, sum)
		}
	}
}
