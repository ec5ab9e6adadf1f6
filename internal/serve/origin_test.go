package serve

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestSites: what a browser says of where a request comes from decides, and other programs do not say it.
func TestSites(t *testing.T) {
	const page, other = "https://notes.example", "https://evil.example"
	_, _, plain := serving(t, Options{})
	_, _, allowing := serving(t, Options{Token: "secret", AllowOrigins: []string{page}})
	for _, c := range []struct {
		s                   *Server
		site, origin, token string
		want                int
	}{
		{plain, "", "", "", 200}, {plain, "none", "", "", 200}, {plain, "same-origin", "", "", 200}, {plain, "cross-site", "", "", 403},
		{plain, "same-site", "", "", 403}, {plain, "", "http://localhost:7788", "", 200}, {plain, "same-origin", "http://LOCALHOST:7788", "", 200},
		{plain, "", "http://localhost:7789", "", 403}, {plain, "", other, "", 403}, {plain, "", "null", "", 403}, {plain, "", page, "", 403},
		{plain, "same-origin", other, "", 403}, {plain, "cross-site", page, "", 403}, {plain, "Cross-Site", "", "", 403}, {plain, "?", "", "", 403},
		{plain, "", "http://localhost:7788.evil.example", "", 403}, {plain, "", "http://evil@localhost:7788x", "", 403},
		{allowing, "", "", "secret", 200}, {allowing, "cross-site", page, "secret", 200}, {allowing, "cross-site", page, "", 401},
		{allowing, "cross-site", page, "wrong", 401}, {allowing, "cross-site", other, "secret", 403}, {allowing, "cross-site", "", "secret", 403},
		{allowing, "cross-site", page + ".evil.example", "secret", 403}, {allowing, "same-site", strings.ToUpper(page), "secret", 403},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost:7788/v1/traces", nil)
		for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Origin": c.origin, "Authorization": "Bearer " + c.token} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		c.s.ServeHTTP(w, r)
		if w.Code != c.want || w.Code != 200 && !strings.HasPrefix(w.Body.String(), `{"error":`) {
			t.Errorf("from %q, %q, token %q: %d %.100s, want %d", c.site, c.origin, c.token, w.Code, w.Body, c.want)
		}
		allowed, want := w.Header().Get("Access-Control-Allow-Origin"), ""
		if c.s == allowing && c.origin == page {
			want = page
		}
		if vary := w.Header().Get("Vary") == "Origin"; allowed != want || vary != (c.s == allowing) || w.Header().Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("from %q, %q: %v", c.site, c.origin, w.Header())
		}
	}
}

// TestTwoOrigins: of several headers, each counts.
func TestTwoOrigins(t *testing.T) {
	_, _, s := serving(t, Options{})
	for name, values := range map[string][]string{"Origin": {"http://localhost", "https://evil.example"}, "Sec-Fetch-Site": {"none", "cross-site"}} {
		for range 2 {
			r := httptest.NewRequest(http.MethodGet, "http://localhost/v1/traces", nil)
			r.Header[name] = values
			w := httptest.NewRecorder()
			if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
				t.Errorf("%s %q: %d", name, values, w.Code)
			}
			slices.Reverse(values)
		}
	}
}

// TestPreflight: browsers ask without a token whether a page may ask.
func TestPreflight(t *testing.T) {
	_, _, s := serving(t, Options{Token: "secret", AllowOrigins: []string{"https://notes.example"}})
	for origin, want := range map[string]int{"https://notes.example": 204, "https://evil.example": 403, "": 401} {
		r := httptest.NewRequest(http.MethodOptions, "http://localhost/v1/traces/ring/file", nil)
		r.Header.Set("Access-Control-Request-Method", "GET")
		r.Header.Set("Access-Control-Request-Headers", "authorization,range")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		headers := w.Header().Get("Access-Control-Allow-Headers")
		if methods := w.Header().Get("Access-Control-Allow-Methods"); (methods == "GET, HEAD") != (want == 204) {
			t.Errorf("%q: methods %q", origin, methods)
		}
		if w.Code != want || (want == 204) != (strings.Contains(headers, "Authorization") && strings.Contains(headers, "Range")) || w.Header().Get("Vary") != "Origin" {
			t.Errorf("%q: %d, %v", origin, w.Code, w.Header())
		}
	}
}

// TestExposed: a page of an allowed origin may read the headers that answers have, of refusals, too.
func TestExposed(t *testing.T) {
	const page = "https://notes.example"
	_, _, s := serving(t, Options{Token: "secret", AllowOrigins: []string{page}})
	for path, names := range map[string][]string{
		"/v1/traces/ring/file": {"ETag", "Accept-Ranges", "Content-Range"}, "/v1/traces/ring/tables/calls?limit=100": {"ETag", "Content-Encoding", moreRows, "Content-Disposition"},
		"/v1/traces/ring/summary?by=nosuch": {"Content-Type"}, "/nosuch": {"Content-Type"},
	} {
		w := asking(s, path, "Origin", page, "Authorization", "Bearer secret", "Accept-Encoding", "gzip", "Range", "bytes=0-9")
		exposed := strings.Split(w.Header().Get("Access-Control-Expose-Headers"), ", ")
		for _, name := range names {
			if simple := name == "Content-Type"; w.Header().Get(name) == "" || !simple && !slices.Contains(exposed, name) {
				t.Errorf("%s: %s is %q, exposed are %q", path, name, w.Header().Get(name), exposed)
			}
		}
		if w.Header().Get("Access-Control-Allow-Origin") != page || w.Header().Values("Vary")[0] != "Origin" {
			t.Errorf("%s: %v", path, w.Header())
		}
	}
}

// TestAllowOrigin: no origin is allowed without a token, and nothing but an origin.
func TestAllowOrigin(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		token, origin string
		want          bool
	}{
		{"x", "https://a.example", true}, {"x", "http://localhost:8888", true}, {"x", "http://[::1]:8888", true}, {"", "https://a.example", false},
		{"x", "*", false}, {"x", "null", false}, {"x", "a.example", false}, {"x", "https://a.example/", false}, {"x", "https://A.example", false},
		{"x", "https://u@a.example", false}, {"x", "https://a.example?x", false}, {"x", "file://a", false}, {"x", "", false},
	} {
		s, err := New([]string{dir}, Options{Token: c.token, AllowOrigins: []string{c.origin}})
		if (err == nil) != c.want {
			t.Errorf("%q with token %q: %v", c.origin, c.token, err)
		}
		if err == nil {
			s.Close()
		}
	}
}
