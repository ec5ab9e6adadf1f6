package claim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Of many writers of one process exactly one has the output at a time, whatever the others are asked to discard, and whatever is left.
func TestOneOwner(t *testing.T) {
	for _, folder := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "out")
		var owners, most, wins int
		var count sync.Mutex
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for range 8 {
					c, err := claimed(path+partSuffix, path, folder, i%2 == 0)
					if err != nil {
						mustBeRefusal(t, err)
						continue
					}
					count.Lock()
					owners, wins = owners+1, wins+1
					most = max(most, owners)
					count.Unlock()
					time.Sleep(time.Millisecond)
					count.Lock()
					owners--
					count.Unlock()
					switch {
					case i%3 > 0: // else it is left
						err = os.RemoveAll(c.part)
					case folder:
						err = os.Mkdir(filepath.Join(c.part, "something"), fs.ModePerm)
					default:
						_, err = c.WriteString("something")
					}
					if err = errors.Join(err, c.Close()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if most != 1 || wins < 2 {
			t.Errorf("folder %v: %d owners at once, %d in all", folder, most, wins)
		}
	}
}

func mustBeRefusal(t *testing.T, err error) {
	t.Helper()
	var busy *BusyError
	var left *LeftoverError
	if !errors.As(err, &busy) && !errors.As(err, &left) {
		t.Error(err)
	}
}

// A file that was taken away and made anew is another one's: the first writer neither renames nor removes it.
func TestTakenAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	var writers [2]*File
	for i := range writers {
		var err error
		if writers[i], err = Create(path, Options{}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(writers[i], "of %d", i)
		if i == 0 {
			if err := os.Remove(path + partSuffix); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := writers[0].Commit(); !errors.Is(err, errGone) {
		t.Errorf("the first writer: %v", err)
	}
	if err := writers[1].Commit(); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "of 1" {
		t.Errorf("%q, %v", b, err)
	}
}

// Where a name is taken meanwhile, all files of a folder stay where they are.
func TestSpreadWhereANameIsTaken(t *testing.T) {
	dir := t.TempDir()
	f, err := CreateFolder(filepath.Join(dir, "out"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "last"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(f.Part(), name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "last"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	part := f.Part()
	if err := f.Spread("last"); !strings.Contains(err.Error(), "all of it is in "+part) {
		t.Error(err)
	}
	if err := f.Discard(); err != nil {
		t.Error(err)
	}
	for _, name := range names {
		if b, err := os.ReadFile(filepath.Join(part, name)); err != nil || string(b) != name {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "last")); string(b) != "mine" {
		t.Errorf("it was replaced by %q", b)
	}
}

// A folder takes the place of an empty one, and of nothing else.
func TestCommitFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	for _, in := range []string{"", "empty", "full"} {
		f, err := CreateFolder(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		name := path
		if in == "full" {
			name = filepath.Join(path, "something")
		}
		if in != "" {
			err = os.MkdirAll(name, fs.ModePerm)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); (err == nil) != (in != "full") {
			t.Errorf("%q: %v", in, err)
		}
		if in != "full" {
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		}
	}
}

// Without locks, a file that one writer has made keeps others away as well.
func TestWithoutLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "something")
	c, err := look(path + partSuffix)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var left *LeftoverError
	if err := c.leftover(errNoLocks); !errors.As(err, &left) || !left.Unsure || !strings.Contains(err.Error(), "is being written by another process, or was left") {
		t.Error(err)
	}
	if err := f.Discard(); err != nil {
		t.Error(err)
	}
}

// The command line of another process is escaped before it is printed.
func TestShown(t *testing.T) {
	if got := shown("a\x1b[2J\xff " + strings.Repeat("b", 300)); strings.Contains(got, "\x1b") || strings.Contains(got, "\xff") || len(got) > shownRunes+3 {
		t.Errorf("%q", got)
	}
}
