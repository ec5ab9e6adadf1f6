//go:build unix

package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
)

const (
	// stopsWithin bounds the work for a client that has gone: processor time on each processor, which other work on the machine does not lengthen.
	stopsWithin = 50 * time.Millisecond
	// working is the processor time after which a client leaves.
	working = 15 * time.Millisecond
)

// longQuestions are questions about the trace "large", by the path of their route, for each route that has a trace.
var longQuestions = map[string]string{
	"/v1/traces/{name}":                        "/v1/traces/large",
	"/v1/traces/{name}/file":                   "/v1/traces/large/file",
	"/v1/traces/{name}/definitions":            "/v1/traces/large/definitions",
	"/v1/traces/{name}/tables":                 "/v1/traces/large/tables",
	"/v1/traces/{name}/tables/{table}":         "/v1/traces/large/tables/calls?format=json",
	"/v1/traces/{name}/query":                  "/v1/traces/large/query?table=calls&by=name,location&show=count(),median(duration)",
	"/v1/traces/{name}/summary":                "/v1/traces/large/summary?by=callpath",
	"/v1/traces/{name}/compare/{with}":         "/v1/traces/large/compare/other",
	"/v1/traces/{name}/compare/{with}/{table}": "/v1/traces/large/compare/other/aligned_calls?format=csv",
	"/v1/traces/{name}/cluster":                "/v1/traces/large/cluster?by=messages",
	"/v1/traces/{name}/lattice":                "/v1/traces/large/lattice",
	"/v1/traces/{name}/tree":                   "/v1/traces/large/tree",
	"/v1/traces/{name}/fold":                   "/v1/traces/large/fold?exact=true&pixels=10000",
	"/v1/traces/{name}/hotspots":               "/v1/traces/large/hotspots",
	"/v1/traces/{name}/waits":                  "/v1/traces/large/waits",
	"/v1/traces/{name}/critical-path":          "/v1/traces/large/critical-path",
	"/v1/traces/{name}/patterns":               "/v1/traces/large/patterns?period=10%25",
	"/v1/traces/{name}/shapes":                 "/v1/traces/large/shapes",
	"/v1/traces/{name}/timeline.png":           "/v1/traces/large/timeline.png?width=4096",
	"/v1/traces/{name}/timeline.svg":           "/v1/traces/large/timeline.svg?width=4096",
	"/v1/traces/{name}/timeline.json":          "/v1/traces/large/timeline.json?pixels=16384",
	"/v1/traces/{name}/rows":                   "/v1/traces/large/rows",
	"/v1/traces/{name}/tiles":                  "/v1/traces/large/tiles?level=10&from=0&to=64&lane=0",
	"/v1/traces/{name}/calls":                  "/v1/traces/large/calls?level=10&from=0&to=64&lane=0&exact=true",
	"/v1/traces/{name}/lines":                  "/v1/traces/large/lines?limit=20000",
	"/v1/traces/{name}/counters":               "/v1/traces/large/counters?metric=0&pixels=1000",
	"/v1/traces/{name}/at":                     "/v1/traces/large/at?location=3&t=50%25",
	"/v1/traces/{name}/find":                   "/v1/traces/large/find?order=longest&limit=10000",
	"/v1/traces/{name}/export":                 "/v1/traces/large/export?format=pando",
}

// TestEveryRequestStops: when the client of a request leaves, the work for it ends within 50 ms, whatever it asked.
func TestEveryRequestStops(t *testing.T) {
	dir := t.TempDir()
	written(t, dir, "large", tracegen.Ring(8, thrift.Of(2500, 25_000), 1))
	written(t, dir, "other", tracegen.Ring(8, thrift.Of(2500, 25_000), 2))
	stopped := 0
	for _, route := range routes {
		if !strings.Contains(route.path, "{name}") {
			continue
		}
		question, ok := longQuestions[route.path]
		if !ok {
			t.Errorf("no question for %s", route.path)
			continue
		}
		t.Run(strings.TrimPrefix(question, "/v1/traces/"), func(t *testing.T) {
			if deserted(t, dir, question) {
				stopped++
			}
		})
	}
	if stopped < len(longQuestions)/3 {
		t.Errorf("%d requests were at work when their clients left: this tests little", stopped)
	}
}

// deserted lets a client of a new server ask and leave when there was some work, and looks at the work after that. It returns false if the
// answer was complete before.
func deserted(t *testing.T, dir, question string) bool {
	s, err := New([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	out, done := httptest.NewRecorder(), make(chan struct{})
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+question, nil)
	runtime.GC() // the garbage of earlier work is not this one's
	begin := processorTime(t)
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler { // how a handler ends an answer that is not complete
				t.Errorf("the handler ended with %v", p)
			}
		}()
		s.ServeHTTP(out, r)
	}()
	for processorTime(t)-begin < working {
		select {
		case <-done:
			if out.Code != http.StatusOK {
				t.Errorf("%d, %s", out.Code, out.Body)
			}
			t.Logf("done after %v of processor time", processorTime(t)-begin)
			return false
		case <-time.After(time.Millisecond):
		}
	}
	before := processorTime(t)
	leave()
	<-done
	time.Sleep(20 * time.Millisecond) // what others began for it
	after := processorTime(t) - before
	t.Logf("%d: stopped after %v of processor time", out.Code, after)
	if most := stopsWithin * time.Duration(runtime.GOMAXPROCS(0)); after > most {
		t.Errorf("worked for %v after its client had left, more than %v", after, most)
	}
	return true
}

// processorTime returns the processor time of this process so far.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
