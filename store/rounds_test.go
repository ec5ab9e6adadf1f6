package store_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace"
)

// latency is the time from a request to its answer, by the clock of a test: nothing else takes time there.
const latency = time.Second

// farServer answers requests for parts of a file after the latency, however many there are at once.
type farServer struct {
	file     []byte
	requests atomic.Int64
	bytes    atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (s *farServer) RoundTrip(r *http.Request) (*http.Response, error) {
	var from, to, n int64
	size := int64(len(s.file))
	asked := r.Header.Get("Range")
	if _, err := fmt.Sscanf(asked, "bytes=%d-%d", &from, &to); err != nil || from < 0 {
		if _, err := fmt.Sscanf(asked, "bytes=-%d", &n); err != nil {
			return nil, fmt.Errorf("range %q: %w", asked, err)
		}
		from, to = max(0, size-n), size-1
	}
	part := s.file[from:min(to+1, size)]
	s.requests.Add(1)
	s.bytes.Add(int64(len(part)))
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(latency):
	}
	return &http.Response{
		StatusCode: http.StatusPartialContent, Request: r, Body: io.NopCloser(bytes.NewReader(part)),
		Header: http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", from, from+int64(len(part))-1, size)}, "Etag": {`"one"`}},
	}, nil
}

// roundsOf asks a question of a file on a server, and returns how many latencies passed until the answer was there, the opening of the file
// among them: the longest chain of requests of which each waited for the answer to the one before.
func roundsOf(t *testing.T, file []byte, ask question) (rounds int, s *farServer) {
	t.Helper()
	s = &farServer{file: file}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		r, err := remote.OpenReader(t.Context(), "http://far/file", &http.Client{Transport: s}, store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ask(t, r)
		rounds = int(time.Since(begun) / latency)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
	return rounds, s
}

type question func(t testing.TB, r *store.Reader) string

// middle returns a window of a share of the time of a file, where `at` of it have passed.
func middle(r *store.Reader, at, share float64) *store.Window {
	first, length := r.Info().First, float64(r.Info().Last-r.Info().First)
	from := first + int64(at*length)
	return r.Window(from, from+1+int64(share*length))
}

// some returns the first n of an iteration.
func some[T any](t testing.TB, all iter.Seq2[T, error], n int, show func(T) string) string {
	t.Helper()
	var found strings.Builder
	for v, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		found.WriteString(show(v) + "\n")
		if n--; n == 0 {
			break
		}
	}
	return found.String()
}

func showEvent(e trace.Event) string {
	return fmt.Sprint(e.Batch.Location, e.Ordinal, e.Batch.Times[e.Index], e.Batch.Kinds[e.Index], e.Batch.Fields(e.Index))
}

func show[T any](v T) string { return fmt.Sprintf("%+v", v) }

func all[T any](t testing.TB, items iter.Seq2[T, error]) string { return some(t, items, -1, show[T]) }

func summed(at, share float64, parts ...store.SummaryPart) question {
	return func(t testing.TB, r *store.Reader) string {
		s, err := middle(r, at, share).Summary(parts...)
		if err != nil {
			t.Fatal(err)
		}
		return show(s)
	}
}

func timelined(at, share float64, pixels int) question {
	return func(t testing.TB, r *store.Reader) string {
		l, err := middle(r, at, share).Timeline(pixels)
		if err != nil {
			t.Fatal(err)
		}
		return show(l)
	}
}

// roundsOfQuestions says in how many rounds each question about a file is answered at most. Opening it takes one of them.
var roundsOfQuestions = []struct {
	name   string
	rounds int
	ask    question
}{
	{"info", 1, func(_ testing.TB, r *store.Reader) string { return show(r.Info()) }},
	{"definitions", 2, func(t testing.TB, r *store.Reader) string {
		d, err := r.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		return show(d.Log)
	}},
	{"calls of a window", 3, func(t testing.TB, r *store.Reader) string { return all(t, middle(r, 0.4, 0.01).Calls()) }},
	{"messages of a window", 3, func(t testing.TB, r *store.Reader) string { return all(t, middle(r, 0.4, 0.01).Messages()) }},
	{"events of a window", 3, func(t testing.TB, r *store.Reader) string {
		return some(t, middle(r, 0.4, 0.01).Events(), -1, showEvent)
	}},
	{"calls of a location", 4, func(t testing.TB, r *store.Reader) string {
		return all(t, middle(r, 0.4, 0.01).WithLocations(r.Info().Locations[1].ID).Calls())
	}},
	{"messages of a location", 4, func(t testing.TB, r *store.Reader) string {
		return all(t, middle(r, 0.4, 0.01).WithLocations(r.Info().Locations[1].ID).Messages())
	}},
	{"events of a kind", 4, func(t testing.TB, r *store.Reader) string {
		return some(t, middle(r, 0.4, 0.01).WithKinds(trace.KindMpiSend).Events(), -1, showEvent)
	}},
	{"stack", 3, func(t testing.TB, r *store.Reader) string {
		from, _ := middle(r, 0.6, 0).Bounds()
		s, err := r.CallStack(r.Info().Locations[0].ID, from)
		if err != nil {
			t.Fatal(err)
		}
		return show(s)
	}},
	{"next call of a region", 4, func(t testing.TB, r *store.Reader) string {
		return some(t, middle(r, 0.2, 0.8).WithRegions(0).CallsByStart(), 1, show[trace.Call])
	}},
	{"previous call of a region", 4, func(t testing.TB, r *store.Reader) string {
		return some(t, middle(r, 0, 0.8).WithRegions(0).CallsByStartBackward(), 1, show[trace.Call])
	}},
	{"previous event of a kind", 4, func(t testing.TB, r *store.Reader) string {
		return some(t, middle(r, 0, 0.8).WithKinds(trace.KindMpiSend).EventsBackward(), 1, showEvent)
	}},
	{"longest calls", 5, func(t testing.TB, r *store.Reader) string {
		c, err := middle(r, 0.4, 0.01).LongestCalls(3)
		if err != nil {
			t.Fatal(err)
		}
		return show(c)
	}},
	{"unmatched ends", 4, func(t testing.TB, r *store.Reader) string {
		return some(t, r.All().UnmatchedMessageEnds(), -1, showEvent)
	}},
	{"summary of all", 4, summed(0, 1)},
	{"summary of most", 4, summed(0.111, 0.777)},
	{"summary of a tenth", 4, summed(0.333, 0.1)},
	{"summary of a hundredth", 4, summed(0.555, 0.01)},
	{"summary from the beginning", 4, summed(0, 0.45)},
	{"summary up to the end", 4, summed(0.45, 0.55)},
	{"summary of calls", 4, summed(0.222, 0.555, store.SummaryCalls)},
	{"summary of messages", 4, summed(0.222, 0.555, store.SummaryMessages)},
	{"summary of collectives", 4, summed(0.222, 0.555, store.SummaryCollectives)},
	{"summary of metrics", 4, summed(0.222, 0.555, store.SummaryMetrics)},
	{"summary of a location", 4, func(t testing.TB, r *store.Reader) string {
		s, err := middle(r, 0.222, 0.555).WithLocations(r.Info().Locations[1].ID).Summary()
		if err != nil {
			t.Fatal(err)
		}
		return show(s)
	}},
	{"timeline of all", 4, timelined(0, 1, 400)},
	{"timeline of half", 4, timelined(0.3, 0.5, 400)},
	{"narrow timeline", 4, timelined(0.3, 0.001, 400)},
	{"a window as tables", 6, func(t testing.TB, r *store.Reader) string {
		w := middle(r, 0.4, 0.01)
		return some(t, w.Events(), -1, showEvent) + all(t, w.Calls()) + all(t, w.Messages())
	}},
}

// farFiles are files with several levels of the tree and of the directory, and recorded ones.
func farFiles(t *testing.T) map[string][]byte {
	t.Helper()
	k := tracegen.RandomKnobs(4)
	k.Processes, k.Threads, k.Length, k.Messages = 6, 2, 1500, 3000
	files := map[string][]byte{}
	add := func(name string, src trace.Source, opt store.Options) {
		opt.ID[0] = 1
		files[name] = write(t, src, opt)
	}
	add("ring", tracegen.Ring(4, 750, 1), store.Options{SliceEvents: 100})
	add("ring, fanout 2", tracegen.Ring(4, 750, 1), store.Options{SliceEvents: 100, Fanout: 2, LaneLocations: 2})
	add("random", tracegen.Random(4, k), store.Options{SliceEvents: 200, Fanout: 4, LaneLocations: 4})
	for _, name := range []string{"otf2.mg.S.16.skew", "otf2.ep.S.4.metric"} {
		src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
		if err != nil {
			t.Fatal(err)
		}
		add(name, src, store.Options{SliceEvents: 500, Fanout: 4, LaneLocations: 4})
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	return files
}

// Questions about a file that is far away are answered in few rounds, each with all the requests of which the answers can be asked for then,
// and as about a file that is near.
func TestRounds(t *testing.T) {
	files := farFiles(t)
	for name, file := range files {
		mustTakeRounds(t, name, file, "")
	}
	// Of a large directory only the pages about the ends of a window are read: with a usual fanout no others are needed.
	defer store.SmallDirectory(0)()
	mustTakeRounds(t, "ring, large directory", files["ring"], "summary")
}

// mustTakeRounds asks the questions that begin with some words.
func mustTakeRounds(t *testing.T, name string, file []byte, questions string) {
	t.Helper()
	near := read(t, file)
	for _, q := range roundsOfQuestions {
		if !strings.HasPrefix(q.name, questions) {
			continue
		}
		var got string
		rounds, s := roundsOf(t, file, func(t testing.TB, r *store.Reader) string {
			got = q.ask(t, r)
			return got
		})
		t.Logf("%s: %s: %d rounds, %d requests, %d of %d bytes", name, q.name, rounds, s.requests.Load(), s.bytes.Load(), len(file))
		if rounds > q.rounds {
			t.Errorf("%s: %s takes %d rounds, not %d", name, q.name, rounds, q.rounds)
		}
		if want := q.ask(t, near); got != want {
			t.Errorf("%s: %s is answered with %.300s, not %.300s", name, q.name, got, want)
		}
	}
}
