package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pandotrace/pando/internal/tracetest"
)

// shown runs `pando view` in this process until visit has seen the page's address, and returns what was printed.
func shown(t *testing.T, v *viewVerb, visit func(page *url.URL), files ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, log bytes.Buffer
	v.errors, v.listen = &log, "127.0.0.1:0"
	v.open = func(text string) error {
		page, err := url.Parse(text)
		if err != nil {
			t.Error(err)
		}
		go func() {
			defer stop()
			visit(page)
		}()
		return nil
	}
	var paths []string
	folder := t.TempDir()
	for _, file := range files {
		path, err := v.stored(ctx, file, folder)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if err := v.serve(ctx, &out, paths); err != nil {
		t.Error(err)
	}
	if log.Len() > 0 {
		t.Errorf("said: %s", &log)
	}
	return out.String()
}

// asks asks the server of a page, with the token of the page's fragment or without.
func asks(t *testing.T, page *url.URL, path string, token bool) (status int, body []byte) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+page.Host+path, nil)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	if values, _ := url.ParseQuery(page.Fragment); token {
		q.Header.Set("Authorization", "Bearer "+values.Get("token"))
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	defer r.Body.Close()
	body, err = io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return r.StatusCode, body
}

// TestView: the page and the traces are there for who has the address, and a trace of another format is converted before.
func TestView(t *testing.T) {
	anchor := tracetest.Anchor(t, "otf2.mg.S.8.snapmark")
	t.Setenv("SSH_CONNECTION", "")
	v := &viewVerb{from: "40%", to: "+10%"}
	v.Quiet = true
	seen := false
	printed := shown(t, v, func(page *url.URL) {
		seen = true
		if status, body := asks(t, page, "/", false); status != http.StatusOK || !bytes.Contains(body, []byte("<title>Pando</title>")) {
			t.Errorf("the page: %d %.100s", status, body)
		}
		if status, _ := asks(t, page, "/v1/traces", false); status != http.StatusUnauthorized {
			t.Errorf("without a token: %d", status)
		}
		var list struct{ Traces []struct{ Name string } }
		status, body := asks(t, page, "/v1/traces", true)
		if err := json.Unmarshal(body, &list); err != nil || status != http.StatusOK || len(list.Traces) != 1 {
			t.Errorf("traces: %d %s %v", status, body, err)
		}
		values, _ := url.ParseQuery(page.Fragment)
		if values.Get("from") == "" || values.Get("to") == "" || values.Get("from") == values.Get("to") {
			t.Errorf("the window is %s", page.Fragment)
		}
	}, anchor)
	if !seen || !strings.HasPrefix(printed, "http://127.0.0.1:") {
		t.Errorf("printed: %s", printed)
	}
}

// TestViewOverSSH: no browser is opened on a machine that nobody sits at; the line for a tunnel is printed instead.
func TestViewOverSSH(t *testing.T) {
	t.Setenv("SSH_CONNECTION", "10.0.0.1 50000 10.0.0.2 22")
	v := &viewVerb{}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	v.errors, v.listen = io.Discard, "127.0.0.1:0"
	v.open = func(string) error { t.Error("a browser was opened"); return nil }
	anchor := tracetest.Anchor(t, "otf2.mg.S.8.snapmark")
	v.output, v.Quiet = filepath.Join(t.TempDir(), "kept.pando"), true
	path, err := v.stored(t.Context(), anchor, t.TempDir())
	if err != nil || path != v.output {
		t.Fatal(path, err)
	}
	var out bytes.Buffer
	if err := v.serve(ctx, &out, []string{path}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "ssh -N -L ") || !strings.HasSuffix(text, "@10.0.0.2\n") {
		t.Errorf("printed: %s", text)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// TestViewIsWarm: what the page shows first of all of the trace is made before anybody asks for it: the server says so in its metrics. Of a part, nothing is.
func TestViewIsWarm(t *testing.T) {
	t.Setenv("SSH_CONNECTION", "")
	for _, from := range []string{"", "40%"} {
		shown(t, &viewVerb{from: from}, func(page *url.URL) {
			made := false
			for begin := time.Now(); !made && time.Since(begin) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
				_, body := asks(t, page, "/metrics", true)
				made = bytes.Contains(body, []byte(`pando_requests_total{route="/v1/traces/{name}/tiles",status="200"} 1`))
				if from != "" && time.Since(begin) > time.Second {
					break
				}
			}
			if made != (from == "") {
				t.Errorf("from %q: tiles were made: %v", from, made)
			}
		}, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	}
}
