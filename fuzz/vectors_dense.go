package fuzz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Files whose bytes say that there is very much. All their checksums are right.

// dense is a file of one location and one slice, whose shapes, statistics and events can be replaced.
type dense struct {
	file       []byte
	blocks     []Block
	dictionary *encode.Dictionary
	enter      uint32 // its shapes
	leave      uint32
	times      []int64

	residual    int64 // of all events
	stray       bool  // the last one is of an event that is not there
	predictions []encode.Prediction
	pairs       []encode.PairMark
}

// newDense makes one with two calls, one after the other.
func newDense() (*dense, error) {
	src := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	region := src.Region("main")
	b := src.Location(0, src.Process("process"))
	d := &dense{dictionary: encode.NewDictionary(trace.Standard)}
	for i := range 4 {
		kind := trace.KindEnter
		if i%2 == 1 {
			kind = trace.KindLeave
		}
		b.Append(kind, int64(i), region)
		d.times = append(d.times, int64(i))
	}
	var err error
	if d.file, err = vectorFile(src, store.Options{}); err != nil {
		return nil, err
	}
	if d.file, err = Plain(d.file); err != nil {
		return nil, err
	}
	d.blocks = Blocks(d.file)
	if d.enter, err = d.dictionary.Event(0, trace.KindEnter, []uint64{region}, nil); err == nil {
		d.leave, err = d.dictionary.Event(0, trace.KindLeave, []uint64{region}, nil)
	}
	return d, err
}

// ofGroup returns what the blocks of the lane begin with: group, lane and epoch 0, and one page of the dictionary.
func ofGroup(rest []byte) []byte { return append([]byte{0, 0, 0, 1}, rest...) }

// set replaces the payload of the one block of a kind.
func (d *dense) set(kind format.BlockKind, payload []byte) {
	i := slices.IndexFunc(d.blocks, func(b Block) bool { return b.Kind == kind })
	d.blocks[i].Payload = payload
}

// page sets the dictionary, whose page is returned.
func (d *dense) page() []byte {
	page := encode.NewPageWriter(d.dictionary).Append(nil)
	d.set(format.BlockDictionary, ofGroup(page))
	return page
}

// events sets model and slice: what the tokens say are the events, of which the roster says that there are so many.
func (d *dense) events(events int, tokens ...encode.Token) {
	s := encode.Draft{}
	s.Reset(encode.Slice{Start: d.times[0], End: d.times[len(d.times)-1] + 1})
	s.BeginRun()
	leaves := s.Events(d.times)
	for i := range leaves {
		leaves[i] = []uint32{d.enter, d.leave}[i%2]
	}
	s.Residuals(slices.Repeat([]int64{d.residual}, len(d.times)))
	s.EndRun(encode.Run{Events: len(d.times), Tokens: tokens})
	if d.stray {
		s.Runs[0].Residuals[len(d.times)-1]++
	}
	s.Pairs = append(s.Pairs, d.pairs...)
	s.Count(d.dictionary.Info())
	s.Runs[0].Events = events
	stats := encode.FitStatistics([]*encode.Draft{&s}, d.dictionary.Columns(), d.dictionary.ColumnInfos(), nil)
	stats.Predictions = append(stats.Predictions, d.predictions...)
	d.set(format.BlockModel, ofGroup(stats.Append(nil)))
	d.set(format.BlockSlice, encode.AppendSlice(nil, &s, stats))
}

// listed sets how many events the directory says that the slice has.
func (d *dense) listed(events uint64) error {
	i := slices.IndexFunc(d.blocks, func(b Block) bool { return b.Kind == format.BlockPage })
	page, err := index.ParsePage(d.blocks[i].Payload)
	if err == nil {
		page.Slices[0].Events = events
		d.blocks[i].Payload = page.Append(nil)
	}
	return err
}

func (d *dense) bytes() []byte { return Join(d.file, d.blocks) }

// doubled adds composites, each of which stands for the one before it twice; the first one for a call.
func (d *dense) doubled(levels int) uint32 {
	shape := d.dictionary.Composite([]encode.Edge{{Shape: d.enter, Count: 1}, {Shape: d.leave, Count: 1}})
	for range levels {
		shape = d.dictionary.Composite([]encode.Edge{{Shape: shape, Count: 2}})
	}
	return shape
}

// bomb is a zstd frame of many zeros: 128 KiB in four bytes.
func bomb(raw int) []byte {
	const most = 128 << 10
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}
	b = binary.LittleEndian.AppendUint32(b, uint32(raw))
	for ; raw > 0; raw -= most {
		head := uint32(min(raw, most))<<3 | 1<<1 // a byte again and again
		if raw <= most {
			head |= 1
		}
		b = append(b, byte(head), byte(head>>8), byte(head>>16), 0)
	}
	return b
}

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
	file, err := vectorFile(ticksTrace(), regularOptions)
	if err != nil {
		return err
	}
	calls := &faulty{file: file, blocks: Blocks(file)}
	i := calls.first(format.BlockCalls)
	d := format.NewDecoder("calls", calls.blocks[i].Payload)
	head := []uint64{d.Uvarint(), d.Uvarint(), d.Uvarint()}
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
	file, err := vectorFile(regularTrace(), regularOptions)
	if err != nil {
		return err
	}
	calls := &faulty{file: file, blocks: Blocks(file)}
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

// denseFaults makes files that say that there is more than their bytes can stand for.
func denseFaults() ([]Vector, error) {
	f := &faulty{}
	for _, v := range []struct {
		name, class string
		change      func(d *dense) error
	}{
		{"calls-of-2-to-the-61-events", "content", func(d *dense) error {
			shape := d.doubled(60)
			d.page()
			d.events(4, encode.Token{Shape: shape, Count: 1})
			return nil
		}},
		{"tokens-of-other-events", "content", func(d *dense) error {
			shape := d.doubled(2)
			d.page()
			d.events(4, encode.Token{Shape: shape, Count: 1})
			return nil
		}},
		{"exception-that-lies-in-a-bin", "content", func(d *dense) error {
			shape := d.doubled(1)
			d.page()
			d.times = make([]int64, 4)
			d.events(4, encode.Token{Shape: shape, Count: 1})
			i := slices.IndexFunc(d.blocks, func(b Block) bool { return b.Kind == format.BlockSlice })
			values := d.blocks[i].Payload // ends with the number of exceptions: all differences are 0 and take no bits
			d.set(format.BlockSlice, append(slices.Clone(values[:len(values)-1]), page(1, 0, 0)...))
			return nil
		}},
		{"calls-of-events-beyond-counting", "content", func(d *dense) error {
			shape := d.doubled(80)
			d.page()
			d.events(4, encode.Token{Shape: shape, Count: 1<<32 - 1})
			return nil
		}},
		{"code-that-no-value-has", "content", func(d *dense) error {
			shape := d.doubled(1)
			d.page()
			d.residual = 1 << 61
			d.predictions = []encode.Prediction{{Source: encode.FromBefore, Unit: 4}} // 2^61 units are too many
			d.events(4, encode.Token{Shape: shape, Count: 1})
			return nil
		}},
		{"residual-of-no-event", "content", func(d *dense) error {
			shape := d.doubled(1)
			d.page()
			d.residual, d.stray = 1, true
			d.events(4, encode.Token{Shape: shape, Count: 1})
			return nil
		}},
		{"mark-of-an-end-that-is-not-there", "content", func(d *dense) error {
			shape := d.doubled(1)
			d.page()
			d.pairs = []encode.PairMark{{Endpoint: 0, Skip: encode.Unpaired}} // there are calls, and no ends of messages
			d.events(4, encode.Token{Shape: shape, Count: 1})
			return nil
		}},
		{"roster-of-many-events", "content", func(d *dense) error {
			shape := d.doubled(30)
			d.page()
			d.events(1<<31-2, encode.Token{Shape: shape, Count: 1})
			return d.listed(1<<31 - 2)
		}},
		{"page-of-too-many-things", "content", func(d *dense) error {
			d.doubled(200)
			page := d.page()
			d.set(format.BlockDictionary, ofGroup(slices.Clip(page)[:len(page)-1]))
			return nil
		}},
		{"page-filled-with-ones", "content", func(d *dense) error {
			d.doubled(200)
			page := d.page()
			page[len(page)-1] = 1
			d.set(format.BlockDictionary, ofGroup(page))
			return nil
		}},
		{"page-filled-too-far", "content", func(d *dense) error {
			d.doubled(200)
			d.set(format.BlockDictionary, ofGroup(append(d.page(), 0)))
			return nil
		}},
		{"slice-of-fewer-events-than-its-blocks", "content", func(d *dense) error { return d.listed(3) }},
		{"slice-without-events", "content", func(d *dense) error { return d.listed(0) }},
		{"zstd-of-too-much", "codec", func(d *dense) error {
			i := slices.IndexFunc(d.blocks, func(b Block) bool { return b.Kind == format.BlockDefinitions })
			b := &d.blocks[i]
			b.Payload, b.Codec, b.Raw = bomb(1<<20), format.CodecZstd, 1<<20
			return nil
		}},
	} {
		d, err := newDense()
		if err == nil {
			err = v.change(d)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		f.add(v.name, v.class, d.bytes())
	}
	return f.vectors, errors.Join(itemFaults(f), remainderFault(f), f.err)
}
