package scale_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracegen/scale"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// counter counts what is written.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// stored returns the size of a trace's file, in bits.
func stored(t *testing.T, src trace.Source) float64 {
	t.Helper()
	var bytes counter
	w, err := store.NewWriter(t.Context(), &bytes, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 8 * float64(bytes)
}

// A played trace is no easier to store than a real one, and hardly harder: played once it takes as much as the base, and
// each repetition as much as if it had the base's own times.
func TestEntropy(t *testing.T) {
	for _, name := range []string{"otf2.mg.S.8.snapmark", "otf2.amg.8.piece", "otf2.ez.hello.4.io"} {
		src := open(t, name)
		base := record(t, src)
		bits := func(repetitions int) float64 {
			return stored(t, play(t, base, scale.Options{Repetitions: repetitions}))
		}
		const more = 4
		original, once := stored(t, src), bits(1)
		body := float64(base.Parts().Body) * more
		exact := (stored(t, scale.Exact(base, 1+more)) - stored(t, scale.Exact(base, 1))) / body
		further := (bits(1+more) - once) / body
		t.Logf("%s: played once %+.1f %%, repetitions %+.1f %%, at %.2f bits per event", name, 100*(once/original-1), 100*(further/exact-1), further)
		if once < 0.85*original || once > 1.2*original || further < 0.85*exact || further > 1.25*exact {
			t.Errorf("%s: sizes differ too much", name)
		}
	}
}

// A repetition does not repeat the times: no more distances are equal than those that are always the same.
func TestRepetitionsDiffer(t *testing.T) {
	base := record(t, open(t, "otf2.mg.S.8.snapmark"))
	m := load(t, play(t, base, scale.Options{Repetitions: 2}))
	one := load(t, play(t, base, scale.Options{}))
	for i, l := range m.Locations {
		body := len(l.Events) - len(one.Locations[i].Events)
		first := l.Events[len(l.Events)-2*body-20:]
		same := 0
		for e := 1; e < body; e++ {
			if first[e].Time-first[e-1].Time == first[body+e].Time-first[body+e-1].Time {
				same++
			}
		}
		if same > body/4 {
			t.Errorf("location %d: %d of %d distances are those of the repetition before", l.ID, same, body)
		}
	}
}

func BenchmarkPlay(b *testing.B) {
	base := record(b, open(b, "otf2.mg.S.8.snapmark"))
	src := play(b, base, scale.Options{Repetitions: 1 << 30})
	s, err := src.Open(trace.StreamID{})
	if err != nil {
		b.Fatal(err)
	}
	var batch trace.Batch
	events := 0
	for b.Loop() {
		if err := s.Next(&batch, 4096); err != nil {
			b.Fatal(err)
		}
		events += batch.Len()
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
