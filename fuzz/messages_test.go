package fuzz

import (
	"bytes"
	"os"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/spec/vectors"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// The greatest slice of messages: as many ends as the values of a slice and of its blocks allow.
const (
	endValues   = 5 // peer, communicator, tag, length, time
	laneEnds    = 1_048_576 / endValues
	talkingRows = 16 // locations, each of a lane of its own
)

// greatestSlice makes a file of one slice of messages: each location sends to the next one, or receives from the one before. time is that
// of the n-th of its ends.
func greatestSlice(t *testing.T, ends int64, time func(n int64) int64) []byte {
	t.Helper()
	src, rows := talking(talkingRows)
	for _, b := range rows {
		for n := range ends {
			kind := trace.KindMpiSend
			if b.Location%2 == 1 {
				kind = trace.KindMpiRecv
			}
			b.Append(kind, time(n), b.Location^1, 0, 0, 8)
		}
	}
	file, err := vectors.File(src, store.Options{SliceEvents: format.Limits{}.WithDefaults().SliceEvents * 2 / 3, LaneLocations: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if i := r.Info(); i.Slices != 1 || i.Messages != uint64(ends)*talkingRows/2 {
		t.Fatalf("%d slices, %d messages", i.Slices, i.Messages)
	}
	return file
}

// Messages of the greatest slices are paired and put in order in little memory: at least those of an instant, of some fewer ends unless
// there is time.
func TestGreatestSliceOfMessages(t *testing.T) {
	const rising = 174_762 // more cannot be in a slice that does not end with an instant
	instant := func(int64) int64 { return 5 }
	mustFit(t, "messages of an instant", greatestSlice(t, laneEnds/8, instant))
	if os.Getenv("PANDO_SOAK") == "" {
		return
	}
	mustFit(t, "messages of rising times", greatestSlice(t, rising, func(n int64) int64 { return n }))
	file := greatestSlice(t, laneEnds, instant)
	m, most := measureHeld(t, "very many messages of an instant", file) // to save them takes more: those of an instant become items of a node
	m.questions()
	t.Logf("%s, %d bytes: %d bytes of memory at most", m.name, m.size, *most)
}
