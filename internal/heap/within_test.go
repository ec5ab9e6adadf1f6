package heap

import "testing"

// Garbage fills what is free, never less than an eighth of what is in use.
func TestGarbageWithin(t *testing.T) {
	const mega = 1 << 20
	for _, c := range []struct {
		used int64
		want int
	}{{0, 300}, {50 * mega, 300}, {100 * mega, 240}, {170 * mega, 100}, {310 * mega, leastGarbage}, {900 * mega, leastGarbage}} {
		if got := (&garbageBounds{percent: 300, least: 12, most: 340 * mega}).within(c.used); got != c.want {
			t.Errorf("%d MiB in use: %d %%, want %d", c.used/mega, got, c.want)
		}
	}
}
