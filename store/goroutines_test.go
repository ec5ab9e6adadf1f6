package store_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/pandotrace/pando/store"
)

// A question works with as many goroutines as there are processors, and some that read; they are gone with it.
func TestGoroutinesOfQuestions(t *testing.T) {
	file, _, _ := ring(t, 8, 2000, store.Options{SliceEvents: 256})
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before, most := runtime.NumGoroutine(), 0
	for _, err := range r.All().Calls() {
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, runtime.NumGoroutine()-before)
	}
	if limit := 4*runtime.GOMAXPROCS(0) + 16; most > limit {
		t.Errorf("%d goroutines of a window of %d slices, more than %d", most, r.Info().Slices, limit)
	}
	if after := runtime.NumGoroutine() - before; after > 4 {
		t.Errorf("%d goroutines are left", after)
	}
}
