package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/store"
)

// byteLine says how many bytes of the file are for one thing; What is "" for the sum of a part.
type byteLine struct {
	Part  string `json:"part"`
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
}

// countBytes tells where every byte of a file goes.
func countBytes(f *opened) ([]byteLine, error) {
	bar := newProgress("counting bytes", "bytes", f.Info().FileBytes)
	defer bar.done()
	report, err := f.Reader.Bytes(context.Background(), bar.report)
	if err != nil {
		return nil, err
	}
	lines := make([]byteLine, len(report.Lines))
	for i, l := range report.Lines {
		lines[i] = byteLine{Part: string(l.Part), What: l.What, Bytes: l.Bytes}
	}
	return lines, nil
}

// byParts puts the lines of a part, largest first, behind their sum, and the largest part first.
func byParts(lines []byteLine) []byteLine {
	sums := map[string]int64{}
	for _, l := range lines {
		sums[l.Part] += l.Bytes
	}
	sorted := slices.Clone(lines)
	for part, sum := range sums {
		sorted = append(sorted, byteLine{Part: part, Bytes: sum})
	}
	slices.SortStableFunc(sorted, func(a, b byteLine) int {
		return cmp.Or(cmp.Compare(sums[b.Part], sums[a.Part]), cmp.Compare(a.Part, b.Part),
			cmp.Compare(min(len(a.What), 1), min(len(b.What), 1)), cmp.Compare(b.Bytes, a.Bytes))
	})
	return sorted
}

// partNames say what a part is.
var partNames = map[store.BytePart]string{
	store.PartStructure: "structure of calls", store.PartTimes: "times", store.PartValues: "other values",
	store.PartModels: "models of times and values", store.PartIndex: "index", store.PartRecords: "definitions and other records",
	store.PartFraming: "framing and checksums", store.PartUnknown: "unknown blocks",
}

func (o *overview) printBytes(w io.Writer) {
	t := newTable([]string{"bytes", "share", "bits/event"}, "bytes of", "bytes", "share", "bits/event")
	row := func(name string, bytes int64) {
		t.AppendRow([]any{name, grouped(bytes), fmt.Sprintf("%.1f %%", 100*float64(bytes)/float64(o.Bytes)), o.bitsPerEvent(bytes)})
	}
	for _, l := range byParts(o.ByteLines) {
		if l.What == "" {
			row(cmp.Or(partNames[store.BytePart(l.Part)], l.Part), l.Bytes)
		} else {
			row("  "+cell(l.What), l.Bytes)
		}
	}
	row("the file", o.Bytes)
	fmt.Fprintf(w, "\n%s\n", t.Render())
}

// bitsPerEvent returns "-" if there are no events.
func (o *overview) bitsPerEvent(bytes int64) string {
	if o.Events == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", 8*float64(bytes)/float64(o.Events))
}
