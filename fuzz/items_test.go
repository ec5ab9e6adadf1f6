package fuzz

import (
	"bytes"
	"math"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Spanning items of locations that the file does not have are damage, not a reason to panic.
func TestItemsOfMissingLocations(t *testing.T) {
	refused := map[format.BlockKind]int{}
	for _, file := range smallFiles(t) {
		blocks := damage.Blocks(file)
		tree := index.Tree{Fanout: fanoutOf(t, blocks)}
		for i, b := range blocks {
			moved := moveItems(t, tree, b)
			if moved == nil {
				continue
			}
			changed := append([]damage.Block(nil), blocks...)
			changed[i].Payload = moved
			broken := damage.Join(file, changed)
			readAll(t, broken, math.MinInt64, math.MaxInt64)
			if !anyError(t, broken) {
				t.Errorf("%s at %d: nobody noticed", b.Kind, b.Offset)
			}
			refused[b.Kind]++
		}
	}
	if refused[format.BlockCalls] == 0 || refused[format.BlockMessages] == 0 {
		t.Errorf("blocks tried: %v", refused)
	}
}

func fanoutOf(t *testing.T, blocks []damage.Block) uint64 {
	t.Helper()
	root, err := index.ParseRoot(blocks[len(blocks)-1].Payload)
	if err != nil {
		t.Fatal(err)
	}
	return root.Fanout
}

// moveItems gives the items of a block to locations far behind the last one; nil for blocks without items.
func moveItems(t *testing.T, tree index.Tree, b damage.Block) []byte {
	t.Helper()
	switch b.Kind {
	case format.BlockCalls:
		o, err := tree.OpenCalls(b.Payload, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		calls, err := o.All()
		if err != nil {
			t.Fatal(err)
		}
		for i := range calls {
			calls[i].Location += 1 << 31
		}
		return tree.EncodeCalls(o.Node, o.Lane, 0, calls)[0]
	case format.BlockMessages:
		o, err := tree.OpenMessages(b.Payload, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		messages, err := o.All()
		if err != nil || len(messages) == 0 {
			return nil
		}
		for i := range messages {
			messages[i].Receive.Location += 1 << 31
		}
		return tree.EncodeMessages(o.Node, o.Lane, o.Receivers, 0, messages)[0]
	}
	return nil
}

// anyError reports whether reading all calls and messages fails.
func anyError(t *testing.T, file []byte) bool {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		return true
	}
	if _, err := r.Locations(); err != nil {
		return true
	}
	w := r.Window(math.MinInt64, math.MaxInt64)
	for _, err := range w.Calls() {
		if err != nil {
			return true
		}
	}
	for _, err := range w.Messages() {
		if err != nil {
			return true
		}
	}
	for family := trace.PairCall; family <= trace.PairSpan; family++ {
		for _, err := range w.Pairs(family) {
			if err != nil {
				return true
			}
		}
	}
	const windows = 64 // enough that each node is on the path to the begin of one
	i := r.Info()
	for n := range int64(windows) {
		if _, err := r.Window(i.First+(i.Last-i.First)/windows*n, math.MaxInt64).Summary(); err != nil {
			return true
		}
	}
	for n := range i.Slices {
		if _, err := w.Hashes(n, n+1); err != nil {
			return true
		}
	}
	return false
}
