package store

import "sync"

// lazy is a value that is made when it is first asked for, and kept. An error is not kept: what cannot be read now may be readable later.
// It is safe for concurrent use.
type lazy[T any] struct {
	mu    sync.Mutex
	value *T
}

// get returns the value, and makes it if nobody has done so.
func (l *lazy[T]) get(make func() (T, error)) (v T, err error) {
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

// made reports whether the value is there.
func (l *lazy[T]) made() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value != nil
}
