package cache

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"sync"
)

// Cache is memory for decoded blocks, which several readers may share: the least recently used of all goes first. One dictionary that
// takes most of the budget is kept beside it: each slice of its epoch needs it, and it would be read again for each of them.
type Cache struct {
	mu     sync.Mutex
	Budget int64
	used   int64      // without large
	large  *cacheItem // the latest large dictionary; nil if there is none
	order  list.List  // of *cacheItem, most recently used in front

	hits, misses int64
	allHeld      int64 // of used: what readers hold
}

// largeShare is the share of the budget from which on a dictionary is large.
const largeShare = 2

// NewCache returns a cache with a budget of bytes.
func NewCache(bytes int64) *Cache { return &Cache{Budget: bytes} }

// Used returns how many bytes are kept.
func (c *Cache) Used() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.large != nil {
		return c.used + c.large.bytes
	}
	return c.used
}

// Stats are the bytes that a Cache keeps now, its budget, and how often a value was there when it was asked for (hits) or had to be made
// (misses). A value that was being made by another goroutine is a hit.
type Stats struct{ Bytes, Budget, Hits, Misses int64 }

// Stats returns the state of the cache.
func (c *Cache) Stats() Stats {
	bytes := c.Used()
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{bytes, c.Budget, c.hits, c.misses}
}

// Share is the part of a Cache that one reader fills. It is safe for concurrent use: what several goroutines want at once is made once.
type Share struct {
	*Cache
	items map[Key]*list.Element
	ctx   context.Context
	held  *int64 // bytes that are kept for good
}

// WithContext returns the same share for work under another context.
func (c *Share) WithContext(ctx context.Context) *Share { return &Share{c.Cache, c.items, ctx, c.held} }

// Hold counts bytes that the reader keeps until Clear, and that take room from all others: half of the budget at most, as work would not
// go on in less.
func (c *Share) Hold(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	bytes = max(0, min(bytes, c.Budget/2-c.allHeld))
	c.used += bytes
	c.allHeld += bytes
	*c.held += bytes
	c.keepWithin(c.Budget)
}

// Key names what is kept: what is made of the block at an offset, or of that of a slice, a group or a page of locations. In a damaged file, several blocks may
// have one offset: who gets what is kept by it checks that it is what it should be.
type Key struct {
	What   What
	Offset uint64
	Lane   uint32
}

type What uint8

const (
	Page           What = iota
	LocationTotals      // of a page of locations
	Dictionary
	Statistics
	TokenStatistics // the part of Statistics that structure needs
	Events
	Runs      // the same, for streams
	Auxiliary // records of a block of auxiliary streams
	Calls
	Messages
	Pairs
	Postings
	Summary       // block of summaries
	Bins          // bins of a node
	Hashes        // of the structure of a node
	Table         // table of a block of summaries
	Spans         // spanning calls as summaries need them
	LeafCalls     // what leaves mean to call stacks
	CallPatterns  // what shapes do
	CallSteps     // enters and leaves of a slice
	SpanningCalls // of a slice
	CallMarks     // what the calls of a slice add up to before some of those
	CallSums      // what all that end before the slice do
	SliceSums     // and those that begin and end in it
	CachedMessageCells
	CachedLargeCells
	Points      // collective operations and metric values of a slice
	PointEvents // those themselves
	Paired      // messages of a slice
	PairMarks   // of a lane in a group
	LaneCalls   // calls of a lane in a slice that is gone through span by span
	Bytes       // of a block that was read ahead
)

// cacheItem is something kept, or being made. Its bytes count from when it is made.
type cacheItem struct {
	of    *Share
	key   Key
	done  chan struct{} // closed when it is made; nil if it was put
	value any
	err   error
	bytes int64
}

// NewShare returns an empty share of a cache, for work under a context.
func NewShare(ctx context.Context, in *Cache) *Share {
	return &Share{in, map[Key]*list.Element{}, ctx, new(int64)}
}

// item returns the item of a key, which another goroutine may be making. If it is new, the caller must make it.
func (c *Share) item(k Key) (i *cacheItem, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		c.hits++
		c.order.MoveToFront(e)
		return e.Value.(*cacheItem), false
	}
	c.misses++
	i = &cacheItem{of: c, key: k, done: make(chan struct{})}
	c.items[k] = c.order.PushFront(i)
	return i, true
}

// Has reports whether something is kept under a key.
func (c *Share) Has(k Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.items[k]
	return ok
}

// made says that an item is made, and of which size it is. An item with an error is not kept.
func (c *Share) made(i *cacheItem, bytes int64) {
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
func (c *Share) charge(i *cacheItem, bytes int64) {
	i.bytes += bytes // it may have grown while it was made
	if i.key.What == Dictionary && bytes > c.Budget/largeShare {
		if c.large != nil {
			c.large.of.remove(c.large)
		}
		c.large = i
		return
	}
	c.used += bytes
	c.keepWithin(c.Budget)
}

// keepWithin removes the least recently used items while there are more bytes, but for the last one and the large one.
func (c *Cache) keepWithin(bytes int64) {
	for e := c.order.Back(); c.used > bytes && e != nil && e != c.order.Front(); {
		i := e.Value.(*cacheItem)
		if e = e.Prev(); i != c.large {
			i.of.remove(i)
		}
	}
}

// Clear removes everything of this reader.
func (c *Share) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.items {
		c.remove(e.Value.(*cacheItem))
	}
	c.used, c.allHeld = c.used-*c.held, c.allHeld-*c.held
	*c.held = 0
}

// MakeRoom removes entries until an entry of the given size fits.
func (c *Share) MakeRoom(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepWithin(max(0, c.Budget-bytes))
}

// remove removes an item if it is still there. One that is being made will not be kept, but its users get it.
func (c *Share) remove(i *cacheItem) {
	if e, ok := c.items[i.key]; ok && e.Value == i {
		c.order.Remove(e)
		delete(c.items, i.key)
		if c.large == i {
			c.large = nil
		} else {
			c.used -= i.bytes
		}
		i.bytes = 0
	}
}

// Take returns what was put under a key, and no longer keeps it.
func (c *Share) Take(k Key) (any, bool) {
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

// Kept returns what was put under a key, which is used by that.
func (c *Share) Kept(k Key) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cacheItem).value, true
}

// Drop takes away what is kept under a key. What is being made will not be kept, but its users get it.
func (c *Share) Drop(k Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		c.remove(e.Value.(*cacheItem))
	}
}

// Grow counts bytes by which what is kept under a key became larger.
func (c *Share) Grow(k Key, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.items[k]; ok {
		i := e.Value.(*cacheItem)
		i.bytes += bytes
		c.used += bytes
		c.keepWithin(c.Budget)
	}
}

// Put keeps something that nobody has asked for, unless something is there. It is whole before anybody can take it; what
// cached makes is not, so that no key is for both.
func (c *Share) Put(k Key, v any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[k]; ok {
		return
	}
	i := &cacheItem{of: c, key: k, value: v}
	c.items[k] = c.order.PushFront(i)
	c.charge(i, bytes)
}

// Get returns the value of a key, or makes and keeps it. make returns the value and its size in bytes. When the context of the share is
// done, Get returns its error, whether the value is there or not: every question asks for values all the time, so that it ends here.
func Get[T any](c *Share, k Key, make func() (T, int64, error)) (v T, err error) {
	for {
		if err := c.ctx.Err(); err != nil {
			return v, err
		}
		i, isNew := c.item(k)
		if isNew {
			return makeItem(c, i, make)
		}
		if !i.wait(c.ctx) {
			continue
		}
		if !ofContext(i.err) {
			v, _ = i.value.(T) // nothing, of an interface, if there is an error
			return v, i.err
		}
	}
}

// wait returns when the item is made; false if the context is done before.
func (i *cacheItem) wait(ctx context.Context) bool {
	if i.done == nil {
		return true
	}
	select {
	case <-i.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// ofContext reports whether an error says that a context is done. Nobody else gets the error of one who gave up.
func ofContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// makeItem makes the value of a new item.
func makeItem[T any](c *Share, i *cacheItem, make func() (T, int64, error)) (v T, err error) {
	var bytes int64
	err = errNotMade
	defer func() {
		i.value, i.err = v, err
		c.made(i, bytes)
		close(i.done)
	}()
	v, bytes, err = make()
	return v, err
}

// errNotMade is what others get that wait for an item whose making panicked.
var errNotMade = errors.New("store: making it failed before")

// Count returns the number of things of some kinds that are kept.
func (c *Share) Count(kinds ...What) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.items {
		if slices.Contains(kinds, k.What) {
			n++
		}
	}
	return n
}
