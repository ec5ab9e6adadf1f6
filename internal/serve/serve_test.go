package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/columnar"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace"
)

// written writes a trace to a file DIR/NAME.pando.
func written(t testing.TB, dir, name string, src trace.Source) string {
	t.Helper()
	path := filepath.Join(dir, name+extension)
	w, err := store.Create(t.Context(), path, src.Meta(), store.Options{SliceEvents: 2000})
	if err == nil {
		err = store.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// serving serves a folder with the trace "ring".
func serving(t testing.TB, opt Options) (url, dir string, s *Server) {
	t.Helper()
	dir = t.TempDir()
	written(t, dir, "ring", tracegen.Ring(4, 1000, 1))
	s, err := New([]string{dir}, opt)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return h.URL, dir, s
}

// get asks, and returns status, media type and body.
func get(t testing.TB, url string) (status int, media string, body []byte) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err = io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, r.Header.Get("Content-Type"), body
}

// getJSON asks for an object.
func getJSON(t testing.TB, url string, into any) {
	t.Helper()
	status, media, body := get(t, url)
	if status != http.StatusOK || media != jsonType {
		t.Fatalf("%s: %d, %s: %s", url, status, media, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v in %.200s", url, err, body)
	}
}

// document is what the test reads of the OpenAPI document.
type document struct {
	Paths map[string]map[string]struct {
		Parameters []struct{ Name, In string }
		Responses  map[string]struct{ Content, Headers map[string]any }
	}
}

// TestOpenAPI asks every question of the document, with parameters that make sense, that do not, and that nobody knows.
func TestOpenAPI(t *testing.T) {
	base, _, s := serving(t, Options{})
	var d document
	getJSON(t, base+"/v1/openapi.json", &d)
	if len(d.Paths) != len(routes) {
		t.Errorf("%d paths for %d routes", len(d.Paths), len(routes))
	}
	for path, methods := range d.Paths {
		if len(methods) != 1 {
			t.Errorf("%s has %d methods", path, len(methods))
		}
		get1 := methods["get"]
		real := base + exemplary(path)
		status, media, body := get(t, real)
		media, _, _ = strings.Cut(media, ";")
		if _, ok := get1.Responses["200"].Content[media]; status != http.StatusOK || !ok {
			t.Errorf("%s: %d, %s: %.200s", path, status, media, body)
		}
		checkRefusal(t, s, real+"?nobody=knows", http.StatusBadRequest)
		for _, status := range []string{"429", "503"} {
			if r := get1.Responses[status]; r.Headers["Retry-After"] == nil || r.Content[jsonType] == nil {
				t.Errorf("%s: %s is not described: %v", path, status, r)
			}
		}
		tagged := strings.Contains(path, "{name}") && !strings.Contains(path, "{with}")
		if _, ok := get1.Responses["304"]; ok != tagged || (get1.Responses["200"].Headers["ETag"] != nil) != tagged || get1.Responses["405"].Headers["Allow"] == nil {
			t.Errorf("%s: described are %v", path, get1.Responses)
		}
		for _, p := range get1.Parameters {
			if p.In == "query" {
				checkRefusal(t, s, real+"?"+p.Name+"=n*nsense%5B", http.StatusBadRequest)
			} else {
				checkRefusal(t, s, base+exemplary(strings.Replace(path, "{"+p.Name+"}", "nosuch", 1)), http.StatusNotFound)
			}
		}
	}
}

// exemplary fills a path with the names of what there is.
func exemplary(path string) string {
	table := "calls"
	if strings.Contains(path, "/compare/") {
		table = "alignment"
	}
	return strings.NewReplacer("{name}", "ring", "{with}", "ring", "{table}", table).Replace(path)
}

// checkRefusal wants a status, and an error in words.
func checkRefusal(t *testing.T, s *Server, url string, want int) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, url, nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	var e struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &e); w.Code != want || err != nil || e.Error == "" {
		t.Errorf("%s: %d %.200s, want %d and an error", url, w.Code, w.Body, want)
	}
}

// TestMalformed sends parameters that are almost right.
func TestMalformed(t *testing.T) {
	base, _, s := serving(t, Options{MaxWindow: 1e-6})
	for query, want := range map[string]int{
		"from=1&from=2": 400, "from=2&to=1": 400, "from=%2B1": 400, "from=1.5": 400, "from=99999999999999999999": 400, "from=9999999h": 400,
		"to=1e5s": 400, "to=10&max_rows=0": 400, "to=10&max_rows=-1": 400, "to=10&max_rows=2e3": 400, "from=%zz": 400, "from=1;to=2": 400, "format=": 413, "location=&to=10": 400,
		"from=0&to=100%25": 413, "to=10": 200, "from=5&to=%2B10": 200, "from=5&to=+10": 200, "to=0.000000001s": 200, "from=0%25&to=10ns": 200,
		"to=10&location=0&region=*": 200, "region=%ff&to=10": 400, "location=*%c3&to=10": 400,
		"to=10&location=@group:1": 200, "to=10&location=@group:tree:1": 200, "to=10&location=@group:99": 400, "to=10&location=@group:colour:1": 400,
	} {
		r := httptest.NewRequest(http.MethodGet, base+"/v1/traces/ring/tables/calls", nil)
		r.URL.RawQuery = query
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want || want != 200 && !strings.Contains(w.Body.String(), `{"error":`) {
			t.Errorf("%s: %d %.100s, want %d", query, w.Code, w.Body, want)
		}
	}
}

// TestTables holds what is sent against what an export of the same window writes.
func TestTables(t *testing.T) {
	base, dir, _ := serving(t, Options{})
	r, err := store.Open(t.Context(), filepath.Join(dir, "ring.pando"), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x, err := columnar.New(r)
	if err != nil {
		t.Fatal(err)
	}
	from, to := r.Info().First+1000, r.Info().First+50_000
	for name, f := range tableFormats {
		for _, table := range []string{"calls", "messages", "events", "regions"} {
			var want bytes.Buffer
			opt := columnar.Options{Format: f.format, From: from, To: to, Locations: []uint64{1}, Regions: nil}
			if _, err := x.Write(t.Context(), &want, table, opt); err != nil {
				t.Fatal(err)
			}
			status, _, got := get(t, base+"/v1/traces/ring/tables/"+table+"?from=1000&to=50000&location=1&format="+name)
			if status != http.StatusOK || !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%s as %s: %d, %d bytes, want %d", table, name, status, len(got), want.Len())
			}
		}
	}
}

// traceInfo is what the tests read of the answer about a trace.
type traceInfo struct {
	Events, Calls uint64
	Locations     int
	DurationTicks int64 `json:"duration_ticks"`
	Kinds         map[string]uint64
}

// TestSchemas holds answers against their schemas in the OpenAPI document: an answer has the members of its schema, and no others.
func TestSchemas(t *testing.T) {
	base, _, _ := serving(t, Options{})
	var d struct {
		Components struct {
			Schemas map[string]schema
		}
	}
	getJSON(t, base+"/v1/openapi.json", &d)
	check := func(what string, s schema, answer any) {
		t.Helper()
		members, ok := answer.(map[string]any)
		if !ok || len(s.Required) < 3 {
			t.Fatalf("%s: %v, %v", what, s, answer)
		}
		for _, name := range s.Required {
			if _, ok := members[name]; !ok {
				t.Errorf("%s has no %s", what, name)
			}
		}
		for name := range members {
			if _, ok := s.Properties[name]; !ok {
				t.Errorf("%s has %s, which its schema has not", what, name)
			}
		}
	}
	ask := func(path string) (answer map[string]any) {
		getJSON(t, base+"/v1/traces/ring"+path, &answer)
		return answer
	}
	check("info", d.Components.Schemas["Info"], ask(""))
	timeline := ask("/timeline.json?pixels=10")
	check("timeline", d.Components.Schemas["Timeline"], timeline)
	check("row of a timeline", *d.Components.Schemas["Timeline"].Properties["rows"].Items, timeline["rows"].([]any)[0])
	check("region of a timeline", *d.Components.Schemas["Timeline"].Properties["regions"].Items, timeline["regions"].([]any)[0])
	for path, name := range map[string]string{
		"/cluster": "Clusters", "/lattice": "Lattice", "/tree": "CallTree", "/fold": "Folded", "/hotspots": "Hotspots", "/waits": "Waits", "/critical-path": "Path", "/patterns": "Patterns", "/shapes": "Shapes",
	} {
		answer := ask(path)
		check(path, d.Components.Schemas[name], answer)
		lists := 0
		for list, s := range d.Components.Schemas[name].Properties {
			if rows, _ := answer[list].([]any); s.Items != nil && len(s.Items.Required) > 2 && len(rows) > 0 {
				check(path+" "+list, *s.Items, rows[0])
				lists++
			}
		}
		if lists == 0 {
			t.Errorf("%s has no lists", path)
		}
	}
	summaries, rows := d.Components.Schemas["Summary"], 0
	for _, kind := range summaries.Properties["rows"].Items.AnyOf {
		summary := ask("/summary?by=" + kind.Title)
		check("summary by "+kind.Title, summaries, summary)
		for _, row := range summary["rows"].([]any) {
			check("row by "+kind.Title, kind, row)
			rows++
		}
	}
	if rows < 10 {
		t.Errorf("%d rows", rows)
	}
}

// schema is what the tests read of a JSON Schema.
type schema struct {
	Title      string
	Required   []string
	Properties map[string]schema
	Items      *schema
	AnyOf      []schema
}

func TestAnswers(t *testing.T) {
	base, dir, _ := serving(t, Options{})
	r, err := store.Open(t.Context(), filepath.Join(dir, "ring.pando"), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var info traceInfo
	getJSON(t, base+"/v1/traces/ring", &info)
	if i := r.Info(); info.Events != i.Events || info.Calls != i.Calls || info.DurationTicks != i.Last-i.First || info.Kinds["Enter"] != i.Calls {
		t.Errorf("%+v", info)
	}
	var traces struct{ Traces []traceName }
	getJSON(t, base+"/v1/traces", &traces)
	if len(traces.Traces) != 1 || traces.Traces[0].Name != "ring" {
		t.Errorf("%+v", traces)
	}
	var definitions map[string][]map[string]any
	getJSON(t, base+"/v1/traces/ring/definitions", &definitions)
	if len(definitions["locations"]) != 4 || len(definitions["regions"]) == 0 || definitions["calls"] != nil {
		t.Errorf("%d locations, %d regions", len(definitions["locations"]), len(definitions["regions"]))
	}
	checkSummary(t, base, r)
	_, _, png := get(t, base+"/v1/traces/ring/timeline.png?from=10%25&to=20%25&width=600")
	if !bytes.HasPrefix(png, []byte("\x89PNG")) {
		t.Errorf("%.20q is no picture", png)
	}
}

// Call paths come in the formats of other programs, and parameters of theirs are refused elsewhere.
func TestCallPaths(t *testing.T) {
	base, _, _ := serving(t, Options{})
	const query = "/v1/traces/ring/summary?by=callpath"
	for format, begin := range map[string]string{
		"json": `{"from_ns":`, "csv": "path,parent,", "folded": "main", "pprof": "\x1f\x8b", "speedscope": `{"$schema"`, "hatchet": "[", "svg": "<svg ",
	} {
		code, media, body := get(t, base+query+"&format="+format)
		if code != http.StatusOK || !bytes.HasPrefix(body, []byte(begin)) || media == "" {
			t.Errorf("%s: %d, %s, %.60q", format, code, media, body)
		}
	}
	var all, some struct{ Rows []struct{ Depth int } }
	getJSON(t, base+query, &all)
	getJSON(t, base+query+"&depth=1&min_share=0.01", &some)
	if len(some.Rows) == 0 || len(some.Rows) >= len(all.Rows) || some.Rows[len(some.Rows)-1].Depth != 0 {
		t.Errorf("%d rows of depth 1, %d in all", len(some.Rows), len(all.Rows))
	}
	for _, wrong := range []string{"?by=region&format=svg", "?by=region&depth=2", "?by=callpath&min_share=7", "?by=callpath&format=xml"} {
		if code, _, body := get(t, base+"/v1/traces/ring/summary"+wrong); code != http.StatusBadRequest {
			t.Errorf("%s: %d, %s", wrong, code, body)
		}
	}
}

// checkSummary holds a summary of a window against its calls and messages.
func checkSummary(t *testing.T, base string, r *store.Reader) {
	t.Helper()
	const query = "/v1/traces/ring/summary?from=25%25&to=%2B10%25"
	var byCall, byPair struct {
		Rows []struct {
			Count     uint64
			Exclusive int64  `json:"exclusive_ticks"`
			Bytes     uint64 `json:"send_bytes"`
		}
	}
	getJSON(t, base+query+"&by=region%2Clocation", &byCall)
	getJSON(t, base+query+"&by=pair", &byPair)
	span := r.Info().Last + 1 - r.Info().First
	from := r.Info().First + (span*25+50)/100
	w := r.Window(from, from+(span*10+50)/100)
	var calls, messages, size uint64
	for _, err := range w.Calls() {
		if calls++; err != nil {
			t.Fatal(err)
		}
	}
	for m, err := range w.Messages() {
		if messages++; err != nil {
			t.Fatal(err)
		}
		size += m.SendLength
	}
	for _, c := range byCall.Rows {
		calls -= c.Count
	}
	for _, m := range byPair.Rows {
		messages, size = messages-m.Count, size-m.Bytes
	}
	if calls != 0 || messages != 0 || size != 0 || len(byCall.Rows) == 0 {
		t.Errorf("calls, messages and bytes differ by %d, %d, %d", int64(calls), int64(messages), int64(size))
	}
}

// TestRemote opens the file that is served by its URL.
func TestRemote(t *testing.T) {
	base, dir, _ := serving(t, Options{})
	r, err := remote.OpenReader(t.Context(), base+"/v1/traces/ring/file", nil, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	calls := uint64(0)
	for _, err := range r.All().Calls() {
		if calls++; err != nil {
			t.Fatal(err)
		}
	}
	if calls != r.Info().Calls || calls == 0 {
		t.Errorf("%d calls of %d", calls, r.Info().Calls)
	}
	want, err := os.ReadFile(filepath.Join(dir, "ring.pando"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, got := get(t, base+"/v1/traces/ring/file"); !bytes.Equal(got, want) {
		t.Errorf("%d bytes of %d", len(got), len(want))
	}
}

// TestAdmission: who may ask, and for what.
func TestAdmission(t *testing.T) {
	base, dir, _ := serving(t, Options{Token: "secret"})
	ask := func(authorization, path string) int {
		r, err := http.NewRequest(http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", authorization)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	outside := filepath.Join(t.TempDir(), "outside.pando")
	if err := os.WriteFile(outside, []byte("private"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.pando")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		authorization, path string
		want                int
	}{
		{"", "/v1/traces", 401}, {"Bearer wrong", "/v1/traces", 401}, {"Bearer ", "/v1/traces/ring/file", 401}, {"secret", "/v1/traces", 401},
		{"Bearer secret", "/v1/traces", 200}, {"Bearer secret", "/v1/traces/ring", 200}, {"Bearer secret", "/v1/traces/link/file", 404},
		{"Bearer secret", "/v1/traces/..%2Fring", 404}, {"Bearer secret", "/v1/traces/%2E%2E/file", 404}, {"Bearer secret", "/v1/traces/ring.pando/file", 404},
		{"Bearer secret", "/v1/traces/" + url.PathEscape(outside) + "/file", 404}, {"Bearer secret", "/etc/passwd", 404},
	} {
		if got := ask(c.authorization, c.path); got != c.want {
			t.Errorf("%q asks for %s: %d, want %d", c.authorization, c.path, got, c.want)
		}
	}
}

// TestHosts: without a token, a web page must not be able to ask by giving a name of its own to this machine.
func TestHosts(t *testing.T) {
	_, _, s := serving(t, Options{})
	for host, want := range map[string]int{
		"localhost": 200, "localhost:80": 200, "127.0.0.1:7788": 200, "[::1]:80": 200, "[::1]": 200, "evil.example": 403, "evil.example:7788": 403,
		"10.0.0.1": 403, "127.0.0.1.evil.example": 403, "": 403,
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/traces", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != want {
			t.Errorf("host %q: %d, want %d", host, w.Code, want)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		r := httptest.NewRequest(method, "http://localhost/v1/traces/ring/file", strings.NewReader("x"))
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	one := written(t, dir, "one", tracegen.Ring(2, 10, 1))
	written(t, dir, "two", tracegen.Ring(2, 10, 1))
	if err := os.Mkdir(filepath.Join(dir, "sub.pando"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{{[]string{one}, "[one]"}, {[]string{dir}, "[one two]"}, {[]string{dir, one}, "two files are called one"}, {[]string{dir + "/none"}, "no such file"}} {
		s, err := New(c.paths, Options{})
		got := fmt.Sprint(err)
		if err == nil {
			names, err := s.library.names()
			if err := errors.Join(err, s.Close()); err != nil {
				t.Error(err)
			}
			got = fmt.Sprint(names)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: %s, want %s", c.paths, got, c.want)
		}
	}
}

// TestLimits: too many rows are refused, or break the answer off when a part of it is under way.
func TestLimits(t *testing.T) {
	base, _, _ := serving(t, Options{MaxRows: 20_000})
	if status, _, body := get(t, base+"/v1/traces/ring/tables/calls?max_rows=10"); status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %.100s", status, body)
	}
	r, err := http.Get(base + "/v1/traces/ring/tables/calls")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.ReadAll(r.Body); err == nil {
		t.Error("an answer that is not complete looks as if it were")
	}
}
