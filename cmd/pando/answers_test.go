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

	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracetest"
)

// question is a question for the program and for the server: a verb with its flags, and a path with its parameters.
type question struct {
	flags, path string
	query       map[string]string
}

// questions returns questions of each kind that both answer.
func questions() (list []question) {
	windows := []map[string]string{{}, {"from": "20%", "to": "+30%"}, {"from": "1ms", "to": "1ms"}, {"from": "10%", "location": "*0"}}
	list = []question{{"info", "", nil}}
	for _, w := range windows {
		for _, by := range summary.Kinds() {
			list = append(list, question{"summary", "/summary", with(w, "by", by)})
		}
		list = append(list,
			question{"summary", "/summary", with(with(w, "sort", "count"), "limit", "3")},
			question{"summary", "/summary", with(w, "region", "*_*")},
			question{"summary", "/summary", with(with(w, "by", "pair"), "times", "true")},
			question{"summary", "/summary", with(with(w, "by", "location"), "every", "7%")},
			question{"summary", "/summary", with(with(w, "by", "location"), "format", "csv")},
			question{"timeline", "/timeline.json", with(w, "pixels", "50")})
	}
	return list
}

func with(m map[string]string, key, value string) map[string]string {
	c := map[string]string{key: value}
	for k, v := range m {
		c[k] = v
	}
	return c
}

// args returns the question as a command line about a file.
func (q *question) args(file string) []string {
	args := []string{q.flags, file}
	format := "--json"
	for k, v := range q.query {
		if k == "format" {
			format = "--format=" + v
		} else {
			args = append(args, "--"+k+"="+v)
		}
	}
	return append(args, format)
}

// TestProgramAndServerAgree asks the program and the server the same questions about each bundled trace: the answers are the same bytes, and
// so is whether there is one. Unless there is time, each question is asked about every third trace.
func TestProgramAndServerAgree(t *testing.T) {
	answered, refused, step := 0, 0, 3
	if os.Getenv("PANDO_SOAK") != "" {
		step = 1
	}
	for nth, name := range tracetest.Distinct(t) {
		file := converted(t, name)
		s, err := serve.New([]string{file}, serve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, q := range questions() {
			if (nth+i)%step != 0 {
				continue
			}
			parameters := url.Values{}
			for k, v := range q.query {
				parameters.Set(k, v)
			}
			r := httptest.NewRequest(http.MethodGet, "http://localhost/v1/traces/"+name+q.path+"?"+parameters.Encode(), nil)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			got, err := io.ReadAll(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			want, stderr, code := pando(q.args(file)...)
			switch {
			case w.Code == http.StatusBadRequest && code == exitUsage:
				refused++
			case w.Code != http.StatusOK || code != exitOK:
				t.Errorf("%s: %v: status %d %s, exit code %d %s", name, q, w.Code, got, code, stderr)
			case string(got) != want:
				t.Errorf("%s: %v: the server answers\n%.300s\nand the program\n%.300s", name, q, got, want)
			default:
				answered++
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if answered < 100 || refused < 10/step || refused > answered/5 { // empty windows have no timeline, some traces no region with an underscore
		t.Errorf("%d questions were answered, %d refused", answered, refused)
	}
}

// TestInfoOfURL: what is in a file on a server is the same as on disk, but for the name.
func TestInfoOfURL(t *testing.T) {
	file := converted(t, "otf2.mg.S.8.snapmark")
	s, err := serve.New([]string{file}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer h.Close()
	url := h.URL + "/v1/traces/otf2.mg.S.8.snapmark/file"
	for _, flag := range []string{"--locations", "--json"} {
		got := strings.NewReplacer(url, file, `"name": "file"`, `"name": "otf2.mg.S.8.snapmark"`).Replace(output(t, "info", url, flag))
		if want := output(t, "info", file, flag); got != want || !strings.Contains(got, "83,034") && !strings.Contains(got, "83034") {
			t.Errorf("%s: %s\nwant %s", flag, got, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestTracesOfURL: verbs that read all of a trace take a URL, also of an archive.
func TestTracesOfURL(t *testing.T) {
	file := converted(t, "otf2.mg.S.8.snapmark")
	files := http.NewServeMux()
	for at, dir := range map[string]string{"/made/": filepath.Dir(file), "/packed/": filepath.Join("..", "..", "internal", "tracetest", "testdata")} {
		files.Handle(at, http.StripPrefix(at, http.FileServer(http.Dir(dir))))
	}
	h := httptest.NewServer(files)
	defer h.Close()
	stored, packed := h.URL+"/made/"+filepath.Base(file), h.URL+"/packed/otf2.mg.S.8.snapmark.tar.zst"
	made := filepath.Join(t.TempDir(), "made.pando")
	for _, args := range [][]string{
		{"diff", stored, file}, {"diff", file, packed}, {"check", stored, "--only", "messages"},
		{"convert", packed, made}, {"diff", "--same-start", made, file},
	} {
		if _, stderr, code := pando(args...); code != exitOK {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
	for want, args := range map[string][]string{
		"404 Not Found":                          {"check", h.URL + "/nothing"},
		"the viewer shows files of this machine": {"view", stored},
	} {
		if _, stderr, code := pando(args...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
}
