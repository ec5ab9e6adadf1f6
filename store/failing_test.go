package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

var errFull = errors.New("no space left")

// fullWriter takes some bytes and then fails; a short one takes less than it is given, without an error of its own.
type fullWriter struct {
	room  int
	short bool
}

func (w *fullWriter) Write(b []byte) (int, error) {
	n := min(w.room, len(b))
	w.room -= n
	if n == len(b) {
		return n, nil
	}
	if w.short {
		return n, nil
	}
	return n, errFull
}

// largeTrace makes a trace whose file is larger than any buffer on its way.
func largeTrace(t *testing.T) *tracegen.Trace {
	t.Helper()
	src := tracegen.Random(1, tracegen.Knobs{Processes: 2, Threads: 1, Length: 500, Regions: 3, Step: 10, Lattice: 1})
	r := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		name := make([]byte, 100_000)
		for i := range name {
			name[i] = byte(r.Uint32())
		}
		src.String(string(name))
	}
	return src
}

// copyInto writes a source, and gives up after an error.
func copyInto(w *store.Writer, src trace.Source) error {
	err := store.Copy(context.Background(), w, src, nil)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return nil
}

// A writer that fails anywhere makes writing fail; it is not forgotten on the way.
func TestFailingWriters(t *testing.T) {
	t.Parallel()
	src := largeTrace(t)
	size := len(write(t, src, store.Options{}))
	if size < 3<<20 {
		t.Fatalf("a file of %d bytes fits into buffers", size)
	}
	for _, room := range []int{0, 1, 63, 64, 1000, 1 << 20, 2<<20 + 5, size - 100, size - 64, size - 1} {
		for _, short := range []bool{false, true} {
			want := errFull
			if short {
				want = io.ErrShortWrite
			}
			w, err := store.NewWriter(t.Context(), &fullWriter{room, short}, src.Meta(), store.Options{SliceEvents: 64})
			if err == nil {
				err = copyInto(w, src)
			}
			if !errors.Is(err, want) {
				t.Errorf("room for %d of %d bytes: %v, want %v", room, size, err, want)
			}
		}
	}
	w, err := store.NewWriter(t.Context(), &fullWriter{room: size}, src.Meta(), store.Options{})
	if err == nil {
		err = copyInto(w, src)
	}
	if err != nil {
		t.Errorf("room for all %d bytes: %v", size, err)
	}
}

// After an error, all calls return it.
func TestErrorsStick(t *testing.T) {
	src := tracegen.Ring(2, 3, 1)
	w, err := store.NewWriter(t.Context(), &bytes.Buffer{}, src.Meta(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b trace.Batch
	b.Append(0x7777, 0)
	first := w.Append(&b)
	if first == nil {
		t.Fatal("an event of an unknown kind was accepted")
	}
	for what, err := range map[string]error{
		"Append": w.Append(&trace.Batch{}), "Define": w.Define(), "Advance": w.Advance(0, 1), "Finish": w.Finish(0),
		"AppendAux": w.AppendAux(trace.StreamID{Class: trace.StreamMarkers}, &trace.Batch{}), "Close": w.Close(),
	} {
		if !errors.Is(err, first) {
			t.Errorf("%s says %v, want %v", what, err, first)
		}
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
}

// mustBeEmpty checks that nothing was left in a folder.
func mustBeEmpty(t *testing.T, dir string, but ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if len(but) == 0 || e.Name() != but[0] {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestCreateWhereThatIsNotPossible(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{
		"a missing folder": filepath.Join(dir, "missing", "a.pando"),
		"a folder":         filepath.Join(dir, "folder"),
		"below a file":     filepath.Join(os.Args[0], "a.pando"),
	} {
		if w, err := store.Create(t.Context(), path, &trace.Meta{}, store.Options{}); err == nil {
			t.Errorf("%s: created", what)
			w.Abort()
		}
	}
	if _, err := store.Create(t.Context(), filepath.Join(dir, "a.pando"), &trace.Meta{}, store.Options{Fanout: 1}); err == nil {
		t.Error("created with options that make no sense")
	}
	mustBeEmpty(t, dir, "folder")
	mustBeEmpty(t, filepath.Join(dir, "folder"))
}

func TestCreateInAReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		if dir = "/proc"; runtime.GOOS != "linux" {
			t.Skip("this user may write everywhere")
		}
	} else if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(t.Context(), filepath.Join(dir, "a.pando"), &trace.Meta{}, store.Options{}); err == nil {
		t.Error("created")
	}
}

// A file has its name when it is complete, and not before. One that is given up leaves nothing.
func TestCreateCompletes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.pando")
	src := tracegen.Ring(2, 3, 1)
	for _, keep := range []bool{false, true} {
		w, err := store.Create(t.Context(), path, src.Meta(), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Copy(t.Context(), w, src, nil); err != nil {
			t.Fatal(err)
		}
		mustBeEmpty(t, dir, "a.pando.part")
		if !keep {
			if err := w.Abort(); err != nil {
				t.Fatal(err)
			}
			mustBeEmpty(t, dir)
			continue
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Abort(); err != nil { // does nothing any more
			t.Fatal(err)
		}
		mustBeEmpty(t, dir, "a.pando")
	}
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if report, err := r.Verify(t.Context(), store.VerifyOptions{}); err != nil || report.Err() != nil {
		t.Error(err, report.Err())
	}
}

// A name that was taken in the meantime is an error, and the file stays, complete, under its other name.
func TestCreateWhenTheNameIsTaken(t *testing.T) {
	for what, c := range map[string]struct {
		opt  store.OutputOptions
		take func(path string) error
	}{
		"by a folder": {store.OutputOptions{}, func(path string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o777) }},
		"by a file":   {store.OutputOptions{NoReplace: true}, func(path string) error { return os.WriteFile(path, []byte("mine"), 0o666) }},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.pando")
		src := tracegen.Ring(2, 3, 1)
		w, err := store.Create(t.Context(), path, src.Meta(), store.Options{Output: c.opt})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.take(path); err != nil {
			t.Fatal(err)
		}
		if err := copyInto(w, src); err == nil || !strings.Contains(err.Error(), "all of it is in "+path+".part") {
			t.Errorf("%s: %v", what, err)
		}
		if b, err := os.ReadFile(path); err == nil && string(b) != "mine" {
			t.Errorf("%s: it was replaced", what)
		}
		r, err := store.Open(t.Context(), path+".part", store.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: what was written is lost: %v", what, err)
		}
		r.Close()
	}
}

// Two writers in one process are kept apart as two processes are, and what one of them leaves is not overwritten.
func TestOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pando")
	src := tracegen.Ring(2, 3, 1)
	first, err := store.Create(t.Context(), path, src.Meta(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, discard := range []bool{false, true} {
		var busy *store.BusyError
		if _, err := store.Create(t.Context(), path, src.Meta(), store.Options{Output: store.OutputOptions{Discard: discard}}); !errors.As(err, &busy) {
			t.Errorf("with Discard %v: %v", discard, err)
		} else if runtime.GOOS == "linux" && busy.Writer.PID != os.Getpid() {
			t.Errorf("%v is said to write", busy.Writer)
		}
	}
	if err := copyInto(first, src); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".part"); err != nil { // as if its writer had gone
		t.Fatal(err)
	}
	var left *store.LeftoverError
	if _, err := store.Create(t.Context(), path, src.Meta(), store.Options{}); !errors.As(err, &left) || left.Part != path+".part" || left.Bytes == 0 {
		t.Errorf("what was left: %v", err)
	}
	recoverInto(t, path+".part", path)
	second, err := store.Create(t.Context(), path, src.Meta(), store.Options{Output: store.OutputOptions{Discard: true}})
	if err != nil {
		t.Fatal(err)
	}
	if err := copyInto(second, src); err != nil {
		t.Fatal(err)
	}
	mustBeEmpty(t, filepath.Dir(path), "a.pando")
}

// recoverInto recovers a file that is in the way of the output.
func recoverInto(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenRecovery(t.Context(), f, info.Size(), store.ReadOptions{Name: from}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Create(t.Context(), to, s.Options())
	if err != nil {
		t.Fatal(err)
	}
	var busy *store.BusyError
	if _, err := store.Create(t.Context(), to, s.Meta(), store.Options{Output: store.OutputOptions{Discard: true}}); !errors.As(err, &busy) {
		t.Errorf("while it is recovered: %v", err)
	}
	if _, err = s.Copy(t.Context(), w, nil); err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(from); err != nil {
		t.Errorf("what was recovered: %v", err)
	}
}

func TestOpenWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("not a trace at all"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, text, filepath.Join(dir, "missing")} {
		if _, err := store.Open(t.Context(), path, store.ReadOptions{}); err == nil {
			t.Errorf("%s was opened", path)
		} else {
			t.Log(err)
		}
	}
}
