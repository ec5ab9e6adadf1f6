package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// threads is a trace of two processes of three threads, each with regions of its own besides those of all.
func threads() trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1e9})
	var regions []uint64
	for i := range 8 {
		regions = append(regions, t.Region(fmt.Sprint("region ", i)))
	}
	dice := rand.New(rand.NewPCG(1, 2))
	for process := range 2 {
		of := t.Process(fmt.Sprint("process ", process))
		for thread := range 3 {
			id := uint64(10*process + thread)
			t.Define(trace.KindLocation, id, t.String("thread"), 1, 0, of)
			b := t.Events(id)
			for now, open := int64(1000), []uint64(nil); now < 1<<20 || len(open) > 0; now += dice.Int64N(400) {
				if n := len(open); n > 0 && (now >= 1<<20 || n == 5 || dice.IntN(2) == 0) {
					b.Append(trace.KindLeave, now, open[n-1])
					open = open[:n-1]
					continue
				}
				open = append(open, regions[3*process+dice.IntN(5)])
				b.Append(trace.KindEnter, now, open[len(open)-1])
			}
		}
	}
	return t
}

// TestTilesTogether: tiles of a lane and of groups in one answer are those that come one by one, time by time.
func TestTilesTogether(t *testing.T) {
	fresh := func() *Server { // nothing is kept
		_, dir, s := serving(t, Options{})
		written(t, dir, "threads", threads())
		return s
	}
	s := fresh()
	tiles := func(query string) []byte {
		w := asking(s, "/v1/traces/threads/tiles?level=10&"+query)
		if w.Code != http.StatusOK || w.Body.Len() < 300 {
			t.Fatalf("%s: %d, %s", query, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
	together := tiles("from=0&to=4&lane=0&group=0,1,2")
	var one []byte
	for i := range 4 {
		for _, of := range []string{"lane=0", "group=0", "group=1", "group=2"} {
			s = fresh()
			one = append(one, tiles(fmt.Sprintf("from=%d&to=%d&%s", i, i+1, of))...)
		}
	}
	if !bytes.Equal(together, one) {
		t.Errorf("%d bytes at once, %d bytes one by one", len(together), len(one))
	}
}

// TestTilesOfAll: tiles for a picture of all of a trace are all that there are, of the largest pixels that are not larger than those of the picture.
func TestTilesOfAll(t *testing.T) {
	_, _, s := serving(t, Options{})
	var rows struct {
		First string `json:"first_tick"`
		Ticks int64  `json:"duration_ticks"`
	}
	if err := json.Unmarshal(asking(s, "/v1/traces/ring/rows").Body.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	first, err := strconv.ParseInt(rows.First, 10, 64)
	if err != nil || first < 0 {
		t.Fatalf("first event at %s: %v", rows.First, err)
	}
	for _, pixels := range []int64{1, 7, 300, 1730, 3840} {
		level := 0
		for pixels<<(level+1) <= rows.Ticks+1 {
			level++
		}
		tile := int64(256) << level
		to := (first+rows.Ticks)/tile - first/tile + 1
		whole := asking(s, fmt.Sprintf("/v1/traces/ring/tiles?pixels=%d&lane=0&group=0", pixels))
		some := asking(s, fmt.Sprintf("/v1/traces/ring/tiles?level=%d&from=0&to=%d&lane=0&group=0", level, to))
		if whole.Code != http.StatusOK || some.Code != http.StatusOK || !bytes.Equal(whole.Body.Bytes(), some.Body.Bytes()) {
			t.Errorf("%d pixels: %d with %d bytes, level %d has %d bytes", pixels, whole.Code, whole.Body.Len(), level, some.Body.Len())
		}
	}
	ask := func(query string) string {
		return asking(s, "/v1/traces/ring/tiles?pixels=300&"+query).Body.String()
	}
	if ask("few=3&lane=0&group=0") != ask("group=0") || ask("few=4&lane=0&group=0") != ask("lane=0&group=0") {
		t.Error("of four locations, 3 are few or 4 are not")
	}
	for _, wrong := range []string{"few=0", "pixels=0", "pixels=100&level=3", "pixels=100&from=0", "pixels=100&to=1", "pixels=1000000"} {
		if w := asking(s, "/v1/traces/ring/tiles?"+wrong); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", wrong, w.Code)
		}
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
