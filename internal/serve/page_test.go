package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/view"
)

// TestPage: anybody has the page, by a link of another site, too, and without a token; the data not. Its headers say what the page may load.
func TestPage(t *testing.T) {
	_, _, s := serving(t, Options{Token: "secret"})
	files, err := view.Files()
	if err != nil || len(files) < 3 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		w := asking(s, f.Path, "Sec-Fetch-Site", "cross-site")
		h := w.Header()
		if w.Code != http.StatusOK || w.Body.String() != string(f.Bytes) || h.Get("Content-Type") != f.Type {
			t.Errorf("%s: %d, %v", f.Path, w.Code, h)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": view.Policy, "Cross-Origin-Opener-Policy": "same-origin-allow-popups", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "X-Content-Type-Options": "nosniff",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", f.Path, name, h.Get(name))
			}
		}
		if h.Get("ETag") == "" || asking(s, f.Path, "If-None-Match", h.Get("ETag")).Code != http.StatusNotModified {
			t.Errorf("%s is sent anew: %q", f.Path, h.Get("ETag"))
		}
		if zipped := asking(s, f.Path, "Accept-Encoding", "gzip"); len(f.Bytes) >= leastCoded && zipped.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s is not compressed", f.Path)
		}
	}
	if w := asking(s, "/v1/traces", "Authorization", "Bearer secret", "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden {
		t.Errorf("data for another site: %d", w.Code)
	}
	if w := asking(s, "/v1/traces"); w.Code != http.StatusUnauthorized {
		t.Errorf("data without a token: %d", w.Code)
	}
	if w := asking(s, "/view/nosuch.js", "Authorization", "Bearer secret"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "no path") {
		t.Errorf("what is not there: %d", w.Code)
	}
}

// TestPageOfOtherNames: without a token the page is for names of this machine alone, as the data are.
func TestPageOfOtherNames(t *testing.T) {
	_, _, s := serving(t, Options{})
	r := httptest.NewRequest(http.MethodGet, "http://example.org/", nil)
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("%d", w.Code)
	}
}
