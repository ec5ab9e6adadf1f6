package serve

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asking asks a server without a connection.
func asking(s *Server, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestTags: who has the answer to a question is told so; another question, another file and another program have another tag.
func TestTags(t *testing.T) {
	_, dir, s := serving(t, Options{})
	paths := []string{
		"/v1/openapi.json", "/v1/traces/ring", "/v1/traces/ring/file", "/v1/traces/ring/definitions", "/v1/traces/ring/tables", "/v1/traces/ring/tables/calls",
		"/v1/traces/ring/tables/messages", "/v1/traces/ring/tables/calls?format=csv", "/v1/traces/ring/tables/calls?to=10%25", "/v1/traces/ring/tables/calls?to=20%25",
		"/v1/traces/ring/tables/calls?limit=10", "/v1/traces/ring/tables/calls?columns=name,rank", "/v1/traces/ring/tables/calls?columns=rank,name",
		"/v1/traces/ring/tables/calls?location=0&location=1", "/v1/traces/ring/tables/calls?location=0", "/v1/traces/ring/summary", "/v1/traces/ring/summary?by=location",
		"/v1/traces/ring/timeline.png", "/v1/traces/ring/timeline.svg", "/v1/traces/ring/timeline.json",
	}
	seen := map[string]string{}
	for _, path := range paths {
		w := asking(s, path)
		tag := w.Header().Get("ETag")
		if w.Code != http.StatusOK || len(tag) < 20 || tag[0] != '"' || tag[len(tag)-1] != '"' || strings.Contains(tag[1:len(tag)-1], `"`) || seen[tag] != "" {
			t.Errorf("%s: %d, tag %s, that of %q", path, w.Code, tag, seen[tag])
		}
		seen[tag] = path
		for value, want := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, tag[:len(tag)-2] + `"`: 200} {
			w := asking(s, path, "If-None-Match", value)
			if w.Code != want || want == 304 && (w.Body.Len() > 0 || w.Header().Get("ETag") == "" || w.Header().Get("Cache-Control") != "private, no-cache") {
				t.Errorf("%s: %s is %d, %v", path, value, w.Code, w.Header())
			}
		}
	}
	const question = "/v1/traces/ring/tables/calls?to=10%25&limit=2"
	first, same := asking(s, question).Header().Get("ETag"), asking(s, "/v1/traces/ring/tables/calls?limit=2&to=10%25").Header().Get("ETag")
	if first != same {
		t.Errorf("one question, in two orders of its parameters, has the tags %s and %s", first, same)
	}
	other, err := New([]string{dir}, Options{MaxRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if w := asking(other, question, "If-None-Match", first); w.Code != http.StatusOK {
		t.Errorf("a server with other bounds: %d", w.Code)
	}
	again, err := New([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if w := asking(again, question, "If-None-Match", first); w.Code != http.StatusNotModified {
		t.Errorf("the same server, started again: %d", w.Code)
	}
	path := filepath.Join(dir, "ring.pando")
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if w := asking(s, question, "If-None-Match", first); w.Code != http.StatusOK || w.Header().Get("ETag") == first {
		t.Errorf("a changed file: %d, %s", w.Code, w.Header().Get("ETag"))
	}
}

// TestUnchangedIsFree: that an answer is the one that the client has is said although nobody is admitted, and nothing is read for it. It is
// said of compressed answers, too.
func TestUnchangedIsFree(t *testing.T) {
	_, _, s := serving(t, Options{})
	const question = "/v1/traces/ring/tables/calls"
	w := asking(s, question, "Accept-Encoding", "gzip")
	tag := w.Header().Get("ETag")
	if !strings.HasSuffix(tag, `-gzip"`) {
		t.Errorf("the tag of a compressed answer is %s", tag)
	}
	for _, g := range s.gates {
		g.Places, g.Turns = 0, 0
	}
	before := s.library.cache.Stats()
	w = asking(s, question, "Accept-Encoding", "gzip", "If-None-Match", tag)
	if w.Code != http.StatusNotModified || w.Header().Get("ETag") != tag || w.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("%d, %v", w.Code, w.Header())
	}
	if after := s.library.cache.Stats(); after != before {
		t.Errorf("the cache was asked: %+v, %+v", before, after)
	}
	if w := asking(s, question); w.Code != http.StatusServiceUnavailable {
		t.Errorf("without a tag: %d", w.Code)
	}
	if w := asking(s, question+"?nobody=knows", "If-None-Match", tag); w.Code != http.StatusBadRequest {
		t.Errorf("a wrong question: %d", w.Code)
	}
}

// TestNoTag: what is no function of a file has no tag, and no error has one.
func TestNoTag(t *testing.T) {
	_, _, s := serving(t, Options{})
	for _, path := range []string{"/healthz", "/metrics", "/v1/traces", "/v1/traces/nosuch", "/v1/traces/ring/tables/nosuch", "/v1/traces/ring/tables/calls?max_rows=1", "/nosuch"} {
		w := asking(s, path, "If-None-Match", "*", "Accept-Encoding", "gzip")
		if tag := w.Header().Get("ETag"); tag != "" || w.Code == http.StatusNotModified || w.Code >= 400 && w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %d, %v", path, w.Code, w.Header())
		}
	}
}
