package fuzz

import (
	"fmt"
	"os"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/spec/vectors"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// eventOf adds event j of all those of a location.
type eventOf func(b *trace.Batch, j, all int64)

// largeSlice makes a file of one slice, if it is of calls or messages of one instant or there are no more than 699,050 events. Each
// location has a lane of its own and the given number of events.
func largeSlice(t *testing.T, locations int, events int64, event eventOf) []byte {
	t.Helper()
	src, batches := talking(locations)
	for _, b := range batches {
		for j := range events {
			event(b, j, events)
		}
	}
	file, err := vectors.File(src, store.Options{SliceEvents: 699_050, LaneLocations: 1})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// talking begins a trace of some locations of a process each, with a region and a communicator of them all.
func talking(locations int) (src *tracegen.Trace, batches []*trace.Batch) {
	src = tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	src.Region("main")
	var ids []uint64
	for i := range uint64(locations) {
		batches, ids = append(batches, src.Location(i, src.Process("process"))), append(ids, i)
	}
	src.Comm(src.CommGroup(ids...))
	src.CommLocations(ids...)
	return src, batches
}

// within enters calls one in the other, and leaves them.
func within(b *trace.Batch, j, all int64) {
	b.Append([]trace.Kind{trace.KindEnter, trace.KindLeave}[2*j/all], j, 0)
}

// manyValues adds a twelfth as many events, of 32 values and the number of these.
func manyValues(b *trace.Batch, j, _ int64) {
	if j%12 != 0 {
		return
	}
	words := []uint64{0, 32}
	for range 32 {
		words = append(words, uint64(trace.ValueUint64), uint64(j))
	}
	b.Append(trace.KindMetric, j, words...)
}

// partner is the other one of the first and the second location, the third and the fourth, and so on.
func partner(b *trace.Batch) uint64 { return b.Location ^ 1 }

// The largest slices of one lane, and larger ones of several, take little memory too, however few bytes they have.
func TestLargestSlices(t *testing.T) {
	for name, event := range map[string]eventOf{
		"calls": func(b *trace.Batch, j, _ int64) {
			b.Append([]trace.Kind{trace.KindEnter, trace.KindLeave}[j%2], j, 0)
		},
		"calls of one instant": func(b *trace.Batch, j, _ int64) {
			b.Append([]trace.Kind{trace.KindEnter, trace.KindLeave}[j%2], 5, 0)
		},
		"messages": func(b *trace.Batch, j, _ int64) {
			b.Append([]trace.Kind{trace.KindMpiSend, trace.KindMpiRecv}[b.Location%2], 2*j+int64(b.Location%2), partner(b), 0, 0, 8)
		},
	} {
		for _, locations := range []int{1, 4} {
			if locations == 1 && name != "calls" {
				continue
			}
			events := int64(174_762)
			if os.Getenv("PANDO_SOAK") == "" {
				events /= 4
			}
			title, file := fmt.Sprintf("%s of %d locations", name, locations), largeSlice(t, locations, events, event)
			mustFit(t, title, file)
			if m, _ := measureHeld(t, title, file); locations > 1 {
				m.entrances()
			}
		}
	}
	if os.Getenv("PANDO_SOAK") != "" {
		file := largeSlice(t, 4, 174_762, within)
		m, most := measureHeld(t, "calls within each other", file) // to save them takes more, see TestSaving
		m.questions()
		m.entrances()
		t.Logf("%s, %d bytes: %d bytes of memory at most", m.name, m.size, *most)
	}
}

// TestSaving: recovering a file takes a bounded number of bytes for each item that must wait for others, besides savingBytes.
func TestSaving(t *testing.T) {
	events := int64(174_762)
	if os.Getenv("PANDO_SOAK") == "" {
		events /= 8
	}
	for name, c := range map[string]struct {
		locations int
		per       uint64 // bytes for each item; of is their number
		of        int64
		event     eventOf
	}{
		"calls within each other": {4, 200, 2 * events, within},
		"metrics of many values":  {8, 50, 22 * events, manyValues},
		"messages of an instant": {8, 150, 4 * events, func(b *trace.Batch, _, _ int64) {
			b.Append([]trace.Kind{trace.KindMpiSend, trace.KindMpiRecv}[b.Location%2], 5, partner(b), 0, 0, 8)
		}},
		"sends that are never completed": {8, 250, 4 * events, func(b *trace.Batch, j, _ int64) {
			if b.Location%2 == 0 {
				b.Append(trace.KindMpiIsend, j, partner(b), 0, 0, 8, uint64(j))
			} else {
				b.Append(trace.KindMpiRecv, j, partner(b), 0, 0, 8)
			}
		}},
		"receives that are never completed": {8, 70, 8 * events, func(b *trace.Batch, j, _ int64) {
			b.Append(trace.KindMpiIrecvRequest, j, uint64(j))
		}},
	} {
		m, most := measureHeld(t, name, largeSlice(t, c.locations, events, c.event))
		m.saving(savingBytes + c.per*uint64(c.of))
		t.Logf("%s: %d bytes: %d bytes of memory at most, %d for each of %d", name, m.size, *most, int64(*most)/c.of, c.of)
	}
}
