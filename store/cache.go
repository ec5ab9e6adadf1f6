package store

import (
	"container/list"
	"sync"
)

// cache keeps decoded blocks within a budget of bytes; the least recently used goes first. It is safe for concurrent use:
// what several goroutines want at once is made once.
type cache struct {
	mu     sync.Mutex
	budget int64
	used   int64
	items  map[cacheKey]*list.Element
	order  list.List // of *cacheItem, most recently used in front
}

// cacheKey names what is kept: the block at an offset, or something that is made from several.
type cacheKey struct {
	what   cacheWhat
	offset uint64
	lane   uint32
}

type cacheWhat uint8

const (
	cachedPage cacheWhat = iota
	cachedDictionary
	cachedStatistics
	cachedEvents
	cachedRuns      // the same, for streams
	cachedAuxiliary // records of a block of auxiliary streams
	cachedCalls
	cachedMessages
	cachedPostings
	cachedSummary   // block of summaries
	cachedBins      // bins of a node
	cachedTable     // table of a block of summaries
	cachedSpans     // spanning calls as summaries need them
	cachedLeafCalls // what leaves mean to call stacks
	cachedCallSteps // enters and leaves of a slice
	cachedCallMarks // what the calls of a slice add up to before some of those
	cachedCallSums  // what all that end before the slice do
	cachedSliceSums // and those that begin and end in it
	cachedMessageCells
	cachedLargeCells
	cachedPoints      // collective operations and metric values of a slice
	cachedPointEvents // those themselves
	cachedPaired      // messages of a slice
	cachedLaneCalls   // calls of a lane in a slice that is gone through span by span
	cachedBytes       // of a block that was read ahead
)

// cacheItem is something kept, or being made. Its bytes count from when it is made.
type cacheItem struct {
	key   cacheKey
	once  sync.Once
	value any
	err   error
	bytes int64
}

func newCache(budget int64) *cache {
	return &cache{budget: budget, items: map[cacheKey]*list.Element{}}
}

// item returns the item of a key, which may not be made yet.
func (c *cache) item(k cacheKey) *cacheItem {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		e = c.order.PushFront(&cacheItem{key: k})
		c.items[k] = e
		return e.Value.(*cacheItem)
	}
	c.order.MoveToFront(e)
	return e.Value.(*cacheItem)
}

// has reports whether something is kept under a key.
func (c *cache) has(k cacheKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.items[k]
	return ok
}

// made says that an item is made, and of which size it is. An item with an error is not kept.
func (c *cache) made(i *cacheItem, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i.err != nil {
		c.remove(i)
		return
	}
	if e, ok := c.items[i.key]; !ok || e.Value != i {
		return // it had to go while it was made
	}
	c.charge(i, bytes)
}

// charge counts the bytes of an item, and removes the least recently used ones while there are too many.
func (c *cache) charge(i *cacheItem, bytes int64) {
	i.bytes = bytes
	c.used += bytes
	c.keepWithin(c.budget)
}

// keepWithin removes the least recently used items while there are more bytes, but for the last one.
func (c *cache) keepWithin(bytes int64) {
	for c.used > bytes && c.order.Len() > 1 {
		c.remove(c.order.Back().Value.(*cacheItem))
	}
}

// makeRoom removes what will have to go when something is made of so many bytes.
func (c *cache) makeRoom(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepWithin(max(0, c.budget-bytes))
}

// remove removes an item if it is still there. One that is being made will not be kept, but its users get it.
func (c *cache) remove(i *cacheItem) {
	if e, ok := c.items[i.key]; ok && e.Value == i {
		c.order.Remove(e)
		delete(c.items, i.key)
		c.used -= i.bytes
		i.bytes = 0
	}
}

// take returns what was put under a key, and no longer keeps it.
func (c *cache) take(k cacheKey) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		return nil, false
	}
	i := e.Value.(*cacheItem)
	c.remove(i)
	return i.value, true
}

// drop takes away what is kept under a key. What is being made will not be kept, but its users get it.
func (c *cache) drop(k cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		c.remove(e.Value.(*cacheItem))
	}
}

// put keeps something that nobody has asked for, unless something is there. It is whole before anybody can take it; what
// cached makes is not, so that no key is for both.
func (c *cache) put(k cacheKey, v any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[k]; ok {
		return
	}
	i := &cacheItem{key: k, value: v}
	c.items[k] = c.order.PushFront(i)
	c.charge(i, bytes)
}

// cached returns what is kept under a key, or makes and keeps it. make returns the value and its size in bytes.
func cached[T any](c *cache, k cacheKey, make func() (T, int64, error)) (T, error) {
	i := c.item(k)
	i.once.Do(func() {
		v, bytes, err := make()
		i.value, i.err = v, err
		c.made(i, bytes)
	})
	return i.value.(T), i.err
}
