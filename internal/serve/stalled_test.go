package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pandotrace/pando/internal/serve/gate"
	"github.com/pandotrace/pando/internal/tracegen"
)

const largeTable = "/v1/traces/large/tables/calls?format=arrow"

// stalling serves a trace whose tables are far more than the buffers of connections hold, with the least memory, to clients that may take as
// long as they like. Time stands still for the gates until the test lets it run: who has to wait for a stalled client waits for ever. While it
// runs, a second passes whenever one who waits looks for a stalled one, and nobody's patience ends.
func stalling(t *testing.T) (base string, s *Server, run func()) {
	base, dir, s := serving(t, Options{Stall: time.Hour, Memory: leastMemory})
	written(t, dir, "large", tracegen.Ring(8, 4_000, 1))
	var now atomic.Int64
	now.Store(1)
	var runs atomic.Bool
	after := func(d time.Duration) <-chan time.Time {
		if d != gate.Look || !runs.Load() {
			return nil
		}
		now.Add(int64(gate.Yield))
		return time.After(time.Millisecond)
	}
	for _, g := range s.gates {
		g.Clock = gate.Clock{Now: func() time.Time { return time.Unix(0, now.Load()) }, After: after}
	}
	return base, s, func() { runs.Store(true) }
}

// lazy asks for a large table and does not read the answer.
func lazy(t *testing.T, base string) {
	c, err := net.Dial("tcp", base[len("http://"):])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", largeTable)
}

// stuck waits until the given number of answers wait for their clients.
func stuck(t *testing.T, g *gate.Gate, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		n := g.State().Blocked
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d answers wait for their clients, want %d", n, want)
		}
		time.Sleep(time.Millisecond)
	}
}

// from returns a client with an address of its own.
func from(address string) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}
}

// wants asks and wants an answer, all of it.
func wants(t *testing.T, c *http.Client, url string, status int) {
	t.Helper()
	r, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != status {
		t.Errorf("%s: %d, %v, want %d", url, r.StatusCode, err, status)
	}
}

// heap returns the bytes that are alive.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestStalledClients: 40 clients that never read have what one client may have, and nothing that others need. Small questions are answered,
// large ones of another client, too, and what is over the share is refused, while nobody was given up.
func TestStalledClients(t *testing.T) {
	base, s, _ := stalling(t)
	before := heap()
	for range 40 {
		lazy(t, base)
	}
	stuck(t, s.gates[large], 2)
	wants(t, http.DefaultClient, base+"/v1/traces/ring", http.StatusOK)
	wants(t, http.DefaultClient, base+"/v1/traces/large/summary?from=1%25&to=2%25", http.StatusOK)
	wants(t, from("127.0.0.2"), base+largeTable, http.StatusOK)
	eventually(t, "half of the places in line are taken", func() bool {
		lazy(t, base) // while the first ones were begun, others were refused
		g := s.gates[large].State()
		return g.Waiting >= g.Places/2
	})
	wants(t, http.DefaultClient, base+largeTable, http.StatusTooManyRequests)
	stuck(t, s.gates[large], 2)
	if bytes := heap() - before; bytes > leastMemory {
		t.Errorf("%d bytes are alive with a budget of %d", bytes, int64(leastMemory))
	} else {
		t.Logf("%d kB are alive", bytes>>10)
	}
}

// TestStalledMakeRoom: a stalled client loses its answer to one that waits.
func TestStalledMakeRoom(t *testing.T) {
	base, s, run := stalling(t)
	lazy(t, base)
	lazy(t, base)
	stuck(t, s.gates[large], 2)
	run()
	wants(t, http.DefaultClient, base+largeTable, http.StatusOK)
	stuck(t, s.gates[large], 1)
}

// TestGivenUp: a client that takes nothing for the time of Stall is given up, though nobody waits.
func TestGivenUp(t *testing.T) {
	base, dir, s := serving(t, Options{Stall: 50 * time.Millisecond})
	written(t, dir, "large", tracegen.Ring(8, 4_000, 1))
	get(t, base+"/v1/traces/large")
	http.DefaultClient.CloseIdleConnections()
	goroutines, files := resources(t)
	for range 8 {
		lazy(t, base)
	}
	eventually(t, "a piece of each answer is sent", func() bool { return s.sent.Load() >= 8*piece })
	settled(t, s, goroutines+4, files+2+8) // our own ends of the connections
}

// slowly is a client that takes each piece after some time.
type slowly struct {
	http.ResponseWriter
	deadline time.Time
}

// SetWriteDeadline is what http.ResponseController looks for.
func (s *slowly) SetWriteDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

// TestLeastRate: each piece has the time of Stall, but on the whole a client must take leastRate bytes a second. Time that the server needs does
// not count.
func TestLeastRate(t *testing.T) {
	w := &slowly{ResponseWriter: httptest.NewRecorder()}
	p := &patient{ResponseWriter: w, ctx: context.Background(), stall: 10 * time.Second, sent: new(atomic.Int64)}
	left := func() time.Duration {
		if err := p.allow(piece); err != nil {
			t.Fatal(err)
		}
		return time.Until(w.deadline).Round(time.Second / 2)
	}
	if got := left(); got != 10*time.Second {
		t.Errorf("the first piece has %v", got)
	}
	for pieces := 0; ; pieces++ {
		got := left()
		if want := min(10*time.Second, 10*time.Second+time.Duration(pieces+1)*2*time.Second-p.writing); got != want {
			t.Fatalf("piece %d has %v, want %v", pieces, got, want)
		}
		if got <= 0 {
			break
		}
		p.writing += 9 * time.Second // just before the deadline
		p.bytes += piece
		if pieces > 10 {
			t.Fatal("9 s for each piece are never too slow")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	p.ctx, p.writing = ctx, 0
	if got := left(); got > 3*time.Second {
		t.Errorf("%v are left of 3 s", got)
	}
}

// TestFullDoor: connections beyond the bound are told so at once, and a place is free again when one is closed.
func TestFullDoor(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{Listener: l, places: make(chan struct{}, 2)}
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "in") }))
	h.Listener = d
	h.Start()
	defer h.Close()
	var guests []net.Conn
	for range 2 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		guests = append(guests, c)
	}
	c, err := net.Dial("tcp", l.Addr().String()) // connections are accepted in order
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if _, body, _ := strings.Cut(full, "\r\n\r\n"); err != nil || string(answer) != full || !strings.Contains(full, fmt.Sprintf("Content-Length: %d\r\n", len(body))) {
		t.Errorf("%q, %v", answer, err)
	}
	guests[0].Close()
	eventually(t, "a place is free", func() bool { return len(d.places) < 2 })
	wants(t, http.DefaultClient, h.URL, http.StatusOK)
	guests[1].Close()
}

// eventually waits for something to hold, and fails if it does not after a minute.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to be that %s", what)
		}
	}
}

// TestCutWhenStill: an answer that is sent slowly is not cut off when the server stops, one that stands still is.
func TestCutWhenStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{}
		ctx, cut := context.WithCancel(t.Context())
		defer cut()
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		go s.cutWhenStill(ctx, ticker.C, cut)
		for range 100 {
			synctest.Wait()
			s.sent.Add(1)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("cut off while bytes got away")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("not cut off")
		}
	})
}
