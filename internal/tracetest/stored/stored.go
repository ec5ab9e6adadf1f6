// Package stored makes Pando files for tests: of sources in memory, and of traces of other formats.
package stored

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Failer is a test, or what draws cases for one: *testing.T, *testing.B and *rapid.T are.
type Failer interface {
	Helper()
	Fatal(args ...any)
}

// Bytes returns a file with what a source has.
func Bytes(t Failer, src trace.Source, opt store.Options) []byte {
	t.Helper()
	ctx := context.Background()
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, src.Meta(), opt)
	if err == nil {
		err = errors.Join(store.Copy(ctx, w, src, nil), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Open opens a file in memory, which need not be closed.
func Open(t Failer, file []byte) *store.Reader {
	t.Helper()
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Source opens a file in memory with what a source has.
func Source(t Failer, src trace.Source, opt store.Options) *store.Reader {
	t.Helper()
	return Open(t, Bytes(t, src, opt))
}

// Trace converts the trace at a path, of any format and packed or not, and opens the file. The file ends with the test.
func Trace(t testing.TB, path string) *store.Reader {
	t.Helper()
	ctx := context.Background()
	found, err := convert.Find(ctx, path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	file := filepath.Join(t.TempDir(), "trace.pando")
	if _, err := convert.OutputAt(file).Write(ctx, found, file, convert.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(ctx, file, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// Locations returns what a file says of its locations.
func Locations(t Failer, r *store.Reader) []store.LocationInfo {
	t.Helper()
	all, err := r.Locations()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// LocationIDs returns the ids of a file's locations.
func LocationIDs(t Failer, r *store.Reader) []uint64 {
	t.Helper()
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	return ids
}
