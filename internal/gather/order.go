package gather

// Request names an operation that does not block, while it is under way: by the number that the location has given it.
type Request struct{ Location, ID uint64 }

// Order puts the parts of a process in operations that do not block in the order in which it began them. They may be completed in any order, and their
// communicator is known then: so a part is held back until all that the process began before it are complete. The zero value is ready for use.
type Order[T any] struct {
	// Each takes each part, in order.
	Each func(*T)
	// Most bounds the parts that are held back, of all orders that share Held. Beyond it, what was begun first counts as never completed.
	Most int
	Held *int

	queue []begun[T]
	first int             // number of the queue's first part, among all of the process
	open  map[Request]int // numbers of parts under way
}

// begun is a part that was begun.
type begun[T any] struct {
	state state
	of    T
}

type state uint8

const (
	underWay state = iota
	complete
	forgotten // never completed
)

// Begin notes that a part is begun. If another one has the same request, that will never be completed.
func (o *Order[T]) Begin(r Request) {
	if n, used := o.open[r]; used {
		o.queue[n-o.first].state = forgotten
	}
	if o.open == nil {
		o.open = map[Request]int{}
	}
	o.open[r] = o.first + len(o.queue)
	o.queue = append(o.queue, begun[T]{})
	o.release()
}

// Complete takes up a part that is complete. One that was not begun counts as begun now.
func (o *Order[T]) Complete(r Request, of T) {
	n, ok := o.open[r]
	if !ok {
		n = o.first + len(o.queue)
		o.queue = append(o.queue, begun[T]{})
	}
	delete(o.open, r)
	o.queue[n-o.first] = begun[T]{complete, of}
	*o.Held++
	o.release()
	for *o.Held > o.Most && len(o.queue) > 0 {
		o.giveUp()
	}
}

// release hands over the first parts, up to one that is under way.
func (o *Order[T]) release() {
	for len(o.queue) > 0 && o.queue[0].state != underWay {
		p := o.queue[0]
		o.queue = o.queue[1:]
		o.first++
		if p.state == complete {
			*o.Held--
			o.Each(&p.of)
		}
	}
}

// giveUp no longer waits for the first part.
func (o *Order[T]) giveUp() {
	for r, n := range o.open {
		if n == o.first {
			delete(o.open, r)
		}
	}
	o.queue[0].state = forgotten
	o.release()
}

// End hands over what is held back: what is under way will never be completed.
func (o *Order[T]) End() {
	for i := range o.queue {
		if o.queue[i].state == underWay {
			o.queue[i].state = forgotten
		}
	}
	clear(o.open)
	o.release()
}
