package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	browsing "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/store"
)

// TestKeyboardOnly goes from the start to an export without a pointer.
func TestKeyboardOnly(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	folder := t.TempDir()
	b.run(t, browsing.SetDownloadBehavior(browsing.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(folder))
	b.open(t, url+"/#trace=run")
	has := func(what, want string) {
		t.Helper()
		b.rests(t)
		if at := value[string](t, b, "decodeURIComponent(location.hash)"); !strings.Contains(at, want) {
			t.Errorf("%s: %s, want %s", what, at, want)
		}
	}
	b.press(t, kb.ArrowDown, kb.ArrowDown, "\r")
	has("Enter opens the row", "rows=l1")
	b.press(t, "p")
	has("P pins it", "pin=l1")
	b.press(t, "w", "w", "d", " ")
	has("Space shows details", "panel=details")
	b.press(t, ".")
	b.until(t, `location.hash.includes("at=1%2C375")`)
	b.rests(t)
	wide := value[int](t, b, window)
	b.press(t, "f")
	b.until(t, fmt.Sprintf("%s !== %d", window, wide))
	has("F fits the call", "panel=details")
	b.press(t, "m")
	has("M marks", "area=")
	b.press(t, "0", "f")
	has("F fits the area", "area=")
	b.press(t, "/")
	b.until(t, `document.activeElement.id === "needle"`)
	b.press(t, "M", "P", "I")
	b.until(t, `document.querySelectorAll(".names li").length > 5`)
	b.press(t, "\r")
	b.until(t, `location.hash.includes("panel=details")`)
	b.rests(t)
	before := value[string](t, b, "location.hash")
	b.press(t, "n")
	b.until(t, "location.hash !== "+quote(before))
	b.press(t, "?")
	b.until(t, `document.querySelector("dialog").open`)
	b.press(t, kb.Escape)
	b.until(t, `!document.querySelector("dialog").open`)
	tabTo(t, b, `document.activeElement.getAttribute("role") === "tab"`)
	for range 8 {
		if value[string](t, b, `document.activeElement.textContent`) == "export" {
			break
		}
		b.press(t, kb.ArrowRight)
		b.run(t, chromedp.Evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))`, nil, awaited))
	}
	tabTo(t, b, `document.activeElement.tagName === "BUTTON" && document.activeElement.textContent.includes(".pando")`)
	b.press(t, "\r")
	b.until(t, `document.getElementById("status").textContent.includes("is saved")`)
	checkDownload(t, filepath.Join(folder, "run.pando"), r)
	b.sound(t)
}

// TestAreaByKeys marks the view of one row, moves the edges of that area, and takes in the rows behind it.
func TestAreaByKeys(t *testing.T) {
	url, _, _ := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run")
	b.press(t, kb.ArrowDown, kb.ArrowDown, "w", "d", "m")
	b.rests(t)
	const area = `new URLSearchParams(location.hash.slice(1)).get("area").split(",").map(Number)`
	shift := func(keys ...string) (area4 []int) {
		t.Helper()
		for _, key := range keys {
			b.run(t, chromedp.KeyEvent(key, chromedp.KeyModifiers(input.ModifierShift)))
		}
		b.rests(t)
		return value[[]int](t, b, area)
	}
	first := value[[]int](t, b, area)
	by := (first[1] - first[0] + 20) / 40
	for _, c := range []struct {
		keys []string
		want []int
	}{
		{[]string{kb.ArrowLeft, kb.ArrowLeft}, []int{first[0], first[1] - 2*by, first[2], first[3]}},
		{[]string{kb.ArrowRight}, []int{first[0], first[1] - by, first[2], first[3]}},
		{[]string{"D", "D", "A"}, []int{first[0] + by, first[1] - by, first[2], first[3]}},
		{[]string{kb.ArrowDown, kb.ArrowDown}, []int{first[0] + by, first[1] - by, first[2], first[3] + 2}},
		{[]string{kb.ArrowUp}, []int{first[0] + by, first[1] - by, first[2], first[3] + 1}},
	} {
		if got := shift(c.keys...); !slices.Equal(got, c.want) {
			t.Errorf("area %v after %q, not %v", got, c.keys, c.want)
		}
	}
	b.sound(t)
}

// window is an expression for the length of the view, in ticks.
const window = `((q) => q.get("to") - q.get("from"))(new URLSearchParams(location.hash.slice(1)))`

// awaited waits for a promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// tabTo presses Tab until an expression is true.
func tabTo(t *testing.T, b *browser, is string) {
	t.Helper()
	for range 80 {
		if value[bool](t, b, is) {
			return
		}
		b.press(t, kb.Tab)
	}
	t.Fatalf("Tab does not lead to where %s", is)
}

func checkDownload(t *testing.T, path string, r *store.Reader) {
	t.Helper()
	var part *store.Reader
	var err error
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(50 * time.Millisecond) {
		if part, err = store.Open(t.Context(), path, store.ReadOptions{}); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer part.Close()
	if n, all := part.Info().Events, r.Info().Events; n == 0 || n >= all {
		t.Errorf("the part has %d of %d events", n, all)
	}
}

type property struct {
	Name string `json:"name"`
}

// TestTree: the accessibility tree has every row with its name and level, and the picture with what it shows.
func TestTree(t *testing.T) {
	url, _, _ := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run")
	var tree struct { // the library's own type does not know all that Chromium says
		Nodes []struct {
			Role struct {
				Value any `json:"value"`
			} `json:"role"`
			Name struct {
				Value any `json:"value"`
			} `json:"name"`
			Properties []property `json:"properties"`
		} `json:"nodes"`
	}
	b.run(t, chromedp.ActionFunc(func(ctx context.Context) error {
		return cdp.Execute(ctx, accessibility.CommandGetFullAXTree, nil, &tree)
	}))
	rows, picture := 0, ""
	for _, n := range tree.Nodes {
		role, name := fmt.Sprint(n.Role.Value), fmt.Sprint(n.Name.Value)
		switch {
		case role == "row" && strings.Contains(name, "rank "):
			rows++
			if !slices.ContainsFunc(n.Properties, func(p property) bool { return p.Name == "level" }) {
				t.Errorf("row %q has no level", name)
			}
		case (role == "image" || role == "img") && strings.Contains(name, " rows"):
			picture = name
		}
	}
	if rows != 8 || !strings.Contains(picture, "9 rows") || !strings.Contains(picture, "%") {
		t.Errorf("%d rows, the picture is %q", rows, picture)
	}
}

// TestAxe: axe-core has no complaint, in any panel. PANDO_AXE is the path of its axe.min.js.
func TestAxe(t *testing.T) {
	axe, err := os.ReadFile(os.Getenv("PANDO_AXE"))
	if err != nil {
		t.Skip("PANDO_AXE is not the path of axe.min.js: npm install axe-core")
	}
	url, _, _ := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	for _, panel := range []string{"regions", "details&at=1,200000000", "flame", "matrix", "collectives", "find", "export"} {
		b.open(t, url+"/#trace=run&rows=l0&panel="+panel)
		var found []string
		b.run(t, chromedp.Evaluate(string(axe)+"; 0", nil), chromedp.Evaluate(`axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html + " " + n.failureSummary).join("; ")))`, &found, awaited))
		for _, f := range found {
			t.Errorf("%s: %s", panel, f)
		}
	}
}
