package store

import "sync"

// pool is things to be used again, by any goroutine.
type pool[T any] struct {
	mu   sync.Mutex
	free []T
	most int // keeps no more than so many; 0 means as many as come
}

// take takes one, if there is one.
func (p *pool[T]) take() (v T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free) - 1
	if n < 0 {
		return v, false
	}
	var zero T
	v, p.free[n] = p.free[n], zero
	p.free = p.free[:n]
	return v, true
}

// takeOrNew takes one, or makes one.
func takeOrNew[T any](p *pool[*T]) *T {
	if v, ok := p.take(); ok {
		return v
	}
	return new(T)
}

// put gives one back.
func (p *pool[T]) put(v T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most == 0 || len(p.free) < p.most {
		p.free = append(p.free, v)
	}
}

// limit says how many to keep.
func (p *pool[T]) limit(most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = most
}

// emptyList takes a list without elements, or makes one with room for some more than n.
func emptyList[T any](p *pool[[]T], n int) []T {
	if list, ok := p.take(); ok {
		return list
	}
	return make([]T, 0, n+n/8)
}
