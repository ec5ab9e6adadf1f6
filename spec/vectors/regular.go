package vectors

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// regularTrace makes a trace of calls within each other, one a tick: a slice that begins in their midst has items that take no bits.
func regularTrace() trace.Source {
	const depth = 600
	src := tracegen.New(trace.Meta{})
	b := src.Location(0, src.Process("process"))
	for i := range 2 * depth {
		kind := trace.KindEnter
		if i >= depth {
			kind = trace.KindLeave
		}
		b.Append(kind, int64(i), 5)
	}
	return src
}

// ticksTrace is a regular trace by a clock with ticks of some more than 10 ticks of the trace: items are coded in its ticks.
func ticksTrace() trace.Source {
	const depth = 600
	src := tracegen.New(trace.Meta{})
	b := src.Location(0, src.Process("process"))
	r := rand.New(rand.NewPCG(1, 1))
	tick := 0
	for i := range 2 * depth {
		kind := trace.KindEnter
		if i >= depth {
			kind = trace.KindLeave
		}
		tick += 1 + r.IntN(1000)
		b.Append(kind, int64(float64(tick)*10.0149+0.3), 5)
	}
	return src
}

// regularOptions are those with which the calls of the regular trace are items.
var regularOptions = store.Options{SliceEvents: 600, Fanout: 2}

// remainderFault makes a file whose items have remainders that are none of their ticks.
func remainderFault(f *faulty) error {
	file, err := File(ticksTrace(), regularOptions)
	if err != nil {
		return err
	}
	calls := &faulty{file: file, blocks: damage.Blocks(file)}
	i := calls.first(format.BlockCalls)
	d := format.NewDecoder("calls", calls.blocks[i].Payload)
	head := []uint64{d.Uvarint(), d.Uvarint(), d.Uvarint(), d.Uvarint()}
	if period := d.Uvarint(); period == 0 {
		return errors.New("items that are not coded in ticks")
	}
	payload := format.AppendUvarint(page(head...), 1<<40+1) // a tick of the clock is as long as one of the trace
	f.add("remainder-of-another-number-of-ticks", "content", calls.with(i, append(payload, d.Rest()...)))
	return nil
}

// page makes bytes of numbers.
func page(numbers ...uint64) (b []byte) {
	for _, n := range numbers {
		b = format.AppendUvarint(b, n)
	}
	return b
}

// itemFaults makes files with a block of items that was filled up in another way than it must be.
func itemFaults(f *faulty) error {
	file, err := File(regularTrace(), regularOptions)
	if err != nil {
		return err
	}
	calls := &faulty{file: file, blocks: damage.Blocks(file)}
	i := calls.first(format.BlockCalls)
	payload := calls.blocks[i].Payload
	if last := payload[len(payload)-1]; last != 0 {
		return fmt.Errorf("a block of calls that ends with %d", last)
	}
	f.add("items-of-more-than-their-bytes", "content", calls.with(i, payload[:len(payload)-1]))
	f.add("items-filled-too-far", "content", calls.with(i, append(slices.Clone(payload), 0)))
	f.add("items-filled-with-ones", "content", calls.with(i, append(slices.Clone(payload[:len(payload)-1]), 1)))
	return nil
}

// partFaults makes files with a block of calls whose head or part is not what its checksum says, though that of the frame is right.
func partFaults(f *faulty) error {
	file, err := File(tracegen.Ring(12, 8, 1), inParts)
	if err != nil {
		return err
	}
	calls := &faulty{file: file, blocks: damage.Blocks(file)}
	i := calls.first(format.BlockCalls)
	payload := calls.blocks[i].Payload
	head := int(format.NewDecoder("calls", payload).Uvarint())
	for name, at := range map[string]int{"head-of-another-checksum": head - 1, "part-of-another-checksum": head} {
		changed := slices.Clone(payload)
		changed[at] ^= 1
		f.add(name, "content", calls.with(i, changed))
	}
	return nil
}
