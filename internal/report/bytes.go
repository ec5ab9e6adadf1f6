package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// ByteLine is the number of bytes of the file for one thing.
type ByteLine struct {
	// Part is one of structure, times, values, models, index, records, framing, unknown.
	Part string `json:"part"`
	// What is the thing within its part.
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
}

// AddBytes adds what every byte of the file is for. It reads all of the file.
func (o *Info) AddBytes(ctx context.Context, progress trace.Progress) error {
	report, err := o.trace.SpaceUsage(ctx, progress)
	if err != nil {
		return err
	}
	o.ByteLines = make([]ByteLine, len(report.Lines))
	for i, l := range report.Lines {
		o.ByteLines[i] = ByteLine{Part: string(l.Part), What: l.What, Bytes: l.Bytes}
	}
	return nil
}

// byParts returns the lines by part, the largest part first: its sum, a line without a What, and then its lines, the largest first.
func byParts(lines []ByteLine) []ByteLine {
	sums := map[string]int64{}
	for _, l := range lines {
		sums[l.Part] += l.Bytes
	}
	sorted := slices.Clone(lines)
	for part, sum := range sums {
		sorted = append(sorted, ByteLine{Part: part, Bytes: sum})
	}
	slices.SortStableFunc(sorted, func(a, b ByteLine) int {
		return cmp.Or(cmp.Compare(sums[b.Part], sums[a.Part]), cmp.Compare(a.Part, b.Part),
			cmp.Compare(min(len(a.What), 1), min(len(b.What), 1)), cmp.Compare(b.Bytes, a.Bytes))
	})
	return sorted
}

// partNames are the names of the parts in text.
var partNames = map[store.SpacePart]string{
	store.SpaceStructure: "structure of calls", store.SpaceTimes: "times", store.SpaceValues: "other values",
	store.SpaceModels: "models of times and values", store.SpaceIndex: "index", store.SpaceRecords: "definitions and other records",
	store.SpaceFraming: "framing and checksums", store.SpaceUnknown: "unknown blocks",
}

// PartName returns the name of a part in text.
func PartName(p store.SpacePart) string { return cmp.Or(partNames[p], string(p)) }

func (o *Info) printBytes(w io.Writer) {
	t := newTable([]string{"bytes", "share", "bits/event"}, "bytes of", "bytes", "share", "bits/event")
	row := func(name string, bytes int64) {
		t.row(name, Grouped(bytes), fmt.Sprintf("%.1f %%", 100*float64(bytes)/float64(o.Bytes)), o.bitsPerEvent(bytes))
	}
	for _, l := range byParts(o.ByteLines) {
		if l.What == "" {
			row(PartName(store.SpacePart(l.Part)), l.Bytes)
		} else {
			row("  "+Cell(l.What), l.Bytes)
		}
	}
	row("the file", o.Bytes)
	fmt.Fprintln(w)
	t.write(w)
}

// bitsPerEvent returns "-" if there are no events.
func (o *Info) bitsPerEvent(bytes int64) string {
	if o.Events == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", 8*float64(bytes)/float64(o.Events))
}
