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
