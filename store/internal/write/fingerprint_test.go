package write

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/verify"
	"github.com/pandotrace/pando/trace"
)

// Verify finds out that a file does not hold the events that were hashed.
func TestVerifyFingerprint(t *testing.T) {
	for want, spoil := range map[int]func(*Writer){0: func(*Writer) {}, 1: func(w *Writer) { w.lanes[0].fingerprint = trace.NewFingerprint(w.meta) }} {
		var file bytes.Buffer
		src := tracegen.Ring(4, 50, 1)
		w, err := NewWriter(t.Context(), &file, src.Meta(), layout.Options{SliceEvents: 100})
		if err == nil {
			err = Copy(t.Context(), w, src, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err = w.drain(); err == nil {
			spoil(w)
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := read.NewReader(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()), layout.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := verify.Check(r, nil)
		if err != nil || len(report.Problems) != want || want > 0 && !strings.Contains(report.Problems[0].Error(), "SHA-256") {
			t.Errorf("%d problems, want %d: %v, %v", len(report.Problems), want, report.Err(), err)
		}
	}
}
