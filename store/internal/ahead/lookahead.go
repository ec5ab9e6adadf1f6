package ahead

// mostWaiting is the number of results of an item that wait for their turn.
const mostWaiting = 8

// lookahead is what is worked on, in order.
type lookahead[S any] struct {
	next        func() (s S, ok bool, err error)
	mustBeAlone func(*S) bool
	do          Work[S]
	running     []chan result
	alone       bool // the one that was taken last must be
	waits       *S   // that one, if it cannot be yet
	ended       bool
	stopped     chan struct{} // closed when no more results are wanted
}

// fill starts as many items as may run.
func (a *lookahead[S]) fill() {
	for len(a.running) < cap(a.running) && (len(a.running) == 0 || !a.alone) {
		s, ok, err := a.take()
		if !ok && err == nil {
			return
		}
		if a.alone = err == nil && a.mustBeAlone(&s); a.alone && len(a.running) > 0 {
			a.waits = &s
			return
		}
		a.running = append(a.running, a.start(s, err))
	}
}

// yield yields the results of the first item. With the last one, which the next one or the end of the item tells, the next item is started. It
// returns false if no more are wanted.
func (a *lookahead[S]) yield(yield func(any, error) bool) bool {
	r, ok := <-a.running[0]
	for ok {
		next, more := <-a.running[0]
		if !more {
			a.pop()
			if a.ended = a.ended || r.err != nil; !a.alone {
				a.fill()
			}
		}
		if !yield(r.value, r.err) || r.err != nil {
			return false
		}
		if !more {
			return true
		}
		r = next
	}
	a.pop()
	return true
}

// pop removes the first item.
func (a *lookahead[S]) pop() { a.running = append(a.running[:0], a.running[1:]...) }

// take returns the next item.
func (a *lookahead[S]) take() (s S, ok bool, err error) {
	if a.waits != nil {
		s, a.waits = *a.waits, nil
		return s, true, nil
	}
	if !a.ended {
		s, ok, err = a.next()
		a.ended = !ok || err != nil
	}
	return s, ok, err
}

type result struct {
	value any
	err   error
}

// start does something with an item, unless there is an error already.
func (a *lookahead[S]) start(s S, err error) chan result {
	c := make(chan result, mostWaiting)
	give := func(r result) bool {
		select {
		case c <- r:
			return true
		case <-a.stopped:
			return false
		}
	}
	go func() {
		defer close(c)
		if err == nil {
			deepen(0)
			err = a.do(s, func(v any) bool { return give(result{value: v}) })
		}
		if err != nil {
			give(result{err: err})
		}
	}()
	return c
}

// deepen makes the goroutine's stack as deep as decoding needs it, while there is hardly anything on it that must be moved: else it would
// be moved several times.
//
//go:noinline
func deepen(i int) byte {
	var room [12 << 10]byte
	return room[i]
}
