package otf2

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// Records of one time become a snapshot; those that come late, and those of other kinds, are left out and counted.
func TestSnapshotsOfOthers(t *testing.T) {
	src := tracegen.New(trace.Meta{Format: "other", Resolution: 1000})
	events, region := src.Location(3, src.Process("p")), src.Region("main")
	src.Location(4, src.Process("q"))
	events.Append(trace.KindEnter, 5, region)
	events.Append(trace.KindComment, 6, events.PutText("is not in the archive"))
	events.Append(trace.KindLeave, 10, region)
	b := src.Stream(trace.StreamID{Class: trace.StreamSnapshots, Location: 3})
	b.Append(trace.KindSnapshotEnter, 10, 5, region)
	b.Append(trace.KindSnapshotEnter, 10, 6, region)
	b.Append(trace.KindSnapshotCollectiveCount, 10, 0, 1)
	b.Append(trace.KindSnapshotEnter, 9, 5, region)
	b.Append(trace.KindSnapshotMpiIsendComplete, 12, 7, 8)
	anchor := filepath.Join(t.TempDir(), "x.otf2")
	warnings, err := Write(context.Background(), src, anchor, WriteOptions{})
	if err != nil || len(warnings) != 3 {
		t.Fatal(err, warnings)
	}
	a, err := Open(anchor, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, id := range streamsOf(a, trace.StreamSnapshots) {
		got = append(got, fmt.Sprint("location ", id.Location))
		records(t, a, id, 100, func(b *trace.Batch, i int) {
			got = append(got, fmt.Sprint(b.Times[i], " ", b.Kinds[i], " ", b.Fields(i)))
		})
	}
	want := []string{
		"location 3",
		"10 SnapshotStart [2]", "10 SnapshotEnter [5 0]", "10 SnapshotEnter [6 0]", "10 SnapshotEnd [2]",
		"12 SnapshotStart [1]", "12 SnapshotMpiIsendComplete [7 8]", "12 SnapshotEnd [3]",
		"location 4",
	}
	if !slices.Equal(got, want) || a.Anchor.Snapshots != 2 {
		t.Errorf("%q, %d snapshots, want %q", got, a.Anchor.Snapshots, want)
	}
}
