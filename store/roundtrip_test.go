package store_test

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Every record of every stream of an archive comes back from the file, in order and with all there is to it: compared
// stream by stream with the archive's own reader, in batches of different sizes, whatever the length of the trace.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, name := range tracetest.BundledOf(t, "otf2") {
		t.Run(name, func(t *testing.T) { roundTrip(t, tracetest.Anchor(t, name)) })
	}
}

// TestRoundTripLarger does the same with the traces below $PANDO_TRACES.
func TestRoundTripLarger(t *testing.T) {
	for _, name := range tracetest.LargerOf(t, "otf2") {
		t.Run(name, func(t *testing.T) { roundTrip(t, tracetest.Anchor(t, name)) })
	}
}

func roundTrip(t *testing.T, anchor string) {
	archive, err := otf2.Open(anchor, otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	path := filepath.Join(t.TempDir(), "trace.pando")
	w, err := store.Create(t.Context(), path, archive.Meta(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Copy(t.Context(), w, archive, nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	compareSources(t, archive, r.Source())
	if report, err := r.Verify(t.Context(), store.VerifyOptions{}); err != nil || report.Err() != nil {
		t.Error(err, report.Err())
	}
}

func compareSources(t *testing.T, want, got trace.Source) {
	t.Helper()
	events := uint64(0)
	for _, s := range want.Streams() {
		n, err := compareStreams(t, want, got, s.StreamID)
		if err != nil {
			t.Fatalf("stream %v: %v", s.StreamID, err)
		}
		if s.Class == trace.StreamEvents {
			events += n
		}
	}
	if a, b := len(want.Streams()), len(got.Streams()); a != b {
		t.Errorf("%d streams, want %d", b, a)
	}
	t.Logf("%d events compared", events)
}

// streamReader gives one record after the other.
type streamReader struct {
	stream trace.Stream
	batch  trace.Batch
	at     int
	size   int
}

func (s *streamReader) next() error {
	s.at++
	for s.at >= s.batch.Len() {
		if err := s.stream.Next(&s.batch, s.size); err != nil {
			return err
		}
		s.at = 0
	}
	return nil
}

func compareStreams(t *testing.T, want, got trace.Source, id trace.StreamID) (n uint64, err error) {
	t.Helper()
	readers := [2]*streamReader{{size: 1000}, {size: 777}}
	for i, src := range []trace.Source{want, got} {
		if readers[i].stream, err = src.Open(id); err != nil {
			return 0, err
		}
		defer readers[i].stream.Close()
	}
	a, b := readers[0], readers[1]
	for ; ; n++ {
		errA, errB := a.next(), b.next()
		if errA != nil || errB != nil {
			if errA == io.EOF && errB == io.EOF {
				return n, nil
			}
			return n, errors.Join(errA, errB)
		}
		if !sameRecord(&a.batch, a.at, &b.batch, b.at, want.Meta().Table()) {
			t.Fatalf("stream %v, record %d: %v %v %v, want %v %v %v", id, n,
				b.batch.Kinds[b.at], b.batch.Times[b.at], b.batch.Fields(b.at),
				a.batch.Kinds[a.at], a.batch.Times[a.at], a.batch.Fields(a.at))
		}
	}
}

func sameRecord(a *trace.Batch, i int, b *trace.Batch, j int, kinds *trace.Table) bool {
	if a.Kinds[i] != b.Kinds[j] || a.Times[i] != b.Times[j] || a.Residual(i) != b.Residual(j) || a.Location != b.Location ||
		!slices.Equal(a.AttrsOf(i), b.AttrsOf(j)) || len(a.Fields(i)) != len(b.Fields(j)) {
		return false
	}
	if len(a.Text) == 0 && len(b.Text) == 0 {
		return slices.Equal(a.Fields(i), b.Fields(j))
	}
	same := true
	other := b.Fields(j)
	kinds.Spec(a.Kinds[i]).Walk(a.Fields(i), func(w int, f *trace.Field, word uint64) {
		if f.Type.InText() {
			same = same && string(a.TextOf(word)) == string(b.TextOf(other[w]))
		} else {
			same = same && word == other[w]
		}
	})
	return same
}
