package browsertest

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// TestPixels compares random pixels of the page with colours that the engine's timelines give: those of aligned pixels, as the page is made of them.
func TestPixels(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	length := r.Info().Last - r.Info().First
	for _, w := range [][2]int64{{0, length + 1}, {length / 3, length / 2}, {length / 2, length/2 + 20_000}, {length / 2, length/2 + 700}} {
		b.open(t, part(url, w[0], w[1], "&lines=0"))
		comparePixels(t, b, r, 0, float64(w[0]), float64(w[1]))
	}
	b.sound(t)
}

// imageOf is an expression for the pixels of the picture, taken from a copy: a browser complains of a canvas that is read again and again.
const imageOf = `(() => { const c = new OffscreenCanvas(bands.width, bands.height).getContext("2d", {willReadFrequently: true}); c.drawImage(bands, 0, 0);
	return c.getImageData(0, 0, bands.width, bands.height) })()`

// bandOf is where a row of the page has its band.
type bandOf struct {
	Name      string
	Top, High int
}

// comparePixels compares the rows of a trace, which has eight, with its time [from, to): the first eight rows of ranks, or those behind some.
func comparePixels(t *testing.T, b *browser, r *store.Reader, behind int, from, to float64) {
	t.Helper()
	size := value[struct{ Width, Height int }](t, b, `({Width: bands.width, Height: bands.height})`)
	rows := value[[]bandOf](t, b, `[...document.querySelectorAll(".row")].map((e) => ({Name: e.querySelector(".name").textContent,
		Top: e.getBoundingClientRect().top - document.getElementById("rows").getBoundingClientRect().top, High: parseInt(e.style.lineHeight)}))`)
	rows = slices.DeleteFunc(rows, func(r bandOf) bool { return !strings.HasPrefix(r.Name, "rank ") })
	if size.Width < 500 || len(rows) < behind+8 {
		t.Fatalf("%+v for %+v", size, rows)
	}
	rows = rows[behind : behind+8]
	p := newPainting(t, r, from, to, size.Width)
	random, picked := rand.New(rand.NewPCG(1, uint64(from))), [][2]int{}
	for range 5000 {
		row := rows[random.IntN(len(rows))]
		picked = append(picked, [2]int{random.IntN(size.Width), row.Top + random.IntN(row.High)})
	}
	got := value[[][4]uint8](t, b, fmt.Sprintf(`(() => { const d = %s.data;
		return %s.map(([x, y]) => Array.from(d.slice(4 * (y * bands.width + x), 4 * (y * bands.width + x) + 4))) })()`, imageOf, strings.ReplaceAll(fmt.Sprint(picked), " ", ",")))
	wrong, filled := 0, 0
	for i, at := range picked {
		row := rows[slices.IndexFunc(rows, func(r bandOf) bool { return at[1] >= r.Top && at[1] < r.Top+r.High })]
		want := p.colour(t, row, at[0], at[1]-row.Top)
		if want.A != 0 {
			filled++
		}
		if g := got[i]; want != (color.RGBA{g[0], g[1], g[2], g[3]}) {
			if wrong++; wrong < 5 {
				t.Errorf("%v to %v, pixel %v, %s: %v, want %v", from, to, at, row.Name, g, want)
			}
		}
	}
	t.Logf("%v to %v: %d of %d pixels differ, %d have a colour", from, to, wrong, len(picked), filled)
	if wrong > 0 || filled < 500 {
		t.Errorf("%d of %d pixels differ, %d have a colour", wrong, len(picked), filled)
	}
}

// painting computes pixels of a view from timelines of 256 pixels of 2^level ticks.
type painting struct {
	r           *store.Reader
	from, to    float64 // since the first event
	width       int
	level       int
	ids         []uint64
	ranks       map[string]int // of rows, by name
	tiles       map[int64][]map[int]map[uint64]int
	colours     map[uint64]color.RGBA
	regionOrder map[uint64]int
}

func newPainting(t *testing.T, r *store.Reader, from, to float64, width int) *painting {
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	ids := stored.LocationIDs(t, r)
	p := &painting{r: r, from: from, to: to, width: width, ids: ids, ranks: map[string]int{}, tiles: map[int64][]map[int]map[uint64]int{},
		colours: map[uint64]color.RGBA{}, regionOrder: map[uint64]int{}}
	for i, place := range d.Places(ids) {
		p.ranks[place.Label] = i
	}
	for i, id := range d.Regions() {
		p.colours[id], p.regionOrder[id] = draw.RegionOf(d, id).Colour, i
	}
	p.level = max(0, int(math.Floor(math.Log2((p.to-p.from)/float64(width)))))
	return p
}

// shares returns for each location and pixel of the tile that begins at an aligned time what regions have of it, in 255ths.
func (p *painting) shares(t *testing.T, begin int64) []map[int]map[uint64]int {
	if found := p.tiles[begin]; found != nil {
		return found
	}
	ticks := int64(1) << p.level
	line, err := p.r.Window(begin, begin+256*ticks).Timeline(256)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]map[int]map[uint64]int, len(line.Locations))
	for i := range list {
		list[i] = map[int]map[uint64]int{}
		cells := line.Cells[line.Starts[i]:line.Starts[i+1]]
		for len(cells) > 0 {
			n := 1
			for n < len(cells) && cells[n].Pixel == cells[0].Pixel {
				n++
			}
			parts, idle := []int64{}, ticks
			for _, c := range cells[:n] {
				parts, idle = append(parts, int64(c.Ticks)), idle-int64(c.Ticks)
			}
			of := map[uint64]int{}
			for j, s := range rounded(append(parts, idle), ticks)[:n] {
				of[line.Regions[cells[j].Region]] = int(s)
			}
			list[i][int(cells[0].Pixel)] = of
			cells = cells[n:]
		}
	}
	p.tiles[begin] = list
	return list
}

// rounded rounds parts of a whole to 255ths that add up: one unit after the other goes to the part that lacks most.
func rounded(parts []int64, whole int64) []int64 {
	list, left := make([]int64, len(parts)), int64(255)
	for i, p := range parts {
		list[i] = p * 255 / whole
		left -= list[i]
	}
	for ; left > 0; left-- {
		most := 0
		for i, p := range parts {
			if p*255-list[i]*whole > parts[most]*255-list[most]*whole {
				most = i
			}
		}
		list[most]++
	}
	return list
}

// colour returns the colour of a pixel of a row, y below the top of its band. Regions are piled up from below.
func (p *painting) colour(t *testing.T, row bandOf, x, y int) color.RGBA {
	location, ok := p.ranks[row.Name]
	if !ok {
		rank, _ := strconv.Atoi(strings.TrimPrefix(row.Name, "rank "))
		t.Fatalf("row %q, rank %d", row.Name, rank)
	}
	edge := func(x int) float64 { return p.from + float64(x)*(p.to-p.from)/float64(p.width) }
	ticks, a, b := int64(1)<<p.level, edge(x), edge(x+1)
	origin := p.r.Info().First &^ (256*ticks - 1)
	phase := p.r.Info().First - origin
	sums := map[uint64]float64{}
	for g := int64(math.Floor((a + float64(phase)) / float64(ticks))); float64(g*ticks-phase) < b; g++ {
		common := math.Min(b, float64((g+1)*ticks-phase)) - math.Max(a, float64(g*ticks-phase))
		if common <= 0 {
			continue
		}
		tile := int64(math.Floor(float64(g) / 256))
		for region, share := range p.shares(t, origin+tile*256*ticks)[location][int(g-tile*256)] {
			sums[region] += float64(share) * common
		}
	}
	var regions []uint64
	for region := range sums {
		regions = append(regions, region)
	}
	slices.SortFunc(regions, func(a, b uint64) int { return p.regionOrder[a] - p.regionOrder[b] })
	sum, up := 0.0, row.High-1-y
	begin := 0
	for _, region := range regions {
		sum += sums[region]
		end := min(row.High, int(math.Floor(sum/(255*(p.to-p.from)/float64(p.width))*float64(row.High)+0.5)))
		if up >= begin && up < end {
			return p.colours[region]
		}
		begin = end
	}
	return color.RGBA{}
}
