package browsertest

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// browser is a page in a Chromium, with what it complained about and asked other hosts for.
type browser struct {
	context.Context
	mu    sync.Mutex
	wrong []string
}

// browse starts a Chromium, or skips the test where there is none.
func browse(t *testing.T, host string) *browser {
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium: apt-get install --no-install-recommends chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1200, 800))
	limited, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	allocated, cancel := chromedp.NewExecAllocator(limited, options...)
	t.Cleanup(cancel)
	tab, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	b := &browser{Context: tab}
	chromedp.ListenTarget(tab, func(event any) { b.listen(event, host) })
	b.run(t, network.Enable(), log.Enable(), runtime.Enable())
	return b
}

func (b *browser) listen(event any, host string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, host) && !strings.HasPrefix(e.Request.URL, "about:") {
			b.wrong = append(b.wrong, "asks for "+e.Request.URL)
		}
	case *log.EventEntryAdded:
		b.wrong = append(b.wrong, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, e.ExceptionDetails.Error())
	}
}

func (b *browser) run(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b, actions...); err != nil {
		t.Fatal(err)
	}
}

// rests waits until the page shows what its URL says.
func (b *browser) rests(t *testing.T) {
	t.Helper()
	var rest bool
	var err error
	for begin := time.Now(); !rest && time.Since(begin) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		// Between two pages there is nothing that could be asked: that is no error.
		err = chromedp.Run(b, chromedp.Evaluate("document.body.dataset.rest === location.hash", &rest))
	}
	if !rest {
		t.Fatalf("the page does not come to rest: %v", err)
	}
}

// open opens a URL in a page that has nothing in memory.
func (b *browser) open(t *testing.T, url string) {
	t.Helper()
	b.run(t, chromedp.Navigate("about:blank"), chromedp.Navigate(url))
	b.rests(t)
}

// serving serves a source as the trace "run".
func serving(t *testing.T, src trace.Source, opt serve.Options) (url string) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "run.pando"), stored.Bytes(t, src, store.Options{SliceEvents: 2000}), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := serve.New([]string{dir}, opt)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return h.URL
}

func real(t *testing.T) *store.Reader {
	return stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
}

// TestPixels compares pixels of the page with colours that the engine's timeline gives.
func TestPixels(t *testing.T) {
	r := real(t)
	url := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	length := r.Info().Last - r.Info().First
	for _, part := range [][2]int64{{0, length + 1}, {length / 3, length / 2}, {length / 2, length/2 + 20_000}} {
		b.open(t, fmt.Sprintf("%s/#trace=run&from=%d&to=%d", url, part[0], part[1]))
		comparePixels(t, b, r, r.Window(r.Info().First+part[0], r.Info().First+part[1]))
	}
	b.sound(t)
}

func (b *browser) sound(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		t.Error(w)
	}
}

func comparePixels(t *testing.T, b *browser, r *store.Reader, w *store.Window) {
	t.Helper()
	var size struct{ Width, Height, Step int }
	b.run(t, chromedp.Evaluate(`(() => { const c = document.getElementById("bands");
		return { Width: c.width, Height: c.height, Step: parseInt(document.querySelector("#names div").style.height) } })()`, &size))
	chart, err := draw.New(r, w, size.Width)
	if err != nil {
		t.Fatal(err)
	}
	if size.Height != size.Step*len(chart.Rows) || size.Width < 500 || len(chart.Rows) != 8 {
		t.Fatalf("%+v for %d rows", size, len(chart.Rows))
	}
	random, picked := rand.New(rand.NewPCG(1, 2)), [][2]int{}
	for range 5000 {
		picked = append(picked, [2]int{random.IntN(size.Width), random.IntN(size.Height)})
	}
	var got [][4]uint8
	b.run(t, chromedp.Evaluate(fmt.Sprintf(`(() => { const c = document.getElementById("bands"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		return %s.map(([x, y]) => Array.from(d.slice(4 * (y * c.width + x), 4 * (y * c.width + x) + 4))) })()`, strings.ReplaceAll(fmt.Sprint(picked), " ", ",")), &got))
	wrong, filled := 0, 0
	for i, p := range picked {
		want := colour(chart, p[0], p[1]/size.Step, p[1]%size.Step, size.Step-1)
		if want.A != 0 {
			filled++
		}
		if g := got[i]; want != (color.RGBA{g[0], g[1], g[2], g[3]}) {
			if wrong++; wrong < 5 {
				t.Errorf("pixel %v: %v, want %v", p, g, want)
			}
		}
	}
	if wrong > 0 || filled < 500 {
		t.Errorf("%d of %d pixels differ, %d have a colour", wrong, len(picked), filled)
	}
}

// colour returns the colour of a pixel of a row, y below its top. Regions are piled up from below.
func colour(chart *draw.Chart, x, row, y, height int) color.RGBA {
	if y >= height {
		return color.RGBA{}
	}
	up, sum := height-1-y, 0.0
	from, to := chart.Timeline().Pixel(x)
	ticks := float64(to - from)
	round := func(v float64) int { return int(math.Floor(v/ticks*float64(height) + 0.5)) }
	for _, c := range chart.Rows[row].Cells() {
		if int(c.Pixel) != x {
			continue
		}
		begin := round(sum)
		sum += float64(c.Ticks)
		if up >= begin && up < round(sum) {
			return chart.Regions[c.Region].Colour
		}
	}
	return color.RGBA{}
}

const content = `document.getElementById("bands").toDataURL() + document.getElementById("overview").toDataURL() + document.getElementById("rows").textContent`

// TestWays: after keys of any kind, a page that was opened at the URL shows the same.
func TestWays(t *testing.T) {
	url := serving(t, real(t).Source(), serve.Options{Token: "secret"})
	b := browse(t, url)
	b.open(t, url+"/#token=secret&trace=run")
	random := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		for range 12 {
			b.run(t, chromedp.KeyEvent(string("wwwadads-+"[random.IntN(10)])))
		}
		b.rests(t)
		var at, way, fresh string
		b.run(t, chromedp.Location(&at), chromedp.Evaluate(content, &way))
		if strings.Contains(at, "secret") || !strings.Contains(at, "from=") {
			t.Errorf("the URL is %s", at)
		}
		b.open(t, at)
		b.run(t, chromedp.Evaluate(content, &fresh))
		if way != fresh {
			t.Errorf("at %s pictures differ", at)
		}
	}
	b.sound(t)
}

// TestPointer: a drag zooms into a part, Back undoes it, a click on the overview goes there, and shares of a pixel stand at the pointer.
func TestPointer(t *testing.T) {
	url := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run")
	mouse := func(kind input.MouseType, x float64) chromedp.Action {
		return input.DispatchMouseEvent(kind, x, 150).WithButton(input.Left).WithButtons(1).WithClickCount(1)
	}
	moves := func(what string, actions ...chromedp.Action) {
		t.Helper()
		var before, after string
		b.run(t, chromedp.Location(&before))
		b.run(t, actions...)
		b.rests(t)
		if b.run(t, chromedp.Location(&after)); before == after {
			t.Errorf("%s changes nothing: %s", what, after)
		}
	}
	moves("a drag", mouse(input.MousePressed, 500), mouse(input.MouseMoved, 600), mouse(input.MouseReleased, 700))
	moves("Back", chromedp.KeyEvent("z"))
	moves("a button", chromedp.Click("#in"))
	moves("a key", chromedp.KeyEvent("d"))
	moves("the middle of the overview", chromedp.Click("#overview", chromedp.ByID))
	var tip string
	b.run(t, input.DispatchMouseEvent(input.MouseMoved, 800, 150), chromedp.Text("#tip", &tip))
	if !strings.HasPrefix(tip, "rank ") || !strings.Contains(tip, "%") {
		t.Errorf("at the pointer stands %q", tip)
	}
	b.sound(t)
}
