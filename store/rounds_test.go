package store_test

import (
	"fmt"
	"iter"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace"
)

// roundsOf asks a question of a file on a server, and returns in how many rounds it was answered, the opening of the file among them.
func roundsOf(t *testing.T, file []byte, opt store.ReadOptions, ask question) (rounds int, s *tracetest.FarServer) {
	t.Helper()
	s = &tracetest.FarServer{File: file}
	return s.Rounds(t, func(t *testing.T) {
		r, err := remote.OpenReader(t.Context(), "http://far/file", &http.Client{Transport: s}, opt)
		if err != nil {
			t.Fatal(err)
		}
		ask(t, r)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}), s
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

func verified(level store.VerifyLevel) question {
	return func(t testing.TB, r *store.Reader) string {
		report, err := r.Verify(t.Context(), store.VerifyOptions{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		return show(report)
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

// questionOfFile is a question, and the most rounds for its answer.
type questionOfFile struct {
	name   string
	rounds int
	ask    question
}

// roundsOfQuestions says in how many rounds each question about a file is answered at most. Opening it takes one of them.
var roundsOfQuestions = []questionOfFile{
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
		return all(t, middle(r, 0.4, 0.01).WithLocations(stored.LocationIDs(t, r)[1]).Calls())
	}},
	{"messages of a location", 4, func(t testing.TB, r *store.Reader) string {
		return all(t, middle(r, 0.4, 0.01).WithLocations(stored.LocationIDs(t, r)[1]).Messages())
	}},
	{"events of a kind", 4, func(t testing.TB, r *store.Reader) string {
		return some(t, middle(r, 0.4, 0.01).WithKinds(trace.KindMpiSend).Events(), -1, showEvent)
	}},
	{"stack", 3, func(t testing.TB, r *store.Reader) string {
		from, _ := middle(r, 0.6, 0).Bounds()
		s, err := r.CallStack(stored.LocationIDs(t, r)[0], from)
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
		s, err := middle(r, 0.222, 0.555).WithLocations(stored.LocationIDs(t, r)[1]).Summary()
		if err != nil {
			t.Fatal(err)
		}
		return show(s)
	}},
	{"timeline of all", 4, timelined(0, 1, 400)},
	{"timeline of half", 4, timelined(0.3, 0.5, 400)},
	{"narrow timeline", 4, timelined(0.3, 0.001, 400)},
	{"verify", 4, verified(store.VerifyBlocks)},
	{"verify deeply", 4, verified(store.VerifyDeep)},
	{"what bytes are for", 4, func(t testing.TB, r *store.Reader) string {
		s, err := r.SpaceUsage(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return show(s)
	}},
	{"compaction", 4, func(t testing.TB, r *store.Reader) string {
		c, err := r.Compaction(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return show(c)
	}},
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

// Whatever the order of the workers, none reads a block that another one has at hand or is just making something of.
func TestRoundsInAnyOrder(t *testing.T) {
	files := farFiles(t)
	messages := func(t testing.TB, r *store.Reader) string { return all(t, middle(r, 0.4, 0.01).Messages()) }
	mustTakeRoundsAlways(t, files["ring, fanout 2"], 3, messages)
	mustTakeRoundsAlways(t, files["random"], 3, summed(0.333, 0.1))
}

// mustTakeRoundsAlways asks a question many times.
func mustTakeRoundsAlways(t *testing.T, file []byte, most int, ask question) {
	t.Helper()
	want := ask(t, read(t, file)) // outside of the server's time, where decoders that are kept are made
	for range 300 {
		rounds, _ := roundsOf(t, file, store.ReadOptions{}, func(t testing.TB, r *store.Reader) string {
			if got := ask(t, r); got != want {
				t.Errorf("answered with %.300s, not %.300s", got, want)
			}
			return want
		})
		if rounds > most {
			t.Fatalf("%d rounds, not %d", rounds, most)
		}
	}
}

// whole are the questions for which the whole file is read. They take most of the time of all, and longest for the files of the most blocks,
// of which there is one of a recorded trace and one that is made; those are left for the long run.
var (
	whole      = map[string]bool{"verify": true, "verify deeply": true, "what bytes are for": true, "compaction": true}
	mostBlocks = map[string]bool{"ring, fanout 2": true, "otf2.mg.S.16.skew": true}
)

// mustTakeRounds asks the questions that begin with some words.
func mustTakeRounds(t *testing.T, name string, file []byte, questions string) {
	t.Helper()
	near := read(t, file)
	for _, q := range roundsOfQuestions {
		if !strings.HasPrefix(q.name, questions) || whole[q.name] && mostBlocks[name] && os.Getenv("PANDO_SOAK") == "" {
			continue
		}
		var got string
		rounds, s := roundsOf(t, file, store.ReadOptions{}, func(t testing.TB, r *store.Reader) string {
			got = q.ask(t, r)
			return got
		})
		t.Logf("%s: %s: %d rounds, %d requests, %d of %d bytes", name, q.name, rounds, s.Requests.Load(), s.Bytes.Load(), len(file))
		if rounds > q.rounds {
			t.Errorf("%s: %s takes %d rounds, not %d", name, q.name, rounds, q.rounds)
		}
		if want := q.ask(t, near); got != want {
			t.Errorf("%s: %s is answered with %.300s, not %.300s", name, q.name, got, want)
		}
	}
}

// A file that is larger than what may be read at once is gone through part by part: blocks that cross the borders of parts, and dictionaries,
// of which there are very many here, take further rounds, but far fewer than there are blocks.
func TestRoundsOfParts(t *testing.T) {
	t.Parallel()
	file := write(t, tracegen.Ring(4, 300, 1), store.Options{ID: format.FileID{1}, SliceEvents: 100, Fanout: 2, LaneLocations: 2})
	const part, least = 256 << 10, 100 // bytes, and blocks for each round
	near, opt := read(t, file), store.ReadOptions{CacheBytes: 8 * part}
	sound, err := near.Verify(t.Context(), store.VerifyOptions{})
	if err != nil || len(file) < 2*part {
		t.Fatal(len(file), err)
	}
	for _, q := range roundsOfQuestions {
		if !slices.Contains([]string{"verify", "what bytes are for"}, q.name) {
			continue
		}
		var got string
		rounds, _ := roundsOf(t, file, opt, func(t testing.TB, r *store.Reader) string {
			got = q.ask(t, r)
			return got
		})
		t.Logf("%s: %d rounds for %d blocks", q.name, rounds, sound.Blocks)
		if int64(rounds)*least > sound.Blocks {
			t.Errorf("%s takes %d rounds for %d blocks", q.name, rounds, sound.Blocks)
		}
		if want := q.ask(t, near); got != want {
			t.Errorf("%s is answered with %.300s, not %.300s", q.name, got, want)
		}
	}
}
