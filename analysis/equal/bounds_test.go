package equal

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Recorded traces keep what is promised within 100 ns, 1 us, 10 us and 100 us: few of them, or all larger ones if PANDO_SOAK is set.
func TestBoundsOfRecordedTraces(t *testing.T) {
	if tracetest.Soaking() {
		for name, file := range tracetest.LargerFiles(t) {
			t.Run(name, func(t *testing.T) { checkBounds(t, file) })
		}
		return
	}
	for _, name := range []string{"otf2.mg.S.8.snapmark", "otf2.ep.S.4.metric", "otf2.ez.hello.4.io"} {
		t.Run(name, func(t *testing.T) { checkBounds(t, tracetest.Anchor(t, name)) })
	}
}

func checkBounds(t *testing.T, file string) {
	src, err := convert.Open(t.Context(), file, convert.Options{Lenient: true})
	if err != nil {
		t.Skip(err) // what cannot be read at all
	}
	whole, err := readerOf(t, src, 0)
	if err != nil {
		t.Skip(err)
	}
	resolution := max(whole.Meta().Resolution, 1)
	var before *store.Reader // the coarse file of the bound before
	ticks := uint64(0)
	for _, ns := range []uint64{100, 1_000, 10_000, 100_000} {
		most := ns * resolution / 1e9
		if most == 0 {
			continue // times of this clock are coarser
		}
		c, one := coarseFile(t, whole.Source(), most, 1)
		if _, eight := coarseFile(t, whole.Source(), most, 8); !bytes.Equal(one, eight) {
			t.Errorf("%d ns: 8 workers write another file than one", ns)
		}
		if before != nil && most%ticks == 0 {
			if _, twice := coarseFile(t, before.Source(), most, 2); !bytes.Equal(one, twice) {
				t.Errorf("%d ns: made of the file of a finer bound, the file has %d bytes, not %d, or others", ns, len(twice), len(one))
			}
		}
		before, ticks = c, most
		r := within(t, whole.Source(), c.Source(), c.Meta().Loss.Bounds)
		if d := r.Tolerance.Columns[0]; !r.Equal || r.Tolerance.Reversed > 0 || d.Largest > float64(most) || whole.Info().Events > 1000 && d.Changed == 0 {
			t.Errorf("%d ns: %+v, %+v", ns, r, r.Tolerance)
		}
		if report, err := c.Verify(t.Context(), store.VerifyOptions{}); err != nil || len(report.Problems) > 0 {
			t.Errorf("%d ns: verify: %v, %v", ns, err, report.Problems)
		}
		if a, b := whole.Info(), c.Info(); a.Events != b.Events || a.Calls != b.Calls || a.Messages != b.Messages || b.BackwardMessages > a.BackwardMessages {
			t.Errorf("%d ns: %+v became %+v", ns, a, b)
		}
		sameSums(t, whole, c)
	}
}

// sameSums holds the sums of the calls by region against those of the original.
func sameSums(t *testing.T, whole, coarse *store.Reader) {
	t.Helper()
	want, got := sumsByRegion(t, whole), sumsByRegion(t, coarse)
	if coarse.Info().Deviations == nil && len(want) > 0 {
		t.Error("deviations are not known")
	}
	for region, w := range want {
		if got[region] != w {
			t.Errorf("region %d: %v, want %v", region, got[region], w)
		}
	}
}

func sumsByRegion(t *testing.T, r *store.Reader) map[uint64][3]trace.Sum {
	t.Helper()
	s, err := r.All().Summary(store.SummaryCalls)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[uint64][3]trace.Sum{}
	add := func(region uint64, inclusive, exclusive, busy trace.Sum) {
		x := sums[region]
		sums[region] = [3]trace.Sum{x[0].Plus(inclusive), x[1].Plus(exclusive), x[2].Plus(busy)}
	}
	for _, c := range s.Calls {
		add(c.Region, c.Inclusive, c.Exclusive, c.Busy)
	}
	for _, d := range r.Info().Deviations {
		add(d.Region, trace.SumOf(d.Inclusive), trace.SumOf(d.Exclusive), trace.SumOf(d.Busy))
	}
	return sums
}

// coarseFile returns a file of a trace with times within a bound.
func coarseFile(t *testing.T, src trace.Source, most uint64, workers int) (*store.Reader, []byte) {
	t.Helper()
	c, err := edit.Coarsen(src, edit.Bounds{Times: most})
	if err != nil {
		t.Fatal(err)
	}
	b, err := fileBytes(t, c, workers)
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(b), int64(len(b)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r, b
}

func readerOf(t *testing.T, src trace.Source, workers int) (*store.Reader, error) {
	t.Helper()
	defer src.Close()
	b, err := fileBytes(t, src, workers)
	if err != nil {
		return nil, err
	}
	return store.NewReader(t.Context(), bytes.NewReader(b), int64(len(b)), store.ReadOptions{})
}

func fileBytes(t *testing.T, src trace.Source, workers int) ([]byte, error) {
	t.Helper()
	var b bytes.Buffer
	w, err := store.NewWriter(t.Context(), &b, src.Meta(), store.Options{ID: format.FileID{1}, Workers: workers})
	if err != nil {
		return nil, err
	}
	if err := store.Copy(t.Context(), w, src, nil); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
