package serve

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
)

// TestLinks: a link that leads out of its folder is not there, one that stays inside is, and nothing but files is. Who gives a link as a file
// means what it leads to.
func TestLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	written(t, dir, "one", tracegen.Ring(2, 10, 1))
	secret := written(t, outside, "secret", tracegen.Ring(3, 10, 1))
	for name, to := range map[string]string{"inside": "one.pando", "outside": secret, "above": "../" + filepath.Base(outside) + "/secret.pando", "nowhere": "none", "loop": "loop.pando"} {
		if err := os.Symlink(to, filepath.Join(dir, name+extension)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo.pando"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := New([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if names, err := s.library.names(); err != nil || !slices.Equal(names, []string{"inside", "one"}) {
		t.Errorf("%q, %v", names, err)
	}
	for _, name := range []string{"outside", "above", "nowhere", "loop", "fifo"} {
		checkRefusal(t, s, "http://localhost/v1/traces/"+name, http.StatusNotFound)
	}
	given, err := New([]string{filepath.Join(dir, "outside.pando")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer given.Close()
	book, err := given.library.take("outside")
	if err != nil {
		t.Fatal(err)
	}
	defer given.library.giveBack(book)
	if n := book.reader.Info().Locations; n != 3 {
		t.Errorf("%d locations", n)
	}
}

// TestManyFiles: however many files are asked about, no more stay open than there is room for, and all share one cache.
func TestManyFiles(t *testing.T) {
	base, dir, s := serving(t, Options{CacheBytes: 1 << 20})
	for i := range 2 * maxIdle {
		if err := os.Link(filepath.Join(dir, "ring.pando"), filepath.Join(dir, fmt.Sprintf("file%d.pando", i))); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(want int) {
		t.Helper()
		for i := range 2 * maxIdle {
			if status, _, _ := get(t, fmt.Sprintf("%s/v1/traces/file%d/tables/events?format=arrow&to=5%%25", base, i)); status != http.StatusOK {
				t.Fatal(status)
			}
			if kept := s.library.cache.Used(); kept > 1<<20 {
				t.Fatalf("%d bytes are kept", kept)
			}
		}
		s.library.mu.Lock()
		defer s.library.mu.Unlock()
		if n := len(s.library.open); n > want+1 { // the last one may still be in use
			t.Errorf("%d files are open, want %d", n, want)
		}
	}
	ask(maxIdle)
	if s.library.cache.Used() == 0 {
		t.Error("nothing is kept")
	}
	s.library.mu.Lock()
	s.library.room = 5 * bookBytes / 2 // a book is more than one, for what it has read
	s.library.mu.Unlock()
	ask(2)
}
