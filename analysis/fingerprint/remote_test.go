package fingerprint_test

import (
	"context"
	"net/http"
	"reflect"
	"testing"

	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
)

// far compares two files on servers, and returns how many requests waited for another one, opening included, and how many bytes were read.
func far(t *testing.T, fileA, fileB []byte, compare func(ctx context.Context, a, b fingerprint.Side)) (rounds int, bytes int64) {
	t.Helper()
	a, b := &tracetest.FarServer{File: fileA}, &tracetest.FarServer{File: fileB}
	rounds = a.Rounds(t, func(t *testing.T) {
		var sides [2]fingerprint.Side
		for i, s := range []*tracetest.FarServer{a, b} {
			r, err := remote.OpenReader(t.Context(), "http://far/file", &http.Client{Transport: s}, store.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			sides[i] = fingerprint.Side{Reader: r, Window: r.All()}
		}
		compare(t.Context(), sides[0], sides[1])
	})
	return rounds, a.Bytes.Load() + b.Bytes.Load()
}

// Files on servers are compared by a few blocks. The bounds are what it took when this was written, and a little more.
func TestRemote(t *testing.T) {
	src := tracegen.Ring(8, 6000, 1)
	opt := store.Options{SliceEvents: 2048, Hashes: true}
	plain := stored.Bytes(t, src, opt)
	opt.SliceEvents = 1500
	divided := stored.Bytes(t, edited{src, 5, 18000}, opt)
	opt.SliceEvents = 2048
	alike := stored.Bytes(t, edited{src, 5, 18000}, opt)
	for _, c := range []struct {
		name   string
		other  []byte
		rounds [2]int // to compare, and to find the difference
		bytes  [2]int64
	}{{"divided alike", alike, [2]int{3, 18}, [2]int64{160 << 10, 300 << 10}}, {"divided otherwise", divided, [2]int{3, 26}, [2]int64{160 << 10, 500 << 10}}} {
		near := func(file []byte) fingerprint.Side {
			r := stored.Open(t, file)
			return fingerprint.Side{Reader: r, Window: r.All()}
		}
		want, err := fingerprint.FirstDifference(t.Context(), near(plain), near(c.other), fingerprint.Options{Distrust: true})
		if err != nil || want == nil {
			t.Fatal(want, err)
		}
		different := 0
		rounds, bytes := far(t, plain, c.other, func(ctx context.Context, a, b fingerprint.Side) {
			pairs, err := fingerprint.Compare(ctx, a, b, fingerprint.Options{})
			if err != nil {
				t.Error(err)
			}
			for _, p := range pairs {
				if !p.Same() {
					different++
				}
			}
		})
		t.Logf("%s: compared in %d rounds, by %d of %d bytes", c.name, rounds, bytes, len(plain)+len(c.other))
		if different != 1 || rounds > c.rounds[0] || bytes > c.bytes[0] {
			t.Errorf("%s: %d locations differ, %d rounds, %d bytes", c.name, different, rounds, bytes)
		}
		rounds, bytes = far(t, plain, c.other, func(ctx context.Context, a, b fingerprint.Side) {
			got, err := fingerprint.FirstDifference(ctx, a, b, fingerprint.Options{})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v (%v), want %+v", c.name, got, err, want)
			}
		})
		t.Logf("%s: the difference found in %d rounds, by %d of %d bytes", c.name, rounds, bytes, len(plain)+len(c.other))
		if rounds > c.rounds[1] || bytes > c.bytes[1] {
			t.Errorf("%s: %d rounds, %d bytes", c.name, rounds, bytes)
		}
	}
}
