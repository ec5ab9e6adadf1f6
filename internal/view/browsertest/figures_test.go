package browsertest

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

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
	h := httptest.NewServer(s)
	defer h.Close()
	b := browse(t, h.URL)
	b.run(t, chromedp.EmulateViewport(1920, 1000), chromedp.Navigate(h.URL+"/healthz"))
	begin := time.Now()
	b.run(t, chromedp.Navigate(h.URL+"/#lines=0"))
	b.rests(t)
	t.ReportMetric(value[float64](t, b, "Math.round(pandoFrames[0])"), "ms/first")
	t.ReportMetric(float64(time.Since(begin).Milliseconds()), "ms/rest")
	random := rand.New(rand.NewPCG(1, 2))
	var took []float64
	for range 60 {
		key := string("wwwwadadss"[random.IntN(10)])
		n := value[int](t, b, "pandoFrames.length")
		b.run(t, chromedp.Evaluate(fmt.Sprintf(`window.pandoKey = performance.now(); dispatchEvent(new KeyboardEvent("keydown", {key: %q}))`, key), nil))
		time.Sleep(150 * time.Millisecond)
		b.rests(t)
		if last := value[float64](t, b, "pandoFrames.at(-1) - pandoKey"); value[int](t, b, "pandoFrames.length") > n {
			took = append(took, last)
		}
	}
	slices.Sort(took)
	t.ReportMetric(took[len(took)/2], "ms/step-p50")
	t.ReportMetric(took[len(took)*95/100], "ms/step-p95")
	t.ReportMetric(value[float64](t, b, "performance.memory.usedJSHeapSize / 1e6"), "MB/heap")
	t.ReportMetric(value[float64](t, b, `performance.getEntriesByType("resource").filter((e) => /tiles|calls/.test(e.name)).length`), "requests")
}
