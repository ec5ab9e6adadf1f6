package browsertest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
)

const content = `document.getElementById("bands").toDataURL() + document.getElementById("overview").toDataURL() + document.getElementById("rows").textContent + document.getElementById("panel").textContent`

// TestWays: after gestures of any kind, a page that was opened at the URL shows the same.
func TestWays(t *testing.T) {
	url, _, _ := serving(t, real(t).Source(), serve.Options{Token: "secret"})
	b := browse(t, url)
	b.open(t, url+"/#token=secret&trace=run")
	random := rand.New(rand.NewPCG(3, 4))
	keys := []string{"w", "w", "w", "a", "d", "s", "-", "+", "\u0304", "\u0301", "\r", "p", "l", "m", "z"} // arrows down and up
	for range 5 {
		for range 40 {
			if x := 250 + random.Float64()*800; random.IntN(5) == 0 {
				b.run(t, mouse(input.MousePressed, x, 150), mouse(input.MouseMoved, x+50, 200), mouse(input.MouseReleased, x+100, 220))
			} else {
				b.press(t, keys[random.IntN(len(keys))])
			}
		}
		b.rests(t)
		at, way := value[string](t, b, "location.href"), value[string](t, b, content)
		if strings.Contains(at, "secret") || !strings.Contains(at, "from=") {
			t.Errorf("the URL is %s", at)
		}
		b.open(t, at)
		if fresh := value[string](t, b, content); way != fresh {
			t.Errorf("at %s pictures differ", at)
		}
	}
	b.sound(t)
}

// TestPointer: a drag marks an area, that buttons zoom into and forget; a click shows the stack, Back undoes a zoom, a click on the overview goes there.
func TestPointer(t *testing.T) {
	url, _, _ := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run")
	moves := func(what string, has string, actions ...chromedp.Action) {
		t.Helper()
		before := value[string](t, b, "location.href")
		b.run(t, actions...)
		b.until(t, fmt.Sprintf("location.href !== %q", before)) // the browser goes back when it is done with the key
		b.rests(t)
		if after := value[string](t, b, "location.href"); !strings.Contains(after, has) {
			t.Errorf("%s: %s, want %s", what, after, has)
		}
	}
	moves("a drag", "area=", mouse(input.MousePressed, 500, 150), mouse(input.MouseMoved, 600, 150), mouse(input.MouseReleased, 700, 150))
	about := value[string](t, b, `document.getElementById("about").textContent`)
	if !strings.HasPrefix(about, "area ") {
		t.Errorf("panels are about %s", about)
	}
	moves("zoom into it", "from=", chromedp.Click(`//button[text()="zoom into it"]`))
	moves("Back", "from=0", chromedp.KeyEvent("z"))
	moves("a button", "from=", chromedp.Click("#in"))
	moves("a key", "from=", chromedp.KeyEvent("d"))
	moves("the overview", "from=", mouse(input.MousePressed, 900, 60), mouse(input.MouseReleased, 900, 60))
	moves("a click", "at=", mouse(input.MousePressed, 700, 190), mouse(input.MouseReleased, 700, 190))
	if text := value[string](t, b, `document.getElementById("panel").textContent`); !strings.Contains(text, "rank ") {
		t.Errorf("details: %s", text)
	}
	b.sound(t)
}
