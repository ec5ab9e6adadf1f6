package tracetest

import (
	"iter"
	"os"
	"testing"
)

// Soaking reports whether tests that can be exhaustive are: PANDO_SOAK is set.
func Soaking() bool { return os.Getenv("PANDO_SOAK") != "" }

// LargerFiles yields the traces below PANDO_TRACES, of OTF2, OTF and CLOG-2: names, and the files by which they are opened. Without
// PANDO_TRACES it skips the test.
func LargerFiles(t testing.TB) iter.Seq2[string, string] {
	t.Helper()
	return func(yield func(name, file string) bool) {
		for _, format := range []string{"otf2", "otf1", "clog2"} {
			for _, name := range LargerOf(t, format) {
				if !yield(name, Files(t, name, extensions[format])[0]) {
					return
				}
			}
		}
	}
}
