package browsertest

import (
	"fmt"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// TestDepth compares random pixels of the calls of open rows with the engine's stacks: where a call of at least three pixels is open at a depth, away from its ends, there is its colour;
// where none is open nearby, there is nothing.
func TestDepth(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	b.run(t, chromedp.EmulateViewport(1400, 1400))
	length := r.Info().Last - r.Info().First
	for _, w := range [][2]int64{{0, length + 1}, {length / 3, length / 2}, {length / 2, length/2 + 20_000}} {
		b.open(t, part(url, w[0], w[1], "&lines=0&rows=l0,l3,l7"))
		compareDepths(t, b, r, w[0], w[1])
	}
	b.sound(t)
}

func compareDepths(t *testing.T, b *browser, r *store.Reader, from, to int64) {
	t.Helper()
	rows := value[[]bandOf](t, b, `[...document.querySelectorAll(".row")].filter((e) => e.getAttribute("aria-expanded") === "true").map((e) => ({Name: e.querySelector(".name").textContent,
		Top: e.getBoundingClientRect().top - document.getElementById("rows").getBoundingClientRect().top + parseInt(e.style.lineHeight) + 1, High: parseInt(e.style.height) - parseInt(e.style.lineHeight)}))`)[1:]
	width := value[int](t, b, "bands.width")
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	random, pixel := rand.New(rand.NewPCG(7, uint64(from))), float64(to-from)/float64(width)
	var picked [][2]int
	var want []color.RGBA
	calls, empty := 0, 0
	for range 6000 {
		row, x, depth := rows[random.IntN(len(rows))], 3+random.IntN(width-6), random.IntN(6)
		if (depth+1)*14 > row.High {
			continue
		}
		var number int
		if _, err := fmt.Sscanf(row.Name, "rank %d", &number); err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
		c, sure := openAt(t, r, ids[number], float64(from)+(float64(x)+0.5)*pixel, pixel, depth)
		if !sure {
			continue
		}
		colour := color.RGBA{}
		if c != nil {
			colour = draw.RegionOf(d, c.Region).Colour
			calls++
		} else {
			empty++
		}
		picked, want = append(picked, [2]int{x, row.Top + depth*14}), append(want, colour) // the first line of pixels, above names
	}
	got := value[[][4]uint8](t, b, fmt.Sprintf(`(() => { const d = %s.data;
		return %s.map(([x, y]) => Array.from(d.slice(4 * (y * bands.width + x), 4 * (y * bands.width + x) + 4))) })()`, imageOf, strings.ReplaceAll(fmt.Sprint(picked), " ", ",")))
	wrong := 0
	for i, g := range got {
		if want[i] != (color.RGBA{g[0], g[1], g[2], g[3]}) {
			if wrong++; wrong < 5 {
				t.Errorf("%d to %d, pixel %v: %v, want %v", from, to, picked[i], g, want[i])
			}
		}
	}
	t.Logf("%d to %d: %d pixels of calls, %d without, %d differ", from, to, calls, empty, wrong)
	if calls < 500 || from == 0 && empty < 50 || wrong > 0 {
		t.Errorf("%d pixels of calls, %d without, %d differ", calls, empty, wrong)
	}
}

// openAt returns the call that is open at a depth at a time, nil for none. It is not sure where a call begins or ends, or may be drawn, nearby.
func openAt(t *testing.T, r *store.Reader, location uint64, at, pixel float64, depth int) (c *trace.Call, sure bool) {
	t.Helper()
	begin, first := r.Info().First, true
	for step := -2.5; step <= 2.5; step += 0.5 {
		stack, err := r.CallStack(location, begin+int64(at+step*pixel))
		if err != nil {
			t.Fatal(err)
		}
		var here *trace.Call
		if depth < len(stack) {
			here = &stack[depth]
		}
		if !first && (here == nil) != (c == nil) || here != nil && (float64(here.Duration()) < 3*pixel || !first && here.Ordinal != c.Ordinal) {
			return nil, false
		}
		c, first = here, false
	}
	return c, true
}
