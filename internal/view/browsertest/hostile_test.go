package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// hostileNames are names that want to be more than text.
var hostileNames = []string{
	`<img src=x onerror="document.body.dataset.hacked=1">`, `<script>document.body.dataset.hacked=1</script>`, `"><svg onload=document.body.dataset.hacked=1>`,
	`javascript:document.body.dataset.hacked=1`, `http://example.org/`, "\u202egnorw\u202c", "a\x00b\nc", strings.Repeat("long ", 200_000), "", `{{constructor.constructor("x")()}}`,
}

// renamed is a source whose strings have other texts.
type renamed struct{ trace.Source }

// Definitions implements trace.Source.
func (r renamed) Definitions(from int) ([]trace.Record, error) {
	list, err := r.Source.Definitions(from)
	list = append([]trace.Record(nil), list...)
	for i := range list {
		if list[i].Kind == trace.KindString {
			named := trace.Record{Kind: trace.KindString}
			named.Words = []uint64{list[i].Words[0], named.PutText(hostileNames[(from+i)%len(hostileNames)])}
			list[i] = named
		}
	}
	return list, err
}

// TestHostileNames: nothing of a trace is taken for HTML, a script or an address, in any panel.
func TestHostileNames(t *testing.T) {
	url, _, _ := serving(t, renamed{tracegen.Ring(6, 400, 1)}, serve.Options{})
	b := browse(t, url)
	for _, panel := range []string{"", "details&at=0,5000", "flame", "matrix", "collectives", "counters", "find", "export"} {
		b.open(t, url+"/#trace=run&rows=l0,l1&panel="+panel)
		if panel == "find" {
			b.run(t, chromedp.SendKeys("#needle", "o", chromedp.ByID))
		}
		if value[bool](t, b, `document.body.dataset.hacked !== undefined || document.querySelector("#app img, #app script, #app svg, #app a") !== null`) {
			t.Errorf("panel %s: a name was taken for more than text", panel)
		}
	}
	b.sound(t)
}

// TestTrouble: a wrong token, a file that is replaced, and a server that is gone stand below the picture, and the page goes on.
func TestTrouble(t *testing.T) {
	url, dir, stop := serving(t, tracegen.Ring(4, 200, 1), serve.Options{Token: "secret"})
	b := browse(t, url)
	b.run(t, chromedp.Navigate(url+"/#token=wrong&trace=run"))
	b.until(t, `document.getElementById("status").textContent.includes("token")`)
	b.open(t, url+"/#token=secret&trace=run")
	b.until(t, `performance.now() > 3000`) // the page has looked at the file once
	put(t, dir, "run", tracegen.Ring(7, 300, 2))
	b.until(t, `document.getElementById("rows").getAttribute("aria-rowcount") === "8"`)
	b.rests(t)
	stop()
	b.until(t, `document.getElementById("status").textContent.includes("server")`)
	b.press(t, "w")
	if value[int](t, b, `document.querySelectorAll(".row").length`) < 8 {
		t.Error("without a server the page has lost its rows")
	}
}

// TestSchemes: light and dark follow the system, and each text can be read in both.
func TestSchemes(t *testing.T) {
	url, _, _ := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	seen := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.run(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		b.open(t, url+"/#trace=run")
		back := value[string](t, b, `getComputedStyle(document.body).backgroundColor`)
		worst := value[float64](t, b, contrast)
		if worst < 4.5 {
			t.Errorf("%s: the least contrast of a text is %.2f", scheme, worst)
		}
		seen[back] = true
	}
	if len(seen) != 2 {
		t.Errorf("both schemes have the same background: %v", seen)
	}
	b.sound(t)
}

// contrast is the least contrast of a text and what is behind it (WCAG 2.2, section 1.4.3), of texts on plain colours.
const contrast = `(() => {
	const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b) };
	const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\)$/.test(c)) return c } return "rgb(255, 255, 255)" };
	let worst = 21;
	for (const e of document.querySelectorAll("#app *")) {
		if (!e.checkVisibility() || e.closest("#axis, .flame") || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
		const a = light(getComputedStyle(e).color), b = light(behind(e));
		worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
	}
	return worst;
})()`
