package slice

import (
	"encoding/binary"
	"slices"

	"github.com/pandotrace/pando/encode/shape"
)

// What a draft has collected can be packed until the drafts of its group are complete: then it takes about 5 bytes for an event
// instead of 30. That is never part of a file, and not meant for other processes or times:
//
//	uvarints  number of runs, events, raw values, tokens; bytes of text
//	runs      uvarint location, uvarint id, uvarint first, uvarint events, uvarint number of residuals, uvarint number of tokens
//	tokens    uvarint shape, uvarint count
//	leaves    uvarint each
//	residuals uvarint number of the event in its run each
//	times     of each run: uvarint time - time before (the first: start of the slice)
//	values    uvarint each; to what they belong follows from the leaves
//	text

// Pack appends what the draft has collected. Its slice is not part of that, but for runs and text.
func (d *Draft) Pack(dst []byte) []byte {
	for _, n := range [...]int{len(d.Runs), len(d.Leaves), len(d.raw), len(d.tokens), len(d.Text)} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	for i := range d.Runs {
		r := &d.Runs[i]
		dst = binary.AppendUvarint(dst, uint64(r.Location))
		dst = binary.AppendUvarint(dst, r.ID)
		dst = binary.AppendUvarint(dst, r.First)
		dst = binary.AppendUvarint(dst, uint64(r.Events))
		dst = binary.AppendUvarint(dst, uint64(len(r.Residuals)))
		dst = binary.AppendUvarint(dst, uint64(len(r.Tokens)))
	}
	for _, t := range d.tokens {
		dst = binary.AppendUvarint(dst, uint64(t.Shape))
		dst = binary.AppendUvarint(dst, uint64(t.Count))
	}
	dst = slices.Grow(dst, 4*len(d.Leaves))
	for _, leaf := range d.Leaves {
		dst = binary.AppendUvarint(dst, uint64(leaf))
	}
	for _, event := range d.residuals {
		dst = binary.AppendUvarint(dst, uint64(event))
	}
	for i := range d.Runs {
		before := d.Start
		for _, t := range d.TimesOf(i) {
			dst = binary.AppendUvarint(dst, uint64(t-before))
			before = t
		}
	}
	for i := range d.raw {
		dst = binary.AppendUvarint(dst, d.raw[i].value)
	}
	return append(dst, d.Text...)
}

// Unpack starts the draft of a slice with what was packed. The table must have all leaves of the draft.
func (d *Draft) Unpack(s Block, packed []byte, leaves shape.LeafTable) {
	d.Reset(s)
	p := unpacker{packed: packed}
	runs, events, values, tokens, text := p.int(), p.int(), p.int(), p.int(), p.int()
	counts, residuals := make([]int, runs), make([]int, runs)
	for i := range runs {
		r := Run{Location: uint32(p.next()), ID: p.next(), First: p.next(), Events: p.int()}
		residuals[i], counts[i] = p.int(), p.int()
		d.Runs = append(d.Runs, r)
	}
	d.unpackTokens(&p, counts, tokens)
	d.Leaves = slices.Grow(d.Leaves, events)[:events]
	p.leaves(d.Leaves)
	d.unpackResiduals(&p, residuals)
	d.Times = slices.Grow(d.Times, events)[:events]
	for i, at := 0, 0; i < runs; i++ {
		n := d.Runs[i].Events
		p.times(d.Times[at:at+n], d.Start)
		at += n
	}
	d.unpackValues(&p, values, leaves)
	d.Text = append(d.Text, p.packed[p.at:][:text]...)
}

func (d *Draft) unpackTokens(p *unpacker, counts []int, all int) {
	d.tokens = slices.Grow(d.tokens, all)[:all]
	for i := range d.tokens {
		d.tokens[i] = shape.Token{Shape: uint32(p.next()), Count: uint32(p.next())}
	}
	at := 0
	for i, n := range counts {
		d.Runs[i].Tokens = d.tokens[at : at+n : at+n]
		at += n
	}
}

func (d *Draft) unpackResiduals(p *unpacker, counts []int) {
	for i, n := range counts {
		for range n {
			d.residuals = append(d.residuals, uint32(p.next()))
		}
		d.Runs[i].Residuals = lastOf(d.residuals, n)
	}
}

func (d *Draft) unpackValues(p *unpacker, all int, leaves shape.LeafTable) {
	d.raw = slices.Grow(d.raw, all)
	infos, at := leaves.Info(), 0
	for i := range d.Runs {
		d.begins = append(d.begins, beginOfRun{at, len(d.raw)})
		end, before := at+d.Runs[i].Events, uint16(0)
		for ; at < end; at++ {
			leaf, t := d.Leaves[at], d.Times[at]
			info := &infos[leaf]
			if info.Layout > 0 {
				for _, s := range leaves.SlotsOf(leaf) {
					d.raw = append(d.raw, rawValue{value: p.next(), time: t, column: s.Column, before: before, mode: s.Mode})
				}
			}
			before = info.Number
		}
		times := d.TimesOf(i)
		for _, event := range d.Runs[i].Residuals {
			d.raw = append(d.raw, rawValue{value: p.next(), time: times[event], column: shape.ResidualColumn})
		}
	}
}

// unpacker reads a packed draft.
type unpacker struct {
	packed []byte
	at     int
}

func (p *unpacker) next() uint64 {
	v, at := uvarint(p.packed, p.at)
	p.at = at
	return v
}

// uvarint returns the number at a place, and where the next one is.
func uvarint(b []byte, at int) (uint64, int) {
	if v := b[at]; v < 1<<7 {
		return uint64(v), at + 1
	}
	return longUvarint(b, at)
}

func longUvarint(b []byte, at int) (uint64, int) {
	v, n := binary.Uvarint(b[at:])
	return v, at + n
}

func (p *unpacker) leaves(dst []uint32) {
	b, at := p.packed, p.at
	for i := range dst {
		var v uint64
		v, at = uvarint(b, at)
		dst[i] = uint32(v)
	}
	p.at = at
}

// times reads the times of a run, which come after t. Most differences take two bytes or three.
func (p *unpacker) times(dst []int64, t int64) {
	b, at := p.packed, p.at
	for i := range dst {
		v := uint64(b[at])
		switch {
		case v < 1<<7:
			at++
		case b[at+1] < 1<<7:
			v = v&(1<<7-1) | uint64(b[at+1])<<7
			at += 2
		case b[at+2] < 1<<7:
			v = v&(1<<7-1) | uint64(b[at+1]&(1<<7-1))<<7 | uint64(b[at+2])<<14
			at += 3
		default:
			v, at = longUvarint(b, at)
		}
		t += int64(v)
		dst[i] = t
	}
	p.at = at
}

func (p *unpacker) int() int { return int(p.next()) }
