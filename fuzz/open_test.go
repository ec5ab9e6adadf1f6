package fuzz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// What any file may take: bytes beside a multiple of its size, and time on processors.
const (
	mostBytes = 300 << 20
	mostTime  = 20 * time.Second
)

var limits = format.Limits{BlockBytes: 1 << 20, SliceEvents: 1 << 14, LaneEvents: 1 << 14, SliceValues: 1 << 16, LaneValues: 1 << 16, Locations: 1 << 10, DictionaryShapes: 1 << 14, NodeItems: 1 << 12}

// FuzzOpen reads any bytes in all ways there are. With `sign`, they get the checksums that they should have.
func FuzzOpen(f *testing.F) {
	for _, file := range smallFiles(f) {
		f.Add(file, true, int64(0), int64(1000))
		f.Add(file, false, int64(100), int64(200))
	}
	f.Fuzz(func(t *testing.T, file []byte, sign bool, from, to int64) {
		if sign {
			file = damage.Sign(file)
		}
		readBounded(t, file, from, to)
	})
}

// readBounded reads everything, and fails if that takes too much.
func readBounded(t *testing.T, file []byte, from, to int64) {
	start, before := processorTime(t), allocated()
	readAll(t, file, from, to)
	if spent := allocated() - before; spent > mostBytes+1000*uint64(len(file)) {
		t.Fatalf("%d bytes took %d bytes of memory", len(file), spent)
	}
	if took := processorTime(t) - start; took > mostTime {
		t.Fatalf("%d bytes took %v", len(file), took)
	}
}

// readAll asks everything of a file that can be asked. The only errors are those of damage.
func readAll(t *testing.T, file []byte, from, to int64) {
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Limits: limits, Name: "fuzz", CacheBytes: 1 << 20})
	if damaged(t, err) {
		return
	}
	defer r.Close()
	_, err = r.Definitions()
	damaged(t, err)
	readWindow(t, r.Window(from, to))
	readWindow(t, r.All().WithMinDuration(1))
	_, err = r.Window(from, to).Summary()
	damaged(t, err)
	_, err = r.Window(from, to).Timeline(50)
	damaged(t, err)
	locations, err := r.Locations()
	damaged(t, err)
	for _, l := range locations[:min(len(locations), 10)] {
		for _, at := range []int64{from, l.First, l.Last} {
			_, err := r.CallStack(l.ID, at)
			damaged(t, err)
		}
	}
	readSource(t, r.Source())
	readHashes(t, r, r.Window(from, to))
	report, err := r.Verify(t.Context(), store.VerifyOptions{})
	if !damaged(t, err) && report.Bytes > int64(len(file)) {
		t.Fatalf("%d bytes verified of %d", report.Bytes, len(file))
	}
	if report != nil {
		for _, p := range report.Problems {
			damaged(t, p)
		}
	}
	_, err = r.SpaceUsage(t.Context(), nil)
	damaged(t, err)
	_, err = r.Compaction(t.Context(), nil)
	damaged(t, err)
}

// damaged reports whether there is an error, and fails if it is not one of damage that says where.
func damaged(t *testing.T, err error) bool {
	t.Helper()
	if err == nil {
		return false
	}
	var corrupt *format.CorruptError
	if !errors.As(err, &corrupt) || corrupt.Section == "" || corrupt.File != "fuzz" || corrupt.Offset < 0 {
		t.Fatalf("%v does not say what is damaged", err)
	}
	return true
}

const mostItems = 1 << 15

func readWindow(t *testing.T, w *store.Window) {
	n := 0
	for _, err := range w.Calls() {
		if n++; damaged(t, err) || n > mostItems {
			break
		}
	}
	n = 0
	for _, err := range w.Messages() {
		if n++; damaged(t, err) || n > mostItems {
			break
		}
	}
	n = 0
	for _, err := range w.Events() {
		if n++; damaged(t, err) || n > mostItems {
			break
		}
	}
}

// readHashes compares the structure of two windows, by stored hashes and without.
func readHashes(t *testing.T, r *store.Reader, w *store.Window) {
	for _, distrust := range []bool{false, true} {
		a, b := fingerprint.Side{Reader: r, Window: r.All()}, fingerprint.Side{Reader: r, Window: w}
		_, err := fingerprint.FirstDifference(t.Context(), a, b, fingerprint.Options{Distrust: distrust})
		if distrust || !errors.Is(err, fingerprint.ErrHashes) {
			damaged(t, err)
		}
	}
}

func readSource(t *testing.T, src trace.Source) {
	if _, err := src.Definitions(0); damaged(t, err) {
		return
	}
	streams := src.Streams()
	for _, info := range streams[:min(len(streams), 20)] {
		s, err := src.Open(info.StreamID)
		if damaged(t, err) {
			continue
		}
		readStream(t, s, src.Meta().Table())
	}
}

func readStream(t *testing.T, s trace.Stream, kinds *trace.Table) {
	defer s.Close()
	var b trace.Batch
	for n := 0; n < mostItems; n += b.Len() {
		if err := s.Next(&b, 1000); errors.Is(err, io.EOF) || damaged(t, err) {
			return
		}
		if err := b.Check(kinds); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that is taken apart and put together is the same file.
func TestSignChangesNothing(t *testing.T) {
	for _, file := range smallFiles(t) {
		if again := damage.Sign(file); !bytes.Equal(again, file) {
			t.Fatalf("%d bytes became %d others", len(file), len(again))
		}
		broken := bytes.Clone(file)
		for _, b := range damage.Blocks(file) {
			binary.LittleEndian.PutUint32(broken[b.Offset+20:], 1)
			binary.LittleEndian.PutUint32(broken[b.Offset+24:], 2)
		}
		binary.LittleEndian.PutUint32(broken[60:], 3)
		copy(broken[len(broken)-format.FooterSize:], make([]byte, format.FooterSize))
		if again := damage.Sign(broken); !bytes.Equal(again, file) {
			t.Fatal("checksums were not repaired")
		}
		readAll(t, file, -1<<60, 1<<60)
	}
}

// Without any damage there is no error at all.
func TestSeedsAreSound(t *testing.T) {
	for _, file := range smallFiles(t) {
		r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		report, err := r.Verify(t.Context(), store.VerifyOptions{})
		if err == nil {
			err = report.Err()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
