package sorting

// piece is packed records of a group, in order: in memory, or in a run. There may be very many, so it has no pointers.
type piece struct {
	first, last Key
	at, end     int64 // in a block of memory, or in a run
	source      int32 // number of the block; of a run -1, -2 and so on
	next        int32 // the next piece of the thread in memory, 0 if there is none
}

// before reports whether all records of a piece come before those of one that was added later.
func (p *piece) before(later *piece) bool { return p.last.Compare(&later.first) <= 0 }

// inOrder reports whether pieces follow each other.
func inOrder(pieces []piece) bool {
	for i := 1; i < len(pieces); i++ {
		if !pieces[i-1].before(&pieces[i]) {
			return false
		}
	}
	return true
}

// Cursor gives the records of a group in order. A piece is opened when the records before it have been given: of pieces that follow each
// other one is open at a time. What it returns is valid until the next step.
type Cursor struct {
	of      *Threads
	pieces  []piece
	order   []entry // by the first key of the pieces; places are the numbers in which they were added
	waiting []entry // the rest of order, whose pieces are not open
	open    []*unpacker
	free    []*unpacker
	buffer  int // what is read of a run at a time, in bytes
	begun   bool
	failure error

	alone bool // the first open piece is the last one
	bound Key  // records of the first open piece before that come before those of all other pieces
}

// start makes it a cursor of pieces, in the order in which they were added.
func (c *Cursor) start(of *Threads, pieces []piece, buffer int) {
	for _, u := range c.open {
		c.release(u)
	}
	*c = Cursor{of: of, pieces: pieces, buffer: buffer, order: c.order[:0], open: c.open[:0], free: c.free}
	for i := range pieces {
		c.order = append(c.order, newEntry(&pieces[i].first, i))
	}
	if !inOrder(pieces) {
		sortEntries(c.order)
	}
	c.waiting = c.order
}

// Next goes to the next record. It returns false behind the last one, and after a failure.
func (c *Cursor) Next() bool {
	if c.begun && len(c.open) > 0 {
		first := c.open[0]
		if first.next() && (c.alone || first.key.Compare(&c.bound) < 0) {
			return true
		}
		c.step(first)
	}
	c.begun = true
	for c.failure == nil && len(c.waiting) > 0 && (len(c.open) == 0 || !c.open[0].beforeStart(&c.waiting[0])) {
		c.openNext()
	}
	c.setBound()
	return c.failure == nil && len(c.open) > 0
}

// setBound finds out up to where the records of the first open piece come before all others.
func (c *Cursor) setBound() {
	c.alone = len(c.open) < 2 && len(c.waiting) == 0
	if len(c.waiting) > 0 {
		c.bound = c.waiting[0].key()
	} else if len(c.open) > 1 {
		c.bound = c.open[1].key
	}
	for _, u := range c.open[min(1, len(c.open)):min(3, len(c.open))] {
		if u.key.Compare(&c.bound) < 0 {
			c.bound = u.key
		}
	}
}

// Key returns the key of the record.
func (c *Cursor) Key() Key { return c.open[0].key }

// Data returns its bytes.
func (c *Cursor) Data() []byte { return c.open[0].data }

// Failure returns why there is no next record, nil if there are no more.
func (c *Cursor) Failure() error { return c.failure }

// step finds the piece that the next record is of, when the first one has gone on or is over.
func (c *Cursor) step(first *unpacker) {
	if first.over {
		last := len(c.open) - 1
		c.failure = first.failures
		c.open[0] = c.open[last]
		c.open = c.open[:last]
		c.release(first)
	}
	c.sink()
}

// openNext opens the piece that waits first.
func (c *Cursor) openNext() {
	number := int(c.waiting[0].at)
	c.waiting = c.waiting[1:]
	p, u := &c.pieces[number], c.unpacker()
	*u = unpacker{key: Key{Group: p.first.Group}, seq: number, buf: u.buf}
	c.of.openPiece(u, p, c.buffer)
	if u.next() {
		c.open = append(c.open, u)
		c.rise()
	}
	c.failure = u.failures
}

// freeUnpackers is how many unpackers a cursor keeps for pieces to come.
const freeUnpackers = 4

// release takes back an unpacker. A buffer that was made for a long record is not kept.
func (c *Cursor) release(u *unpacker) {
	if len(c.free) < freeUnpackers && len(u.buf) <= readBuffer {
		c.free = append(c.free, u)
	}
}

// Rest gives up what the cursor points to, and keeps memory of the usual size.
func (c *Cursor) Rest() {
	c.start(nil, c.pieces[:0], 0)
	if cap(c.pieces) > keptPieces {
		*c = Cursor{}
	}
	clear(c.open[:cap(c.open)])
}

// keptPieces is how many pieces a cursor keeps room for.
const keptPieces = 256

// unpacker returns one that is not in use.
func (c *Cursor) unpacker() *unpacker {
	n := len(c.free) - 1
	if n < 0 {
		return &unpacker{}
	}
	u := c.free[n]
	c.free = c.free[:n]
	return u
}

// before reports whether the record comes before that of another piece.
func (u *unpacker) before(o *unpacker) bool { return u.beforeKey(&o.key, o.seq) }

// beforeStart reports whether the record comes before all of a piece that is not open.
func (u *unpacker) beforeStart(p *entry) bool {
	first := p.key()
	return u.beforeKey(&first, int(p.at))
}

func (u *unpacker) beforeKey(k *Key, seq int) bool {
	order := u.key.Compare(k)
	return order < 0 || order == 0 && u.seq < seq
}

// sink moves the first of the open pieces to its place: they are a heap.
func (c *Cursor) sink() {
	for at := 0; ; {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(c.open); child++ {
			if c.open[child].before(c.open[least]) {
				least = child
			}
		}
		if least == at {
			return
		}
		c.open[at], c.open[least] = c.open[least], c.open[at]
		at = least
	}
}

// rise moves the last of the open pieces to its place.
func (c *Cursor) rise() {
	for at := len(c.open) - 1; at > 0; {
		parent := (at - 1) / 2
		if !c.open[at].before(c.open[parent]) {
			return
		}
		c.open[at], c.open[parent] = c.open[parent], c.open[at]
		at = parent
	}
}
