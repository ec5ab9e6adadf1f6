package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracetest"
)

// TestServedAnalyses: the server answers what the verbs print as JSON, to the byte.
func TestServedAnalyses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pando")
	pandoOrFail(t, "convert", tracetest.Anchor(t, "otf2.mg.S.8.snapmark"), path)
	s, err := serve.New([]string{path}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Chdir(t.TempDir())
	if err := os.Link(path, "run"); err != nil { // the name that the server has for it
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, query string
		args        []string
	}{
		{"cluster", "by=tree", []string{"cluster", "--by", "tree"}},
		{"cluster", "threshold=0.9&location=rank 0-5", []string{"cluster", "--threshold", "0.9", "-L", "rank 0-5"}},
		{"lattice", "by=contexts", []string{"cluster", "--lattice", "--by", "contexts"}},
		{"tree", "from=10%&to=60%&depth=3&min_share=0.01", []string{"tree", "--from", "10%", "--to", "60%", "--depth", "3", "--min-share", "1%"}},
		{"tree", "structure=true&level=names&through=comm3_&rename=mg3p_=cycle", []string{"tree", "--structure", "--level", "names", "--through", "comm3_", "--rename", "mg3p_=cycle"}},
		{"fold", "by=all&select=diff&pixels=50", []string{"fold", "--by", "all", "--select", "diff", "--pixels", "50"}},
		{"fold", "region=!@mpi&select=quantiles&exact=true&location=rank 2-5", []string{"fold", "-R", "!@mpi", "--select", "quantiles", "--exact", "-L", "rank 2-5"}},
		{"hotspots", "limit=3", []string{"hotspots", "--limit", "3"}},
		{"hotspots", "region=comm3_&from=5%", []string{"hotspots", "-R", "comm3_", "--from", "5%"}},
		{"hotspots", "group=any&finer=1", []string{"hotspots", "--group", "--finer"}},
		{"waits", "from=20%&limit=5", []string{"hotspots", "--waits", "--from", "20%", "--limit", "5"}},
		{"patterns", "from=20%", []string{"patterns", "--limit", "0", "--from", "20%"}},
		{"patterns", "period=20ms&limit=2&location=rank 0-9", []string{"patterns", "--limit", "2", "--period", "20ms", "-L", "rank 0-9"}},
		{"patterns", "by=phase&from=5%", []string{"patterns", "--limit", "0", "--by", "phase", "--from", "5%"}},
		{"shapes", "from=10%", []string{"shapes", "--from", "10%"}},
		{"shapes", "region=MPI_Send", []string{"shapes", "-R", "MPI_Send"}},
		{"critical-path", "to=70%", []string{"hotspots", "--critical-path", "--to", "70%"}},
	} {
		want, message, code := pando(append([]string{c.args[0], "run", "--json"}, c.args[1:]...)...)
		if code != 0 || len(want) < 200 {
			t.Fatalf("%q: %d, %.200s%s", c.args, code, want, message)
		}
		if status, got := answerOf(t, s, "/v1/traces/run/"+c.path, c.query); status != http.StatusOK || got != want {
			t.Errorf("%s?%s: %d, %d bytes, want %d\n%.300s\n%.300s", c.path, c.query, status, len(got), len(want), got, want)
		}
	}
	for _, wrong := range []string{
		"cluster?by=colour", "cluster?threshold=2", "lattice?by=tree", "tree?level=wrap", "tree?through=nosuch", "tree?structure=true&min_share=0.5", "fold?by=colour",
		"fold?select=best", "fold?pixels=0", "fold?by=device", "hotspots?region=nosuch", "hotspots?region=comm3_&group=any", "waits?location=0", "critical-path?limit=0",
		"patterns?period=0ms", "patterns?period=1ns", "patterns?limit=0", "patterns?by=time", "patterns?by=phase&period=20ms", "shapes?unusual=10001", "shapes?unusual=-1", "shapes?region=nosuch",
	} {
		path, query, _ := strings.Cut(wrong, "?")
		if status, body := answerOf(t, s, "/v1/traces/run/"+path, query); status != http.StatusBadRequest {
			t.Errorf("%s: %d, %.200s", wrong, status, body)
		}
	}
}

// answerOf asks a server.
func answerOf(t *testing.T, h http.Handler, path, query string) (status int, body string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil)
	values := url.Values{}
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			values.Add(name, value)
		}
	}
	r.URL.RawQuery = values.Encode()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(text)
}

// TestServedAnnotations: a server tells what was kept in a file, and what was removed from it, as the program does.
func TestServedAnnotations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pando")
	pandoOrFail(t, "convert", tracetest.Anchor(t, "otf2.mg.S.8.snapmark"), path)
	s, err := serve.New([]string{path}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, change := range [][]string{
		{"patterns", path, "--by", "phase", "--save", "cycle", "--text", "of the multigrid"},
		{"patterns", path, "--save", "all"},
		{"annotations", path, "--remove", "cycle"},
	} {
		pandoOrFail(t, change...)
		list, _, _ := pando("annotations", path, "--json")
		from, to := strings.Index(list, "["), strings.LastIndex(list, "]")
		if _, got := answerOf(t, s, "/v1/traces/run", ""); !strings.Contains(spaceless(got), spaceless(list[from:to+1])) {
			t.Errorf("after %q: %s\nhas no %s", change, got, list[from:to+1])
		}
		want, _, _ := pando("query", path, "annotations", "--format", "csv")
		for asked, query := range map[string]string{"tables/annotations": "format=csv", "query": "table=annotations&format=csv"} {
			if status, got := answerOf(t, s, "/v1/traces/run/"+asked, query); status != http.StatusOK || got != want || !strings.Contains(got, "messages") {
				t.Errorf("after %q, %s: %d\n%s\nwant\n%s", change, asked, status, got, want)
			}
		}
	}
}

func spaceless(text string) string { return strings.Join(strings.Fields(text), "") }
