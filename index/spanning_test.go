package index

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// anyNumber draws numbers of all sizes.
func anyNumber(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) }

func drawCalls(r *rand.Rand, tree Tree, n Node) []Call {
	calls := make([]Call, r.IntN(60))
	for i := range calls {
		c := &calls[i]
		c.StartSlice, c.EndSlice = drawSpan(r, tree, n)
		c.Location, c.Ordinal = uint32(anyNumber(r)), uint64(i) // so no two are equal
		c.Key, c.Context, c.Flags = anyNumber(r), r.IntN(2) == 0, trace.CallFlags(r.IntN(4))
		c.Start, c.End = int64(anyNumber(r)), int64(anyNumber(r))
		c.Exclusive, c.Children, c.EndOrdinal = int64(anyNumber(r)), anyNumber(r), anyNumber(r)
	}
	return calls
}

func drawMessages(r *rand.Rand, tree Tree, n Node) []Message {
	messages := make([]Message, r.IntN(60))
	for i := range messages {
		m := &messages[i]
		draw := func() End {
			return End{Location: uint32(anyNumber(r)), Ordinal: anyNumber(r), Time: int64(anyNumber(r)), Length: anyNumber(r)}
		}
		m.Send, m.Receive = draw(), draw()
		m.Receive.Ordinal = uint64(i)
		m.Send.Slice, m.Receive.Slice = drawSpan(r, tree, n)
		if r.IntN(2) == 0 {
			m.Send.Slice, m.Receive.Slice = m.Receive.Slice, m.Send.Slice
		}
		m.Communicator, m.Tag = anyNumber(r), anyNumber(r)
	}
	return messages
}

// drawRange draws slices first <= last in and around a node.
func drawRange(r *rand.Rand, tree Tree, n Node) (first, last uint64) {
	switch r.IntN(4) {
	case 0:
		return 0, math.MaxInt64
	case 1:
		a := r.Uint64N(10 * tree.Width(n.Level))
		return a, a + r.Uint64N(10)
	}
	a, b := drawSpan(r, tree, n)
	return a, b
}

// kept checks what was read of a block for a range: all that overlaps, nothing that is not in the block, each once.
func kept[T comparable](t *testing.T, all, got []T, overlaps func(*T) bool) {
	t.Helper()
	in := map[T]bool{}
	for _, item := range all {
		in[item] = true
	}
	for _, item := range got {
		if !in[item] {
			t.Fatalf("read twice, or never written: %+v", item)
		}
		delete(in, item)
	}
	for item := range in {
		if overlaps(&item) {
			t.Fatalf("missing: %+v", item)
		}
	}
}

func TestCallsOfARange(t *testing.T) {
	forTrees(t, func(t *testing.T, r *rand.Rand, tree Tree) {
		n, lane := drawNode(r, tree), uint32(anyNumber(r))
		calls := drawCalls(r, tree, n)
		b := tree.AppendCalls(nil, n, lane, slices.Clone(calls))
		for range 10 {
			first, last := drawRange(r, tree, n)
			node, gotLane, got, err := tree.ReadCalls(b, first, last)
			if err != nil || node != n || gotLane != lane {
				t.Fatalf("node %v, lane %d, %v; want %v, %d", node, gotLane, err, n, lane)
			}
			kept(t, calls, got, func(c *Call) bool { return c.StartSlice <= last && c.EndSlice >= first })
		}
		_, _, all, err := tree.ReadCalls(b, 0, math.MaxInt64)
		if err != nil || len(all) != len(calls) {
			t.Fatalf("%d of %d calls, %v", len(all), len(calls), err)
		}
		if again := tree.AppendCalls(nil, n, lane, all); !bytes.Equal(b, again) {
			t.Fatal("what was read is written in another way")
		}
	})
}

func TestMessagesOfARange(t *testing.T) {
	forTrees(t, func(t *testing.T, r *rand.Rand, tree Tree) {
		n := drawNode(r, tree)
		messages := drawMessages(r, tree, n)
		b := tree.AppendMessages(nil, n, slices.Clone(messages))
		for range 10 {
			first, last := drawRange(r, tree, n)
			node, got, err := tree.ReadMessages(b, first, last)
			if err != nil || node != n {
				t.Fatalf("node %v, %v; want %v", node, err, n)
			}
			kept(t, messages, got, func(m *Message) bool {
				return min(m.Send.Slice, m.Receive.Slice) <= last && max(m.Send.Slice, m.Receive.Slice) >= first
			})
		}
		_, all, err := tree.ReadMessages(b, 0, math.MaxInt64)
		if err != nil || len(all) != len(messages) {
			t.Fatalf("%d of %d messages, %v", len(all), len(messages), err)
		}
		if again := tree.AppendMessages(nil, n, all); !bytes.Equal(b, again) {
			t.Fatal("what was read is written in another way")
		}
	})
}

// A reader who wants one slice decodes only the places on the way down to it: no item of a place that does not cover it.
func TestRangesSkipPlaces(t *testing.T) {
	tree, n := Tree{Fanout: 16}, Node{Level: 1, Index: 3}
	var calls []Call
	for a := range uint64(16) {
		for b := a; b < 16; b++ {
			calls = append(calls, Call{Ordinal: uint64(len(calls)), StartSlice: 48 + a, EndSlice: 48 + b})
		}
	}
	b := tree.AppendCalls(nil, n, 0, calls)
	for slice := range uint64(16) {
		_, _, got, err := tree.ReadCalls(b, 48+slice, 48+slice)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got {
			low, high, _ := tree.bucketSpan(tree.bucket(int(c.StartSlice-48), int(c.EndSlice-48)))
			if int(slice) < low || int(slice) >= high {
				t.Fatalf("slice %d: decoded %d to %d for nothing", slice, c.StartSlice-48, c.EndSlice-48)
			}
		}
		if len(got) == len(calls) {
			t.Errorf("slice %d: all calls were decoded", slice)
		}
	}
}

// Bytes of a block that are no block.
func TestCallsRefuse(t *testing.T) {
	tree := Tree{Fanout: 4}
	head := func(level, index uint64, rest ...byte) []byte {
		b := format.AppendUvarint(nil, level)
		return append(format.AppendUvarint(format.AppendUvarint(b, index), 0), rest...)
	}
	// One call from slice 0 to slice 1: place 2 of node 0 of level 1.
	item := []byte{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	with := func(field int, v byte) []byte {
		b := slices.Clone(item)
		b[field] = v
		return b
	}
	one := func(item []byte) []byte { return head(1, 0, append([]byte{1, 2, 1, byte(len(item))}, item...)...) }
	if _, _, calls, err := tree.ReadCalls(one(item), 0, 9); err != nil || len(calls) != 1 {
		t.Fatalf("the model of all others: %v, %v", calls, err)
	}
	for name, b := range map[string][]byte{
		"level 0":                            head(0, 0, 0),
		"a level above all slices":           head(26, 0, 0),
		"a node behind all slices":           head(1, maxSlices/4, 0),
		"a place number 0":                   head(1, 0, append([]byte{1, 0, 1, 11}, item...)...),
		"a place that is not there":          head(1, 0, append([]byte{1, 8, 1, 11}, item...)...),
		"places out of order":                head(1, 0, slices.Concat([]byte{2, 2, 1, 11, 0, 1, 11}, item, item)...),
		"more places than bytes":             head(1, 0, 9, 2, 1, 11),
		"a place without items":              head(1, 0, 1, 2, 0, 0),
		"more items than bytes":              head(1, 0, append([]byte{1, 2, 2, 11}, item...)...),
		"bytes behind the items":             one(append(slices.Clone(item), 0)),
		"bytes behind the places":            append(one(item), 0),
		"an item of another place":           one(with(4, 2)),
		"an item of another node":            one(with(4, 4)),
		"an item that ends before it begins": head(1, 0, append([]byte{1, 2, 1, 20}, slices.Concat(item[:4], format.AppendUvarint(nil, math.MaxUint64), item[5:])...)...),
		"a location over 32 bits":            head(1, 0, append([]byte{1, 2, 1, 15}, slices.Concat(format.AppendUvarint(nil, 1<<33), item[1:])...)...),
		"flags over 8 bits":                  head(1, 0, append([]byte{1, 2, 1, 12}, slices.Concat(item[:1], format.AppendUvarint(nil, 1<<8), item[2:])...)...),
		"the same call twice": head(1, 0, append([]byte{1, 2, 2, 22},
			[]byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}...)...),
	} {
		_, _, calls, err := tree.ReadCalls(b, 0, 9)
		if corrupt, ok := err.(*format.CorruptError); !ok || corrupt.Section != "calls block" {
			t.Errorf("%s: %v, %v", name, calls, err)
		}
	}
}

func TestTruncatedItems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	tree, n := Tree{Fanout: 4}, Node{Level: 2, Index: 1}
	calls := drawCalls(r, tree, n)
	b := tree.AppendCalls(nil, n, 3, calls)
	for size := range b {
		if _, _, _, err := tree.ReadCalls(b[:size], 0, math.MaxInt64); !format.IsCorrupt(err) {
			t.Fatalf("%d of %d bytes: %v", size, len(b), err)
		}
	}
}
