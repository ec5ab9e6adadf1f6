package cache

import (
	"sync"
)

// Pool is things to be used again, by any goroutine.
type Pool[T any] struct {
	mu   sync.Mutex
	free []T
	Most int // the largest number that is kept; 0 means no bound
}

// Take takes one, if there is one.
func (p *Pool[T]) Take() (v T, ok bool) {
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

// TakeOrNew takes one, or makes one.
func TakeOrNew[T any](p *Pool[*T]) *T {
	if v, ok := p.Take(); ok {
		return v
	}
	return new(T)
}

// Put gives one back.
func (p *Pool[T]) Put(v T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Most == 0 || len(p.free) < p.Most {
		p.free = append(p.free, v)
	}
}

// Limit says how many to keep.
func (p *Pool[T]) Limit(most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Most = most
}

// EmptyList takes a list without elements, or makes one with room for some more than n.
func EmptyList[T any](p *Pool[[]T], n int) []T {
	if list, ok := p.Take(); ok {
		return list
	}
	return make([]T, 0, n+n/8)
}
