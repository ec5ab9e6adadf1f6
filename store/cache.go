package store

import (
	"container/list"
	"sync"
)

// cache keeps decoded blocks within a budget of bytes; the least recently used goes first. It is safe for concurrent use.
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
	cachedCalls
	cachedMessages
)

type cacheItem struct {
	key   cacheKey
	value any
	bytes int64
}

func newCache(budget int64) *cache {
	return &cache{budget: budget, items: map[cacheKey]*list.Element{}}
}

func (c *cache) get(k cacheKey) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[k]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cacheItem).value, true
}

func (c *cache) put(k cacheKey, v any, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.items[k]; ok {
		return // another goroutine made the same
	}
	c.items[k] = c.order.PushFront(&cacheItem{k, v, bytes})
	c.used += bytes
	for c.used > c.budget && c.order.Len() > 1 {
		oldest := c.order.Remove(c.order.Back()).(*cacheItem)
		delete(c.items, oldest.key)
		c.used -= oldest.bytes
	}
}

// cached returns what is kept under a key, or makes and keeps it. make returns the value and its size in bytes.
func cached[T any](c *cache, k cacheKey, make func() (T, int64, error)) (T, error) {
	if v, ok := c.get(k); ok {
		return v.(T), nil
	}
	v, bytes, err := make()
	if err == nil {
		c.put(k, v, bytes)
	}
	return v, err
}
