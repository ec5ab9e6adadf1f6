package otf

import (
	"bytes"
	"os"
	"testing"
)

// An index that is cut at the end of a line names fewer streams than have files. There is a warning for each of these, and none for a
// whole trace.
func TestUnlistedStreams(t *testing.T) {
	for _, path := range indices(t) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer os.WriteFile(path, whole, 0o666) // other tests read the trace
		if err := os.WriteFile(path, whole[:len(whole)-1], 0o666); err != nil {
			t.Fatal(err)
		}
		if a := mustOpen(t, path, Options{}); seen(a, "index whose last line has no end") != 1 {
			t.Errorf("%s without its end: %v", path, a.Warnings())
		}
		lines := bytes.SplitAfter(whole, []byte("\n"))[:bytes.Count(whole, []byte("\n"))]
		for n := 1; n <= len(lines); n++ {
			if err := os.WriteFile(path, bytes.Join(lines[:n], nil), 0o666); err != nil {
				t.Fatal(err)
			}
			a := mustOpen(t, path, Options{})
			if got := seen(a, "event file that the index does not name"); got != uint64(len(lines)-n) || seen(a, "index whose last line has no end") != 0 {
				t.Errorf("%s, %d of %d lines: %v", path, n, len(lines), a.Warnings())
			}
		}
	}
}
