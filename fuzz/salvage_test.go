package fuzz

import (
	"bytes"
	"os"
	"testing"

	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/store"
)

// saveAll makes a file of what is intact of another one: whatever that is, the new one is sound.
func saveAll(t *testing.T, file []byte) {
	t.Helper()
	s, err := store.OpenRecovery(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Limits: limits, Name: "fuzz"}, nil)
	if damaged(t, err) {
		return
	}
	var out bytes.Buffer
	w, err := store.NewWriter(t.Context(), &out, s.Meta(), store.Options{SliceEvents: 100, Fanout: 2, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Copy(t.Context(), w, nil)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatalf("what was saved cannot be written: %v", err)
	}
	for _, p := range report.Problems {
		damaged(t, p)
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(out.Bytes()), int64(out.Len()), store.ReadOptions{})
	if err != nil {
		t.Fatalf("what was saved cannot be read: %v", err)
	}
	verified, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err != nil || verified.Err() != nil || r.Info().Events != report.Events {
		t.Fatalf("what was saved is not sound: %d events of %d, %v, %v", r.Info().Events, report.Events, verified.Err(), err)
	}
}

// FuzzSalvage makes sound files of those of which some bytes behind the checksums were changed, or that end early.
func FuzzSalvage(f *testing.F) {
	files, step := smallFiles(f), 3
	if os.Getenv("PANDO_SOAK") != "" {
		step = 1
	}
	for i, file := range files {
		for n := i % step; n < len(damage.Blocks(file)); n += step {
			f.Add(uint8(i), []byte{byte(n), byte(n >> 8), byte(7 * n), 0, 1}, uint16(n))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte, missing uint16) {
		file := edit(files[int(which)%len(files)], edits)
		saveAll(t, file[:max(0, len(file)-int(missing))])
	})
}
