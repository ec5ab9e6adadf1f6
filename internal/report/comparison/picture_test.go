package comparison

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/trace"
)

// side converts and opens a trace.
func side(t *testing.T, path string) contrast.Side {
	t.Helper()
	r := stored.Trace(t, path)
	return contrast.Side{Name: path, Reader: r, Window: r.All()}
}

// heat are the runs of the examples.
func heat(t *testing.T) []contrast.Side {
	t.Helper()
	const folder = "../../../examples/"
	sides := []contrast.Side{side(t, folder+"heat.before.tar.zst"), side(t, folder+"heat.tar.zst")}
	if err := PictureSides(sides); err != nil {
		t.Fatal(err)
	}
	return sides
}

// The part that pictures show begins and ends with MPI's start and end open on all processes.
func TestProgram(t *testing.T) {
	for _, s := range heat(t) {
		from, to := s.Window.Bounds()
		if info := s.Reader.Info(); from <= info.First || to >= info.Last {
			t.Errorf("%s: the window is %d to %d of %d to %d", s.Name, from, to, info.First, info.Last)
		}
		d, err := s.Reader.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		begins, ends := map[string]int{}, map[string]int{}
		for at, counts := range map[int64]map[string]int{from: begins, to - 1: ends} {
			calls, err := s.Reader.Window(at, at+1).OpenCalls()
			if err != nil {
				t.Fatal(err)
			}
			for i := range calls {
				counts[d.Name(trace.SpaceRegion, calls[i].Region)]++
			}
		}
		if begins["MPI_Init"] != 16 || ends["MPI_Finalize"] < 15 {
			t.Errorf("%s: open at the begin %v, at the end %v", s.Name, begins, ends)
		}
	}
	s := side(t, tracetest.Anchor(t, "otf2.ez.hello.4.io"))
	w, err := Program(s.Reader, s.Window)
	if err != nil {
		t.Fatal(err)
	}
	if from, to := w.Bounds(); from > to {
		t.Errorf("%d to %d", from, to)
	}
}

// Cells of own work add up to the differences of the program's own regions, curves end where the skew does, and states count all calls.
func TestPicture(t *testing.T) {
	ctx, sides := context.Background(), heat(t)
	const width = 900
	c, err := contrast.Compare(ctx, sides[0], sides[1], contrast.Options{Bins: PictureBins(width)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(c).Picture(ctx, [2]contrast.Side(sides), width)
	if err != nil {
		t.Fatal(err)
	}
	var own int64
	for _, f := range c.Findings() {
		if f.Own() {
			own += f.Over
		}
	}
	sum := 0.0
	for _, v := range p.Maps[0].Values {
		if !math.IsNaN(v) {
			sum += v
		}
	}
	if want := float64(own) / float64(c.Units); own == 0 || math.Abs(sum-want) > 1e-9 {
		t.Errorf("cells add up to %g s, not %g", sum, want)
	}
	if len(p.Maps) != 1 || len(p.Maps[0].Rows) != 16 || len(p.Pairs) != mostPairs {
		t.Errorf("%d maps, %d rows, %d pairs", len(p.Maps), len(p.Maps[0].Rows), len(p.Pairs))
	}
	if first := &p.Pairs[0]; first.Label != "rank 10" || first.Note != "boundary slower" {
		t.Errorf("the first pair is %s, %s", first.Label, first.Note)
	}
	checkShown(t, c, p.Pairs[0].States[0], p.Skew[0].Least)
	var b bytes.Buffer
	if err := p.SVG(&b, width); err != nil || !strings.Contains(b.String(), "boundary slower") {
		t.Errorf("%v, or what differs is not in the picture", err)
	}
}

// checkShown holds what is shown of rank 10 against its series.
func checkShown[S ~[]E, E interface{ All() int }](t *testing.T, c *contrast.Comparison, states S, least []float64) {
	t.Helper()
	for i := range c.Pairs {
		if c.Pairs[i].A.Label != "rank 10" {
			continue
		}
		want, got, low := uint64(0), 0, math.Inf(1)
		for _, bin := range c.Pairs[i].Series {
			want += bin.Pairs
			low = min(low, float64(bin.Least)/float64(c.Units))
		}
		for _, s := range states {
			got += s.All()
		}
		drawn := math.Inf(1)
		for _, v := range least {
			if !math.IsNaN(v) {
				drawn = min(drawn, v)
			}
		}
		if uint64(got) != want || want == 0 || drawn != low {
			t.Errorf("%d calls, least skew %g; not %d and %g", got, drawn, want, low)
		}
		return
	}
	t.Error("there is no rank 10")
}

// Where calls are not equal, a second map says so: its cells are shares of the series.
func TestDissimilarMap(t *testing.T) {
	ctx := context.Background()
	s := side(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	c, err := contrast.Compare(ctx, s, s, contrast.Options{Bins: PictureBins(900), Match: contrast.ByOrder, Pairs: [][2]uint64{{0, 1}, {1, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(c).Picture(ctx, [2]contrast.Side{s, s}, 900)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Maps) != 2 {
		t.Fatalf("%d maps", len(p.Maps))
	}
	m, columns := &p.Maps[1], len(p.Maps[1].Values)/2
	for i := range c.Pairs {
		for x := range columns {
			var lone, all uint64
			for _, b := range c.Pairs[i].Series[x*m.Cell : min((x+1)*m.Cell, len(c.Pairs[i].Series))] {
				lone, all = lone+b.Lone, all+b.Enters
			}
			if v := m.Values[i*columns+x]; all == 0 != math.IsNaN(v) || all > 0 && v != float64(lone)/float64(all) {
				t.Fatalf("cell %d of pair %d is %g, not %d of %d", x, i, v, lone, all)
			}
		}
	}
}

// The picture of several base runs is that of the first one, whose name it has, and tells of the median.
func TestPictureOfSeveral(t *testing.T) {
	sides, opt := heat(t), contrast.Options{Bins: PictureBins(800)}
	c, err := contrast.Compare(t.Context(), sides[0], sides[1], opt)
	if err != nil {
		t.Fatal(err)
	}
	several, err := contrast.CompareSeveral(t.Context(), []contrast.Side{sides[0], sides[1]}, sides[1], opt)
	if err != nil {
		t.Fatal(err)
	}
	var pictures [2]bytes.Buffer
	var subtitles [2]string
	for i, r := range []*Report{New(c), NewSeveral(several)} {
		p, err := r.Picture(t.Context(), [2]contrast.Side(sides), 800)
		if err != nil {
			t.Fatal(err)
		}
		subtitles[i], p.Subtitle = p.Subtitle, ""
		if err := p.SVG(&pictures[i], 800); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pictures[0].Bytes(), pictures[1].Bytes()) || pictures[0].Len() < 10000 {
		t.Errorf("%d and %d bytes", pictures[0].Len(), pictures[1].Len())
	}
	before, note, ok := strings.Cut(subtitles[1], " (A is the first of 2 base runs; to their median it is ")
	if _, after, _ := strings.Cut(note, ")); "); !ok || !strings.HasPrefix(subtitles[0], before+"; ") || !strings.HasSuffix(subtitles[0], "; "+after) {
		t.Errorf("%q, of one base run %q", subtitles[1], subtitles[0])
	}
}
