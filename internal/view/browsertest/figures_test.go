package browsertest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"

	"github.com/pandotrace/pando/internal/serve"
)

// BenchmarkView measures what bench/results/view.md records, of the files in PANDO_VIEWED (paths with commas between them): from opening the address with a server just
// started to the first exact picture, in a browser that runs, and steps of zoom and pan from the key to the picture, both as the page itself notes them.
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
	program := build(t)
	first(t, program, file)
	b := browse(t, h.URL)
	b.run(t, chromedp.EmulateViewport(1920, 1000))
	b.open(t, h.URL+"/#lines=0")
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
	memory(t, program, file)
}

// first reports the first picture: the median and the least of some rounds, each with a browser and a server of its own. The browser has come to rest
// before, and nobody asks it anything while it has something to do.
func first(t *testing.B, program, file string) {
	var took, busy []float64
	for range 7 {
		func() {
			url, pid, stop := process(t, program, file)
			defer stop()
			b := browse(t, strings.TrimSuffix(url, "/"))
			defer chromedp.Cancel(b)
			b.run(t, chromedp.EmulateViewport(1920, 1000), chromedp.Navigate(url+"healthz"))
			time.Sleep(time.Second)
			before := processorTime(t, pid)
			b.run(t, chromedp.Navigate(url+"#lines=0"))
			time.Sleep(1500 * time.Millisecond)
			b.rests(t)
			took, busy = append(took, value[float64](t, b, "Math.round(pandoFrames[0])")), append(busy, processorTime(t, pid)-before)
		}()
	}
	slices.Sort(took)
	slices.Sort(busy)
	t.ReportMetric(took[0], "ms/first-least")
	t.ReportMetric(took[len(took)/2], "ms/first")
	t.ReportMetric(busy[len(busy)/2], "ms/first-server-processor") // with all that the page asks for in the first 1.5 s
}

// process starts a server of one file, as users do, and returns the address of its page.
func process(t *testing.B, program, file string) (url string, pid int, stop func()) {
	server := exec.CommandContext(t.Context(), program, "serve", "--quiet", "--listen", "127.0.0.1:0", file)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); url == "" && lines.Scan(); {
		_, url, _ = strings.Cut(lines.Text(), "page in a browser: ")
	}
	return url, server.Process.Pid, func() {
		server.Process.Kill()
		server.Wait() // it was killed
	}
}

// processorTime returns the processor time of a process so far, in milliseconds.
func processorTime(t *testing.B, pid int) float64 {
	const tick = 10 // ms
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, err := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return float64(user+system) * tick
}

// memory reports what a server of its own and the page take after 1,000 gestures with calls and messages: the most that the server ever had, and what the processes
// of the page have, memory that they share in parts.
func memory(t *testing.B, program, file string) {
	url, pid, stop := process(t, program, file)
	defer stop()
	b := browse(t, strings.TrimSuffix(url, "/"))
	b.run(t, chromedp.EmulateViewport(1920, 1000))
	b.open(t, url+"#rows=l0,l1")
	gesture(t, b)
	b.rests(t)
	t.ReportMetric(ofProcess(t, pid, "status", "VmHWM:"), "MB/server")
	most := 0.0
	pages, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	parent := fmt.Sprint(chromedp.FromContext(b).Browser.Process().Pid)
	for _, page := range pages {
		line, err := os.ReadFile(page)
		pid, _ := strconv.Atoi(strings.Split(page, "/")[2])
		if err == nil && strings.Contains(string(line), "--type=renderer") && descends(pid, parent) {
			most = max(most, ofProcess(t, pid, "smaps_rollup", "Pss:"))
		}
	}
	t.ReportMetric(most, "MB/tab")
}

// descends reports whether a process was started by another one, or by one that it started.
func descends(pid int, from string) bool {
	for depth := 0; depth < 5 && pid > 1; depth++ {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if err != nil || len(fields) < 2 {
			return false
		}
		if fields[1] == from {
			return true
		}
		pid, _ = strconv.Atoi(fields[1])
	}
	return false
}

// ofProcess returns a number of a process that the kernel tells in kilobytes, in megabytes.
func ofProcess(t *testing.B, pid int, file, name string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			kilobytes, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return kilobytes * 1024 / 1e6
		}
	}
	t.Fatalf("%s of process %d has no %s", file, pid, name)
	return 0
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
	t.ReportMetric(gesture(t, b), "%/late")
	b.rests(t)
	t.ReportMetric(heap(), "MB/heap-after")
}

// gesture moves and zooms 1,000 times, a step a frame, and returns which part of the frames came late, in percent.
func gesture(t *testing.B, b *browser) float64 {
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
	return 100 * float64(found.Late) / float64(found.Frames)
}
