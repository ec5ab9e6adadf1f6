package index

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// Blocks that say what is not true are made by a writer whose structure or values were changed in between.

// fiveCalls are two nested calls and one alone across the border of slices 1 and 2, and two calls elsewhere. By cells, the first of these is the first of
// all.
func fiveCalls() []Call {
	return []Call{
		{Location: 1, Key: 5, Start: 100, End: 900, Ordinal: 3, EndOrdinal: 9, StartSlice: 1, EndSlice: 2, Children: 2, Exclusive: 10},
		{Location: 1, Key: 6, Start: 200, End: 800, Ordinal: 5, EndOrdinal: 6, StartSlice: 1, EndSlice: 2, Exclusive: 600},
		{Location: 4, Key: 6, Start: 300, End: 700, Ordinal: 5, EndOrdinal: 6, StartSlice: 1, EndSlice: 2, Exclusive: 400},
		{Location: 1, Key: 7, Context: true, Start: 50, End: 70, Ordinal: 1, EndOrdinal: 2, StartSlice: 0, EndSlice: 1, Exclusive: 20},
		{Location: 1, Key: 8, Context: true, Start: 1000, End: 1100, Ordinal: 10, EndOrdinal: 11, StartSlice: 2, EndSlice: 3, Exclusive: 100},
	}
}

var refusingTree = Tree{Fanout: 4}

// changes of what is written.
type changes[T any, E entries[T]] struct {
	items     func([]T)
	structure func(E) // of the head and of the one part
	values    func(valueBlocks)
	head      func(*Block[T])
}

// write writes a block of one part with changes.
func (c changes[T, E]) write(b *Block[T], items []T, e E) []byte {
	if c.items != nil {
		c.items(items)
	}
	all := b.values(e, items, &valueSpace{})
	if c.structure != nil {
		c.structure(e)
		all[0].counts, all[1].counts = b.layout.structureCounts(), e.structureCounts()
		all[0].values = carrier{}.write(all[0].counts, b.layout.structure)
		all[1].values = carrier{}.write(all[1].counts, e.structure)
		first, _ := e.at(0)
		b.parts[0].first = first
	}
	if c.values != nil {
		c.values(all)
	}
	if c.head != nil {
		c.head(b)
	}
	return b.bytes(all)
}

// fiveCallsWith makes a block of five calls.
func fiveCallsWith(period column.Period, c changes[Call, *callRuns]) []byte {
	calls := fiveCalls()
	b := &Block[Call]{Head: Head{Node: Node{Level: 1}}, tree: refusingTree, kind: &callKind}
	l, e := layOutCalls(b.sort(calls), calls)
	return c.write(b.with(l, period), calls, e.(*callRuns))
}

func TestCallsRefuse(t *testing.T) {
	good := fiveCallsWith(0, changes[Call, *callRuns]{})
	if calls, err := openCalls(t, refusingTree, good).All(); err != nil || len(calls) != 5 {
		t.Fatalf("the model of all others: %v, %v", calls, err)
	}
	layout := func(change func(l *callRuns)) []byte {
		return fiveCallsWith(0, changes[Call, *callRuns]{structure: change})
	}
	items := func(change func(calls []Call)) []byte {
		return fiveCallsWith(0, changes[Call, *callRuns]{items: change})
	}
	head := func(change func(b *Block[Call])) []byte {
		return fiveCallsWith(0, changes[Call, *callRuns]{head: change})
	}
	values := func(period column.Period, change func(valueBlocks)) []byte {
		return fiveCallsWith(period, changes[Call, *callRuns]{values: change})
	}
	for name, b := range map[string][]byte{
		"nothing":                    nil,
		"level 0":                    head(func(b *Block[Call]) { b.Node.Level = 0 }),
		"a level above all slices":   head(func(b *Block[Call]) { b.Node.Level = 26 }),
		"a node behind all slices":   head(func(b *Block[Call]) { b.Node.Index = maxSlices / 4 }),
		"a period below a tick":      head(func(b *Block[Call]) { b.period = 1 << periodBits }),
		"a period that is too large": head(func(b *Block[Call]) { b.period = maxPeriod + 1 }),
		"bytes behind the parts":     append(slices.Clone(good), 0),

		"a cell number 0":                    layout(func(l *callRuns) { l.runs[0].cell = 0 }),
		"a cell that is not there":           layout(func(l *callRuns) { l.runs[4-1].cell = 4 + 8 }),
		"a cell beyond all":                  layout(func(l *callRuns) { l.runs[4-1].cell = 1 << 40 }),
		"cells out of order":                 layout(func(l *callRuns) { slices.Reverse(l.runs) }),
		"locations out of order":             layout(func(l *callRuns) { l.runs[1].location = 4 }),
		"a location over 32 bits":            layout(func(l *callRuns) { l.runs[1].location = 1 << 32 }),
		"the empty stack":                    layout(func(l *callRuns) { l.runs[3].stack = 0 }),
		"a stack that is not there":          layout(func(l *callRuns) { l.runs[3].stack = 6 }),
		"a stack that no call has":           layout(func(l *callRuns) { l.runs[3].stack = l.runs[2].stack }),
		"a stack in itself":                  layout(func(l *callRuns) { l.list[1].outer = 1 }),
		"a stack in a later one":             layout(func(l *callRuns) { l.list[5].outer = 1 << 40 }),
		"a key that is not there":            layout(func(l *callRuns) { l.list[5].key = 4 }),
		"stacks out of order":                layout(func(l *callRuns) { l.list[2].key = 0; l.list[1].key = 1 }),
		"the same stack twice":               layout(func(l *callRuns) { l.list[2].key = 0 }),
		"flags over 8 bits":                  layout(func(l *callRuns) { l.list[5].flags = 256 }),
		"keys out of order":                  layout(func(l *callRuns) { l.keys[0], l.keys[1] = l.keys[1], l.keys[0] }),
		"the same key twice":                 layout(func(l *callRuns) { l.keys[3] = l.keys[2] }),
		"a key that no call has":             layout(func(l *callRuns) { l.keys = append(l.keys, 99) }),
		"a part of a cell that is not there": head(func(b *Block[Call]) { b.parts[0].first = 4 + 8 }),
		"an item of another cell":            items(func(c []Call) { c[1].EndSlice = 1 }),
		"an item of another node":            items(func(c []Call) { c[0].EndSlice = 4 }),
		"an item that ends before it begins": items(func(c []Call) { c[0].StartSlice, c[0].EndSlice = 2, 1 }),
		"the same call twice":                items(func(c []Call) { c[2].Ordinal = c[1].Ordinal }),
		"calls out of order":                 items(func(c []Call) { c[2].Ordinal = 1 }),
		"a base that is not the latest":      values(0, func(v valueBlocks) { v[2].values[startOf(v[2].counts, callContexts+1)]++ }),
		"remainders of another tick": values(measured, func(v valueBlocks) {
			v[2].values[startOf(v[2].counts, callRemainder)] += 2 * 2 * uint64(measured>>periodBits)
		}),
	} {
		o, err := refusingTree.OpenCalls(b, format.Limits{})
		if err == nil {
			_, err = o.All()
		}
		if corrupt := (*format.CorruptError)(nil); !errors.As(err, &corrupt) || corrupt.Section != "calls block" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// startOf returns where the values of a context begin.
func startOf(counts []int, context int) (at int) {
	for _, n := range counts[:context] {
		at += n
	}
	return at
}

// A model must have the contexts that the calls need, not fewer and not more.
func TestModelsOfItems(t *testing.T) {
	b := openCalls(t, refusingTree, fiveCallsWith(0, changes[Call, *callRuns]{}))
	calls, err := b.All()
	if err != nil {
		t.Fatal(err)
	}
	for more := range 3 {
		l, e := layOutCalls(b.sort(calls), calls)
		c := b.with(l, 0)
		all := c.values(e, calls, &valueSpace{})
		c.model = all.fit(l.contexts() + more)
		if _, err := refusingTree.OpenCalls(c.bytes(all), format.Limits{}); (err != nil) != (more > 0) {
			t.Errorf("%d contexts too many: %v", more, err)
		}
	}
}

// threeMessagesWith makes a block of three messages.
func threeMessagesWith(c changes[Message, *messageEntries]) []byte {
	messages := []Message{
		{Send: End{Location: 2, Slice: 1, Time: 100, Length: 8}, Receive: End{Location: 1, Slice: 2, Time: 200, Ordinal: 4, Length: 8}, Tag: 3},
		{Send: End{Location: 2, Slice: 1, Time: 110, Length: 8}, Receive: End{Location: 1, Slice: 2, Time: 210, Ordinal: 5, Length: 8}, Tag: 4},
		{Send: End{Location: 3, Slice: 1, Time: 120, Length: 9}, Receive: End{Location: 2, Slice: 2, Time: 220, Ordinal: 6, Length: 9}, Tag: 4},
	}
	b := &Block[Message]{Head: Head{Node: Node{Level: 1}}, tree: refusingTree, kind: &messageKind}
	l, e := layOutMessages(b.sort(messages), messages)
	l.receivers = []uint64{2, 5}
	return c.write(b.with(l, 0), messages, e)
}

func TestMessagesRefuse(t *testing.T) {
	if o, err := refusingTree.OpenMessages(threeMessagesWith(changes[Message, *messageEntries]{}), format.Limits{}); err != nil || o.Items != 3 {
		t.Fatalf("the model of all others: %v", err)
	}
	layout := func(change func(l *messageEntries)) []byte {
		return threeMessagesWith(changes[Message, *messageEntries]{structure: change})
	}
	items := func(change func(m []Message)) []byte {
		return threeMessagesWith(changes[Message, *messageEntries]{items: change})
	}
	value := func(block, context, n int, v uint64) []byte {
		return threeMessagesWith(changes[Message, *messageEntries]{values: func(all valueBlocks) {
			all[block].values[startOf(all[block].counts, context)+n] = v
		}})
	}
	for name, b := range map[string][]byte{
		"receivers out of order":        layout(func(l *messageEntries) { slices.Reverse(l.receivers) }),
		"a receiver over 32 bits":       layout(func(l *messageEntries) { l.receivers[1] = 1 << 32 }),
		"the same location twice":       layout(func(l *messageEntries) { l.roster[1] = l.roster[0] }),
		"a location over 32 bits":       layout(func(l *messageEntries) { l.roster[2] = 1 << 32 }),
		"a location that no end has":    layout(func(l *messageEntries) { l.roster = append(l.roster, 9) }),
		"envelopes out of order":        layout(func(l *messageEntries) { l.envelopes[0].communicator = 1 }),
		"the same envelope twice":       layout(func(l *messageEntries) { l.envelopes[1] = l.envelopes[0] }),
		"an envelope without messages":  layout(func(l *messageEntries) { l.envelopes = append(l.envelopes, envelope{communicator: 9}) }),
		"a sender that is not there":    value(1, messageSender, 0, 2*9),
		"a receiver that is not there":  value(1, messageReceiver, 0, 3),
		"an envelope that is not":       value(1, messageEnvelope, 0, 3),
		"a cell number 0":               value(1, messageCell, 0, 0),
		"cells out of order":            value(1, messageCell, 1, math.MaxUint64),
		"messages out of order":         items(func(m []Message) { m[1].Receive.Ordinal = 3 }),
		"the same message twice":        items(func(m []Message) { m[1].Receive.Ordinal = 4 }),
		"a message of another cell":     items(func(m []Message) { m[2].Receive.Slice = 1 }),
		"a message of another node":     items(func(m []Message) { m[2].Receive.Slice = 5 }),
		"a base that is not the latest": value(2, endContext(sends, endBase), 1, 5),
	} {
		o, err := refusingTree.OpenMessages(b, format.Limits{})
		if err == nil {
			_, err = o.All()
		}
		if corrupt := (*format.CorruptError)(nil); !errors.As(err, &corrupt) || corrupt.Section != "messages block" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTruncatedItems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	tree, n := Tree{Fanout: 4}, Node{Level: 2, Index: 1}
	calls := encodeCalls(t, tree, n, 3, 0, drawCalls(r, tree, n))
	for size := range calls {
		if _, err := tree.OpenCalls(calls[:size], format.Limits{}); !format.IsCorrupt(err) {
			t.Fatalf("%d of %d bytes: %v", size, len(calls), err)
		}
	}
	messages := tree.EncodeMessages(n, 3, []uint32{1}, 0, drawMessages(r, tree, n))[0]
	for size := range messages {
		if _, err := tree.OpenMessages(messages[:size], format.Limits{}); !format.IsCorrupt(err) {
			t.Fatalf("%d of %d bytes: %v", size, len(messages), err)
		}
	}
}
