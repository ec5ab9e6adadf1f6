package cache

import (
	"sync"
	"testing"
)

// A value that is taken while others put it comes whole or not at all, and the cache counts what it keeps.
func TestCacheConcurrentTake(t *testing.T) {
	c := NewShare(t.Context(), NewCache(1<<20))
	var readers sync.WaitGroup
	taken := make([]int, 4)
	for n := range taken {
		readers.Go(func() {
			for i := range 20_000 {
				k := Key{What: Bytes, Offset: uint64(i % 3)}
				v, ok := c.Take(k)
				if !ok {
					c.Put(k, []byte{1}, 1)
					continue
				}
				if b, ok := v.([]byte); !ok || len(b) != 1 {
					t.Errorf("took %v", v)
					return
				}
				taken[n]++
			}
		})
	}
	readers.Wait()
	for n, times := range taken {
		if times == 0 {
			t.Errorf("reader %d never took anything", n)
		}
	}
	if c.used != int64(c.order.Len()) || len(c.items) != c.order.Len() {
		t.Errorf("%d bytes are counted, %d entries are in the map, %d in order", c.used, len(c.items), c.order.Len())
	}
}

// Putting does not replace, and what was least recently used goes.
func TestCachePut(t *testing.T) {
	c := NewShare(t.Context(), NewCache(2))
	for i := range 3 {
		c.Put(Key{What: Bytes, Offset: uint64(i)}, i, 1)
		c.Put(Key{What: Bytes, Offset: uint64(i)}, -1, 1)
	}
	for i, want := range []bool{false, true, true} {
		v, ok := c.Take(Key{What: Bytes, Offset: uint64(i)})
		if ok != want || ok && v != i {
			t.Errorf("key %d: %v, %v", i, v, ok)
		}
	}
	if c.used != 0 {
		t.Errorf("%d bytes are counted of nothing", c.used)
	}
}

// Readers that share a cache keep no more than its budget together, the least recently used entry goes first, and a closed reader leaves
// nothing.
func TestCacheShared(t *testing.T) {
	shared := NewCache(4)
	a, b := NewShare(t.Context(), shared), NewShare(t.Context(), shared)
	key := func(i int) Key { return Key{What: Bytes, Offset: uint64(i)} }
	for i := range 3 {
		a.Put(key(i), "a", 1)
		b.Put(key(i), "b", 1)
	}
	if shared.Used() != 4 || a.Has(key(0)) || b.Has(key(0)) || !a.Has(key(1)) || !b.Has(key(2)) {
		t.Errorf("%d bytes, %d of one and %d of the other", shared.Used(), len(a.items), len(b.items))
	}
	a.Clear()
	if v, ok := b.Take(key(1)); shared.Used() != 1 || len(a.items) != 0 || !ok || v != "b" {
		t.Errorf("%d bytes, %d of the closed one, %v", shared.Used(), len(a.items), v)
	}
}

// Each question for a value is a hit or a miss.
func TestCacheStats(t *testing.T) {
	in := NewCache(10)
	c := NewShare(t.Context(), in)
	for _, offset := range []uint64{1, 2, 1, 1, 3, 2} { // 3 drives out 2, which was used before 1
		if _, err := Get(c, Key{What: Events, Offset: offset}, func() (int, int64, error) { return 1, 5, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := in.Stats(), (Stats{Bytes: 10, Budget: 10, Hits: 2, Misses: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What grows while the value of its key is made anew counts as long as that is kept, and no longer.
func TestCacheGrowWhileMade(t *testing.T) {
	c := NewShare(t.Context(), NewCache(100))
	k := Key{What: CallPatterns}
	if _, err := Get(c, k, func() (int, int64, error) {
		c.Grow(k, 7)
		return 1, 5, nil
	}); err != nil {
		t.Fatal(err)
	}
	c.Drop(k)
	if used := c.Used(); used != 0 {
		t.Errorf("%d bytes are counted of nothing", used)
	}
}
