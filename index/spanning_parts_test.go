package index

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/internal/indextest"
)

// manyCalls makes calls of many places of a node, some for each location, and nested.
func manyCalls(tree Tree, n Node, locations, depth int) []Call {
	var calls []Call
	width := tree.Width(n.Level)
	r := rand.New(rand.NewPCG(7, 7))
	for location := range locations {
		for i := range depth {
			c := Call{Location: uint32(location), Key: uint64(i), Ordinal: uint64(len(calls))}
			c.StartSlice, c.EndSlice = drawSpan(r, tree, n)
			c.Start, c.End = int64(c.StartSlice*width), int64(c.EndSlice*width)+int64(r.IntN(100))
			calls = append(calls, c)
		}
	}
	return calls
}

// A reader that wants one slice decodes no part without a place that has it: such parts may be damaged. One that wants all
// notices.
func TestPartsThatAreNotWanted(t *testing.T) {
	tree, n := Tree{Fanout: 16}, Node{Level: 1, Index: 3}
	b := encodeCalls(t, tree, n, 0, measured, manyCalls(tree, n, 200, 9))
	parts := len(openCalls(t, tree, b).parts)
	if parts < 8 {
		t.Fatalf("only %d parts", parts)
	}
	spared := 0
	for damaged := range parts {
		for slice := n.Index * 16; slice < n.Index*16+16; slice++ {
			block := openCalls(t, tree, slices.Clone(b))
			p := &block.parts[damaged]
			wanted := slices.Contains(block.wanted(slice, slice), p)
			p.body[len(p.body)/2] ^= 0x55
			p.body = p.body[:len(p.body)-1]
			_, err := block.Append(nil, slice, slice)
			if indextest.Refused(t, err) != wanted {
				t.Fatalf("part %d damaged, slice %d: %v", damaged, slice, err)
			}
			if !wanted {
				spared++
			}
			if _, err := block.All(); !indextest.Refused(t, err) {
				t.Fatalf("part %d damaged, and nobody noticed", damaged)
			}
		}
	}
	if spared < parts*6 {
		t.Errorf("of %d parts for 16 slices only %d are not wanted", parts, spared)
	}
}

// Many items come in pages, and no run of calls is torn.
func TestPagesOfItems(t *testing.T) {
	tree, n := Tree{Fanout: 4}, Node{Level: 2, Index: 1}
	calls := manyCalls(tree, n, 24, 3000)
	pages := tree.EncodeCalls(n, 2, 0, slices.Clone(calls))
	if len(pages) != 2 {
		t.Fatalf("%d pages", len(pages))
	}
	var all []Call
	type run struct {
		cell     uint64
		location uint32
	}
	pageOf := map[run]int{}
	for i, b := range pages {
		page, err := openCalls(t, tree, b).All()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page {
			k := run{tree.cellOf(n, c.StartSlice, c.EndSlice), c.Location}
			if other, ok := pageOf[k]; ok && other != i {
				t.Fatalf("run %v is in pages %d and %d", k, other, i)
			}
			pageOf[k] = i
		}
		all = append(all, page...)
	}
	same(t, calls, all, func(*Call) bool { return true })

	messages := make([]Message, pageItems+1)
	for i := range messages {
		messages[i].Receive.Ordinal = uint64(i)
		messages[i].Send.Slice, messages[i].Receive.Slice = 16+uint64(i%16), 16+uint64(i/16%16)
	}
	got, receivers := []Message(nil), 0
	for i, b := range tree.EncodeMessages(n, 2, []uint32{1, 3}, 0, slices.Clone(messages)) {
		block, err := tree.OpenMessages(b, format.Limits{})
		if err == nil {
			got, err = block.Append(got, 0, math.MaxUint64)
		}
		if err != nil {
			t.Fatalf("page %d: %v", i, err)
		}
		receivers += len(block.Receivers)
	}
	if receivers != 2 {
		t.Errorf("%d receivers", receivers)
	}
	same(t, messages, got, func(*Message) bool { return true })
}

// Items that are read by several goroutines are decoded once.
func TestBlocksAreSafeForConcurrentUse(t *testing.T) {
	tree, n := Tree{Fanout: 16}, Node{Level: 1, Index: 3}
	calls := manyCalls(tree, n, 20, 9)
	block := openCalls(t, tree, encodeCalls(t, tree, n, 0, measured, calls))
	done := make(chan []Call)
	for range 8 {
		go func() {
			all, _ := block.All()
			done <- all
		}()
	}
	for range 8 {
		same(t, calls, <-done, func(*Call) bool { return true })
	}
}

// The number of items is limited before there is memory for them.
func TestItemsAreLimited(t *testing.T) {
	tree, n := Tree{Fanout: 16}, Node{Level: 1, Index: 3}
	calls := manyCalls(tree, n, 20, 9)
	b := encodeCalls(t, tree, n, 0, 0, calls)
	for limit := 1; limit < len(calls); limit++ {
		if _, err := tree.OpenCalls(b, format.Limits{NodeItems: limit}); !format.IsCorrupt(err) {
			t.Fatalf("%d calls with a limit of %d: %v", len(calls), limit, err)
		}
	}
	if _, err := tree.OpenCalls(b, format.Limits{NodeItems: len(calls)}); err != nil {
		t.Fatal(err)
	}
}

// Times on the lattice of a clock take less room when its period is known.
func TestTicksAreSmaller(t *testing.T) {
	tree, n := Tree{Fanout: 16}, Node{Level: 1, Index: 0}
	r := rand.New(rand.NewPCG(1, 1))
	var calls []Call
	for i := range 2000 {
		at := func(tick int) int64 { return int64(float64(tick)*10.0149 + 0.3) }
		start := 1_000_000 - r.IntN(10_000)
		calls = append(calls, Call{
			Location: uint32(i), StartSlice: 3, EndSlice: 4, Start: at(start), End: at(1_000_000 + r.IntN(10_000)), EndOrdinal: 1,
		})
	}
	plain, ticks := tree.EncodeCalls(n, 0, 0, calls)[0], tree.EncodeCalls(n, 0, measured, calls)[0]
	if len(ticks) > len(plain)*97/100 {
		t.Errorf("%d bytes in ticks, %d bytes without", len(ticks), len(plain))
	}
	if other := tree.EncodeCalls(n, 0, measured*3/2, calls)[0]; len(other) > len(plain) {
		t.Errorf("%d bytes in ticks of another clock, %d bytes without", len(other), len(plain))
	}
}

// reads counts what is read of a block's payload, behind its first bytes.
type reads struct {
	payload []byte
	bytes   int
}

func (r *reads) source(first int) Source {
	return Source{Bytes: r.payload[:min(first, len(r.payload))], Size: len(r.payload), Locations: 1 << 32, Read: r.read}
}

func (r *reads) read(b []byte, at int64) error {
	r.bytes += copy(b, r.payload[at:])
	return nil
}

// A reader of some slices reads the head and the parts that have them, and finds what one that reads all finds.
func TestPartsAreReadAlone(t *testing.T) {
	tree, n := Tree{Fanout: 16}, Node{Level: 1, Index: 3}
	payload := encodeCalls(t, tree, n, 0, measured, manyCalls(tree, n, 2000, 3))
	whole := openCalls(t, tree, payload)
	if len(whole.parts) < 16 {
		t.Fatalf("%d parts", len(whole.parts))
	}
	for slice := n.Index * 16; slice < n.Index*16+16; slice++ {
		for _, first := range []int{10, whole.Bytes, whole.Bytes + 1000} {
			r := &reads{payload: payload}
			block, err := tree.CallsOf(r.source(first), format.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := block.AppendRead(r.read, nil, slice, slice)
			if err != nil {
				t.Fatal(err)
			}
			want, err := whole.Append(nil, slice, slice)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("slice %d: %d calls, want %d: %v", slice, len(got), len(want), err)
			}
			if most := len(payload) * 3 / 5; first+r.bytes > most {
				t.Errorf("slice %d: %d and %d of %d bytes are read", slice, first, r.bytes, len(payload))
			}
			before := r.bytes
			if _, err := block.AppendRead(r.read, nil, slice, slice); err != nil || r.bytes != before {
				t.Errorf("slice %d is read again: %v", slice, err)
			}
			all, err := block.AllRead(r.read)
			if err != nil || len(all) != block.Items {
				t.Errorf("%d of %d calls: %v", len(all), block.Items, err)
			}
		}
	}
}

// Who reads parts alone notices each bit that is wrong in what is read.
func TestFlipsInParts(t *testing.T) {
	tree, n := Tree{Fanout: 4}, Node{Level: 1, Index: 3}
	payload := encodeCalls(t, tree, n, 0, 0, manyCalls(tree, n, 300, 2))
	head := openCalls(t, tree, payload).Bytes
	want, err := openCalls(t, tree, payload).Append(nil, 13, 13)
	if err != nil {
		t.Fatal(err)
	}
	noticed, spared := 0, 0
	for bit := range 8 * len(payload) {
		r := &reads{payload: slices.Clone(payload)}
		r.payload[bit/8] ^= 1 << (bit % 8)
		block, err := tree.CallsOf(r.source(head), format.Limits{})
		var got []Call
		if err == nil {
			got, err = block.AppendRead(r.read, nil, 13, 13)
		}
		switch {
		case format.IsCorrupt(err):
			noticed++
		case err != nil || !slices.Equal(got, want):
			t.Fatalf("bit %d: %d calls, want %d: %v", bit, len(got), len(want), err)
		case bit < 8*head:
			t.Fatalf("bit %d of the head, of %d bytes, is not noticed", bit, head)
		default:
			spared++
		}
	}
	if noticed < 8*head || spared == 0 {
		t.Errorf("%d bits noticed, %d not read", noticed, spared)
	}
}
