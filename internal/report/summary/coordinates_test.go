package summary

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// Of a program whose ranks are two in each row of a grid, each summary of places tells the coordinates that the generator's law gives the rank, and rows can be put in their
// order, which is not that of letters.
func TestCoordinates(t *testing.T) {
	const ranks = 24
	f, err := report.NewTrace(stored.Source(t, tracegen.Program(ranks, 2, 1), store.Options{}), "run.pando")
	if err != nil {
		t.Fatal(err)
	}
	for by, prefixes := range map[string][]string{"location": {""}, "process": {""}, "region,location": {""}, "pair": {"send_", "receive_"}, "matrix": {"send_", "receive_"}} {
		for _, prefix := range prefixes {
			s, err := New(f, f.All(), Options{By: by, Sort: prefix + "coordinates"})
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := s.Write(&b, report.CSV); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&b).ReadAll()
			if err != nil || len(rows) < ranks {
				t.Fatalf("by %s: %d rows, %v", by, len(rows), err)
			}
			rank, at := slices.Index(rows[0], prefix+"rank"), slices.Index(rows[0], prefix+"coordinates")
			before := 0
			for _, row := range rows[1:] {
				var n int
				if _, err := fmt.Sscan(row[rank], &n); err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprintf("%d,%d", n/2, n%2); row[at] != want || n < before {
					t.Errorf("by %s: rank %d behind %d is at %q, want %s", by, n, before, row[at], want)
				}
				before = n
			}
		}
	}
	s, err := New(f, f.All(), Options{By: "location"})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	w := bufio.NewWriter(&text)
	if err := s.Write(w, report.Text); err != nil || w.Flush() != nil || !strings.Contains(text.String(), "rank 23 (11,1)") {
		t.Errorf("%v\n%s", err, text.String())
	}
}
