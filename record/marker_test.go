package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/trace"
)

// marking is what a run knows of its markers.
type marking struct {
	marker Marker
	texts  map[string]bool // that the recording has
	size   int             // of their definitions
	lost   int             // markers whose texts it has no room for
}

// markText is the text of a marker, of up to 2,000 bytes: there is no room for all of them.
func markText(clock uint64) string {
	n := int(clock / 8 % 250)
	return strings.Repeat("*", 8*n) + fmt.Sprint(n)
}

// mark records a marker. A text that is new takes a head, its number, its length and itself.
func (x *run) mark() {
	text := markText(x.clock)
	x.attend()
	x.note("s")
	before := *x.l.counter(locationAtMarkers)
	x.l.Mark(x.marker, text)
	lost := int(*x.l.counter(locationAtMarkers) - before)
	x.lost += lost
	size := x.size + 8 + 1 + 1 + len(text)
	for _, v := range []int{len(x.texts), len(text)} {
		if v >= 128 {
			size++
		}
	}
	fits := size <= len(x.r.mem)/8
	switch {
	case x.skipping > 0:
		x.missed++
		fallthrough
	case x.paused:
		if lost > 0 {
			panic("a marker is lost in a pause")
		}
	case lost > 0:
		if x.texts[text] || fits && x.r.pool.free != none {
			panic("a marker is lost although there is room")
		}
	default:
		if !x.texts[text] && !x.l.off {
			if !fits {
				panic("too many texts")
			}
			if x.texts == nil {
				x.texts = map[string]bool{}
			}
			x.texts[text], x.size = true, size
		}
		x.event(happening{x.t, trace.KindMarker, text})
	}
}

// withMark adds a marker to what happened at its location.
func withMark(t testing.TB, locations [][]happening, b *trace.Batch, i int, epoch uint64) [][]happening {
	t.Helper()
	w := b.Fields(i)
	if b.Kinds[i] == trace.KindDefMarker {
		return locations
	}
	const atLocation = 1
	if w[1] != 0 || w[3] != atLocation {
		t.Fatalf("a marker with the words %v", w)
	}
	h := happening{w[0] + epoch, trace.KindMarker, string(b.TextOf(w[5]))}
	list := locations[w[4]]
	at, _ := slices.BinarySearchFunc(list, h.time, func(o happening, time uint64) int { return int(int64(o.time - time)) })
	locations[w[4]] = slices.Insert(list, at, h)
	return locations
}

// markersOf lists the markers of recordings as text.
func markersOf(t *testing.T, paths ...string) (list []string, warnings []trace.Warning) {
	t.Helper()
	a, err := recording.Open(paths...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Open(trace.StreamID{Class: trace.StreamMarkers})
	if err != nil {
		t.Fatal(err)
	}
	var b trace.Batch
	for s.Next(&b, 3) == nil {
		if err := b.Check(trace.Standard); err != nil {
			t.Fatal(err)
		}
		for i, k := range b.Kinds {
			w := b.Fields(i)
			if k == trace.KindDefMarker {
				list = append(list, fmt.Sprintf("%d: %s, %s, %d", w[0], b.TextOf(w[1]), b.TextOf(w[2]), w[3]))
			} else {
				list = append(list, fmt.Sprintf("%d at %d: %s", w[2], w[4], b.TextOf(w[5])))
			}
		}
	}
	return list, a.Warnings()
}

// Texts take an eighth of the budget at most. Markers with others are counted, and all that is recorded besides is there.
func TestMarkersWithinTheirShare(t *testing.T) {
	for seed := range uint64(20) {
		x := start(t, t.TempDir(), Options{Budget: 512<<10 + int(seed)<<14})
		rng := rand.New(rand.NewPCG(seed, 2))
		for range 10_000 {
			x.act(rng, 0.3, 0.05)
		}
		x.t++
		x.clock = x.t
		g := x.r.GivenUp()
		if err := x.r.Close(); err != nil {
			t.Fatal(err)
		}
		got, _, warnings := held(t, x.r.Path())
		want := x.expect(func(c *naiveCall) bool {
			return c.protected || g.Below == 0 || c.end-c.start >= g.Below && g.Below != 1<<64-1
		},
			func(h happening) bool { return h.kind != trace.KindMetric || !g.Metrics })
		if g.After == 0 {
			compare(t, got, want)
		}
		if x.lost == 0 || len(x.texts) < 5 || len(warnings) != 1 || warnings[0].Kind != "markers that were left out" {
			t.Fatalf("%d markers are lost, %d texts are there, warnings %v", x.lost, len(x.texts), warnings)
		}
	}
}

// Processes of a run number markers each in its own order; the trace has each marker once.
func TestMarkersOfARun(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for rank := range 2 {
		r, err := Start(dir, Options{Budget: minBudget, Rank: rank, Ranks: 2})
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"slow", "fast"}
		if rank == 1 {
			slices.Reverse(names)
		}
		for _, name := range names {
			l := r.Location("of " + name)
			l.Mark(r.Marker("steps", name, SeverityLow), name+" here")
			l.Mark(r.Marker("steps", name, SeverityHigh), name+" here")
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, r.Path())
	}
	got, warnings := markersOf(t, paths...)
	want := []string{"0: steps, slow, 1", "1: steps, slow, 3", "2: steps, fast, 1", "3: steps, fast, 3",
		"0 at 0: slow here", "1 at 0: slow here", "2 at 1: fast here", "3 at 1: fast here",
		"2 at 2: fast here", "3 at 2: fast here", "0 at 3: slow here", "1 at 3: slow here"}
	if !slices.Equal(got, want) || len(warnings) > 0 {
		t.Errorf("%q, warnings %v", got, warnings)
	}
}

// There may be 32,768 texts, of up to 2,048 bytes. Markers that were never defined are left out, and a snapshot has those of its time.
func TestMarkersAtTheirLimits(t *testing.T) {
	dir := t.TempDir()
	r, err := Start(dir, Options{Budget: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	l, marker := r.Location("main"), r.Marker("", "", SeverityNone)
	long := string(bytes.Repeat([]byte("x"), 3000))
	l.Mark(marker, long)
	l.Mark(marker+7, "")
	for i := range maxTexts {
		l.Mark(marker, fmt.Sprint(i))
	}
	if lost := *l.counter(locationAtMarkers); lost != 2 {
		t.Errorf("%d markers are lost", lost)
	}
	snapshot := filepath.Join(dir, "snapshot")
	if err := r.Snapshot(snapshot, 0); err != nil {
		t.Fatal(err)
	}
	l.Mark(marker, "0")
	r.Close()
	l.Mark(marker, "1")
	for path, n := range map[string]int{snapshot: maxTexts, r.Path(): maxTexts + 1} {
		got, _ := markersOf(t, path)
		_, _, warnings := held(t, path)
		if len(got) != n || got[1] != "0 at 0: "+long[:maxName] || got[maxTexts-1] != fmt.Sprint("0 at 0: ", maxTexts-3) {
			t.Errorf("%s has %d lines", path, len(got))
		}
		told := slices.ContainsFunc(warnings, func(w trace.Warning) bool { return w.Kind == "event that is none" })
		if !told {
			t.Errorf("%s: warnings %v", path, warnings)
		}
	}
}
