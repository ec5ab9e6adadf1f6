package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
)

// TestTilesTogether: tiles of a lane and of a group in one answer are those that come one by one, time by time.
func TestTilesTogether(t *testing.T) {
	_, _, s := serving(t, Options{})
	tiles := func(query string) []byte {
		w := asking(s, "/v1/traces/ring/tiles?level=12&"+query)
		if w.Code != http.StatusOK || w.Body.Len() < 300 {
			t.Fatalf("%s: %d, %s", query, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
	together := tiles("from=0&to=4&lane=0&group=0")
	_, _, s = serving(t, Options{}) // nothing is kept
	var one []byte
	for i := range 4 {
		for _, of := range []string{"lane=0", "group=0"} {
			one = append(one, tiles(fmt.Sprintf("from=%d&to=%d&%s", i, i+1, of))...)
		}
	}
	if !bytes.Equal(together, one) {
		t.Errorf("%d bytes at once, %d bytes one by one", len(together), len(one))
	}
}

// TestTrees: rows below groups of another tree have numbers of their own, and tiles of a group are those of the tree that was asked for.
func TestTrees(t *testing.T) {
	_, _, s := serving(t, Options{})
	ask := func(path string, code int) []byte {
		t.Helper()
		w := asking(s, "/v1/traces/ring/"+path)
		if w.Code != code {
			t.Fatalf("%s: %d, %s", path, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
	system, kind := ask("rows", 200), ask("rows?tree=kind", 200)
	if bytes.Equal(system, kind) || !bytes.Contains(kind, []byte(`"CPU threads"`)) {
		t.Errorf("%.300s", kind)
	}
	all := ask("tiles?level=12&from=0&to=4&group=0", 200)
	if threads := ask("tiles?level=12&from=0&to=4&group=1&tree=kind", 200); len(all) != len(threads) || bytes.Equal(all, threads) || !bytes.Equal(all[40:200], threads[40:200]) {
		t.Error("all locations are CPU threads, but their bands differ")
	}
	ask("rows?tree=none", 400)
	ask("find?tree=kind", 400)
	for _, rows := range []string{"x", "3-2", "1000000", "-1", "1-", "0,"} {
		ask("lines?rows="+rows, 400)
	}
	if one := ask("lines?limit=1&rows=0-3,2", 200); !bytes.Contains(one, []byte(`{"row":0,"to":4,`)) || !bytes.Contains(one, []byte(`{"row":2,"to":3,`)) || bytes.Contains(one, []byte(`{"row":1,`)) {
		t.Errorf("%.300s", one)
	}
}
