package browsertest

import (
	"context"
	"fmt"
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
func browse(t testing.TB, host string) *browser {
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium: apt-get install --no-install-recommends chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1200, 800))
	limited, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
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
		if url := e.Request.URL; !strings.HasPrefix(url, host) && !strings.HasPrefix(url, "about:") && !strings.HasPrefix(url, "blob:"+host) {
			b.wrong = append(b.wrong, "asks for "+url)
		}
	case *log.EventEntryAdded:
		b.wrong = append(b.wrong, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, e.ExceptionDetails.Error())
	}
}

// sound fails the test if the page complained of anything, or asked anybody else.
func (b *browser) sound(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		t.Error(w)
	}
}

func (b *browser) run(t testing.TB, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b, actions...); err != nil {
		t.Fatal(err)
	}
}

// value returns the value of an expression of JavaScript.
func value[T any](t testing.TB, b *browser, expression string) (v T) {
	t.Helper()
	b.run(t, chromedp.Evaluate(expression, &v))
	return v
}

// until waits until an expression is true.
func (b *browser) until(t testing.TB, expression string) {
	t.Helper()
	var is bool
	var err error
	for begin := time.Now(); !is && time.Since(begin) < 60*time.Second; time.Sleep(20 * time.Millisecond) {
		// Between two pages there is nothing that could be asked: that is no error.
		err = chromedp.Run(b, chromedp.Evaluate(expression, &is))
	}
	if !is {
		status := value[string](t, b, "document.body.textContent.slice(0, 300)")
		b.mu.Lock()
		defer b.mu.Unlock()
		t.Fatalf("it does not become true that %s: %v; the page says %s; complaints: %q", expression, err, status, b.wrong)
	}
}

// rests waits until the page shows what its URL says.
func (b *browser) rests(t testing.TB) {
	t.Helper()
	b.until(t, "document.body.dataset.rest === location.hash")
}

// open opens a URL in a page that has nothing in memory.
func (b *browser) open(t testing.TB, url string) {
	t.Helper()
	b.run(t, chromedp.Navigate("about:blank"), chromedp.Navigate(url))
	b.rests(t)
}

func (b *browser) press(t testing.TB, keys ...string) {
	t.Helper()
	for _, key := range keys {
		b.run(t, chromedp.KeyEvent(key))
	}
}

// mouse is an event of the left button.
func mouse(kind input.MouseType, x, y float64) chromedp.Action {
	return input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithButtons(1).WithClickCount(1)
}

// serving serves a source as the trace "run".
func serving(t testing.TB, src trace.Source, opt serve.Options) (url, dir string, stop func()) {
	return servingAs(t, src, store.Options{SliceEvents: 2000}, opt)
}

// servingAs serves a source that is stored with some options.
func servingAs(t testing.TB, src trace.Source, as store.Options, opt serve.Options) (url, dir string, stop func()) {
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "run.pando"), stored.Bytes(t, src, as), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := serve.New([]string{dir}, opt)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	stop = sync.OnceFunc(func() {
		h.CloseClientConnections()
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return h.URL, dir, stop
}

// put writes a source as a trace of a folder.
func put(t testing.TB, dir, name string, src trace.Source) {
	t.Helper()
	file := filepath.Join(dir, "new")
	if err := os.WriteFile(file, stored.Bytes(t, src, store.Options{SliceEvents: 2000}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file, filepath.Join(dir, name+".pando")); err != nil {
		t.Fatal(err)
	}
}

func real(t testing.TB) *store.Reader {
	return stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
}

// part is the URL of a part of the trace "run".
func part(url string, from, to int64, more string) string {
	return fmt.Sprintf("%s/#trace=run&from=%d&to=%d%s", url, from, to, more)
}
