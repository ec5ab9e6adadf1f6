package index

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/internal/indextest"
	"github.com/pandotrace/pando/trace"
)

// fewOf draws one of a few numbers, or any number.
func fewOf(r *rand.Rand, any bool) uint64 {
	if any {
		return indextest.AnyNumber(r)
	}
	return r.Uint64N(3)
}

// drawCalls draws calls that have nothing to do with each other, or that are much alike.
func drawCalls(r *rand.Rand, tree Tree, n Node) []Call {
	calls := make([]Call, r.IntN(60))
	any := r.IntN(2) == 0
	for i := range calls {
		c := &calls[i]
		c.StartSlice, c.EndSlice = drawSpan(r, tree, n)
		c.Location, c.Ordinal = uint32(fewOf(r, any)), uint64(i) // so no two are equal
		c.Key, c.Context, c.Flags = fewOf(r, any), r.IntN(2) == 0, trace.CallFlags(r.IntN(4))
		c.Start, c.End = drawTime(r, any), drawTime(r, any)
		c.Exclusive, c.Children, c.EndOrdinal = drawTime(r, any), fewOf(r, any), fewOf(r, any)
	}
	return calls
}

// drawTime draws any time, or one on the lattice of a coarse clock.
func drawTime(r *rand.Rand, any bool) int64 {
	if any {
		return int64(indextest.AnyNumber(r))
	}
	return int64(float64(r.IntN(1000)) * 10.0149)
}

// drawMessages draws messages that have nothing to do with each other, or that are much alike.
func drawMessages(r *rand.Rand, tree Tree, n Node) []Message {
	messages := make([]Message, r.IntN(60))
	any := r.IntN(2) == 0
	for i := range messages {
		m := &messages[i]
		draw := func() End {
			return End{Location: uint32(fewOf(r, any)), Ordinal: fewOf(r, any), Time: drawTime(r, any), Length: fewOf(r, any)}
		}
		m.Send, m.Receive = draw(), draw()
		m.Receive.Ordinal = uint64(i)
		m.Send.Slice, m.Receive.Slice = drawSpan(r, tree, n)
		if r.IntN(2) == 0 {
			m.Send.Slice, m.Receive.Slice = m.Receive.Slice, m.Send.Slice
		}
		m.Communicator, m.Tag = fewOf(r, any), fewOf(r, any)
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

// same checks what was read of a block for a range: all that overlaps, and nothing else, each once.
func same[T comparable](t *testing.T, all, got []T, overlaps func(*T) bool) {
	t.Helper()
	in := map[T]bool{}
	for _, item := range all {
		if overlaps(&item) {
			in[item] = true
		}
	}
	for _, item := range got {
		if !in[item] {
			t.Fatalf("read twice, never written, or not in the range: %+v", item)
		}
		delete(in, item)
	}
	for item := range in {
		t.Fatalf("missing: %+v", item)
	}
}

// encodeCalls encodes calls into one block.
func encodeCalls(t testing.TB, tree Tree, n Node, lane uint32, period column.Period, calls []Call) []byte {
	t.Helper()
	pages := tree.EncodeCalls(n, lane, period, slices.Clone(calls))
	if len(pages) != 1 {
		t.Fatalf("%d pages", len(pages))
	}
	return pages[0]
}

// drawPeriod draws the period of clocks, or 0.
func drawPeriod(r *rand.Rand) column.Period {
	switch r.IntN(3) {
	case 0:
		return 0
	case 1:
		return measured
	}
	return column.Period(min(1<<periodBits+1+indextest.AnyNumber(r)>>4, maxPeriod))
}

const measured column.Period = 11011499001013 // 10.0149 ticks

func TestCallsOfARange(t *testing.T) {
	forTrees(t, func(t *testing.T, r *rand.Rand, tree Tree) {
		n, lane := drawNode(r, tree), uint32(indextest.AnyNumber(r))
		calls := drawCalls(r, tree, n)
		b := encodeCalls(t, tree, n, lane, drawPeriod(r), calls)
		for range 10 {
			first, last := drawRange(r, tree, n)
			block, err := tree.OpenCalls(b, format.Limits{})
			if err != nil || block.Node != n || block.Lane != lane || block.Items != len(calls) {
				t.Fatalf("%+v, %v; want node %v, lane %d, %d calls", block, err, n, lane, len(calls))
			}
			got, err := block.Append(nil, first, last)
			if err != nil {
				t.Fatal(err)
			}
			same(t, calls, got, func(c *Call) bool { return c.StartSlice <= last && c.EndSlice >= first })
		}
		block := openCalls(t, tree, b)
		if again := writeCalls(t, block); !bytes.Equal(b, again) {
			t.Fatal("what was read is written in another way")
		}
	})
}

func openCalls(t testing.TB, tree Tree, b []byte) *CallBlock {
	t.Helper()
	block, err := tree.OpenCalls(b, format.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return block
}

// writeCalls writes a block again, with the model and the period that it has.
func writeCalls(t testing.TB, b *CallBlock) []byte {
	t.Helper()
	calls, err := b.All()
	if err != nil {
		t.Fatal(err)
	}
	l, e := layOutCalls(b.sort(calls), calls)
	return rewrite(b, calls, l, e)
}

func TestMessagesOfARange(t *testing.T) {
	forTrees(t, func(t *testing.T, r *rand.Rand, tree Tree) {
		n, lane := drawNode(r, tree), uint32(indextest.AnyNumber(r))
		messages := drawMessages(r, tree, n)
		var receivers []uint32
		for lane := range uint32(r.IntN(5)) {
			receivers = append(receivers, lane<<uint(r.IntN(30)))
		}
		slices.Sort(receivers)
		receivers = slices.Compact(receivers)
		pages := tree.EncodeMessages(n, lane, receivers, drawPeriod(r), slices.Clone(messages))
		for range 10 {
			first, last := drawRange(r, tree, n)
			block, err := tree.OpenMessages(pages[0], format.Limits{})
			if err != nil || block.Node != n || block.Lane != lane || block.Items != len(messages) || !slices.Equal(block.Receivers, receivers) {
				t.Fatalf("%+v, %v; want node %v, lane %d, %d messages, receivers %d", block, err, n, lane, len(messages), receivers)
			}
			got, err := block.Append(nil, first, last)
			if err != nil {
				t.Fatal(err)
			}
			same(t, messages, got, func(m *Message) bool {
				return min(m.Send.Slice, m.Receive.Slice) <= last && max(m.Send.Slice, m.Receive.Slice) >= first
			})
		}
		block, err := tree.OpenMessages(pages[0], format.Limits{})
		if err != nil || len(pages) != 1 {
			t.Fatal(len(pages), err)
		}
		if again := writeMessages(t, block); !bytes.Equal(pages[0], again) {
			t.Fatal("what was read is written in another way")
		}
	})
}

// writeMessages writes a block again, with the model and the period that it has.
func writeMessages(t testing.TB, b *MessageBlock) []byte {
	t.Helper()
	messages, err := b.All()
	if err != nil {
		t.Fatal(err)
	}
	l, e := layOutMessages(b.sort(messages), messages)
	for _, r := range b.Receivers {
		l.receivers = append(l.receivers, uint64(r))
	}
	return rewrite(b.Block, messages, l, e)
}

func rewrite[T any](b *Block[T], items []T, l layout[T], e entries[T]) []byte {
	c := b.with(l, b.period)
	c.model = b.model
	return c.bytes(c.values(e, items, &valueSpace{}))
}
