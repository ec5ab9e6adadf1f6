package comparison

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

const (
	// mostPairs is the number of pairs of locations whose timelines a picture has.
	mostPairs = 6
	// mostMapRows is the number of rows of a map; beyond, neighbouring locations share one.
	mostMapRows = 200
	// linkPixels is the least distance of links between calls, in pixels. Links that lie aslant are further apart: by a share of their width.
	linkPixels, linkSlant = 10, 0.125
	// cellPixels is the width of a cell of a map.
	cellPixels = 4
)

// Picture returns a picture of the comparison of two sides, of a width in pixels. The comparison must have as many bins as the picture has pixels:
// see [PictureBins].
func (r *Report) Picture(ctx context.Context, sides [2]contrast.Side, width int) (*draw.Contrast, error) {
	if len(r.comparison.Pairs) == 0 {
		return nil, errors.New("no location has a partner: there is nothing to draw")
	}
	p := &picture{Report: r, pixels: draw.Pixels(width)}
	if len(r.bases) > 1 { // a median has no calls that could be drawn
		p.Report, p.median = New(r.bases[0]), r
	}
	p.scale()
	p.out = &draw.Contrast{Title: filepath.Base(p.A) + " (A) and " + filepath.Base(p.B) + " (B)"}
	shown := p.comparison.Differing()
	p.shown = shown[:min(len(shown), mostPairs)]
	if err := p.charts(ctx, sides); err != nil {
		return nil, err
	}
	if err := p.calls(ctx); err != nil {
		return nil, err
	}
	p.pairs()
	p.maps()
	p.out.Subtitle = p.subtitle()
	return p.out, nil
}

// PictureBins returns the number of bins that a comparison needs for a picture of a width: at most one for each pixel.
func PictureBins(width int) int { return draw.Pixels(width) }

// picture is a picture that is being made.
type picture struct {
	*Report
	out    *draw.Contrast
	median *Report // of several base runs, of which A is the first; else nil
	pixels int
	spans  [2]int // pixels of each side
	shown  []int  // pairs, in their order
	places map[int]int
	drawn  []draw.ContrastPair // of the shown pairs
	links  [][][2]float64      // of these, the first one of each pixel of A; NaN without
	own    [][]float64         // by pair: what own work takes longer in B, by pixel of A, in seconds
}

// scale divides the pixels: one is as long on both sides.
func (p *picture) scale() {
	var length [2]int64
	for side, w := range p.comparison.Windows {
		length[side] = max(w[1]-w[0], 1)
	}
	longest := max(length[0], length[1])
	for side := range p.spans {
		p.spans[side] = max(1, int(math.Round(float64(p.pixels)*float64(length[side])/float64(longest))))
	}
}

// charts reads the timelines.
func (p *picture) charts(ctx context.Context, sides [2]contrast.Side) (err error) {
	p.places = map[int]int{}
	p.drawn = make([]draw.ContrastPair, len(p.shown))
	for range p.shown {
		p.links = append(p.links, slices.Repeat([][2]float64{{math.NaN()}}, p.spans[0]))
	}
	for side, s := range sides {
		var ids []uint64
		for _, i := range p.shown {
			ids = append(ids, p.place(i, side).Location)
		}
		from, to := s.Window.Bounds()
		w := s.Window.Within(max(from, s.Reader.Info().First), min(to, s.Reader.Info().Last)).WithContext(ctx).WithLocations(ids...)
		if p.out.Charts[side], err = draw.New(s.Reader.WithContext(ctx), w, p.spans[side], nil); err != nil {
			return err
		}
		for n, i := range p.shown {
			p.places[i] = n
			row := func(r draw.Row) bool { return r.Location == p.place(i, side).Location }
			p.drawn[n].Rows[side] = slices.IndexFunc(p.out.Charts[side].Rows, row)
			p.drawn[n].States[side] = make([]draw.CallStates, p.spans[side])
		}
	}
	return nil
}

func (p *picture) place(pair, side int) *trace.Place {
	c := &p.comparison.Pairs[pair]
	return []*trace.Place{&c.A, &c.B}[side]
}

// at returns the place of a time of a side, in pixels.
func (p *picture) at(side int, t int64) float64 {
	w := p.comparison.Windows[side]
	return float64(t-w[0]) / float64(max(w[1]-w[0], 1)) * float64(p.spans[side])
}

// pixel is at, as the number of a pixel.
func (p *picture) pixel(side int, t int64) int {
	return min(max(int(p.at(side, t)), 0), p.spans[side]-1)
}

// calls follows all calls.
func (p *picture) calls(ctx context.Context) error {
	p.own = make([][]float64, len(p.comparison.Pairs))
	for i := range p.own {
		p.own[i] = slices.Repeat([]float64{math.NaN()}, p.spans[0])
	}
	works := p.works()
	lasts := make([]int64, len(p.comparison.Pairs)) // of A, near which calls of B alone count
	for batch, err := range p.comparison.AlignedCalls(ctx) {
		if err != nil {
			return err
		}
		for i := range batch {
			if c := &batch[i]; c.Pair >= 0 {
				p.call(c, works, lasts)
			}
		}
	}
	return nil
}

// works reports of each path whether its calls are the program's own work.
func (p *picture) works() []bool {
	own := map[string]bool{}
	for i := range p.Rows {
		own[p.Rows[i].RegionName] = p.Rows[i].finding.Own()
	}
	list := make([]bool, len(p.comparison.Paths))
	for i := range list {
		list[i] = own[p.comparison.Forest.NameOf(p.comparison.Paths[i].Name)]
	}
	return list
}

// call counts a call.
func (p *picture) call(c *contrast.AlignedCall, works []bool, lasts []int64) {
	near := lasts[c.Pair]
	if c.Has(0) {
		near = c.Start[0]
		lasts[c.Pair] = max(lasts[c.Pair], near)
	} else {
		near = max(near, p.comparison.Windows[0][0])
	}
	path := c.Paths[0]
	if !c.Has(0) {
		path = c.Paths[1]
	}
	if works[path] {
		v := &p.own[c.Pair][p.pixel(0, near)]
		if math.IsNaN(*v) {
			*v = 0
		}
		*v += float64(c.Exclusive[1]-c.Exclusive[0]) / float64(p.TicksPerSecond)
	}
	n, ok := p.places[c.Pair]
	if !ok {
		return
	}
	for side := range 2 {
		if c.Has(side) {
			p.state(c, &p.drawn[n].States[side][p.pixel(side, c.Start[side])])
		}
	}
	if c.State == align.Equal {
		a := p.at(0, c.Start[0])
		if first := &p.links[n][p.pixel(0, c.Start[0])]; !(first[0] <= a) {
			*first = [2]float64{a, p.at(1, c.Start[1])}
		}
	}
}

func (p *picture) state(c *contrast.AlignedCall, s *draw.CallStates) {
	switch c.State {
	case align.Equal:
		s.Equal++
	case align.Different:
		s.Different++
	default:
		s.Alone++
	}
}

// pairs completes the pairs that are shown.
func (p *picture) pairs() {
	for n, i := range p.shown {
		d := &p.drawn[n]
		a, b := p.place(i, 0).Label, p.place(i, 1).Label
		if d.Label = a; a != b {
			d.Label = a + ", " + b
		}
		d.Links = thinned(p.links[n])
		d.Note = p.note(i)
		curve := draw.SkewCurve{Name: d.Label}
		for x := range p.spans[0] {
			low, high := p.behind(i, x)
			curve.Least, curve.Most = append(curve.Least, low), append(curve.Most, high)
		}
		p.out.Skew = append(p.out.Skew, curve)
	}
	p.out.Pairs = p.drawn
}

// note says which regions of own work differ on a pair, or by how much all of them do if none stands out.
func (p *picture) note(pair int) string {
	var list []string
	for i := range p.Rows {
		f := p.Rows[i].finding
		if f.Judged == contrast.Noise || !f.Own() || !slices.Contains(f.On, pair) {
			continue
		}
		how := " faster"
		if f.Over > 0 {
			how = " slower"
		}
		list = append(list, p.Rows[i].RegionName+how)
	}
	if len(list) > 0 {
		return strings.Join(list, ", ")
	}
	sum := 0.0
	for _, v := range p.own[pair] {
		if !math.IsNaN(v) {
			sum += v
		}
	}
	return "own work " + p.signed(int64(sum*float64(p.TicksPerSecond)))
}

// binsOf returns the bins of a pair that some pixels of A have.
func (p *picture) binsOf(pair, from, to int) []contrast.SkewBin {
	s := p.comparison.Pairs[pair].Series
	first := from * len(s) / p.spans[0]
	return s[first:max(first, to*len(s)/p.spans[0])]
}

// behind returns by how many seconds B is behind A in a pixel, NaN for none.
func (p *picture) behind(pair, x int) (low, high float64) {
	low, high = math.NaN(), math.NaN()
	for _, b := range p.binsOf(pair, x, x+1) {
		if b.Pairs == 0 {
			continue
		}
		least, most := float64(b.Least)/float64(p.TicksPerSecond), float64(b.Most)/float64(p.TicksPerSecond)
		if math.IsNaN(low) {
			low, high = least, most
		}
		low, high = min(low, least), max(high, most)
	}
	return low, high
}

// thinned returns links that are some pixels apart, and do not cross.
func thinned(all [][2]float64) (list [][2]float64) {
	for _, k := range all {
		if math.IsNaN(k[0]) {
			continue
		}
		last := len(list) - 1
		apart := max(linkPixels, linkSlant*math.Abs(k[1]-k[0]))
		if last < 0 || (k[0]-list[last][0] >= apart || k[1]-list[last][1] >= 1.5*apart) && k[1] >= list[last][1] {
			list = append(list, k)
		}
	}
	return list
}

// subtitle says what is compared.
func (p *picture) subtitle() string {
	w := p.comparison.Windows
	part := func(side int) string {
		return p.duration(w[side][1]-w[side][0]) + " from " + p.duration(w[side][0]-p.comparison.Origins[side])
	}
	time := p.change(p.Time.DifferenceTicks, p.Time.ATicks)
	if m := p.median; m != nil {
		time += fmt.Sprintf(" (A is the first of %d base runs; to their median it is %s)", len(m.bases), m.change(m.Time.DifferenceTicks, m.Time.ATicks))
	}
	text := fmt.Sprintf("A %s, B %s; time in calls %s; %s", part(0), part(1), time,
		report.Plural(len(p.comparison.Pairs), "pair of locations", "pairs of locations"))
	if len(p.shown) < len(p.comparison.Pairs) {
		text += fmt.Sprintf(", those %d with the largest differences of own work as timelines", len(p.shown))
	}
	return text
}

// PictureSides returns what a picture shows if no window is chosen.
func PictureSides(sides []contrast.Side) error {
	for i := range sides {
		w, err := Program(sides[i].Reader, sides[i].Window)
		if err != nil {
			return err
		}
		sides[i].Window = w
	}
	return nil
}
