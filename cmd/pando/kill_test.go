package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/store"
)

// killedConversion is a conversion that is killed again and again.
type killedConversion struct {
	from      string
	original  *model.Trace
	size      int64 // of the output
	dir, temp string

	complete, recovered int // outcomes: the output is there; some events were saved
}

// A conversion that is killed at any moment leaves no file that is not complete under the name that was asked for, and no temporary file.
// Under the other name it leaves what was written: all of it can be recovered.
func TestKilledConversions(t *testing.T) {
	kills := 5
	if os.Getenv("PANDO_SOAK") != "" {
		kills = 200
	}
	k := &killedConversion{from: converted(t, "otf2.patched.mg.S.4.unknown-id"), dir: t.TempDir(), temp: t.TempDir()}
	k.original = loadFile(t, k.from)
	if err := k.start(t).Wait(); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(k.out())
	if err != nil {
		t.Fatal(err)
	}
	k.size = st.Size()
	k.check(t)
	r := rand.New(rand.NewPCG(9, 9))
	for range kills {
		k.kill(t, r.Int64N(k.size+1), time.Duration(r.IntN(5000))*time.Microsecond)
	}
	t.Logf("%d kills: %d complete files, of %d others events were recovered", kills, k.complete-1, k.recovered)
	if k.recovered == 0 {
		t.Error("no kill came while events were written")
	}
}

func (k *killedConversion) out() string { return filepath.Join(k.dir, "out.pando") }

// start begins the conversion, into small slices: there is much to write.
func (k *killedConversion) start(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("pando", "convert", k.from, k.out(), "--slice-events", "200")
	cmd.Env = append(os.Environ(), "TMPDIR="+k.temp)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// kill kills a conversion some time after it has written a number of bytes.
func (k *killedConversion) kill(t *testing.T, bytes int64, after time.Duration) {
	t.Helper()
	cmd := k.start(t)
	for range 100_000 {
		if st, err := os.Stat(k.out() + ".part"); err == nil && st.Size() >= bytes {
			break
		}
		if _, err := os.Stat(k.out()); err == nil {
			break
		}
		time.Sleep(100 * time.Microsecond)
	}
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	_ = cmd.Wait() // that it was killed
	k.check(t)
}

// check looks at what is there, and removes it.
func (k *killedConversion) check(t *testing.T) {
	t.Helper()
	if left, err := os.ReadDir(k.temp); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
	switch _, err := os.Stat(k.out()); {
	case err == nil:
		k.complete++
		output(t, "verify", k.out())
		k.mustBeBegin(t, k.out(), true)
	case errors.Is(err, os.ErrNotExist):
		k.recover(t)
	default:
		t.Fatal(err)
	}
	for _, name := range []string{"", ".part", ".saved.pando"} {
		if err := os.Remove(k.out() + name); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// recover saves what was written, if anything was.
func (k *killedConversion) recover(t *testing.T) {
	t.Helper()
	st, err := os.Stat(k.out() + ".part")
	if err != nil || st.Size() == 0 {
		return
	}
	saved := k.out() + ".saved.pando"
	if _, stderr, code := pando("recover", k.out()+".part", saved); code != exitOK && code != exitPart {
		t.Fatalf("recover %d bytes: exit code %d, %s", st.Size(), code, stderr)
	}
	output(t, "verify", saved)
	if k.mustBeBegin(t, saved, false) > 0 {
		k.recovered++
	}
}

// mustBeBegin checks that each location has the events that the original begins with, all of them if they must be, and
// returns how many these are.
func (k *killedConversion) mustBeBegin(t *testing.T, path string, all bool) (events int) {
	t.Helper()
	got := loadFile(t, path)
	for _, l := range got.Locations {
		want := k.original.Location(l.ID)
		if want == nil || len(l.Events) > len(want.Events) || all && len(l.Events) < len(want.Events) || !reflect.DeepEqual(l.Events, want.Events[:len(l.Events)]) {
			t.Fatalf("%s: location %d has other events than the original", path, l.ID)
		}
		events += len(l.Events)
	}
	return events
}

func loadFile(t *testing.T, path string) *model.Trace {
	t.Helper()
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m, err := model.Load(r.Source())
	if err != nil {
		t.Fatal(err)
	}
	return m
}
