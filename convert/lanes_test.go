package convert

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/analysis/equal"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// manyLanes returns a file of 100 lanes.
func manyLanes(t *testing.T) []byte {
	t.Helper()
	src := tracegen.Ring(200, 60, 1)
	var file bytes.Buffer
	w, err := store.NewWriter(t.Context(), &file, src.Meta(), store.Options{LaneLocations: 2, SliceEvents: 10_000, Fanout: 4, EpochSlices: 8})
	if err == nil {
		err = errors.Join(store.Copy(t.Context(), w, src, nil), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// opened opens a file with a small cache, into which a lane fits, or all lanes of a few slices, but no part of the file worth
// mentioning.
func opened(t *testing.T, file []byte, cache int64) *store.Reader {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{CacheBytes: cache})
	if err != nil {
		t.Fatal(err)
	}
	if r.Info().Lanes != 100 || r.Info().Slices < 20 {
		t.Fatalf("%d lanes, %d slices", r.Info().Lanes, r.Info().Slices)
	}
	return r
}

// What goes through all of a file reads hardly a block of it twice, however many lanes it has.
func TestManyLanesAreReadOnce(t *testing.T) {
	file := manyLanes(t)
	const lane, allLanes = 64 << 10, 9 << 18 // all lanes take all pages of the directory about a slice, too
	ctx := context.Background()
	same := func(r *equal.Report, err error) error {
		if err == nil && !r.Equal {
			err = errors.New("it differs from itself")
		}
		return err
	}
	for _, what := range []struct {
		name  string
		cache int64
		do    func(a, b trace.Source) error
	}{
		{"archive", lane, func(a, _ trace.Source) error {
			_, err := otf2.Write(ctx, a, filepath.Join(t.TempDir(), "a.otf2"), otf2.WriteOptions{})
			return err
		}},
		{"comparison", lane, func(a, b trace.Source) error { return same(equal.Traces(ctx, a, b, nil)) }},
		{"runs", lane, func(a, b trace.Source) error { return same(equal.Runs(ctx, a, b, nil)) }},
		{"programs", lane, func(a, b trace.Source) error { return same(equal.Programs(ctx, a, b, nil)) }},
		{"copy", allLanes, func(a, _ trace.Source) error {
			w, err := store.NewWriter(ctx, io.Discard, a.Meta(), store.Options{})
			if err == nil {
				err = errors.Join(store.Copy(ctx, w, a, nil), w.Close())
			}
			return err
		}},
	} {
		t.Run(what.name, func(t *testing.T) {
			a, b := opened(t, file, what.cache), opened(t, file, what.cache)
			if err := what.do(a.Source(), b.Source()); err != nil {
				t.Fatal(err)
			}

			for _, r := range []*store.Reader{a, b} {
				if n := float64(r.BytesRead()) / float64(len(file)); n > 1.3 {
					t.Errorf("%.1f times the file was read", n)
				}
			}
		})
	}
}
