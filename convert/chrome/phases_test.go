package chrome

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
)

// TestPhases reads a file with events of every phase, in no order, without an end. What must come of them is written by hand.
func TestPhases(t *testing.T) {
	a, err := read.Open(t.Context(), "testdata/phases.json", Options{Memory: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var got strings.Builder
	for _, line := range listing(t, a) {
		fmt.Fprintln(&got, line)
	}
	for _, w := range a.Warnings() {
		fmt.Fprintln(&got, "warning:", w.Count, w.Kind)
	}
	want, err := os.ReadFile("testdata/phases.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s\n%s", diff, got.String())
	}
}
