package browsertest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// behind serves a source as the trace "run", behind a handler of the test.
func behind(t *testing.T, src trace.Source, as store.Options, door func(http.Handler) http.Handler) (url string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "run.pando"), stored.Bytes(t, src, as), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := serve.New([]string{dir}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(door(s))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return h.URL
}

// TestExactCallsRefused: where the server does not look for all calls of at least a pixel, the page keeps the picture that it has, and says which calls are in it.
func TestExactCallsRefused(t *testing.T) {
	short := store.Options{SliceEvents: 300}
	r := stored.Source(t, tracegen.Ring(6, 2000, 1), short)
	var refused atomic.Int64
	url := behind(t, r.Source(), short, func(s http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Query().Get("exact") != "true" {
				s.ServeHTTP(w, q)
				return
			}
			refused.Add(1)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			fmt.Fprintln(w, `{"error":"too much"}`)
		})
	})
	b := browse(t, url)
	b.run(t, chromedp.EmulateViewport(900, 900))
	length := r.Info().Last - r.Info().First
	b.open(t, part(url, length/4, length/4+length*3/20, "&lines=0&rows=l0,l3"))
	if refused.Load() == 0 {
		t.Fatal("nobody asked for all calls: this trace is too easy")
	}
	if status := value[string](t, b, `document.getElementById("status").textContent`); !strings.Contains(status, " and more") || strings.Contains(status, "so far") || strings.Contains(status, "too much") {
		t.Errorf("the page says %q", status)
	}
	if value[int](t, b, `document.querySelectorAll("#status.wrong").length`) != 0 {
		t.Error("it is shown as an error")
	}
}

// TestFullTiles: of a tile that has more calls of at least a pixel than a tile may have, the page shows the longer ones, and says so.
func TestFullTiles(t *testing.T) {
	const depth, locations = 8, 30
	src := tracegen.New(trace.Meta{Resolution: 1e9})
	region, dice, process := src.Region("work"), rand.New(rand.NewPCG(1, 2)), src.Process("process")
	for id := range uint64(locations) {
		src.Define(trace.KindLocation, id, src.String("thread"), 1, 0, process)
		b := src.Events(id)
		for now := int64(0); now < 512<<10; {
			for range depth {
				b.Append(trace.KindEnter, now, region)
			}
			now += (1 + dice.Int64N(2)) << 10
			for range depth {
				b.Append(trace.KindLeave, now, region)
			}
		}
	}
	url, _, _ := serving(t, src, serve.Options{})
	b := browse(t, url)
	b.run(t, chromedp.EmulateViewport(700, 900)) // 510 pixels of at least 1,024 ticks
	b.open(t, url+"/#trace=run&lines=0&rows=l0,l3")
	if status := value[string](t, b, `document.getElementById("status").textContent`); !strings.Contains(status, ", calls of 2.048 µs and more") || strings.Contains(status, "so far") {
		t.Errorf("the page says %q", status)
	}
	b.sound(t)
}
