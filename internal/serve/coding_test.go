package serve

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pandotrace/pando/internal/serve/gate"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

func ring(locations, rounds int) trace.Source { return tracegen.Ring(locations, rounds, 1) }

func TestNegotiate(t *testing.T) {
	for accepted, want := range map[string]string{
		"": "", "identity": "", "br": "", "gzip": "gzip", "zstd": "zstd", "gzip, zstd": "zstd", "gzip, deflate, br, zstd": "zstd", "gzip, deflate, br": "gzip",
		"GZIP": "gzip", "x-gzip": "gzip", "gzip;q=0": "", "gzip;q=0.0, zstd;q=0.000": "", "gzip;q=1.0, zstd;q=0.5": "gzip", "gzip; q=0.2 , zstd ; q=0.3": "zstd",
		"*": "zstd", "*;q=0": "", "*;q=0, gzip": "gzip", "zstd;q=0, *": "gzip", "identity;q=1, gzip;q=0.5": "", "identity;q=0.5, gzip;q=0.5": "gzip",
		"identity;q=0": "", "identity;q=0, *": "zstd", "gzip;q=2": "", "gzip;q=x": "", "gzip;q=-1": "", "gzip;q=NaN": "", "gzip;level=9": "", ";q=1": "", ",,gzip,": "gzip",
	} {
		got := ""
		if c := negotiate([]string{accepted}); c != nil {
			got = c.name
		}
		if got != want {
			t.Errorf("%q: %q, want %q", accepted, got, want)
		}
	}
	if c := negotiate([]string{"br", "gzip;q=0.1"}); c == nil || c.name != "gzip" {
		t.Errorf("two headers: %v", c)
	}
	if c := negotiate(nil); c != nil {
		t.Errorf("without a header: %s", c.name)
	}
}

// decoded returns the plain bytes of an answer, by decoders that are not the server's where there are others.
func decoded(t *testing.T, r *http.Response) []byte {
	t.Helper()
	defer r.Body.Close()
	var in io.Reader = r.Body
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		in = z
	case "zstd":
		z, err := zstd.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		in = z
	}
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCodings holds compressed answers of any length against plain ones. What is compressed already, or short, is sent as it is.
func TestCodings(t *testing.T) {
	base, dir, _ := serving(t, Options{})
	written(t, dir, "large", ring(8, 2_500))
	for path, want := range map[string]bool{
		"ring/tables/calls?limit=2": false, "ring/tables/calls?limit=100": true, "ring/tables/calls?format=csv&limit=100": true, "ring/tables/calls?format=arrow&limit=500": true,
		"ring/tables/calls?format=arrow-file&limit=500": true, "ring/tables/calls?format=parquet": false, "ring/timeline.png": false, "ring/timeline.svg": true,
		"ring/file": false, "ring/summary": true, "ring/definitions": true, "large/tables/calls?limit=6000": true,
		"large/tables/events?format=arrow&limit=20000": true,
	} {
		url := base + "/v1/traces/" + path
		r := request1(t, "GET", url)
		plain := decoded(t, r)
		tags := map[string]bool{r.Header.Get("ETag"): true}
		if r.Header.Get("Content-Encoding") != "" || r.StatusCode != http.StatusOK {
			t.Errorf("%s without Accept-Encoding: %d, %v", path, r.StatusCode, r.Header)
		}
		for _, name := range []string{"gzip", "zstd"} {
			r := request1(t, "GET", url, "Accept-Encoding", name)
			sent := counting{ReadCloser: r.Body}
			r.Body = &sent
			body := decoded(t, r)
			if got := r.Header.Get("Content-Encoding"); got != "" != want || want && got != name {
				t.Errorf("%s as %s: %v", path, name, r.Header)
			}
			if !bytes.Equal(body, plain) || want && sent.n >= len(plain) {
				t.Errorf("%s as %s: %d bytes sent, %d of %d", path, name, sent.n, len(body), len(plain))
			}
			if length := r.Header.Get("Content-Length"); length != "" && length != strconv.Itoa(sent.n) {
				t.Errorf("%s as %s: %s bytes announced, %d sent", path, name, length, sent.n)
			}
			tags[r.Header.Get("ETag")] = true
			if vary := r.Header.Get("Vary") == "Accept-Encoding"; want && !vary || strings.HasSuffix(path, "file") && vary {
				t.Errorf("%s: %v", path, r.Header)
			}
		}
		if len(tags) != 1 && !want || len(tags) != 3 && want || tags[""] {
			t.Errorf("%s: the entity tags are %v", path, tags)
		}
	}
}

// counting counts what is read.
type counting struct {
	io.ReadCloser
	n int
}

// Read implements io.Reader.
func (c *counting) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	c.n += n
	return n, err
}

// TestRanges: parts of files are never compressed, and If-Range and If-None-Match hold for them.
func TestRanges(t *testing.T) {
	base, _, _ := serving(t, Options{})
	url := base + "/v1/traces/ring/file"
	r := request1(t, "GET", url, "Accept-Encoding", "gzip")
	whole, tag := decoded(t, r), r.Header.Get("ETag")
	if got := r.Header.Get("Content-Type"); got != "application/vnd.pando.trace" {
		t.Errorf("a file is served as %s", got)
	}
	for _, c := range []struct {
		name, value string
		want        int
	}{
		{"If-Range", tag, 206}, {"If-Range", `"other"`, 200}, {"If-Range", "W/" + tag, 200}, {"If-None-Match", tag, 304}, {"If-None-Match", "W/" + tag, 304},
		{"If-None-Match", `"other"`, 206}, {"If-Match", tag, 206}, {"If-Match", `"other"`, 412}, {"X", "", 206},
	} {
		r := request1(t, "GET", url, "Range", "bytes=10-19", "Accept-Encoding", "gzip", c.name, c.value)
		body := decoded(t, r)
		want := map[int][]byte{206: whole[10:20], 200: whole, 304: {}}[c.want]
		if r.StatusCode != c.want || r.Header.Get("Content-Encoding") != "" || c.want != 412 && !bytes.Equal(body, want) {
			t.Errorf("%s: %s: %d, %d bytes", c.name, c.value, r.StatusCode, len(body))
		}
	}
}

// TestCoderMemory: an encoder takes little of what an answer stands for.
func TestCoderMemory(t *testing.T) {
	for _, c := range codings {
		heap() // twice, so that encoders that wait for use are gone
		before := heap()
		to := c.to(io.Discard)
		for range 64 {
			if _, err := to.Write(make([]byte, answerBytes)); err != nil {
				t.Fatal(err)
			}
		}
		bytes := heap() - before
		t.Logf("%s: %d kB", c.name, bytes>>10)
		if bytes > smallWork/3 {
			t.Errorf("an encoder of %s takes %d kB", c.name, bytes>>10)
		}
		if err := to.Close(); err != nil {
			t.Error(err)
		}
	}
}

// watching notes the state of a gate whenever bytes are given to the client.
type watching struct {
	*httptest.ResponseRecorder
	gate   *gate.Gate
	states []gate.State
}

// Write implements io.Writer.
func (w *watching) Write(b []byte) (int, error) {
	w.states = append(w.states, w.gate.State())
	return w.ResponseRecorder.Write(b)
}

// TestCompressedStays: a compressed answer holds no turn while it is sent; a small one stands for its compressed bytes alone.
func TestCompressedStays(t *testing.T) {
	_, dir, s := serving(t, Options{})
	written(t, dir, "large", ring(8, 2_500))
	for _, c := range []struct {
		kind kind
		path string
	}{{small, "/v1/traces/ring/tables/calls?to=5%25"}, {large, "/v1/traces/large/tables/calls?limit=20000"}} {
		for _, coding := range []string{"gzip", "zstd"} {
			r := httptest.NewRequest(http.MethodGet, "http://localhost"+c.path, nil)
			r.Header.Set("Accept-Encoding", coding)
			w := &watching{ResponseRecorder: httptest.NewRecorder(), gate: s.gates[c.kind]}
			s.ServeHTTP(w, r)
			if w.Header().Get("Content-Encoding") != coding || len(w.states) < 2 {
				t.Errorf("%s: %v, %d writes", c.path, w.Header(), len(w.states))
			}
			for _, g := range w.states {
				if g.Inside != 1 || g.Running != 0 || c.kind == small && g.Used > int64(2*w.Body.Len()) {
					t.Errorf("%s as %s: %+v while %d bytes are sent", c.path, coding, g, w.Body.Len())
				}
			}
		}
		if n := underWay(s); n != 0 {
			t.Errorf("%d answers are under way", n)
		}
	}
}
