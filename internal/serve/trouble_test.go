package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/internal/tracegen"
)

// resources counts goroutines and open files.
func resources(t testing.TB) (goroutines, files int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("open files cannot be counted: %v", err)
	}
	return runtime.NumGoroutine(), len(entries)
}

// settled waits until there are no more goroutines and open files than there were, and no answer is under way.
func settled(t *testing.T, s *Server, goroutines, files int) {
	t.Helper()
	var g, f int
	for range 3000 {
		http.DefaultClient.CloseIdleConnections()
		if g, f = resources(t); g <= goroutines && f <= files && underWay(s) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d open files and %d answers are left, before there were %d and %d\n%s", g, f, underWay(s), goroutines, files,
		stacks[:runtime.Stack(stacks, true)])
}

// underWay counts answers.
func underWay(s *Server) (n int) {
	for _, g := range s.gates {
		n += g.State().Inside
	}
	return n
}

// insist asks until it is not refused for the load.
func insist(url string) (r *http.Response, body []byte, err error) {
	for range 10_000 {
		if r, err = http.Get(url); err != nil {
			return nil, nil, err
		}
		body, err = io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != http.StatusServiceUnavailable && r.StatusCode != http.StatusTooManyRequests {
			break
		}
		if r.Header.Get("Retry-After") == "" {
			return nil, nil, fmt.Errorf("%s without Retry-After", r.Status)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return r, body, err
}

// TestConcurrentClients lets 200 clients ask different things at once.
func TestConcurrentClients(t *testing.T) {
	base, _, s := serving(t, Options{})
	paths := []string{
		"/v1/traces/ring/tables/calls?from=10%25&to=12%25&format=arrow", "/v1/traces/ring/tables/messages?from=50%25&to=52%25",
		"/v1/traces/ring/summary?from=20%25&to=60%25", "/v1/traces/ring/timeline.json?pixels=100", "/v1/traces/ring/file", "/v1/traces/ring",
		"/v1/traces/ring/tables/events?from=30%25&to=31%25&format=parquet",
	}
	var want [][]byte
	for _, p := range paths {
		_, _, body := get(t, base+p)
		want = append(want, body)
	}
	http.DefaultClient.CloseIdleConnections()
	goroutines, files := resources(t)
	var group errgroup.Group
	for client := range 200 {
		group.Go(func() error {
			for i := range 3 {
				n := (client + i) % len(paths)
				r, body, err := insist(base + paths[n])
				if err != nil || r.StatusCode != http.StatusOK || !bytes.Equal(body, want[n]) {
					return fmt.Errorf("%s: %d, %d bytes of %d, %w", paths[n], r.StatusCode, len(body), len(want[n]), err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	settled(t, s, goroutines+4, files+2) // those of the test server itself
}

// TestCancelledRequests: clients that go away in the middle leave nothing behind.
func TestCancelledRequests(t *testing.T) {
	base, dir, s := serving(t, Options{})
	written(t, dir, "large", tracegen.Ring(8, 2_500, 1))
	get(t, base+"/v1/traces/large")
	http.DefaultClient.CloseIdleConnections()
	goroutines, files := resources(t)
	for i := range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/traces/large/tables/calls?format=json", nil)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			time.AfterFunc(time.Duration(i)*time.Millisecond/4, cancel)
		}
		answer, err := http.DefaultClient.Do(r)
		if err == nil {
			_, _ = io.CopyN(io.Discard, answer.Body, int64(i)*10_000)
			cancel()
			answer.Body.Close()
		}
		cancel()
	}
	settled(t, s, goroutines+4, files+2)
}

// leaving is an answer whose client goes away when some bytes of it have come.
type leaving struct {
	*httptest.ResponseRecorder
	after int
	leave func()
}

// Write implements io.Writer. It takes everything: the context alone says that nobody reads it.
func (l *leaving) Write(b []byte) (int, error) {
	if l.Body.Len() >= l.after {
		l.leave()
	}
	return l.ResponseRecorder.Write(b)
}

// TestLeavingStopsTheEngine: when a client has gone, slices are decoded no longer.
func TestLeavingStopsTheEngine(t *testing.T) {
	base, dir, s := serving(t, Options{})
	written(t, dir, "large", tracegen.Ring(8, 2_500, 1))
	get(t, base+"/v1/traces/large")
	b, err := s.library.take("large")
	if err != nil {
		t.Fatal(err)
	}
	defer s.library.giveBack(b)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begin := b.reader.ReadStats().Events
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/traces/large/tables/calls?format=json", nil)
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler { // how a handler ends an answer that is not complete
				t.Errorf("the handler ended with %v", p)
			}
		}()
		s.ServeHTTP(&leaving{httptest.NewRecorder(), 100_000, cancel}, r)
	}()
	if ctx.Err() == nil {
		t.Fatal("the client never left")
	}
	done := b.reader.ReadStats().Events - begin
	time.Sleep(100 * time.Millisecond)
	later := b.reader.ReadStats().Events - begin
	const slice = 2000
	if all := int64(b.reader.Info().Events); done == 0 || later > all/2 || later-done > int64(slice*runtime.GOMAXPROCS(0)) {
		t.Errorf("%d of %d events were decoded when the answer ended, %d some time later", done, all, later)
	}
}

// TestReplacedFile: who reads a file that is replaced reads on, who comes later gets the new one, and the old one is closed.
func TestReplacedFile(t *testing.T) {
	base, dir, s := serving(t, Options{})
	table := base + "/v1/traces/ring/tables/calls?format=csv"
	_, _, before := get(t, table)
	goroutines, files := resources(t)
	r, err := http.Get(table)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		path := written(t, t.TempDir(), "new", tracegen.Ring(2+i, 50, uint64(i)))
		if err := os.Rename(path, filepath.Join(dir, "ring.pando")); err != nil {
			t.Fatal(err)
		}
		var info traceInfo
		if getJSON(t, base+"/v1/traces/ring", &info); info.Locations != 2+i {
			t.Errorf("%d locations, want %d", info.Locations, 2+i)
		}
	}
	old, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !bytes.Equal(old, before) {
		t.Errorf("%d bytes of %d, %v", len(old), len(before), err)
	}
	settled(t, s, goroutines+4, files+2)
}

// TestTruncatedFile: damage is an error in the answer, and is over when the file is whole again.
func TestTruncatedFile(t *testing.T) {
	base, dir, s := serving(t, Options{CacheBytes: 1})
	path := filepath.Join(dir, "ring.pando")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	get(t, base+"/v1/traces/ring")
	http.DefaultClient.CloseIdleConnections()
	goroutines, files := resources(t)
	for _, size := range []int{len(whole) - 1, len(whole) / 2, 100, 0} {
		if err := os.Truncate(path, int64(size)); err != nil {
			t.Fatal(err)
		}
		checkRefusal(t, s, "http://localhost/v1/traces/ring/tables/calls", http.StatusInternalServerError)
		checkRefusal(t, s, "http://localhost/v1/traces/ring/summary", http.StatusInternalServerError)
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		if status, _, body := get(t, base+"/v1/traces/ring/tables/calls?to=5%25"); status != http.StatusOK {
			t.Errorf("whole again: %d %.200s", status, body)
		}
	}
	settled(t, s, goroutines+4, files+2)
}

// TestTruncatedMeanwhile: a file that is cut while it is being read breaks the answer off.
func TestTruncatedMeanwhile(t *testing.T) {
	base, dir, s := serving(t, Options{CacheBytes: 1})
	path := written(t, dir, "large", tracegen.Ring(8, 2_500, 1))
	goroutines, files := resources(t)
	r, err := http.Get(base + "/v1/traces/large/tables/events?format=csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, r.Body, 1000); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 5000); err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r.Body)
	r.Body.Close()
	if err == nil {
		t.Errorf("%d bytes of a file that is cut look like all", n)
	}
	settled(t, s, goroutines+4, files+2)
}

// TestShutdown: a server that is told to stop answers what is under way, and then no more.
func TestShutdown(t *testing.T) {
	dir := t.TempDir()
	written(t, dir, "ring", tracegen.Ring(4, 4000, 1))
	goroutines, files := resources(t)
	s, err := New([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	base := "http://" + l.Addr().String()
	r, err := http.Get(base + "/v1/traces/ring/tables/events?format=csv")
	if err != nil {
		t.Fatal(err)
	}
	stop()
	n, err := io.Copy(io.Discard, r.Body)
	r.Body.Close()
	if err != nil || n < 1<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(base + "/v1/traces"); err == nil {
		t.Error("it still answers")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	settled(t, s, goroutines+2, files)
}

// TestTimeout: an answer that takes too long ends, and the client is told so.
func TestTimeout(t *testing.T) {
	base, _, _ := serving(t, Options{Timeout: time.Nanosecond})
	if status, _, body := get(t, base+"/v1/traces/ring/tables/calls"); status != http.StatusGatewayTimeout {
		t.Errorf("%d %s", status, body)
	}
}
