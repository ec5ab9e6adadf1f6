package browsertest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	browsing "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
)

// TestExports: each button of the panel saves a file of its form, with what the part has.
func TestExports(t *testing.T) {
	r := real(t)
	url, _, _ := serving(t, r.Source(), serve.Options{})
	b := browse(t, url)
	folder := t.TempDir()
	b.run(t, browsing.SetDownloadBehavior(browsing.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(folder))
	first, length := r.Info().First, r.Info().Last-r.Info().First
	from, to := length*93/100, length*99/100
	b.open(t, part(url, from, to, "&panel=export"))
	save := func(button string, number int, name string) []byte { // of the buttons with a text
		t.Helper()
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`[...document.querySelectorAll(".export button")].filter((b) => b.textContent.includes(%q))[%d].click()`, button, number), nil))
		for begin := time.Now(); time.Since(begin) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
			if data, err := os.ReadFile(filepath.Join(folder, name)); err == nil && len(data) > 0 {
				return data
			}
		}
		t.Fatalf("%s: there is no %s; the page says %s", button, name, value[string](t, b, `document.getElementById("status").textContent`))
		return nil
	}
	picture, err := png.Decode(bytes.NewReader(save("PNG", 0, "run.png")))
	if err != nil || picture.Bounds().Dx() != value[int](t, b, "bands.width") {
		t.Error("PNG", err, picture)
	}
	for d := xml.NewDecoder(bytes.NewReader(save("SVG", 0, "run.svg"))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal("SVG", err)
		}
	}
	var events struct {
		TraceEvents []json.RawMessage `json:"traceEvents"`
	}
	if err := json.Unmarshal(save("JSON", 0, "run.json"), &events); err != nil || len(events.TraceEvents) < 1000 {
		t.Errorf("trace events: %d, %v", len(events.TraceEvents), err)
	}
	save(".pando", 0, "run.pando")
	checkDownload(t, filepath.Join(folder, "run.pando"), r)
	calls, messages := 0, 0
	w := r.Window(first+from, first+to)
	for _, err := range w.Calls() {
		if calls++; err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range w.Messages() {
		if messages++; err != nil {
			t.Fatal(err)
		}
	}
	for number, of := range []struct {
		name string
		rows int
	}{{"calls", calls}, {"messages", messages}} {
		if csv := save("csv", number, of.name+".csv"); bytes.Count(csv, []byte("\n")) != of.rows+1 || of.rows < 50 {
			t.Errorf("%s: %d lines, want %d and the names", of.name, bytes.Count(csv, []byte("\n")), of.rows)
		}
		if parquet := save("parquet", number, of.name+".parquet"); !bytes.HasPrefix(parquet, []byte("PAR1")) || !bytes.HasSuffix(parquet, []byte("PAR1")) {
			t.Errorf("%s.parquet: % x", of.name, parquet[:8])
		}
	}
	if arrow := save("arrow", 0, "calls.arrow"); !bytes.HasPrefix(arrow, []byte("ARROW1")) {
		t.Errorf("calls.arrow: % x", arrow[:8])
	}
	b.sound(t)
}

// TestPerfetto: the user is asked before anything of a trace goes to another site, and it gets nothing before it answers.
func TestPerfetto(t *testing.T) {
	url, _, _ := serving(t, real(t).Source(), serve.Options{})
	b := browse(t, url)
	b.open(t, url+"/#trace=run&panel=export")
	open := func(answer bool) {
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`window.confirm = (text) => { window.askedFor = text; return %t };
			window.opened = []; window.got = [];
			window.open = (origin) => { opened.push(origin); return {postMessage: (m, to) => got.push([m === "PING" ? m : m.perfetto?.buffer.byteLength, to])} };
			[...document.querySelectorAll(".export button")].find((b) => b.textContent.includes("Perfetto")).click()`, answer), nil))
	}
	const site = "https://ui.perfetto.dev"
	open(false)
	if text := value[string](t, b, "askedFor"); !strings.Contains(text, site) || value[int](t, b, "opened.length") != 0 {
		t.Errorf("asked %q", text)
	}
	open(true)
	b.until(t, `got.length > 0`)
	b.run(t, chromedp.Evaluate(`dispatchEvent(new MessageEvent("message", {origin: "https://other.example", data: "PONG"}))`, nil))
	if value[bool](t, b, `got.some(([m]) => m !== "PING")`) {
		t.Error("the trace goes to a site that nobody was asked about")
	}
	b.run(t, chromedp.Evaluate(`dispatchEvent(new MessageEvent("message", {origin: "`+site+`", data: "PONG"}))`, nil))
	if !value[bool](t, b, `got.at(-1)[0] > 10000 && got.every(([, to]) => to === "`+site+`")`) {
		t.Errorf("it gets %v", value[any](t, b, "got"))
	}
	b.sound(t)
}
