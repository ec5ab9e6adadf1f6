package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// check holds a gate's books against its stays.
func (g *Gate) check() error {
	bytes, turns, clients := int64(0), 0, map[string]share{}
	for s := range g.stays {
		c := clients[s.client]
		c.bytes, c.stays, bytes = c.bytes+s.bytes, c.stays+1, bytes+s.bytes
		if clients[s.client] = c; s.turn {
			turns++
		}
	}
	for _, s := range g.line {
		c := clients[s.client]
		c.waiting++
		clients[s.client] = c
	}
	switch {
	case bytes != g.used || bytes > g.Room:
		return fmt.Errorf("stays have %d bytes, counted are %d of %d", bytes, g.used, g.Room)
	case turns != g.running || turns > g.Turns:
		return fmt.Errorf("stays have %d turns, counted are %d of %d", turns, g.running, g.Turns)
	case len(g.line) > g.Places:
		return fmt.Errorf("%d stand in a line of %d", len(g.line), g.Places)
	case len(clients) != len(g.clients):
		return fmt.Errorf("%d clients are counted, there are %d", len(g.clients), len(clients))
	}
	for name, c := range clients {
		if *g.clients[name] != c {
			return fmt.Errorf("client %s has %+v, counted is %+v", name, c, *g.clients[name])
		}
		if c.stays > 1 && c.bytes > g.Room*3/4 || c.waiting > max(1, g.Places/2) {
			return fmt.Errorf("client %s has %+v", name, c)
		}
	}
	for _, s := range g.line {
		if !g.withinShare(s) {
			continue
		}
		if g.running < g.Turns && g.used+s.bytes <= g.Room {
			return errors.New("one waits that could be admitted")
		}
		break // it is the first in line
	}
	return nil
}

// TestGate does random things and checks after each that no bound is exceeded, no count is wrong, and nobody waits without need.
func TestGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := New(Limits{rapid.Int64Range(1, 40).Draw(t, "room"), rapid.IntRange(1, 4).Draw(t, "turns"), rapid.IntRange(1, 8).Draw(t, "places"), time.Hour})
		now := time.Unix(0, 0)
		g.Clock.Now = func() time.Time { return now }
		var all []*Stay
		pick := func(t *rapid.T, fits func(*Stay) bool) *Stay {
			for _, s := range all {
				if fits(s) && rapid.Bool().Draw(t, "this") {
					return s
				}
			}
			t.Skip("none")
			return nil
		}
		t.Repeat(map[string]func(*rapid.T){
			"ask": func(t *rapid.T) {
				s := &Stay{gate: g, client: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "client"), ready: make(chan struct{})}
				s.bytes, s.cut = min(g.Room, rapid.Int64Range(0, 20).Draw(t, "bytes")), func() {}
				if g.ask(s) == nil {
					all = append(all, s)
				}
			},
			"pause": func(t *rapid.T) { pick(t, func(s *Stay) bool { return s.inside && s.turn }).Pause() },
			"resume": func(t *rapid.T) {
				s := pick(t, func(s *Stay) bool {
					return s.inside && !s.blocked.IsZero() && (s.built || s.evicted || g.running < g.Turns)
				})
				if err := s.Resume(context.Background()); err != nil || !s.turn && !s.built && !s.evicted {
					t.Fatalf("%v", err)
				}
			},
			"done": func(t *rapid.T) {
				pick(t, func(s *Stay) bool { return s.inside && s.turn }).Done(rapid.Int64Range(0, 30).Draw(t, "left"))
			},
			"leave": func(t *rapid.T) { pick(t, func(s *Stay) bool { return s.inside }).Leave() },
			"give up": func(t *rapid.T) {
				if err := g.giveUp(pick(t, func(s *Stay) bool { return slices.Contains(g.line, s) }), ErrBusy); err == nil {
					t.Fatal("it was admitted")
				}
			},
			"time": func(*rapid.T) { now = now.Add(Yield / 2) },
			"": func(t *rapid.T) {
				if err := g.check(); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

// TestRefusedAtOnce: who is refused does not wait. Time stands still here, so that who waited would wait for ever.
func TestRefusedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{8, 8, 4, time.Minute})
		begin := time.Now()
		for range 6 {
			enter(t, g, "a", 1)
		}
		for range 2 { // their share is used up: they wait
			go g.Enter(t.Context(), "a", 1, nil)
			synctest.Wait()
		}
		if _, err := g.Enter(t.Context(), "a", 1, nil); err != ErrShare {
			t.Errorf("too much of one client: %v", err)
		}
		b := enter(t, g, "b", 2)
		for range 2 {
			go g.Enter(t.Context(), "b", 1, nil)
			synctest.Wait()
		}
		if _, err := g.Enter(t.Context(), "c", 1, nil); err != ErrBusy {
			t.Errorf("a full line: %v", err)
		}
		b.Leave()
		g.mean = time.Hour
		if _, err := g.Enter(t.Context(), "d", 8, nil); err != ErrBusy {
			t.Errorf("no prospect: %v", err)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("it took %v", took)
		}
		time.Sleep(time.Minute) // those who wait are refused then
		synctest.Wait()
		if n := len(g.line); n != 0 {
			t.Errorf("%d are left in line", n)
		}
	})
}

// enter must be admitted.
func enter(t *testing.T, g *Gate, client string, bytes int64) *Stay {
	t.Helper()
	s, err := g.Enter(t.Context(), client, bytes, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPatience: who waits is refused when the patience is over, by the reason why it had to wait, or with the request itself.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{4, 4, 8, 3 * time.Second})
		begin := time.Now()
		enter(t, g, "a", 3)
		if _, err := g.Enter(t.Context(), "a", 1, nil); err != ErrShare || time.Since(begin) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		enter(t, g, "b", 1)
		if _, err := g.Enter(t.Context(), "c", 1, nil); err != ErrBusy || time.Since(begin) != 6*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := g.Enter(ctx, "c", 1, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// TestEviction: an answer whose client takes nothing goes when somebody waits for its memory, and not before: the one that is stuck for
// longest, and for who uses its own share up, one of its own.
func TestEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{4, 4, 8, time.Minute})
		cut := make(chan string, 8)
		for _, client := range []string{"a", "b", "b", "b"} {
			var s *Stay
			s, err := g.Enter(t.Context(), client, 1, func() {
				cut <- client
				go s.Leave()
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Pause()
			time.Sleep(Yield / 4)
		}
		time.Sleep(time.Hour)
		if len(cut) != 0 {
			t.Errorf("%s was cut, though nobody waits", <-cut)
		}
		for _, c := range [][2]string{{"b", "b"}, {"c", "a"}, {"d", "b"}} {
			s := enter(t, g, c[0], 1)
			if got := <-cut; got != c[1] || len(cut) != 0 {
				t.Errorf("for %s, %s was cut, and %d more", c[0], got, len(cut))
			}
			defer s.Leave()
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if err := g.check(); err != nil {
			t.Error(err)
		}
	})
}

// TestEvictOne: one who waits costs one answer, however long that takes to leave.
func TestEvictOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{4, 4, 8, time.Minute})
		cuts := 0
		for _, client := range []string{"a", "a", "b", "b"} {
			var s *Stay
			s, err := g.Enter(t.Context(), client, 1, func() {
				cuts++
				time.AfterFunc(5*Yield, s.Leave)
			})
			if err != nil {
				t.Fatal(err)
			}
			s.Pause()
		}
		time.Sleep(Yield)
		enter(t, g, "c", 1).Leave()
		if cuts != 1 {
			t.Errorf("%d answers were broken off, want 1", cuts)
		}
	})
}

// TestResumeFirst: who is under way goes on before others begin.
func TestResumeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Limits{100, 1, 8, time.Hour})
		first := enter(t, g, "a", 1)
		first.Pause()
		second := enter(t, g, "b", 1)
		order := make(chan string, 2)
		go func() {
			s := enter(t, g, "c", 1)
			order <- "new"
			s.Leave()
		}()
		synctest.Wait()
		go func() {
			if err := first.Resume(t.Context()); err != nil {
				t.Error(err)
			}
			order <- "resumed"
			first.Leave()
		}()
		synctest.Wait()
		second.Leave()
		if got := <-order; got != "resumed" {
			t.Errorf("%s came first", got)
		}
		if got := <-order; got != "new" {
			t.Error(got)
		}
	})
}
