package edit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// complete is a random trace all of whose definitions are known from the begin.
func complete(t *testing.T, seed uint64) trace.Source {
	t.Helper()
	return written(t, randomTrace(seed)).Source()
}

// What happens in each trace happens in the merged one: each event with the names of what it refers to, all calls, and all messages.
func TestMerge(t *testing.T) {
	events, messages := 0, 0
	for seed := uint64(0); seed < 40; seed += 2 {
		a, b := complete(t, seed), complete(t, seed+1)
		merged, err := Merge(AlignClocks, a, b)
		if err != nil {
			t.Fatal(err)
		}
		m := merged.(*merge)
		whole := load(t, written(t, merged).Source())
		all := whole.Match().Messages
		for i, src := range []trace.Source{a, b} {
			one := load(t, src)
			for _, l := range one.Locations {
				id := m.members[i].id(trace.SpaceLocation, l.ID, 64)
				got := told(whole, whole.Location(id), 0)
				want := told(one, one.Location(l.ID), int64(src.Meta().Epoch-merged.Meta().Epoch))
				for n := range max(len(got), len(want)) {
					if n >= len(got) || n >= len(want) || got[n] != want[n] {
						t.Fatalf("seed %d, location %d of trace %d, event %d of %d: %s, want %s", seed, l.ID, i+1, n, len(want), got[min(n, len(got)-1)], want[min(n, len(want)-1)])
					}
				}
				events += len(want)
			}
			for _, x := range one.Match().Messages {
				x.SendLocation, x.ReceiveLocation = m.members[i].id(trace.SpaceLocation, x.SendLocation, 64), m.members[i].id(trace.SpaceLocation, x.ReceiveLocation, 64)
				if !slices.ContainsFunc(all, func(y trace.Message) bool {
					return y.SendLocation == x.SendLocation && y.SendOrdinal == x.SendOrdinal && y.ReceiveLocation == x.ReceiveLocation && y.ReceiveOrdinal == x.ReceiveOrdinal
				}) {
					t.Fatalf("seed %d: message %+v of trace %d is lost", seed, x, i+1)
				}
				messages++
			}
		}
	}
	if events < 5000 || messages < 100 {
		t.Errorf("only %d events and %d messages", events, messages)
	}
}

// told tells the events of a location, with names in place of ids.
func told(m *model.Trace, l *model.Location, shift int64) (list []string) {
	for _, e := range l.Events {
		var s strings.Builder
		fmt.Fprintf(&s, "%d %d", e.Kind, e.Time+shift)
		spec, texts := m.Meta.Table().Spec(e.Kind), e.Texts
		spec.Walk(e.Words, func(_ int, f *trace.Field, w uint64) {
			switch {
			case f.Type == trace.TypeRef: // what is not defined has no name, nor has what is undefined
				fmt.Fprintf(&s, " %q", m.Definitions.Name(f.Ref, w))
			case f.Type == trace.TypeTime:
				fmt.Fprintf(&s, " %d", int64(w)+shift)
			case f.Type.InText():
				fmt.Fprintf(&s, " %q", texts[0])
				texts = texts[1:]
			case f.Type != trace.TypeRank && f.Type != trace.TypeValue:
				fmt.Fprintf(&s, " %d", w)
			}
		})
		for _, x := range e.Attrs {
			fmt.Fprintf(&s, " %q %d", m.Definitions.Name(trace.SpaceAttribute, x.ID), x.Type)
		}
		list = append(list, s.String())
	}
	return list
}

// Two traces of one program have its regions once, and two sets of processes, ranked one after the other.
func TestMergeOfRuns(t *testing.T) {
	one := written(t, tracegen.Ring(3, 10, 1))
	merged, err := Merge(AlignStarts, written(t, tracegen.Ring(3, 10, 1)).Source(), written(t, tracegen.Ring(3, 10, 2)).Source())
	if err != nil {
		t.Fatal(err)
	}
	f := written(t, merged)
	was, _ := one.Definitions()
	defs, err := f.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	if len(defs.Regions()) != len(was.Regions()) || len(defs.Strings) >= 2*len(was.Strings) || len(defs.Locations) != 2*len(was.Locations) {
		t.Errorf("%d regions, %d strings, %d locations", len(defs.Regions()), len(defs.Strings), len(defs.Locations))
	}
	if got, want := f.Info().Messages, 2*one.Info().Messages; got != want || f.Info().UnmatchedSends > 0 {
		t.Errorf("%d messages, want %d", got, want)
	}
	if problems, err := f.Verify(t.Context(), store.VerifyOptions{}); err != nil || problems.Err() != nil {
		t.Error(err, problems.Err())
	}
}

// Traces that begin at different times are brought together as asked for.
func TestAlign(t *testing.T) {
	made := func(epoch uint64, first int64, realtime uint64) trace.Source {
		m := tracegen.New(trace.Meta{Resolution: 1000, Epoch: epoch})
		m.Define(trace.KindClockProperties, 1000, epoch, 50, realtime)
		b := m.Location(epoch, m.Process("p"))
		b.Append(trace.KindEnter, first, m.Region("main"))
		return m
	}
	for _, c := range []struct {
		how  Alignment
		want int64 // time of the second trace's event less that of the first one's
	}{{AlignClocks, 5000 + 7 - 100 - 3}, {AlignStarts, 0}, {AlignRealtime, 2000 + 7 - 3}} {
		merged, err := Merge(c.how, made(100, 3, 10e9), made(5000, 7, 12e9))
		if err != nil {
			t.Fatal(err)
		}
		m := load(t, merged)
		if got := m.Location(5000).Events[0].Time - m.Location(100).Events[0].Time; got != c.want || m.Location(100).Events[0].Time != 3 {
			t.Errorf("%s: %d ticks later, want %d", c.how, got, c.want)
		}
	}
	if _, err := Merge(AlignRealtime, made(1, 1, trace.Undefined), made(2, 1, 5)); err == nil || !strings.Contains(err.Error(), "time of day") {
		t.Error(err)
	}
	if _, err := Merge("somehow", made(1, 1, 1), made(2, 1, 5)); err == nil || !strings.Contains(err.Error(), "no way to align") {
		t.Error(err)
	}
}

// Markers stay what they are, though those of both traces have the same ids.
func TestMergeOfMarkers(t *testing.T) {
	made := func(text string) trace.Source {
		m := tracegen.New(trace.Meta{Resolution: 1000})
		m.Location(1, m.Process("p")).Append(trace.KindEnter, 1, m.Region("main"))
		b := m.Stream(trace.StreamID{Class: trace.StreamMarkers})
		b.Append(trace.KindDefMarker, 0, 0, b.PutText("group"), b.PutText(text), 1)
		b.Append(trace.KindMarker, 0, 5, 0, 0, 1, 1, b.PutText(text))
		return m
	}
	merged, err := Merge(AlignClocks, made("a"), made("b"))
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, written(t, merged).Source())
	if len(m.Auxiliary) != 2 {
		t.Fatalf("%d streams", len(m.Auxiliary))
	}
	for i, s := range m.Auxiliary {
		def, marker := s.Records[0], s.Records[1]
		if def.Texts[1] != marker.Texts[0] || def.Words[0] != marker.Words[2] || def.Words[0] != uint64(i) || marker.Words[4] != m.Locations[i].ID {
			t.Errorf("%+v, %+v", def, marker)
		}
	}
}

// Clocks of 1000 and of 1500 ticks per second give one of 3000: each time is exact, and so are durations.
func TestMergeOfResolutions(t *testing.T) {
	made := func(resolution, epoch uint64, first int64, realtime uint64) trace.Source {
		m := tracegen.New(trace.Meta{Resolution: resolution, Epoch: epoch})
		m.Define(trace.KindClockProperties, resolution, epoch, 50, realtime)
		b := m.Location(resolution, m.Process("p"))
		b.Append(trace.KindEnter, first, m.Region("main"))
		b.Append(trace.KindBufferFlush, first+10, uint64(first+11), 0)
		b.Append(trace.KindCollective, first+20, 1, 0, 0, 8, 8, 7)
		return m
	}
	for how, later := range map[Alignment]int64{AlignClocks: 2*400 + 2*5 - (3*100 + 3*3), AlignStarts: 0, AlignRealtime: 2*3000 + 2*5 - 3*3} {
		merged, err := Merge(how, made(1000, 100, 3, 10e9), made(1500, 400, 5, 12e9))
		if err != nil {
			t.Fatal(err)
		}
		m := load(t, written(t, merged).Source())
		a, b := m.Location(1000).Events, m.Location(1500).Events
		if merged.Meta().Resolution != 3000 || m.Definitions.Clock.Resolution != 3000 {
			t.Errorf("%d and %d ticks per second", merged.Meta().Resolution, m.Definitions.Clock.Resolution)
		}
		if got := b[0].Time - a[0].Time; got != later {
			t.Errorf("%s: %d ticks later, want %d", how, got, later)
		}
		if a[1].Time-a[0].Time != 30 || int64(a[1].Words[0])-a[0].Time != 33 || b[1].Time-b[0].Time != 20 || int64(b[1].Words[0])-b[0].Time != 22 {
			t.Errorf("%s: %+v, %+v", how, a, b)
		}
		if a[2].Words[5] != 21 || b[2].Words[5] != 14 {
			t.Errorf("%s: durations of %d and %d", how, a[2].Words[5], b[2].Words[5])
		}
	}
	for want, resolutions := range map[string][2]uint64{"is a multiple": {1<<63 - 25, 1<<63 - 165}, "does not fit": {1, 1 << 40}} {
		merged, err := Merge(AlignStarts, made(resolutions[0], 0, 1<<30, 0), made(resolutions[1], 0, 1<<30, 0))
		if err == nil {
			_, err = model.Load(merged)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", resolutions, err)
		}
	}
}

// A duration that does not fit the merged clock's ticks is an error, not another duration.
func TestMergeOfLongDurations(t *testing.T) {
	made := func(resolution, duration uint64) trace.Source {
		m := tracegen.New(trace.Meta{Resolution: resolution})
		b := m.Location(resolution, m.Process("p"))
		b.Append(trace.KindCollective, 20, 1, 0, 0, 8, 8, duration)
		return m
	}
	for _, duration := range []uint64{1<<63 - 1, 1 << 63, 1<<64 - 1} {
		merged, err := Merge(AlignStarts, made(1000, duration), made(2000, 1))
		if err == nil {
			_, err = model.Load(merged)
		}
		if fits := duration == 1<<63-1; fits != (err == nil) {
			t.Errorf("%d ticks: %v", duration, err)
		}
	}
}

// Records about local ids, which the merged trace does not have, are left out, also where a batch holds nothing else.
func TestMergeWithoutLocalIDs(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1000})
	b := src.Location(1, src.Process("p"))
	region := src.Region("main")
	for at := range int64(5) {
		b.Append(trace.KindEventLocalID, at, uint64(trace.SpaceRegion), 3)
		b.Append(trace.KindEventLocalID, at, uint64(trace.SpaceString), 3)
		b.Append(trace.KindEnter, at, region)
	}
	merged, err := Merge(AlignClocks, src)
	if err != nil {
		t.Fatal(err)
	}
	s, err := merged.Open(trace.StreamID{Class: trace.StreamEvents, Location: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got trace.Batch
	n := 0
	for s.Next(&got, 1) == nil {
		n += got.Len()
		if got.Len() != 1 || got.Kinds[0] != trace.KindEnter {
			t.Errorf("%d records, the first is %v", got.Len(), got.Kinds)
		}
	}
	if n != 5 {
		t.Errorf("%d records, want 5", n)
	}
}
