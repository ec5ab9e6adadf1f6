package store_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/faultfs"
	"github.com/pandotrace/pando/store"
)

// Any read of a file may fail, in any way, once: every answer is the exact one, or an error that names the file and says why; and when
// the same is asked again, all answers are exact.
func TestReadsThatFail(t *testing.T) {
	most := map[int64]int64{0: 8} // by size of the cache: reads that are tried, of all; 0 is for the default size
	if os.Getenv("PANDO_SOAK") != "" {
		// All; but with a cache that keeps nothing there are 12 times as many reads, the same ones over and over, each of which takes a third
		// of a second to try: an hour and a half for all.
		most = map[int64]int64{0: math.MaxInt64, 1: 100}
	}
	all := readVictims(t)
	t.Parallel()
	for name, v := range all {
		for cache, most := range most {
			count := &faultfs.Reader{Src: bytes.NewReader(v.file)}
			v.askUnreadable(t, count, cache)
			tried, failed := int64(0), 0
			for n := int64(0); n < count.Reads(); n += 1 + count.Reads()/most {
				fault := faultfs.Fault(tried) % faultfs.Faults
				if v.askUnreadable(t, &faultfs.Reader{Src: bytes.NewReader(v.file), Fault: fault, From: n, Times: 1}, cache) {
					failed++
				}
				if tried++; t.Failed() {
					t.Fatalf("%s: read %d of %d fails in way %d, with a cache of %d bytes", name, n, count.Reads(), fault, cache)
				}
			}
			t.Logf("%s, cache of %d bytes: %d reads, %d were tried, %d failures were noticed", name, cache, count.Reads(), tried, failed)
			if failed == 0 {
				t.Error("no failure was noticed")
			}
		}
	}
}

// readVictims are files that are not all read on opening.
func readVictims(t *testing.T) map[string]*victim {
	t.Helper()
	return map[string]*victim{"real": victims(t)["real"], "random": bitVictim(t)}
}

// Definitions are read once and kept, but not if they could not be read.
func TestDefinitionsThatCannotBeRead(t *testing.T) {
	file := write(t, largeTrace(t), store.Options{})
	src := &faultfs.Reader{Src: bytes.NewReader(file), Fault: faultfs.Nothing}
	r, err := store.NewReader(t.Context(), src, int64(len(file)), store.ReadOptions{Name: "unreadable"})
	if err != nil {
		t.Fatal(err)
	}
	src.From, src.Times = src.Reads(), 1000 // what is read ahead and fails is read once more
	_, err = r.Definitions()
	mustTellWhy(t, "definitions", err, faultfs.Nothing)
	src.Times = 0
	if _, err := r.Definitions(); err != nil {
		t.Errorf("asked again: %v", err)
	}
}

// askUnreadable asks everything twice, and reports whether there was an error the first time.
func (v *victim) askUnreadable(t *testing.T, src *faultfs.Reader, cache int64) (failed bool) {
	t.Helper()
	open := func() (*store.Reader, error) {
		return store.NewReader(t.Context(), src, int64(len(v.file)), store.ReadOptions{Name: "unreadable", CacheBytes: cache})
	}
	r, err := open()
	if err != nil {
		failed = true
		mustTellWhy(t, "opening", err, src.Fault)
		if r, err = open(); err != nil {
			t.Fatalf("opening once more: %v", err)
		}
	}
	for what, a := range ask(r) {
		if a.err != nil {
			failed = true
			mustTellWhy(t, what, a.err, src.Fault)
		} else if !reflect.DeepEqual(a.value, v.sound[what].value) {
			t.Errorf("%s: wrong answers without an error", what)
		}
	}
	if report, err := r.Verify(t.Context(), store.VerifyOptions{}); err != nil {
		failed = true
		mustTellWhy(t, "verifying", err, src.Fault)
	} else {
		for _, p := range report.Problems {
			failed = true
			if !format.IsCorrupt(p) {
				t.Errorf("a problem of the file: %v", p)
			}
		}
	}
	if failed {
		v.askAgain(t, r)
	}
	return failed
}

// askAgain asks everything of a file that can be read again.
func (v *victim) askAgain(t *testing.T, r *store.Reader) {
	t.Helper()
	for what, a := range ask(r) {
		if a.err != nil || !reflect.DeepEqual(a.value, v.sound[what].value) {
			t.Errorf("%s, asked again: %v", what, a.err)
		}
	}
	if report, err := r.Verify(t.Context(), store.VerifyOptions{}); err != nil || report.Err() != nil {
		t.Errorf("verifying again: %v, %v", report.Err(), err)
	}
}

// mustTellWhy checks that an error says what went wrong in which file. An early end is taken for damage.
func mustTellWhy(t *testing.T, what string, err error, fault faultfs.Fault) {
	t.Helper()
	why := errors.Is(err, faultfs.ErrRead)
	if fault == faultfs.EarlyEnd || fault == faultfs.Silence {
		why = format.IsCorrupt(err)
	}
	if !why || !strings.Contains(err.Error(), "unreadable") {
		t.Errorf("%s: %v", what, err)
	}
}

// A part of a file that can never be read is an error for what needs it, and for saving the file; never a panic or a wrong answer.
func TestPlacesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	step := 29
	if os.Getenv("PANDO_SOAK") != "" {
		step = 1
	}
	for name, v := range readVictims(t) {
		for i := 0; i < len(v.blocks); i += step {
			b := &v.blocks[i]
			src := &badPlace{Reader: bytes.NewReader(v.file), at: int64(b.Offset + b.Size()/2)}
			_, err := store.OpenRecovery(t.Context(), src, int64(len(v.file)), store.ReadOptions{Name: "unreadable"}, nil)
			mustTellWhy(t, "saving", err, faultfs.Nothing)
			r, err := store.NewReader(t.Context(), src, int64(len(v.file)), store.ReadOptions{Name: "unreadable"})
			if err != nil {
				mustTellWhy(t, "opening", err, faultfs.Nothing)
				continue
			}
			for what, a := range ask(r) {
				if a.err != nil {
					mustTellWhy(t, what, a.err, faultfs.Nothing)
				} else if !reflect.DeepEqual(a.value, v.sound[what].value) {
					t.Errorf("%s: wrong answers without an error", what)
				}
			}
			if t.Failed() {
				t.Fatalf("%s: the %s at %d", name, b.Kind, b.Offset)
			}
		}
	}
}

// badPlace is a file of which one byte cannot be read.
type badPlace struct {
	*bytes.Reader
	at int64
}

func (p *badPlace) ReadAt(b []byte, at int64) (int, error) {
	if at <= p.at && p.at < at+int64(len(b)) {
		return 0, faultfs.ErrRead
	}
	return p.Reader.ReadAt(b, at)
}
