package fuzz

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// ringFile is a ring of 24 ranks, two in a lane.
func ringFile(t testing.TB) []byte {
	t.Helper()
	return write(t, tracegen.Ring(24, 20, 1), store.Options{SliceEvents: 700, Fanout: 4, LaneLocations: 2})
}

// laneOf returns the lane of a block of a slice, or of spanning items.
func laneOf(b damage.Block) (lane uint64, ok bool) {
	d := format.NewDecoder("", b.Payload)
	switch b.Kind {
	case format.BlockCalls, format.BlockMessages:
		d.Uvarint()
		d.Uvarint()
	case format.BlockSlice:
	default:
		return 0, false
	}
	d.Uvarint()
	return d.Uvarint(), true
}

func messagesOf(t *testing.T, file []byte, locations ...uint64) ([]trace.Message, error) {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := r.All()
	if len(locations) > 0 {
		w = w.WithLocations(locations...)
	}
	var all []trace.Message
	for m, err := range w.Messages() {
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Who wants the messages of one location reads its lane, and the lanes that it talks to: all others may be damaged.
func TestMessagesOfOneLocation(t *testing.T) {
	file := ringFile(t)
	all, err := messagesOf(t, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, rank := range []uint64{0, 5, 23} {
		want := slices.DeleteFunc(slices.Clone(all), func(m trace.Message) bool { return m.SendLocation != rank && m.ReceiveLocation != rank })
		near := []uint64{rank / 2, (rank + 1) % 24 / 2, (rank + 23) % 24 / 2}
		around := []uint64{rank / 2, (rank/2 + 1) % 12, (rank/2 + 11) % 12} // all ranks of its lane have their say
		broken, damaged := slices.Clone(file), map[format.BlockKind]int{}
		for _, b := range damage.Blocks(file) {
			lane, ok := laneOf(b)
			if ok && (b.Kind == format.BlockMessages && !slices.Contains(around, lane) || b.Kind != format.BlockMessages && !slices.Contains(near, lane)) {
				broken[b.Offset+format.FrameSize+len(b.Payload)-1] ^= 1
				damaged[b.Kind]++
			}
		}
		if len(damaged) != 3 || len(want) < 20 {
			t.Fatalf("%d messages, damaged %v", len(want), damaged)
		}
		if _, err := messagesOf(t, broken); !format.IsCorrupt(err) {
			t.Errorf("nobody noticed the damage: %v", err)
		}
		got, err := messagesOf(t, broken, rank)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("rank %d: %d messages, want %d: %v", rank, len(got), len(want), err)
		}
	}
}

// A lane that does not name the lanes that receive from it makes their messages hard to find: verify says so.
func TestReceiversThatAreNotNamed(t *testing.T) {
	file := ringFile(t)
	blocks := damage.Blocks(file)
	tree := index.Tree{Fanout: 4}
	tried := 0
	for i, b := range blocks {
		if b.Kind != format.BlockMessages {
			continue
		}
		o, err := tree.OpenMessages(b.Payload, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		messages, err := o.All()
		if err != nil || len(o.Receivers) == 0 {
			continue
		}
		changed := slices.Clone(blocks)
		changed[i].Payload = tree.EncodeMessages(o.Node, o.Lane, nil, 0, messages)[0]
		broken := damage.Join(file, changed)
		r, err := store.NewReader(t.Context(), bytes.NewReader(broken), int64(len(broken)), store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if report, err := r.Verify(t.Context(), store.VerifyOptions{}); err != nil || len(report.Problems) == 0 {
			t.Errorf("messages block at %d: %+v, %v", b.Offset, report, err)
		}
		readAll(t, broken, math.MinInt64, math.MaxInt64)
		if tried++; tried == 10 {
			break
		}
	}
	if tried == 0 {
		t.Error("no lane has receivers")
	}
}
