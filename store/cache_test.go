package store

import (
	"sync"
	"testing"
)

// Whoever takes something that others put at the same time gets all of it or nothing, and the cache counts what it keeps.
func TestCacheConcurrentTake(t *testing.T) {
	c := newCache(1 << 20)
	var readers sync.WaitGroup
	taken := make([]int, 4)
	for n := range taken {
		readers.Go(func() {
			for i := range 20_000 {
				k := cacheKey{what: cachedBytes, offset: uint64(i % 3)}
				v, ok := c.take(k)
				if !ok {
					c.put(k, []byte{1}, 1)
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
	c := newCache(2)
	for i := range 3 {
		c.put(cacheKey{what: cachedBytes, offset: uint64(i)}, i, 1)
		c.put(cacheKey{what: cachedBytes, offset: uint64(i)}, -1, 1)
	}
	for i, want := range []bool{false, true, true} {
		v, ok := c.take(cacheKey{what: cachedBytes, offset: uint64(i)})
		if ok != want || ok && v != i {
			t.Errorf("key %d: %v, %v", i, v, ok)
		}
	}
	if c.used != 0 {
		t.Errorf("%d bytes are counted of nothing", c.used)
	}
}
