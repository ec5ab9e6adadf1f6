package cache

import (
	"sync"
)

// Lazy is a value that is made when it is first asked for, and kept. An error is not kept: what cannot be read now may be readable later.
// It is safe for concurrent use.
type Lazy[T any] struct {
	mu    sync.Mutex
	value *T
}

// Get returns the value, and makes it if nobody has done so.
func (l *Lazy[T]) Get(make func() (T, error)) (v T, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.value == nil {
		if v, err = make(); err != nil {
			return v, err
		}
		l.value = &v
	}
	return *l.value, nil
}

// Made reports whether the value is there.
func (l *Lazy[T]) Made() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value != nil
}
