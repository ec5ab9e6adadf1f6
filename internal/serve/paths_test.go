package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestUnknown: what there is not is an error in the documented form, whatever the path or the method, and known paths say what is possible.
func TestUnknown(t *testing.T) {
	_, _, s := serving(t, Options{})
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/view", 404}, {"GET", "/v1", 404}, {"GET", "/v1/", 404}, {"GET", "/v1/traces/", 404}, {"GET", "//v1/traces", 404}, {"GET", "/v1//traces", 404},
		{"GET", "/v1/traces/../traces", 404}, {"GET", "/v1/traces/ring/", 404}, {"GET", "/v1/traces/ring/nosuch", 404}, {"GET", "/v1/traces//file", 404},
		{"GET", "/v1/traces/ring/tables/", 404}, {"GET", "/v1/traces/ring/tables/calls/1", 404}, {"GET", "/V1/traces", 404}, {"GET", "/v1/traces/%00", 404},
		{"GET", "/v1/traces/ring%2Ftables", 404}, {"GET", "/v1/traces/%ff%fe", 404}, {"GET", "/v1/tr%61ces", 404}, {"POST", "/nosuch", 404}, {"HEAD", "/nosuch", 404},
		{"OPTIONS", "/nosuch", 404}, {"POST", "/v1/traces", 405}, {"PUT", "/v1/traces/ring/file", 405}, {"DELETE", "/v1/traces/nosuch", 405},
		{"PATCH", "/healthz", 405}, {"get", "/v1/traces", 405}, {"PROPFIND", "/metrics", 405}, {"TRACE", "/v1/openapi.json", 405},
		{"OPTIONS", "/v1/traces", 204}, {"OPTIONS", "/v1/traces/nosuch/file", 204}, {"OPTIONS", "/healthz", 204}, {"OPTIONS", "*", 204},
	} {
		r := httptest.NewRequest(c.method, "http://localhost/", nil)
		if c.path == "*" {
			r.URL.Path, r.RequestURI = "*", "*"
		} else {
			u, err := url.ParseRequestURI(c.path)
			if err != nil {
				t.Fatal(err)
			}
			r.URL, r.RequestURI = u, c.path
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, w.Code, c.want)
		}
		if allow := w.Header().Get("Allow"); (allow == "GET, HEAD, OPTIONS") != (c.want != 404) {
			t.Errorf("%s %s: allowed are %q", c.method, c.path, allow)
		}
		var e struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &e); c.want != 204 && c.method != "HEAD" && (err != nil || e.Error == "" || w.Header().Get("Content-Type") != jsonType) {
			t.Errorf("%s %s: %v, %.100s", c.method, c.path, w.Header(), w.Body)
		}
	}
}

// TestUnreadable sends what is no request at all to a server as the program runs it, and a good request before and after.
func TestUnreadable(t *testing.T) {
	address := listening(t, Options{})
	const good = "GET /v1/traces HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for text, want := range map[string]int{
		"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n": 400, "garbage\r\n\r\n": 400, "GET /v1/traces HTTP/1.1\r\n\r\n": 400,
		"GET /v1/traces HTTP/1.1\r\nHost: a b\r\n\r\n": 400, "GET /v1/traces HTTP/9.9\r\nHost: localhost\r\n\r\n": 505,
		"GET /v1/traces HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n":               400,
		"GET /v1/traces HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: rot13\r\n\r\n": 501,
	} {
		for _, before := range []string{"", good} {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(c, before+text); err != nil {
				t.Error(err)
			}
			in := bufio.NewReader(c)
			if before != "" {
				checkWire(t, in, http.StatusOK, `{"traces":`)
			}
			checkWire(t, in, want, `{"error":"the request cannot be read: `)
			c.Close()
		}
	}
	if status, _, _ := get(t, "http://"+address+"/v1/traces"); status != http.StatusOK {
		t.Errorf("a good request: %d", status)
	}
}

// TestLooksUnreadable: bytes of an answer that look like an error of net/http are sent as they are.
func TestLooksUnreadable(t *testing.T) {
	here, there := net.Pipe()
	g := &guest{Conn: here, leave: func() {}}
	text := "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	for _, asks := range []bool{true, false} {
		g.asks.Store(asks)
		go func() {
			if n, err := g.Write([]byte(text)); n != len(text) || err != nil {
				t.Error(n, err)
			}
		}()
		got := make([]byte, 1000)
		n, err := there.Read(got)
		if err != nil || (string(got[:n]) == text) != asks {
			t.Errorf("while a handler answers (%v): %q, %v", asks, got[:n], err)
		}
	}
}

// checkWire reads an answer and wants a status, JSON and its beginning.
func checkWire(t *testing.T, in *bufio.Reader, status int, begin string) {
	t.Helper()
	r, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Error(err)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status || !strings.HasPrefix(string(body), begin) || !json.Valid(body) || r.Header.Get("Content-Type") != jsonType {
		t.Errorf("%d, %v, %.200s, %v, want %d", r.StatusCode, r.Header, body, err, status)
	}
}

// listening runs a server as the program does, until the test ends.
func listening(t *testing.T, opt Options) (address string) {
	t.Helper()
	_, _, s := serving(t, opt)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// TestHead asks every question for its headers alone: they are those of the answer, and no byte follows.
func TestHead(t *testing.T) {
	base, _, s := serving(t, Options{})
	for _, route := range s.routes {
		ask := base + exemplary(route.path)
		for _, accept := range []string{"", "zstd"} {
			var answers [2]http.Header
			for i, method := range []string{"GET", "HEAD"} {
				r := request1(t, method, ask, "Accept-Encoding", accept)
				body, err := io.ReadAll(r.Body)
				r.Body.Close()
				if err != nil || r.StatusCode != http.StatusOK || (len(body) == 0) != (method == "HEAD") {
					t.Errorf("%s %s: %d, %d bytes, %v", method, ask, r.StatusCode, len(body), err)
				}
				r.Header.Del("Date")
				if route.path == "/metrics" {
					r.Header.Del("Content-Length") // the numbers change
				}
				answers[i] = r.Header
			}
			if !maps.EqualFunc(answers[0], answers[1], slices.Equal) {
				t.Errorf("%s: the headers are\n%v and for HEAD\n%v", ask, answers[0], answers[1])
			}
		}
	}
}

// TestHeadIsCheap: of a long answer only the begin is made.
func TestHeadIsCheap(t *testing.T) {
	base, dir, s := serving(t, Options{})
	written(t, dir, "large", ring(8, 2_500))
	r := request1(t, "HEAD", base+"/v1/traces/large/tables/calls")
	r.Body.Close()
	b, err := s.library.take("large")
	if err != nil {
		t.Fatal(err)
	}
	defer s.library.giveBack(b)
	if read, all := b.reader.ReadStats().Events, int64(b.reader.Info().Events); read == 0 || read > all/2 {
		t.Errorf("%d of %d events were decoded", read, all)
	}
	if n := underWay(s); n != 0 {
		t.Errorf("%d answers are under way", n)
	}
}

// request1 sends a request with headers (names and values) by a client that adds none.
func request1(t testing.TB, method, url string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			r.Header.Add(headers[i], headers[i+1])
		}
	}
	answer, err := plain.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestHealth: anybody may ask whether the server is alive, whatever the load, and learns nothing else.
func TestHealth(t *testing.T) {
	_, _, s := serving(t, Options{Token: "secret"})
	for _, g := range s.gates {
		g.Places, g.Turns = 0, 0 // nobody is admitted
	}
	for path, want := range map[string]int{"/healthz": 200, "/metrics": 401, "/v1/traces": 401, "/healthz/": 401, "/healthz?x=1": 400} {
		r := httptest.NewRequest(http.MethodGet, "http://anything.example"+path, nil)
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
		if want == 200 && (w.Body.String() != "{\"status\":\"ok\"}\n" || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("ETag") != "") {
			t.Errorf("%v, %s", w.Header(), w.Body)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost/healthz", nil)
	r.Header.Set("Origin", "https://evil.example")
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Error(fmt.Sprint("a page of another site: ", w.Code))
	}
}
