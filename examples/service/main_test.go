package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pandotrace/pando/store"
)

// A slow request leaves a trace in which it is, with what it did, among those that were fast.
func TestService(t *testing.T) {
	out := t.TempDir()
	const slow = time.Second
	s, err := newService(out, slow)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	get := func(query string) int {
		r, err := http.Get(server.URL + "/report?" + query)
		if err != nil {
			t.Error(err)
			return 0
		}
		defer r.Body.Close()
		io.Copy(io.Discard, r.Body)
		return r.StatusCode
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				get("rows=1")
			}
		})
	}
	group.Wait()
	if n := get("rows=many"); n != http.StatusBadRequest {
		t.Errorf("status %d", n)
	}
	if list, _ := filepath.Glob(filepath.Join(out, "*.pando")); len(list) > 0 {
		t.Fatalf("traces without a slow request: %v", list)
	}
	get("rows=11000") // 1.1 s
	var file string
	for begin := time.Now(); file == ""; time.Sleep(10 * time.Millisecond) {
		if list, _ := filepath.Glob(filepath.Join(out, "slow-*.pando")); len(list) > 0 {
			file = list[0]
		}
		if time.Since(begin) > 30*time.Second {
			t.Fatal("the slow request leaves no trace")
		}
	}
	r, err := store.Open(t.Context(), file, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	second := float64(r.Meta().Resolution)
	requests, late, inside := 0, 0, 0
	for c, err := range r.All().Calls() {
		if err != nil {
			t.Fatal(err)
		}
		long := float64(c.Duration())/second >= slow.Seconds()
		switch name := defs.RegionName(c.Region); {
		case name == "GET /report" && long:
			late++
			fallthrough
		case name == "GET /report":
			requests++
		case name == "query" && long:
			inside++
		}
	}
	if requests != 162 || late != 1 || inside != 1 {
		t.Errorf("%d requests, %d slow ones, %d slow queries", requests, late, inside)
	}
}
