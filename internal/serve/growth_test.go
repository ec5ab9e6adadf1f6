package serve

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
)

// TestGrowingFile: a file that is being written is the trace of its later name, can be asked about as far as it goes, and is that trace when it
// has its name.
func TestGrowingFile(t *testing.T) {
	base, dir, s := serving(t, Options{})
	whole, err := os.ReadFile(written(t, t.TempDir(), "new", tracegen.Ring(4, 20_000, 1)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "new.pando")
	type answer struct {
		Name       string
		Events     uint64
		Unfinished bool
	}
	last := answer{}
	for _, size := range []int{len(whole) / 3, len(whole) / 2, len(whole) - 10} {
		if err := os.WriteFile(path+unfinished, whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		s.library.mu.Lock()
		if b := s.library.open["new"]; b != nil {
			b.looked = b.looked.Add(-2 * growEvery) // as if time had gone by
		}
		s.library.mu.Unlock()
		var now answer
		getJSON(t, base+"/v1/traces/new", &now)
		if !now.Unfinished || now.Name != "new" || now.Events <= last.Events {
			t.Errorf("%d bytes: %+v, before: %+v", size, now, last)
		}
		last = now
	}
	if names, err := s.library.names(); err != nil || !slices.Equal(names, []string{"new", "ring"}) {
		t.Errorf("%q, %v", names, err)
	}
	if status, _, _ := get(t, base+"/v1/traces/new/timeline.png"); status != http.StatusOK {
		t.Errorf("a picture: status %d", status)
	}
	if status, _, _ := get(t, base+"/v1/traces/new/file"); status != http.StatusNotFound {
		t.Errorf("the file itself: status %d", status)
	}
	if err := os.WriteFile(path+unfinished, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	getJSON(t, base+"/v1/traces/new", &last) // from here on nothing but the name changes
	if err := os.Rename(path+unfinished, path); err != nil {
		t.Fatal(err)
	}
	s.library.mu.Lock()
	s.library.open["new"].looked = s.library.open["new"].looked.Add(-2 * growEvery)
	s.library.mu.Unlock()
	var end answer
	getJSON(t, base+"/v1/traces/new", &end)
	if end.Unfinished || end.Events < last.Events {
		t.Errorf("finished: %+v, before: %+v", end, last)
	}
	if status, _, body := get(t, base+"/v1/traces/new/file"); status != http.StatusOK || len(body) != len(whole) {
		t.Errorf("the file itself: status %d, %d bytes", status, len(body))
	}
}
