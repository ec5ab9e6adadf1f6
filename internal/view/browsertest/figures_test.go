package browsertest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
)

// BenchmarkView measures what bench/results/view.md records, of the files in PANDO_VIEWED (paths with commas between them): from opening the address with a server just
// started to the first exact picture, and steps of zoom and pan from the key to the picture, both as the page itself notes them.
func BenchmarkView(b *testing.B) {
	files := os.Getenv("PANDO_VIEWED")
	if files == "" {
		b.Skip("PANDO_VIEWED is not set: paths of Pando files")
	}
	for _, file := range strings.Split(files, ",") {
		b.Run(file[strings.LastIndex(file, "/")+1:], func(b *testing.B) {
			for b.Loop() {
				viewing(b, file)
			}
		})
	}
}

func viewing(t *testing.B, file string) {
	s, err := serve.New([]string{file}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.ServeHTTP(counting{w, &sent}, r) }))
	defer h.Close()
	b := browse(t, h.URL)
	b.run(t, chromedp.EmulateViewport(1920, 1000), chromedp.Navigate(h.URL+"/healthz"))
	begin := time.Now()
	b.run(t, chromedp.Navigate(h.URL+"/#lines=0"))
	b.rests(t)
	t.ReportMetric(value[float64](t, b, "Math.round(pandoFrames[0])"), "ms/first")
	t.ReportMetric(float64(time.Since(begin).Milliseconds()), "ms/rest")
	random := rand.New(rand.NewPCG(1, 2))
	var took, view []float64
	for range 60 {
		key := string("wwwwadadss"[random.IntN(10)])
		n, before := value[int](t, b, "pandoFrames.length"), sent.Load()
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`window.pandoKey = performance.now(); dispatchEvent(new KeyboardEvent("keydown", {key: %q}))`, key), nil))
		time.Sleep(400 * time.Millisecond) // as somebody who looks
		b.rests(t)
		if last := value[float64](t, b, "pandoFrames.at(-1) - pandoKey"); value[int](t, b, "pandoFrames.length") > n {
			took, view = append(took, last), append(view, float64(sent.Load()-before)/1024)
		}
	}
	slices.Sort(took)
	slices.Sort(view)
	t.ReportMetric(took[len(took)/2], "ms/step-p50")
	t.ReportMetric(took[len(took)*95/100], "ms/step-p95")
	t.ReportMetric(view[len(view)-1], "KiB/step-most")
	gestures(t, b)
}

// counting counts the bytes of an answer's body, as they are sent.
type counting struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c counting) Write(b []byte) (int, error) {
	c.sent.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

// Unwrap returns the writer that knows how to flush.
func (c counting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// gestures moves and zooms 1,000 times, a step a frame, and reports how many frames came late, and the heap before and after.
func gestures(t *testing.B, b *browser) {
	heap := func() float64 {
		b.run(t, heapprofiler.CollectGarbage())
		return value[float64](t, b, "performance.memory.usedJSHeapSize / 1e6")
	}
	t.ReportMetric(heap(), "MB/heap-before")
	var found struct{ Frames, Late int }
	b.run(t, chromedp.Evaluate(`new Promise((done) => {
		dispatchEvent(new KeyboardEvent("keydown", {key: "0"}));
		let frames = 0, late = 0, last = 0;
		const step = (now) => {
			if (last > 0 && now - last > 25) late++;
			last = now;
			if (++frames > 1000) return done({Frames: frames, Late: late});
			dispatchEvent(new KeyboardEvent("keydown", {key: "wddsaawdas"[frames % 10]}));
			requestAnimationFrame(step);
		};
		requestAnimationFrame(step);
	})`, &found, awaited))
	b.rests(t)
	t.ReportMetric(100*float64(found.Late)/float64(found.Frames), "%/late")
	t.ReportMetric(heap(), "MB/heap-after")
}
