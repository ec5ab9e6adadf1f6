package cache

import (
	"context"
	"sync"
)

// Lazy is a value that is made at its first use, and kept. An error is not kept: what cannot be read now may be readable later.
// It is safe for concurrent use.
type Lazy[T any] struct {
	mu     sync.Mutex
	value  *T
	making chan struct{} // closed when the attempt under way has ended; nil if there is none
}

// Get returns the value, and makes it if nobody has done so. While another goroutine makes it, Get waits, until the context is done.
func (l *Lazy[T]) Get(ctx context.Context, make func() (T, error)) (v T, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return v, err
		}
		v, made, wait := l.begin()
		if made {
			return v, nil
		}
		if wait == nil {
			return l.make(make)
		}
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
}

// begin returns the value, if it is made, or what to wait for; if there is neither, the caller must make the value.
func (l *Lazy[T]) begin() (v T, made bool, wait chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.value != nil {
		return *l.value, true, nil
	}
	if l.making != nil {
		return v, false, l.making
	}
	l.making = make(chan struct{})
	return v, false, nil
}

// make makes the value.
func (l *Lazy[T]) make(make func() (T, error)) (v T, err error) {
	err = errNotMade
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if err == nil {
			l.value = &v
		}
		close(l.making)
		l.making = nil
	}()
	return make()
}

// Made reports whether the value is there.
func (l *Lazy[T]) Made() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value != nil
}
