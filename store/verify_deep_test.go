package store_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Whatever byte of what a file says of its events is changed behind the checksums, a deep check finds it.
func TestVerifyDeepFindsLies(t *testing.T) {
	t.Parallel()
	k := tracegen.RandomKnobs(4)
	k.Processes, k.Threads, k.Length, k.Messages, k.Talk, k.Any, k.Contexts = 3, 2, 25, 60, 0.5, 0.05, true
	file, err := damage.Plain(write(t, tracegen.Random(4, k), store.Options{SliceEvents: 60, Fanout: 2, LaneLocations: 2, PageLocations: 3}))
	if err != nil {
		t.Fatal(err)
	}
	const each = 60
	sound := ask(read(t, file))
	tried, deep := map[format.BlockKind]int{}, map[format.BlockKind]int{}
	r := rand.New(rand.NewPCG(1, 1))
	blocks := damage.Blocks(file)
	for _, i := range r.Perm(len(blocks)) {
		b := blocks[i]
		switch b.Kind {
		case format.BlockTotals, format.BlockLocations, format.BlockLocationTotals, format.BlockPostings, format.BlockUnmatched, format.BlockCalls, format.BlockMessages:
		default:
			continue
		}
		for _, at := range r.Perm(len(b.Payload)) {
			if tried[b.Kind] == each {
				break
			}
			tried[b.Kind]++
			blocks[i].Payload = bytes.Clone(b.Payload)
			blocks[i].Payload[at] += byte(1 + r.IntN(255))
			found, onlyDeep := problemsOf(t, damage.Join(file, blocks))
			if !found && !harmless(t, b.Kind, sound, damage.Join(file, blocks)) {
				t.Errorf("%s: nobody noticed that byte %d is %d, not %d", b.Kind, at, blocks[i].Payload[at], b.Payload[at])
			}
			if onlyDeep {
				deep[b.Kind]++
			}
		}
		blocks[i].Payload = b.Payload
	}
	for _, kind := range []format.BlockKind{format.BlockTotals, format.BlockLocations, format.BlockLocationTotals, format.BlockPostings, format.BlockUnmatched, format.BlockCalls, format.BlockMessages} {
		if tried[kind] == 0 {
			t.Errorf("no %s was tried", kind)
		}
	}
	if deep[format.BlockTotals] == 0 || deep[format.BlockCalls] == 0 {
		t.Errorf("nothing was found by the deep check alone: %v of %v", deep, tried)
	}
}

// harmless reports whether a file with another block of calls or messages gives the same answers: much of a model is free.
func harmless(t *testing.T, kind format.BlockKind, sound answers, file []byte) bool {
	t.Helper()
	return (kind == format.BlockCalls || kind == format.BlockMessages) && reflect.DeepEqual(ask(read(t, file)), sound)
}

// problemsOf reports whether anything is found to be wrong with a file, and whether it takes a deep check.
func problemsOf(t *testing.T, file []byte) (found, onlyDeep bool) {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "lie"})
	if err != nil {
		return true, false
	}
	defer r.Close()
	report, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Problems) > 0 {
		mustTellPlaces(t, report.Problems)
		return true, false
	}
	if report, err = r.Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep}); err != nil {
		t.Fatal(err)
	}
	mustTellPlaces(t, report.Problems)
	return len(report.Problems) > 0, true
}

// mustTellPlaces checks that problems are of damage and have an offset.
func mustTellPlaces(t *testing.T, problems []error) {
	t.Helper()
	for _, p := range problems {
		if !format.IsCorrupt(p) || offsetOf(p) < 0 {
			t.Errorf("it does not say what is damaged: %v", p)
		}
	}
}

// Behind a block whose frame header is damaged, verifying goes on with the next one that the directory lists.
func TestVerifyGoesOn(t *testing.T) {
	v := newWreck(t, 4, store.Options{SliceEvents: 40, Fanout: 2, EpochSlices: 4, LaneLocations: 2})
	file := bytes.Clone(v.file)
	var damaged []int64
	for i := 10; i < len(v.blocks)-10; i += 12 {
		file[v.blocks[i].Offset+9] ^= 0x40
		damaged = append(damaged, int64(v.blocks[i].Offset))
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "damaged"})
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range damaged {
		if !slices.ContainsFunc(report.Problems, func(p error) bool { return offsetOf(p) == at }) {
			t.Errorf("no problem at %d", at)
		}
	}
}

func offsetOf(err error) int64 {
	var c *format.CorruptError
	if errors.As(err, &c) {
		return c.Offset
	}
	return -1
}

// Requests under way are followed as far as it takes little memory, and only where some are cancelled.
func TestVerifyDeepOfManyRequests(t *testing.T) {
	defer store.MostRequests(20)()
	for _, v := range []struct {
		under  uint64 // requests under way
		cancel bool
		fails  bool
	}{{20, true, false}, {21, true, true}, {100, false, false}} {
		src := tracegen.New(trace.Meta{Resolution: 1000})
		b := src.Location(0, src.Process("process"))
		src.Comm(src.CommGroup(0))
		src.CommLocations(0)
		for i := range v.under {
			b.Append(trace.KindMpiIsend, int64(i), 0, 0, 0, 8, i)
		}
		if v.cancel {
			b.Append(trace.KindMpiRequestCancelled, 1000, 0)
		} else {
			b.Append(trace.KindMpiIsendComplete, 1000, 0)
		}
		for i := range v.under - 1 { // what is completed is under way no longer
			b.Append(trace.KindMpiIsendComplete, 1001, 1+i)
		}
		report, err := read(t, write(t, src, store.Options{SliceEvents: int(v.under) + 2})).Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep})
		if (err != nil) != v.fails || len(report.Problems) > 0 {
			t.Errorf("%d requests: %v, %v", v.under, err, report.Problems)
		}
	}
}

// What a program does that a sound one does not is counted anew, and a file that says other numbers, or none, is found.
func TestVerifyFindsOtherDoubts(t *testing.T) {
	file := write(t, doubtful(), store.Options{})
	blocks := damage.Blocks(file)
	totals := &blocks[slices.IndexFunc(blocks, func(b damage.Block) bool { return b.Kind == format.BlockTotals })]
	sound, err := index.ReadTotals(totals.Payload)
	if err != nil {
		t.Fatal(err)
	}
	if want := (index.Doubts{BackwardMessages: 1, OpenRequests: 3, UnlikeRanks: 1}); sound.Doubts != want {
		t.Fatalf("%+v, want %+v", sound.Doubts, want)
	}
	for _, v := range []struct {
		doubts index.Doubts
		sound  bool
	}{
		{sound.Doubts, true},
		{index.Doubts{BackwardMessages: 1, OpenRequests: 3, Uncounted: 1}, true},
		{index.Doubts{Uncounted: 3}, true},
		{index.Doubts{}, false},
		{index.Doubts{BackwardMessages: 2, Uncounted: 2}, false},
		{index.Doubts{BackwardMessages: 1, OpenRequests: 2, Uncounted: 1}, false},
		{index.Doubts{BackwardMessages: 1, OpenRequests: 3}, false},
		{index.Doubts{BackwardMessages: 1, UnlikeRanks: 1}, false},
		{index.Doubts{OpenRequests: 3, UnlikeRanks: 1}, false},
	} {
		edited := *sound
		edited.Doubts = v.doubts
		totals.Payload = edited.Append(nil)
		if found, _ := problemsOf(t, damage.Join(file, blocks)); found == v.sound {
			t.Errorf("%+v: a deep check finds something: %v", v.doubts, found)
		}
	}
}

// doubtful is a trace of two ranks with a message that is received before it is sent, three requests that are never completed, one of which another
// one takes the number, and a collective operation without the other rank.
func doubtful() trace.Source {
	src := tracegen.New(trace.Meta{Resolution: 1000})
	a, b := src.Location(0, src.Process("a")), src.Location(1, src.Process("b"))
	src.Comm(src.CommGroup(0, 1))
	src.CommLocations(0, 1)
	a.Append(trace.KindMpiSend, 10, 1, 0, 0, 8)
	a.Append(trace.KindMpiIsend, 11, 1, 0, 1, 8, 7)
	a.Append(trace.KindMpiIsend, 12, 1, 0, 1, 8, 7)
	a.Append(trace.KindMpiCollectiveBegin, 13)
	a.Append(trace.KindMpiCollectiveEnd, 14, 0, 0, 0, 0, 0)
	b.Append(trace.KindMpiRecv, 5, 0, 0, 0, 8)
	b.Append(trace.KindMpiIrecvRequest, 6, 3)
	b.Append(trace.KindMpiIsendComplete, 7, 3) // there is no such send
	return src
}
