package serve

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

// gate admits the questions of one kind. An answer under way has a stay, its share of the gate's memory. It holds a turn, the right to
// compute, except while its client takes bytes. A question waits in line for no longer than the patience; one that would have to is refused
// at once.
type gate struct {
	room     int64         // bytes of all stays
	turns    int           // answers worked on at once
	places   int           // in the line of questions that wait to be admitted
	patience time.Duration // longest wait in line
	clock    clock

	mu       sync.Mutex
	used     int64
	running  int
	stays    map[*stay]bool
	resuming []*stay // admitted answers that wait for a turn; they come before the line
	line     []*stay
	clients  map[string]*share
	mean     time.Duration // time for which recent answers held turns

	busy, overShare, evicted int64 // questions that were refused, by reason, and answers that were broken off for others
}

// gateState is the state of a gate: numbers of answers and bytes now, and of refusals since the start.
type gateState struct {
	used, room               int64
	running, turns           int
	inside, waiting, places  int
	busy, overShare, evicted int64
}

// state returns the state of the gate.
func (g *gate) state() gateState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return gateState{g.used, g.room, g.running, g.turns, len(g.stays), len(g.line), g.places, g.busy, g.overShare, g.evicted}
}

// refused counts a refusal.
func (g *gate) refused(err error) {
	switch err {
	case errBusy:
		g.busy++
	case errShare:
		g.overShare++
	}
}

// clock returns the time; tests replace it.
type clock struct {
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
}

var wallClock = clock{time.Now, time.After}

// share is one client's part of a gate.
type share struct {
	bytes   int64
	stays   int
	waiting int
}

// stay is an answer under way, or one that waits in line.
type stay struct {
	gate   *gate
	client string
	bytes  int64
	cut    func() // breaks off the write under way
	ready  chan struct{}

	// guarded by the gate's lock
	inside, turn, evicted bool
	built                 bool // it is only sent; it needs no further turn
	blocked               time.Time
	began                 time.Time // of the turn
	spent                 time.Duration
}

const (
	// yield is the longest time for which a client may take no bytes while another answer waits for the memory.
	yield = time.Second
	// look is the interval at which a waiting question looks for such a client; it is less than any patience.
	look = yield / 8
	// clientShare, in quarters, is the largest part of a gate's memory that one client may have. Of the line it may have a half.
	clientShare = 3
)

func newGate(room int64, turns, places int, patience time.Duration) *gate {
	return &gate{
		room: room, turns: turns, places: places, patience: patience, clock: wallClock, stays: map[*stay]bool{}, clients: map[string]*share{},
	}
}

var (
	errBusy  = &failure{http.StatusServiceUnavailable, "too many requests are being answered"}
	errShare = &failure{http.StatusTooManyRequests, "too many requests of this client are being answered"}
)

// enter admits an answer that takes a number of bytes, waits in line until there is room, or refuses.
func (g *gate) enter(ctx context.Context, client string, bytes int64, cut func()) (*stay, error) {
	s := &stay{gate: g, client: client, bytes: min(bytes, g.room), cut: cut, ready: make(chan struct{})}
	if err := g.ask(s); err != nil {
		return nil, err
	}
	if err := g.wait(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
}

// ask puts a question in line, or refuses it if it would wait too long.
func (g *gate) ask(s *stay) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	own := g.share(s)
	g.line = append(g.line, s)
	own.waiting++
	g.grant()
	if s.inside {
		return nil
	}
	g.evictFor(s)
	var err error
	switch ahead := len(g.line) - 1; {
	case own.waiting > max(1, g.places/2):
		err = errShare
	case ahead >= g.places || g.mean*time.Duration(ahead)/time.Duration(g.turns) > g.patience:
		err = errBusy
	}
	if err != nil {
		g.refused(err)
		g.withdraw(s)
	}
	return err
}

// wait waits until an answer is admitted.
func (g *gate) wait(ctx context.Context, s *stay) error {
	select {
	case <-s.ready:
		return nil
	default:
	}
	limit, again := g.clock.after(g.patience), g.clock.after(look)
	for {
		var err error
		select {
		case <-s.ready:
			return nil
		case <-again:
			again = g.clock.after(look)
			g.mu.Lock()
			g.evictFor(s)
			g.mu.Unlock()
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-limit:
			err = errBusy
		}
		return g.giveUp(s, err)
	}
}

// giveUp leaves the line, unless the answer has just been admitted.
func (g *gate) giveUp(s *stay, err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.inside {
		return nil
	}
	if err == errBusy && !g.withinShare(s) {
		err = errShare
	}
	g.refused(err)
	g.withdraw(s)
	return err
}

func (g *gate) share(s *stay) *share {
	own := g.clients[s.client]
	if own == nil {
		own = &share{}
		g.clients[s.client] = own
	}
	return own
}

// withinShare reports whether the client may have one more answer of this size. It may always have one.
func (g *gate) withinShare(s *stay) bool {
	own := g.share(s)
	return own.stays == 0 || own.bytes+s.bytes <= g.clientRoom()
}

// clientRoom returns the memory that one client may have, in bytes.
func (g *gate) clientRoom() int64 { return g.room / 4 * clientShare }

// withdraw takes a question out of the line.
func (g *gate) withdraw(s *stay) {
	g.line = slices.DeleteFunc(g.line, func(o *stay) bool { return o == s })
	g.share(s).waiting--
	g.forget(s.client)
	g.grant() // those behind may fit
}

func (g *gate) forget(client string) {
	if own := g.clients[client]; own != nil && own.stays == 0 && own.waiting == 0 {
		delete(g.clients, client)
	}
}

// grant gives turns to admitted answers, and admits questions from the line in order. A question of a client with too large a share is passed
// over. A question that needs more memory than there is holds up the line behind it, so that it is admitted in the end.
func (g *gate) grant() {
	for len(g.resuming) > 0 && g.running < g.turns {
		s := g.resuming[0]
		g.resuming = slices.Delete(g.resuming, 0, 1)
		g.take(s)
		close(s.ready)
	}
	for i := 0; i < len(g.line) && g.running < g.turns; {
		s := g.line[i]
		if !g.withinShare(s) {
			i++
			continue
		}
		if g.used+s.bytes > g.room {
			return
		}
		g.line = slices.Delete(g.line, i, i+1)
		g.admit(s)
	}
}

func (g *gate) admit(s *stay) {
	own := g.share(s)
	own.waiting--
	own.stays++
	own.bytes += s.bytes
	g.used += s.bytes
	g.stays[s] = true
	s.inside = true
	g.take(s)
	close(s.ready)
}

// take gives an answer a turn.
func (g *gate) take(s *stay) {
	g.running++
	s.turn, s.began = true, g.clock.now()
}

// yieldTurn gives the turn of an answer back, if it has one.
func (g *gate) yieldTurn(s *stay) {
	if s.turn {
		s.turn = false
		s.spent += g.clock.now().Sub(s.began)
		g.running--
	}
}

// evictFor breaks off the answer whose client has taken no bytes for longest, to make room for a waiting question. For a client at the limit
// of its share, it must be an answer of the same client. While an answer that was broken off has not left, no other one is.
func (g *gate) evictFor(s *stay) {
	if s.inside {
		return
	}
	own := !g.withinShare(s)
	missing := g.used + s.bytes - g.room
	if own {
		missing = g.share(s).bytes + s.bytes - g.clientRoom()
	}
	var worst *stay
	for o := range g.stays {
		switch {
		case own && o.client != s.client:
		case o.evicted:
			missing -= o.bytes
		case !o.blocked.IsZero() && g.clock.now().Sub(o.blocked) >= yield && (worst == nil || o.blocked.Before(worst.blocked)):
			worst = o
		}
	}
	if missing > 0 && worst != nil {
		worst.evicted = true
		g.evicted++
		worst.cut()
	}
}

// pause gives the turn back while the client is given bytes.
func (s *stay) pause() {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	s.blocked = g.clock.now()
	g.yieldTurn(s)
	g.grant()
}

// sends marks that the next bytes are being sent, with a deadline that allow sets. It fails if the answer has to make room for another.
func (s *stay) sends(allow func() error) error {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.evicted {
		return errBusy
	}
	s.blocked = g.clock.now()
	return allow()
}

// resume waits for a turn.
func (s *stay) resume(ctx context.Context) error {
	g := s.gate
	g.mu.Lock()
	s.blocked = time.Time{}
	if s.built || s.evicted {
		g.mu.Unlock()
		return nil
	}
	s.ready = make(chan struct{})
	g.resuming = append(g.resuming, s)
	g.grant()
	g.mu.Unlock()
	select {
	case <-s.ready:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.resuming = slices.DeleteFunc(g.resuming, func(o *stay) bool { return o == s })
	return ctx.Err()
}

// done marks that the answer is complete, and reduces its memory to the bytes that remain to be sent.
func (s *stay) done(bytes int64) {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	s.built = true
	g.yieldTurn(s)
	g.learn(s)
	g.free(s, s.bytes-min(s.bytes, bytes))
	g.grant()
}

// leave ends a stay. It may be called again.
func (s *stay) leave() {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if !s.inside {
		return
	}
	s.inside = false
	g.yieldTurn(s)
	if !s.built {
		g.learn(s)
	}
	g.free(s, s.bytes)
	delete(g.stays, s)
	g.share(s).stays--
	g.forget(s.client)
	g.grant()
}

func (g *gate) free(s *stay, bytes int64) {
	s.bytes -= bytes
	g.used -= bytes
	g.share(s).bytes -= bytes
}

// learn adds the time for which an answer held its turn to the mean.
func (g *gate) learn(s *stay) { g.mean += (s.spent - g.mean) / 8 }
