// Package gate admits questions to a server, each kind by a gate of its own that shares out turns and memory fairly among clients, or refuses them at once.
package gate

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Limits of a gate.
type Limits struct {
	Room     int64         // bytes of all stays
	Turns    int           // answers worked on at once
	Places   int           // in the line of questions that wait to be admitted
	Patience time.Duration // longest wait in line
}

// Gate admits the questions of one kind. An answer under way has a stay, its share of the gate's memory. It holds a turn, the right to
// compute, except while its client takes bytes. A question waits in line for no longer than the patience; one that would have to is refused
// at once.
type Gate struct {
	Limits
	Clock Clock // set before the first question

	mu       sync.Mutex
	used     int64
	running  int
	stays    map[*Stay]bool
	resuming []*Stay // admitted answers that wait for a turn; they come before the line
	line     []*Stay
	clients  map[string]*share
	mean     time.Duration // time for which recent answers held turns

	busy, overShare, evicted int64 // questions that were refused, by reason, and answers that were broken off for others
}

// State is the state of a gate: numbers of answers, clients and bytes now, and of refusals since the start.
type State struct {
	Limits                         // of the gate
	Used                     int64 // bytes of all stays
	Running                  int   // answers that have a turn
	Inside, Waiting          int   // answers under way; questions in line
	Blocked                  int   // answers under way whose clients are being given bytes
	Clients                  int   // that have an answer under way, or a question in line
	Busy, OverShare, Evicted int64 // questions that were refused for the load of all, and of their client; answers broken off for others
}

// State returns the state of the gate.
func (g *Gate) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := State{Limits: g.Limits, Used: g.used, Running: g.running, Inside: len(g.stays), Waiting: len(g.line), Clients: len(g.clients),
		Busy: g.busy, OverShare: g.overShare, Evicted: g.evicted}
	for stay := range g.stays {
		if !stay.blocked.IsZero() {
			s.Blocked++
		}
	}
	return s
}

// refused counts a refusal.
func (g *Gate) refused(err error) {
	switch err {
	case ErrBusy:
		g.busy++
	case ErrShare:
		g.overShare++
	}
}

// Clock tells the time; tests replace it.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// share is one client's part of a gate.
type share struct {
	bytes   int64
	stays   int
	waiting int
}

// Stay is an answer under way, or one that waits in line.
type Stay struct {
	gate   *Gate
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
	// Yield is the longest time for which a client may take no bytes while another answer waits for the memory.
	Yield = time.Second
	// Look is the interval at which a waiting question looks for such a client; it is less than any patience.
	Look = Yield / 8
	// clientShare, in quarters, is the largest part of a gate's memory that one client may have. Of the line it may have a half.
	clientShare = 3
)

// New makes a gate by the clock of the machine.
func New(limits Limits) *Gate {
	return &Gate{Limits: limits, Clock: Clock{time.Now, time.After}, stays: map[*Stay]bool{}, clients: map[string]*share{}}
}

// Errors about questions that are refused.
var (
	ErrBusy  = errors.New("too many requests are being answered")
	ErrShare = errors.New("too many requests of this client are being answered")
)

// Enter admits an answer that takes a number of bytes, waits in line until there is room, or refuses.
func (g *Gate) Enter(ctx context.Context, client string, bytes int64, cut func()) (*Stay, error) {
	s := &Stay{gate: g, client: client, bytes: min(bytes, g.Room), cut: cut, ready: make(chan struct{})}
	if err := g.ask(s); err != nil {
		return nil, err
	}
	if err := g.wait(ctx, s); err != nil {
		return nil, err
	}
	return s, nil
}

// ask puts a question in line, or refuses it if it would wait too long.
func (g *Gate) ask(s *Stay) error {
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
	case own.waiting > max(1, g.Places/2):
		err = ErrShare
	case ahead >= g.Places || g.mean*time.Duration(ahead)/time.Duration(g.Turns) > g.Patience:
		err = ErrBusy
	}
	if err != nil {
		g.refused(err)
		g.withdraw(s)
	}
	return err
}

// wait waits until an answer is admitted.
func (g *Gate) wait(ctx context.Context, s *Stay) error {
	select {
	case <-s.ready:
		return nil
	default:
	}
	limit, again := g.Clock.After(g.Patience), g.Clock.After(Look)
	for {
		var err error
		select {
		case <-s.ready:
			return nil
		case <-again:
			again = g.Clock.After(Look)
			g.mu.Lock()
			g.evictFor(s)
			g.mu.Unlock()
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-limit:
			err = ErrBusy
		}
		return g.giveUp(s, err)
	}
}

// giveUp leaves the line, unless the answer has just been admitted.
func (g *Gate) giveUp(s *Stay, err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.inside {
		return nil
	}
	if err == ErrBusy && !g.withinShare(s) {
		err = ErrShare
	}
	g.refused(err)
	g.withdraw(s)
	return err
}

func (g *Gate) share(s *Stay) *share {
	own := g.clients[s.client]
	if own == nil {
		own = &share{}
		g.clients[s.client] = own
	}
	return own
}

// withinShare reports whether the client may have one more answer of this size. It may always have one.
func (g *Gate) withinShare(s *Stay) bool {
	own := g.share(s)
	return own.stays == 0 || own.bytes+s.bytes <= g.clientRoom()
}

// clientRoom returns the memory that one client may have, in bytes.
func (g *Gate) clientRoom() int64 { return g.Room / 4 * clientShare }

// withdraw takes a question out of the line.
func (g *Gate) withdraw(s *Stay) {
	g.line = slices.DeleteFunc(g.line, func(o *Stay) bool { return o == s })
	g.share(s).waiting--
	g.forget(s.client)
	g.grant() // those behind may fit
}

func (g *Gate) forget(client string) {
	if own := g.clients[client]; own != nil && own.stays == 0 && own.waiting == 0 {
		delete(g.clients, client)
	}
}

// grant gives turns to admitted answers, and admits questions from the line in order. A question of a client with too large a share is passed
// over. A question that needs more memory than there is holds up the line behind it, so that it is admitted in the end.
func (g *Gate) grant() {
	for len(g.resuming) > 0 && g.running < g.Turns {
		s := g.resuming[0]
		g.resuming = slices.Delete(g.resuming, 0, 1)
		g.take(s)
		close(s.ready)
	}
	for i := 0; i < len(g.line) && g.running < g.Turns; {
		s := g.line[i]
		if !g.withinShare(s) {
			i++
			continue
		}
		if g.used+s.bytes > g.Room {
			return
		}
		g.line = slices.Delete(g.line, i, i+1)
		g.admit(s)
	}
}

func (g *Gate) admit(s *Stay) {
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
func (g *Gate) take(s *Stay) {
	g.running++
	s.turn, s.began = true, g.Clock.Now()
}

// yieldTurn gives the turn of an answer back, if it has one.
func (g *Gate) yieldTurn(s *Stay) {
	if s.turn {
		s.turn = false
		s.spent += g.Clock.Now().Sub(s.began)
		g.running--
	}
}

// evictFor breaks off the answer whose client has taken no bytes for longest, to make room for a waiting question. For a client at the limit
// of its share, it must be an answer of the same client. While an answer that was broken off has not left, no other one is.
func (g *Gate) evictFor(s *Stay) {
	if s.inside {
		return
	}
	own := !g.withinShare(s)
	missing := g.used + s.bytes - g.Room
	if own {
		missing = g.share(s).bytes + s.bytes - g.clientRoom()
	}
	var worst *Stay
	for o := range g.stays {
		switch {
		case own && o.client != s.client:
		case o.evicted:
			missing -= o.bytes
		case !o.blocked.IsZero() && g.Clock.Now().Sub(o.blocked) >= Yield && (worst == nil || o.blocked.Before(worst.blocked)):
			worst = o
		}
	}
	if missing > 0 && worst != nil {
		worst.evicted = true
		g.evicted++
		worst.cut()
	}
}

// Pause gives the turn back while the client is given bytes.
func (s *Stay) Pause() {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	s.blocked = g.Clock.Now()
	g.yieldTurn(s)
	g.grant()
}

// Sends marks that the next bytes are being sent, with a deadline that allow sets. It fails if the answer has to make room for another.
func (s *Stay) Sends(allow func() error) error {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.evicted {
		return ErrBusy
	}
	s.blocked = g.Clock.Now()
	return allow()
}

// Resume waits for a turn.
func (s *Stay) Resume(ctx context.Context) error {
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
	g.resuming = slices.DeleteFunc(g.resuming, func(o *Stay) bool { return o == s })
	return ctx.Err()
}

// Done marks that the answer is complete, and reduces its memory to the bytes that remain to be sent.
func (s *Stay) Done(bytes int64) {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	s.built = true
	g.yieldTurn(s)
	g.learn(s)
	g.free(s, s.bytes-min(s.bytes, bytes))
	g.grant()
}

// Leave ends a stay. It may be called again.
func (s *Stay) Leave() {
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

func (g *Gate) free(s *Stay, bytes int64) {
	s.bytes -= bytes
	g.used -= bytes
	g.share(s).bytes -= bytes
}

// learn adds the time for which an answer held its turn to the mean.
func (g *Gate) learn(s *Stay) { g.mean += (s.spent - g.mean) / 8 }
