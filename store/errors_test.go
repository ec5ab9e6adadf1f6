package store_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace"
)

// kindsOfErrors are those that errors.Is tells apart.
var kindsOfErrors = map[string]error{
	"closed": store.ErrClosed, "not Pando": store.ErrNotPando, "unsupported": store.ErrUnsupported, "limit": store.ErrLimit,
	"invalid": store.ErrInvalid, "changed": remote.ErrChanged, "slow": remote.ErrSlow,
}

// mustBe checks that an error is of one kind, and of no other.
func mustBe(t *testing.T, what string, err error, kind string) {
	t.Helper()
	for name, k := range kindsOfErrors {
		if errors.Is(err, k) != (name == kind) {
			t.Errorf("%s: %v is %s: %v", what, err, name, errors.Is(err, k))
		}
	}
}

// opening opens bytes as a file, and reads all events.
func opening(t *testing.T, file []byte, limits format.Limits) error {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Limits: limits})
	if err != nil {
		return err
	}
	return toEnd(r.All().Batches())
}

// A file that is none, one of another version, one with features to come, and one that is damaged, are four things.
func TestErrorsOfFiles(t *testing.T) {
	file := write(t, tracegen.Ring(4, 50, 1), store.Options{SliceEvents: 500})
	header := func(change func(h *format.Header)) []byte {
		h, err := format.ParseHeader(file)
		if err != nil {
			t.Fatal(err)
		}
		change(h)
		return append(h.Append(nil), file[format.HeaderSize:]...)
	}
	damaged := bytes.Clone(file)
	damaged[format.HeaderSize-1] ^= 1
	for what, c := range map[string]struct {
		file   []byte
		limits format.Limits
		kind   string
	}{
		"text":          {bytes.Repeat([]byte("something else\n"), 100), format.Limits{}, "not Pando"},
		"nothing":       {nil, format.Limits{}, "not Pando"},
		"version":       {header(func(h *format.Header) { h.Major++ }), format.Limits{}, "unsupported"},
		"feature":       {header(func(h *format.Header) { h.Required |= 1 << 40 }), format.Limits{}, "unsupported"},
		"damage":        {damaged, format.Limits{}, ""},
		"torn":          {file[:len(file)-100], format.Limits{}, ""},
		"block bytes":   {file, format.Limits{BlockBytes: 100}, "limit"},
		"slice events":  {file, format.Limits{SliceEvents: 100}, "limit"},
		"slice values":  {file, format.Limits{SliceValues: 100}, "limit"},
		"lane events":   {file, format.Limits{LaneEvents: 450}, "limit"},
		"lane values":   {file, format.Limits{LaneValues: 100}, "limit"},
		"few locations": {file, format.Limits{Locations: 3}, "limit"},
	} {
		err := opening(t, c.file, c.limits)
		if !format.IsCorrupt(err) {
			t.Errorf("%s: %v is no CorruptError", what, err)
		}
		mustBe(t, what, err, c.kind)
	}
	if err := opening(t, file, format.Limits{}); err != nil {
		t.Error(err)
	}
}

// What is closed says so, whether its bytes are in memory or not.
func TestErrorsAfterClose(t *testing.T) {
	file := write(t, tracegen.Ring(4, 50, 1), store.Options{SliceEvents: 500})
	path := filepath.Join(t.TempDir(), "a.pando")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(toEnd(r.All().Calls()), r.Close()); err != nil {
		t.Fatal(err)
	}
	for name, ask := range cancellables {
		if name == "Definitions" || name == "TouchedEvents" {
			continue // they were read, or read nothing
		}
		err := ask(t.Context(), r)
		mustBe(t, name, err, "closed")
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v is no fs.ErrClosed", name, err)
		}
	}
	w, err := store.NewWriter(t.Context(), io.Discard, r.Meta(), store.Options{})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	mustBe(t, "Advance", w.Advance(0, 1), "closed")
	mustBe(t, "Close", w.Close(), "closed")
}

// Mistakes of a caller are distinguished from all other errors.
func TestErrorsOfUse(t *testing.T) {
	file := write(t, tracegen.Ring(4, 50, 1), store.Options{})
	r := read(t, file)
	_, sample := r.Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep, Sample: 0.5})
	_, short := r.All().WithMinDuration(1).Summary()
	_, narrow := r.All().Timeline(0)
	_, unknown := r.Source().Open(trace.StreamID{Location: 1 << 40})
	_, fanout := store.NewWriter(t.Context(), io.Discard, r.Meta(), store.Options{Fanout: 1})
	for what, err := range map[string]error{"sample": sample, "summary": short, "timeline": narrow, "location": unknown, "fanout": fanout} {
		mustBe(t, what, err, "invalid")
	}
	for what, use := range map[string]func(w *store.Writer) error{
		"definition": func(w *store.Writer) error { return w.Define(trace.Record{Kind: 60000}) },
		"backwards": func(w *store.Writer) error {
			var b trace.Batch
			b.Append(trace.KindEnter, 2, 0)
			b.Append(trace.KindEnter, 1, 0)
			return w.Append(&b)
		},
		"events among auxiliary records": func(w *store.Writer) error { return w.AppendAux(trace.StreamID{}, &trace.Batch{}) },
	} {
		w, err := store.NewWriter(t.Context(), io.Discard, r.Meta(), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mustBe(t, what, use(w), "invalid")
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
	}
}
