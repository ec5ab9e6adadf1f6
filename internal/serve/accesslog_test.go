package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestLogJSON: a request has one line, an object with all that the text has, and lengths of time in nanoseconds.
func TestLogJSON(t *testing.T) {
	var log bytes.Buffer
	_, _, s := serving(t, Options{Log: &log, LogJSON: true})
	for _, c := range []struct {
		path, route string
		status      int
	}{
		{"/v1/traces/ring/tables/calls?limit=2", "/v1/traces/{name}/tables/{table}", 200}, {"/v1/traces/ring/summary?by=nosuch", "/v1/traces/{name}/summary", 400},
		{"/nosuch%22%0a", "", 404},
	} {
		log.Reset()
		w := asking(s, c.path)
		var line struct {
			Time                                    time.Time
			Level, Msg, Client, Method, Path, Route string
			Status, Bytes                           int
			Duration                                *int64 `json:"duration_ns"`
			Waited                                  *int64 `json:"waited_ns"`
		}
		d := json.NewDecoder(&log)
		d.DisallowUnknownFields()
		if err := d.Decode(&line); err != nil || d.More() {
			t.Fatalf("%v, more: %v", err, d.More())
		}
		if line.Method != "GET" || line.Path != c.path || line.Route != c.route || line.Status != c.status || line.Bytes != w.Body.Len() ||
			line.Client != "192.0.2.1:1234" || line.Msg != "request" || line.Level != "INFO" || time.Since(line.Time) > time.Hour {
			t.Errorf("%+v", line)
		}
		if line.Duration == nil || line.Waited == nil || *line.Duration <= 0 || *line.Waited < 0 || *line.Waited > *line.Duration {
			t.Errorf("%s: %+v", c.path, line)
		}
	}
}

// TestLogText: the same as text, on one line.
func TestLogText(t *testing.T) {
	var log bytes.Buffer
	_, _, s := serving(t, Options{Log: &log})
	asking(s, "/v1/traces/ring")
	want := regexp.MustCompile(`^time=\S+ level=INFO msg=request client=192\.0\.2\.1:1234 method=GET path=/v1/traces/ring route=/v1/traces/\{name\} status=200 bytes=\d+ took=\S+s waited=\S+s\n$`)
	if !want.MatchString(log.String()) {
		t.Errorf("%s", log.String())
	}
}

// TestLogBroken: an answer that was broken off is marked, and counted.
func TestLogBroken(t *testing.T) {
	var log bytes.Buffer
	_, _, s := serving(t, Options{Log: &log, LogJSON: true, MaxRows: 20_000})
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("the answer was not broken off")
			}
		}()
		s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://localhost/v1/traces/ring/tables/calls", nil))
	}()
	if !strings.Contains(log.String(), `"status":200`) || !strings.Contains(log.String(), `"broken":true`) {
		t.Errorf("%s", log.String())
	}
	broken := parseMetrics(t, asking(s, "/metrics").Body.String())["pando_broken_answers_total"].samples
	if broken[`pando_broken_answers_total{route="/v1/traces/{name}/tables/{table}"}`] != 1 {
		t.Errorf("%v", broken)
	}
}
