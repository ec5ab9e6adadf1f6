package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace"
)

// server gives parts of a file, and counts: rounds are groups of requests of which each came before one of the others was
// answered.
type server struct {
	*httptest.Server
	mu               sync.Mutex
	file             []byte
	etag             string
	under            int // requests under way
	rounds, requests int
	bytes            int64
	pause            time.Duration
	fail             func(request int) int // status to answer with, 0 for the file
	ignoreRange      bool
}

func serve(t *testing.T, file []byte) *server {
	s := &server{file: file, etag: `"one"`}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := s.begin()
	time.Sleep(s.pause)
	defer s.end()
	if status != 0 {
		http.Error(w, "busy", status)
		return
	}
	if s.ignoreRange {
		r.Header.Del("Range")
	}
	w.Header().Set("ETag", s.etag)
	counted := &countingWriter{ResponseWriter: w}
	http.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(s.file))
	s.mu.Lock()
	s.bytes += counted.n
	s.mu.Unlock()
}

func (s *server) begin() (status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.under == 0 {
		s.rounds++
	}
	s.under++
	s.requests++
	if s.fail != nil {
		status = s.fail(s.requests)
	}
	return status
}

func (s *server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under--
}

type countingWriter struct {
	http.ResponseWriter
	n int64
}

func (w *countingWriter) Write(b []byte) (int, error) {
	w.n += int64(len(b))
	return w.ResponseWriter.Write(b)
}

// ring makes a file of a ring of ranks, and returns the times of its first and last event.
func ring(t *testing.T, ranks, iterations int, opt store.Options) (file []byte, first, last int64) {
	t.Helper()
	src := tracegen.Ring(ranks, iterations, 1)
	var b bytes.Buffer
	w, err := store.NewWriter(t.Context(), &b, src.Meta(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Copy(t.Context(), w, src, nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), r.Info().First, r.Info().Last
}

// A cold timeline of a short window takes one round more than the window itself: bins tell which slices it needs. Of much time it
// reads little but bins; these lie apart, and the number of blocks in one request is bounded.
func TestRemoteTimeline(t *testing.T) {
	t.Parallel()
	file, first, last := ring(t, 8, 10_000, store.Options{SliceEvents: 1024})
	local, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to float64
		rounds   int
		bytes    int64
	}{{0, 1, 20, int64(len(file)) / 2}, {0.5, 0.5003, 4, int64(len(file)) / 20}} {
		from, to := first+int64(c.from*float64(last-first)), first+int64(c.to*float64(last-first))
		var got *trace.Timeline
		s := cold(t, file, c.rounds, func(r *store.Reader) {
			if got, err = r.Window(from, to).Timeline(20); err != nil {
				t.Fatal(err)
			}
		})
		want, err := local.Window(from, to).Timeline(20)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || len(got.Cells) < 160 {
			t.Fatalf("%v: %d cells, want %d (%v)", c, len(got.Cells), len(want.Cells), err)
		}
		if s.rounds > c.rounds || s.bytes > c.bytes {
			t.Errorf("%v: %d rounds, %d of %d bytes", c, s.rounds, s.bytes, len(file))
		}
	}
}

// cold lets a file be read that was not read before, and returns what the server counted. Requests that are made at once count as
// several rounds where one is answered before the next one came: on a busy machine. Then the answers take longer, a few times.
func cold(t *testing.T, file []byte, rounds int, read func(r *store.Reader)) *server {
	t.Helper()
	for pause := 5 * time.Millisecond; ; pause *= 4 {
		s := serve(t, file)
		s.pause = pause
		r, err := remote.OpenReader(t.Context(), s.URL, nil, store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		read(r)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		s.Close() // all is counted now
		if s.bytes != r.BytesRead() {
			t.Errorf("%d bytes sent, %d read", s.bytes, r.BytesRead())
		}
		if s.rounds <= rounds || pause > time.Second {
			return s
		}
	}
}

// A cold window of a remote file takes three rounds: the ends of the file, the pages of the directory, and all the rest.
func TestRemoteRounds(t *testing.T) {
	t.Parallel()
	file, first, last := ring(t, 8, 10_000, store.Options{SliceEvents: 1024})
	local, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{0, 0.33, 0.95} {
		from := first + int64(at*float64(last-first))
		to := from + (last-first)/500
		for what, read := range map[string]func(w *store.Window) ([]string, error){
			"calls":    func(w *store.Window) ([]string, error) { return list(w.Calls()) },
			"messages": func(w *store.Window) ([]string, error) { return list(w.Messages()) },
			"one rank": func(w *store.Window) ([]string, error) { return list(w.WithLocations(3).Calls()) },
		} {
			var got []string
			s := cold(t, file, 3, func(r *store.Reader) {
				if got, err = read(r.Window(from, to)); err != nil {
					t.Fatal(err)
				}
			})
			want, err := read(local.Window(from, to))
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || len(got) == 0 {
				t.Fatalf("%s at %v: %d items, want %d (%v)", what, at, len(got), len(want), err)
			}
			t.Logf("%s at %v: %d rounds, %d requests, %d bytes of %d, %d items", what, at, s.rounds, s.requests, s.bytes, len(file), len(got))
			if s.rounds > 3 {
				t.Errorf("%s at %v: %d rounds, %d requests", what, at, s.rounds, s.requests)
			}
			if s.bytes > int64(len(file))/3 {
				t.Errorf("%s at %v: %d bytes sent, of %d", what, at, s.bytes, len(file))
			}
		}
	}
}

func list[T any](items func(func(T, error) bool)) (all []string, err error) {
	for v, e := range items {
		if e != nil {
			return nil, e
		}
		all = append(all, fmt.Sprint(v))
	}
	return all, nil
}

func TestRemoteFileThatChanges(t *testing.T) {
	t.Parallel()
	file, first, last := ring(t, 4, 20_000, store.Options{SliceEvents: 1024})
	s := serve(t, file)
	r, err := remote.OpenReader(t.Context(), s.URL, nil, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := list(r.Window(first, first+1).Calls()); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.etag = `"two"`
	s.mu.Unlock()
	_, err = list(r.Window(last-(last-first)/10, last).Calls())
	if !errors.Is(err, remote.ErrChanged) || !strings.Contains(err.Error(), s.URL) {
		t.Errorf("%v, want ErrChanged", err)
	}
}

func TestRemoteErrors(t *testing.T) {
	t.Parallel()
	file, _, _ := ring(t, 4, 1000, store.Options{})
	for name, c := range map[string]struct {
		spoil func(s *server)
		want  string
	}{
		"a server that is busy at first": {func(s *server) {
			s.fail = func(n int) int { return map[int]int{1: 503, 2: 429, 4: 500}[n] }
		}, ""},
		"a server that is always busy": {func(s *server) { s.fail = func(int) int { return 503 } }, "503"},
		"a file that is not there":     {func(s *server) { s.fail = func(int) int { return 404 } }, "404"},
		"no parts of files":            {func(s *server) { s.ignoreRange = true }, "ignores Range"},
		"a small file that is no file": {func(s *server) { s.file = []byte("hello") }, "header"},
	} {
		s := serve(t, file)
		c.spoil(s)
		r, err := remote.OpenReader(t.Context(), s.URL, nil, store.ReadOptions{})
		if err == nil {
			_, err = list(r.All().Calls())
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), s.URL)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	s := serve(t, file)
	s.Close()
	if _, err := remote.OpenReader(t.Context(), s.URL, nil, store.ReadOptions{}); err == nil || format.IsCorrupt(err) {
		t.Errorf("no server: %v", err)
	}
}

// A window whose iteration stops at once reads no more than its first slices.
func TestStoppingEarly(t *testing.T) {
	t.Parallel()
	file, _, _ := ring(t, 8, 5_000, store.Options{SliceEvents: 256})
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{CacheBytes: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	opened := r.BytesRead()
	var call trace.Call
	for call, err = range r.All().Calls() {
		break
	}
	if err != nil || call.Duration() == 0 {
		t.Fatal(call, err)
	}
	if n := r.BytesRead() - opened; n > int64(len(file))/4+1<<18 {
		t.Errorf("the first call took %d bytes of %d", n, len(file))
	}
}
