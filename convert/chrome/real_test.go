package chrome

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
)

// TestRealTraces writes recorded traces as trace events and reads them back, sorted in memory and on disk.
func TestRealTraces(t *testing.T) {
	for _, name := range []string{"otf2.mg.S.8.snapmark", "otf2.ep.S.4.metric"} {
		src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
		if err != nil {
			t.Fatal(err)
		}
		original := pandoOf(t, src)
		text := exported(t, original, original.All())
		want := content(t, original, false)
		var lists [][]string
		for _, memory := range []int64{1, 1 << 30} {
			a, err := openText(text, Options{Memory: memory, TempDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if onDisk := len(a.Sorted.Runs) > 0; onDisk != (memory == 1) && len(text) > 4<<20 {
				t.Errorf("%s: sorted on disk: %v", name, onDisk)
			}
			lists = append(lists, listing(t, a))
			if diff := cmp.Diff(want, content(t, pandoOf(t, a), true)); diff != "" {
				t.Errorf("%s: %.2000s", name, diff)
			}
		}
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("%s: sorting on disk makes a difference", name)
		}
	}
}
