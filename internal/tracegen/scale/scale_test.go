package scale_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracegen/scale"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/trace"
)

// realBases are bundled traces of programs: regular ones, an irregular one, one with counters, one with threads.
var realBases = []string{"otf2.mg.S.8.snapmark", "otf2.mg.S.16.skew", "otf2.amg.8.piece", "otf2.ep.S.4.metric", "otf2.ez.hello.4.io"}

func open(t testing.TB, name string) trace.Source {
	t.Helper()
	src, err := convert.Open(t.Context(), tracetest.Anchor(t, name), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func record(t testing.TB, src trace.Source) *scale.Base {
	t.Helper()
	b, err := scale.Record(src)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func play(t testing.TB, b *scale.Base, o scale.Options) trace.Source {
	t.Helper()
	src, err := b.Play(o)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func load(t testing.TB, src trace.Source) *model.Trace {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tally counts all that stays the same in a played trace, whatever its times.
type tally map[item]int

// item is something that a trace has, with what distinguishes it.
type item struct {
	what    string
	numbers [6]uint64
}

func tallyOf(t *testing.T, m *model.Trace) tally {
	t.Helper()
	n := tally{}
	for _, l := range m.Locations {
		before := int64(-1 << 62)
		for i, e := range l.Events {
			n[item{"event", [6]uint64{l.ID, uint64(e.Kind)}}]++
			if e.Time < before {
				t.Fatalf("location %d, event %d: time runs backwards", l.ID, i)
			}
			before = e.Time
		}
	}
	for _, c := range m.Calls() {
		leaf := min(c.Children, 1) // a call around the body has more children with each repetition
		n[item{"call", [6]uint64{c.Location, c.Region, c.Context, uint64(c.Depth), leaf, uint64(c.Flags)}}]++
	}
	for _, o := range m.Orphans() {
		n[item{"orphan", [6]uint64{o.Location}}]++
	}
	n.messages(m.Match())
	return n
}

func (n tally) messages(m *model.Matching) {
	for _, x := range m.Messages {
		n[item{"message", [6]uint64{x.SendLocation, x.ReceiveLocation, x.Communicator, x.Tag, x.SendLength, x.ReceiveLength}}]++
	}
	for what, list := range map[string][]model.EventID{"send": m.UnmatchedSends, "receive": m.UnmatchedReceives, "cancelled send": m.CancelledSends} {
		for _, id := range list {
			n[item{what, [6]uint64{id.Location}}]++
		}
	}
}

// less returns what one tally has more than another.
func (n tally) less(o tally) tally {
	d := maps.Clone(n)
	for what, count := range o {
		d[what] -= count
	}
	maps.DeleteFunc(d, func(_ item, count int) bool { return count == 0 })
	return d
}

// late returns the number of messages that come before they are sent.
func late(m *model.Trace) (n int) {
	for _, x := range m.Match().Messages {
		if x.ReceiveTime <= x.SendTime {
			n++
		}
	}
	return n
}

// Once played, a base has all that it had; each repetition adds the same again; and no message arrives earlier than before.
//
// The largest base is for PANDO_SOAK: TestEntropy plays it in each run.
func TestPlayedIsLegal(t *testing.T) {
	for _, name := range realBases {
		if large := name == "otf2.amg.8.piece" || name == "otf2.mg.S.16.skew"; large && thrift.Of(0, 1) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := open(t, name)
			base := record(t, src)
			t.Logf("%+v", base.Parts())
			original := load(t, src)
			var played []tally
			for k := 1; k <= 3; k++ {
				m := load(t, play(t, base, scale.Options{Repetitions: k, Seed: uint64(k)}))
				played = append(played, tallyOf(t, m))
				if a, b := late(m), late(original); a > k*b {
					t.Errorf("%d repetitions: %d messages are received before they are sent, %d in the base", k, a, b)
				}
			}
			if diff := played[0].less(tallyOf(t, original)); len(diff) > 0 {
				t.Errorf("played once there is more than in the base: %v", diff)
			}
			if diff := played[2].less(played[1]).less(played[1].less(played[0])); len(diff) > 0 {
				t.Errorf("the second repetition adds more than the first: %v", diff)
			}
		})
	}
}

// The numbers of events are those that are promised, in the list of streams and in the definitions.
func TestCounts(t *testing.T) {
	base := record(t, open(t, "otf2.mg.S.8.snapmark"))
	const events, copies = 500_000, 2
	k := base.Repetitions(events, copies)
	src := play(t, base, scale.Options{Repetitions: k, Copies: copies})
	m := load(t, src)
	total := uint64(0)
	for _, s := range src.Streams() {
		l := m.Location(s.Location)
		total += s.Records
		i, _ := m.Definitions.LocationIndex(s.Location)
		if n := uint64(len(l.Events)); n != s.Records || n != m.Definitions.Locations[i].Events {
			t.Errorf("location %d: %d events, %d promised, %d defined", s.Location, n, s.Records, m.Definitions.Locations[i].Events)
		}
	}
	p := base.Parts()
	if total != copies*(p.Head+uint64(k)*p.Body+p.Tail) || total < events-copies*p.Body || total > events+copies*p.Body {
		t.Errorf("%d events of %d repetitions, about %d asked for; parts %+v", total, k, events, p)
	}
	first, last, _ := m.Span()
	if n := uint64(last - first); n > m.Definitions.Clock.Length {
		t.Errorf("the events take %d ticks, the definitions say %d", n, m.Definitions.Clock.Length)
	}
}

// Copies have the same structure, times of their own, and nothing to do with each other.
func TestCopies(t *testing.T) {
	src := open(t, "otf2.mg.S.8.snapmark")
	base := record(t, src)
	const copies = 3
	m := load(t, play(t, base, scale.Options{Copies: copies}))
	n := len(load(t, src).Locations)
	if len(m.Locations) != copies*n || len(m.Definitions.Locations) != copies*n {
		t.Fatalf("%d locations, %d defined, want %d", len(m.Locations), len(m.Definitions.Locations), copies*n)
	}
	copyOf := map[uint64]int{}
	names := map[string]bool{}
	for i, l := range m.Definitions.Locations {
		copyOf[l.ID] = i / n
		names[m.Definitions.Name(trace.SpaceLocationGroup, l.Group)] = true
	}
	if len(names) != copies*n {
		t.Errorf("%d names of processes, want %d: %v", len(names), copies*n, names)
	}
	match := m.Match()
	messages := make([]int, copies)
	for _, x := range match.Messages {
		from, to := copyOf[x.SendLocation], copyOf[x.ReceiveLocation]
		messages[from]++
		if from != to || x.ReceiveTime <= x.SendTime {
			t.Fatalf("a message from copy %d to copy %d: %+v", from, to, x)
		}
	}
	if len(match.UnmatchedSends)+len(match.UnmatchedReceives) > 0 || messages[0] == 0 || messages[0] != messages[1] || messages[0] != messages[2] {
		t.Errorf("%v messages, unmatched: %v, %v", messages, match.UnmatchedSends, match.UnmatchedReceives)
	}
	for i := range n {
		a, b := m.Locations[i].Events, m.Locations[n+i].Events
		same := 0
		for e := range a {
			if a[e].Kind != b[e].Kind {
				t.Fatalf("location %d, event %d: %s and %s", i, e, a[e].Kind, b[e].Kind)
			}
			if e > 0 && a[e].Time-a[e-1].Time == b[e].Time-b[e-1].Time {
				same++
			}
		}
		if same > len(a)/2 {
			t.Errorf("location %d: %d of %d distances are those of the first copy", i, same, len(a))
		}
	}
}

// Ids of all copies are defined once, and refer to definitions of the same copy.
func TestCopiedDefinitions(t *testing.T) {
	src := open(t, "otf2.mg.S.8.snapmark")
	one := load(t, play(t, record(t, src), scale.Options{}))
	m := load(t, play(t, record(t, src), scale.Options{Copies: 4}))
	type id struct {
		space trace.Space
		id    uint64
	}
	defined := map[id]int{}
	for _, r := range m.Definitions.Log {
		trace.Standard.Spec(r.Kind).Walk(r.Words, func(_ int, f *trace.Field, word uint64) {
			if f.Type == trace.TypeSelf {
				defined[id{f.Ref, word}]++
			}
		})
	}
	for what, n := range defined {
		if n > 1 {
			t.Errorf("%v is defined %d times", what, n)
		}
	}
	for _, r := range m.Definitions.Log {
		trace.Standard.Spec(r.Kind).Walk(r.Words, func(_ int, f *trace.Field, word uint64) {
			if f.Type == trace.TypeRef && !f.Undefined(word) && defined[id{f.Ref, word}] == 0 {
				t.Errorf("a %s refers to %d, which is not defined", trace.Standard.Spec(r.Kind).Name, word)
			}
		})
	}
	if a, b := len(one.Definitions.Comms), len(m.Definitions.Comms); b != 4*a {
		t.Errorf("%d communicators of four copies, %d of one", b, a)
	}
	if a, b := len(one.Definitions.Regions()), len(m.Definitions.Regions()); a != b {
		t.Errorf("%d regions of four copies, %d of one", b, a)
	}
}

// The events do not depend on the order in which locations are read, on sizes of batches, or on the day.
func TestIndependence(t *testing.T) {
	const name = "otf2.ez.hello.4.io"
	o := scale.Options{Repetitions: 3, Copies: 2, Seed: 5}
	want := load(t, play(t, record(t, open(t, name)), o))
	src := play(t, record(t, open(t, name)), o)
	streams := src.Streams()
	slices.Reverse(streams)
	for i, info := range streams {
		s, err := src.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var got []model.Record
		most := []int{1, 7, 1000, 100_000}[i%4]
		for b := new(trace.Batch); s.Next(b, most) == nil; {
			if b.Len() > most || b.Location != info.Location {
				t.Fatalf("%d records of %d, where at most %d of %d were asked for", b.Len(), b.Location, most, info.Location)
			}
			for i := range b.Len() {
				got = append(got, model.RecordOf(b, i, trace.Standard))
			}
		}
		if diff := cmp.Diff(want.Location(info.Location).Events, got); diff != "" {
			t.Fatalf("location %d in batches of %d (-want +got):\n%s", info.Location, most, diff)
		}
	}
}

// Any trace can be a base, however odd, unless it leaves calls open in every way.
func TestRandomBases(t *testing.T) {
	refused, played := 0, 0
	for seed := range uint64(300) {
		src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
		base, err := scale.Record(src)
		if err != nil {
			refused++
			continue
		}
		p, err := base.Play(scale.Options{Repetitions: 2, Seed: seed})
		if err != nil {
			refused++
			continue
		}
		played++
		n := tallyOf(t, load(t, p)) // which checks the times
		once := tallyOf(t, load(t, play(t, base, scale.Options{})))
		for what := range once {
			if n[what] < once[what] {
				t.Errorf("seed %d: %d %v played once, %d played twice", seed, once[what], what, n[what])
			}
		}
	}
	t.Logf("%d played, %d refused", played, refused)
	if played < 30 {
		t.Errorf("only %d of the random traces could be played", played)
	}
}
