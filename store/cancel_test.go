package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace"
)

// A call that is cancelled may still finish the slices that it is at: some for each processor.
const (
	cancelledSlice = 2048 // events
	slicesUnderWay = 3    // for each processor
)

// slowest is how long a cancelled call may take on a machine that does much else at the same time. Slices count, time is logged.
const slowest = 5 * time.Second

// gate is a file of which a read may cancel a context, or may take very long.
type gate struct {
	file   []byte
	reads  atomic.Int64
	at     atomic.Int64 // the number of the read that cancels; 0 for none
	cancel func()
	slow   bool
	since  atomic.Pointer[time.Time] // the cancellation
	work   func()                    // notes the work done by then
}

// pass counts a read; the one that cancels takes longer than any test, or until the reader gives up.
func (g *gate) pass(given <-chan struct{}) {
	if g.reads.Add(1) != g.at.Load() {
		return
	}
	now := time.Now()
	g.since.Store(&now)
	g.work()
	g.cancel()
	if g.slow {
		select {
		case <-given:
		case <-time.After(time.Minute):
		}
	}
}

// ReadAt implements io.ReaderAt.
func (g *gate) ReadAt(b []byte, at int64) (int, error) {
	g.pass(nil)
	return bytes.NewReader(g.file).ReadAt(b, at)
}

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.pass(r.Context().Done())
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(g.file))
}

// cancellable is a question to a reader, the work of which is done under a context.
type cancellable func(ctx context.Context, r *store.Reader) error

// toEnd goes through an iterator to its end.
func toEnd[T any](all iter.Seq2[T, error]) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// asked makes a question of one to a window that ends within slices.
func asked(ask func(w *store.Window) error) cancellable {
	return func(ctx context.Context, r *store.Reader) error {
		i := r.Info()
		return ask(r.Window(i.First+(i.Last-i.First)/7, i.Last-(i.Last-i.First)/9).WithContext(ctx))
	}
}

var cancellables = map[string]cancellable{
	"Calls":                asked(func(w *store.Window) error { return toEnd(w.Calls()) }),
	"CallsByStart":         asked(func(w *store.Window) error { return toEnd(w.CallsByStart()) }),
	"CallsByStartBackward": asked(func(w *store.Window) error { return toEnd(w.CallsByStartBackward()) }),
	"LongestCalls":         asked(func(w *store.Window) error { _, err := w.LongestCalls(100); return err }),
	"Messages":             asked(func(w *store.Window) error { return toEnd(w.Messages()) }),
	"UnmatchedMessageEnds": asked(func(w *store.Window) error { return toEnd(w.UnmatchedMessageEnds()) }),
	"Events":               asked(func(w *store.Window) error { return toEnd(w.Events()) }),
	"EventsBackward":       asked(func(w *store.Window) error { return toEnd(w.EventsBackward()) }),
	"Batches":              asked(func(w *store.Window) error { return toEnd(w.Batches()) }),
	"Summary":              asked(func(w *store.Window) error { _, err := w.Summary(); return err }),
	"Timeline":             asked(func(w *store.Window) error { _, err := w.Timeline(1 << 16); return err }),
	"Structure":            asked(func(w *store.Window) error { return toEnd(w.Structure()) }),
	"Times":                asked(func(w *store.Window) error { return toEnd(w.Times()) }),
	"Cuts":                 asked(func(w *store.Window) error { _, err := w.Cuts(1 << 16); return err }),
	"TouchedEvents":        asked(func(w *store.Window) error { _, err := w.TouchedEvents(); return err }),
	"Parts": asked(func(w *store.Window) error {
		return toEnd(store.Parts(w, store.PartEvents, func(p *store.Part) (int, error) { return 0, p.Events(func(trace.Event) {}) }))
	}),
	"Source":        asked(func(w *store.Window) error { return drained(w.Source()) }),
	"Reader.Source": func(ctx context.Context, r *store.Reader) error { return drained(r.WithContext(ctx).Source()) },
	"Definitions": func(ctx context.Context, r *store.Reader) error {
		_, err := r.WithContext(ctx).Definitions()
		return err
	},
	"CallStack": func(ctx context.Context, r *store.Reader) error {
		_, err := r.WithContext(ctx).CallStack(3, (r.Info().First+r.Info().Last)/2)
		return err
	},
	"Verify": func(ctx context.Context, r *store.Reader) error {
		_, err := r.Verify(ctx, store.VerifyOptions{})
		return err
	},
	"Verify, deep": func(ctx context.Context, r *store.Reader) error {
		_, err := r.Verify(ctx, store.VerifyOptions{Level: store.VerifyDeep})
		return err
	},
	"Verify, a sample": func(ctx context.Context, r *store.Reader) error {
		_, err := r.Verify(ctx, store.VerifyOptions{Sample: 0.5})
		return err
	},
	"SpaceUsage": func(ctx context.Context, r *store.Reader) error { _, err := r.SpaceUsage(ctx, nil); return err },
	"Compaction": func(ctx context.Context, r *store.Reader) error { _, err := r.Compaction(ctx, nil); return err },
	"Copy": func(ctx context.Context, r *store.Reader) error {
		w, err := store.NewWriter(context.Background(), io.Discard, r.Meta(), store.Options{})
		if err != nil {
			return err
		}
		return errors.Join(store.Copy(ctx, w, r.WithContext(ctx).Source(), nil), w.Abort())
	},
}

// drained reads all of a source, stream by stream.
func drained(src trace.Source) error {
	var b trace.Batch
	for _, info := range src.Streams() {
		s, err := src.Open(info.StreamID)
		if err != nil {
			return err
		}
		for err == nil {
			err = s.Next(&b, 1000)
		}
		if err := errors.Join(s.Close(), err); !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// cancelledFile is large against the slices that may be under way when a call is cancelled.
func cancelledFile(t *testing.T) []byte {
	file := write(t, tracegen.Ring(8, 1000, 1), store.Options{SliceEvents: cancelledSlice, LaneLocations: 4, PageLocations: 3})
	if n := read(t, file).Info().Slices; n < 100 || runtime.GOMAXPROCS(0) > 8 && n < uint64(16*runtime.GOMAXPROCS(0)) {
		t.Fatalf("%d slices: this tests little", n)
	}
	return file
}

// Whatever a reader is at, cancelling it ends the work: no further slice is decoded, and the next question is answered as ever.
func TestCancel(t *testing.T) {
	file := cancelledFile(t)
	for name, ask := range cancellables {
		t.Run(name, func(t *testing.T) {
			g := &gate{file: file}
			local := func(ctx context.Context) (*store.Reader, error) {
				return store.NewReader(ctx, g, int64(len(file)), store.ReadOptions{CacheBytes: 1 << 20})
			}
			reads := readsOf(t, g, local, ask)
			for _, at := range []int64{1, reads/2 + 1} {
				cancelAt(t, g, at, local, ask)
			}
		})
	}
}

// The same over HTTP, with a server that never answers the request at which the call is cancelled.
func TestCancelFar(t *testing.T) {
	file := cancelledFile(t)
	for name, ask := range cancellables {
		t.Run(name, func(t *testing.T) {
			g := &gate{file: file, slow: true}
			s := httptest.NewServer(g)
			defer s.Close()
			far := func(ctx context.Context) (*store.Reader, error) {
				return remote.OpenReader(ctx, s.URL, nil, store.ReadOptions{CacheBytes: 1 << 20})
			}
			readsOf(t, g, far, ask)
			cancelAt(t, g, 1, far, ask)
		})
	}
}

// readsOf counts the reads that a question takes, the opening of the file apart.
func readsOf(t *testing.T, g *gate, open func(context.Context) (*store.Reader, error), ask cancellable) int64 {
	t.Helper()
	r, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	g.reads.Store(0)
	if err := ask(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return g.reads.Load()
}

// cancelAt cancels a question at a read, and asks it again.
func cancelAt(t *testing.T, g *gate, at int64, open func(context.Context) (*store.Reader, error), ask cancellable) {
	t.Helper()
	r, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var before store.ReadStats
	g.cancel, g.work = cancel, func() { before = r.ReadStats() }
	g.at.Store(at)
	g.since.Store(nil)
	g.reads.Store(0)
	err = ask(ctx, r)
	took := time.Duration(0)
	if since := g.since.Load(); since != nil {
		took = time.Since(*since)
	} else { // what the question needs was read when the file was opened
		before = r.ReadStats()
		cancel()
		err = ask(ctx, r)
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled at read %d: %v", at, err)
	}
	runtime.Gosched()
	most := int64(cancelledSlice * slicesUnderWay * runtime.GOMAXPROCS(0))
	if n := r.ReadStats().Events - before.Events; n > most || took > slowest {
		t.Errorf("cancelled at read %d: %d events decoded after that, in %v", at, n, took)
	}
	t.Logf("cancelled at read %d: returned after %v", at, took)
	g.at.Store(0)
	if err := ask(t.Context(), r); err != nil {
		t.Fatalf("asked again: %v", err)
	}
}

// What is in the cache is not asked for any more, either.
func TestCancelInCache(t *testing.T) {
	file := cancelledFile(t)
	r := read(t, file)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, ask := range cancellables {
		if err := ask(t.Context(), r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before := r.ReadStats()
		if err := ask(stopped, r); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if after := r.ReadStats(); after != before {
			t.Errorf("%s: work went on: %+v, %+v before", name, after, before)
		}
	}
	for name, open := range map[string]func() (*store.Reader, error){
		"NewReader": func() (*store.Reader, error) {
			return store.NewReader(stopped, bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
		},
		"Open": func() (*store.Reader, error) {
			return remote.OpenReader(stopped, serve(t, file).URL, nil, store.ReadOptions{})
		},
	} {
		if _, err := open(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An iterator that is cancelled while its elements are used yields at most what it has made of the slices at hand.
func TestCancelBetweenElements(t *testing.T) {
	r := read(t, cancelledFile(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var failed error
	for _, err := range r.All().WithContext(ctx).Events() {
		cancel()
		n++
		failed = err
	}
	if most := cancelledSlice * slicesUnderWay * runtime.GOMAXPROCS(0); n > most || !errors.Is(failed, context.Canceled) {
		t.Errorf("%d events, then %v", n, failed)
	}
}

// A writer that is cancelled returns the context's error from then on, wherever it is, and leaves nothing when it is aborted.
func TestCancelWriter(t *testing.T) {
	src := tracegen.Ring(8, 2000, 1)
	total := read(t, write(t, src, store.Options{})).Info().Events
	for _, share := range []uint64{0, 2, 1} { // of the events, when it is cancelled: none, half of them, all
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		dir := t.TempDir()
		w, err := store.Create(ctx, filepath.Join(dir, "a"), src.Meta(), store.Options{SliceEvents: cancelledSlice})
		if err != nil {
			t.Fatal(err)
		}
		var since time.Time
		after := int64(0) // events read after the cancellation
		err = store.Copy(t.Context(), w, src, func(done, of int64) {
			if !since.IsZero() {
				after++
			} else if share > 0 && uint64(done) >= total/share {
				since = time.Now()
				cancel()
			}
		})
		if share == 0 {
			since = time.Now()
			cancel()
		} else if share > 1 && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at 1/%d: %v", share, err)
		}
		if err := w.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("closing: %v", err)
		}
		if err := w.Abort(); err != nil {
			t.Errorf("aborting: %v", err)
		}
		took := time.Since(since)
		t.Logf("cancelled at 1/%d: aborted after %v, %d rounds of reading", share, took, after)
		if took > slowest || after > 1 {
			t.Errorf("cancelled at 1/%d: %v, %d rounds of reading", share, took, after)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 || err != nil {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}

// The search of a damaged file, and the copy of what is found, end as well.
func TestCancelRecovery(t *testing.T) {
	file := cancelledFile(t)
	file = file[:len(file)/2]
	for _, copying := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		g := &gate{file: file, cancel: cancel, work: func() {}}
		if !copying {
			g.at.Store(50)
		}
		s, err := store.OpenRecovery(ctx, g, int64(len(file)), store.ReadOptions{}, nil)
		if copying {
			if err != nil {
				t.Fatal(err)
			}
			g.reads.Store(0)
			g.at.Store(50)
			w, failed := store.NewWriter(t.Context(), io.Discard, s.Meta(), s.Options())
			if failed != nil {
				t.Fatal(failed)
			}
			_, err = s.Copy(ctx, w, nil)
			err = errors.Join(err, w.Abort())
		}
		if !errors.Is(err, context.Canceled) || g.reads.Load() > g.at.Load() {
			t.Errorf("copying %v: %v, %d reads after the cancellation", copying, err, g.reads.Load()-g.at.Load())
		}
	}
}
