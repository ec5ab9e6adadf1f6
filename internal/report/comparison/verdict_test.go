package comparison

import (
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/tracetest"
)

// A limit that is exceeded names what exceeds it: location, iteration and call path. One that nothing can be said about is inconclusive.
func TestVerdicts(t *testing.T) {
	runs := heat(t)
	parts := []contrast.Side{runs[0], runs[1]}
	info := parts[1].Reader.Info()
	parts[1].Window = parts[1].Reader.Window(info.First+1_080_000_000, info.Last)
	apart := []contrast.Side{runs[0], side(t, tracetest.Anchor(t, "otf2.ez.hello.4.io"))}
	for _, c := range []struct {
		sides []contrast.Side
		limit string
		want  string // of the verdict
	}{
		{runs, "region boundary 50%", "limit region boundary 50%: exceeded, B takes +113.0 %; +24.04 ms in main > iterate > boundary on rank 10, since iterate 33, 1 call from 1.412 s"},
		{parts, "structure 0.99", "limit structure 0.99: exceeded, the similarity is 0.5626; least on rank 5: only A has main > MPI_Init"},
		{runs, "region boundery 5%", "limit region boundery 5%: inconclusive, neither side has calls of a region of that name"},
		{apart, "time 5%", "limit time 5%: inconclusive, no location has a partner"},
		{apart, "structure 0.5", "limit structure 0.5: inconclusive, no location has a partner"},
	} {
		limit, err := contrast.ParseLimit(c.limit)
		if err != nil {
			t.Fatal(err)
		}
		opt := contrast.Options{}
		if c.sides[1].Name == apart[1].Name {
			c.sides[1].Window = c.sides[1].Window.WithLocations(1 << 40)
		}
		s, err := contrast.CompareSeveral(t.Context(), c.sides[:1], c.sides[1], opt)
		if err != nil {
			t.Fatal(err)
		}
		failed, unsure := Judge([]contrast.Limit{limit}, s, false)
		if len(failed)+len(unsure) != 1 || (len(unsure) == 1) != strings.Contains(c.want, "inconclusive") {
			t.Errorf("%s: failed %v, unsure %v", c.limit, failed, unsure)
			continue
		}
		if got := append(failed, unsure...)[0].Error(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, without %q", c.limit, got, c.want)
		}
	}
}

// What one side alone has is named below the similarity, with the first place.
func TestChangedStructure(t *testing.T) {
	sides := heat(t)
	info := sides[1].Reader.Info()
	sides[1].Window = sides[1].Reader.Window(info.First+1_080_000_000, info.Last)
	c, err := contrast.Compare(t.Context(), sides[0], sides[1], contrast.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := New(c).Write(&b, report.Text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n  first difference on rank ", "5: only A has main > MPI_Init\n  calls without a partner: ", "sweep 1,", " in A, 0 in B"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
