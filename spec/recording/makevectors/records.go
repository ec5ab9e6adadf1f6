package main

import "encoding/binary"

// open is an entry of a location's open calls.
type open struct {
	enter         uint64
	region, flags uint32
	inside        uint64 // time of the calls inside that have ended
}

// state is what the bin of a location holds.
type state struct {
	depth, stoppedDepth   uint32
	unmatched, deep, lost uint64
	phases, missed        uint64
	marks                 uint64 // markers that were left out
	stack, stopped        []open
}

func (s *state) bin(location uint32) bin {
	b := make([]byte, binSize-binHead)
	le := binary.LittleEndian
	le.PutUint32(b[4:], s.depth)
	le.PutUint64(b[8:], s.marks)
	le.PutUint64(b[16:], s.unmatched)
	le.PutUint64(b[24:], s.deep)
	le.PutUint64(b[32:], s.lost)
	le.PutUint32(b[40:], s.stoppedDepth)
	le.PutUint64(b[48:], s.phases)
	le.PutUint64(b[56:], s.missed)
	for i, o := range s.stack {
		p := b[stackAt+24*i:]
		le.PutUint64(p, o.enter)
		le.PutUint32(p[8:], o.region)
		le.PutUint32(p[12:], o.flags)
		le.PutUint64(p[16:], o.inside)
	}
	for i, o := range s.stopped {
		p := b[stoppedAt+16*i:]
		le.PutUint64(p, o.enter)
		le.PutUint64(p[8:], uint64(o.region))
	}
	return bin{locationBin, location, 0, uint64(location), b}
}

// sums are the profile of one region.
type sums struct{ count, inclusive, exclusive uint64 }

// profile makes the bin of the regions from page * perProfile on.
func profile(location, page uint32, regions ...sums) bin {
	var b []byte
	for _, s := range regions {
		for _, v := range []uint64{s.count, s.inclusive, s.exclusive} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	return bin{profileBin, location, page, uint64(page), b}
}

// call is a record of a call: the sizes of its numbers are those that they need, or larger.
type call struct {
	region         uint32
	since          uint64 // ticks since the record before
	duration       uint64
	again          bool // the region is that of the record before, and is not written
	nSince, nTicks int  // sizes, at least
}

// calls makes a bin of one class.
func calls(location, class uint32, base uint64, list ...call) bin {
	var b []byte
	for _, c := range list {
		n, m := max(size(c.since), c.nSince), max(size(c.duration), c.nTicks)
		tag := byte(0x80 | n - 1 | (m-1)<<3)
		if c.again {
			b = append(b, tag)
		} else {
			b = binary.AppendUvarint(append(b, tag|0x40), uint64(c.region))
		}
		b = append(b, binary.LittleEndian.AppendUint64(nil, c.since)[:n]...)
		b = append(b, binary.LittleEndian.AppendUint64(nil, c.duration)[:m]...)
	}
	return bin{callsBin, location, class, base, b}
}

// size is how many bytes a number needs, at least one.
func size(v uint64) int {
	n := 1
	for v >>= 8; v > 0; v >>= 8 {
		n++
	}
	return n
}

// event is a record of an event that is no call.
type event struct {
	kind  uint16
	since uint64
	words []uint64
	like  byte // 0x80 and the place of the record that this one repeats; 0 for none. Words are then by what its request differs, if it has one
}

func happened(kind uint16, since uint64, words ...uint64) event { return event{kind, since, words, 0} }

// again repeats the record at a place.
func again(place byte, since uint64, request ...uint64) event {
	return event{0, since, request, 0x80 | place}
}

// events makes a bin of them; kind is that of the bin.
func events(kind, location uint32, base uint64, list ...event) bin {
	var b []byte
	for _, e := range list {
		if e.like != 0 {
			b = append(b, e.like)
		} else {
			b = append(b, byte(1+len(e.words)), byte(e.kind), byte(e.kind>>8))
		}
		for _, v := range append([]uint64{e.since}, e.words...) {
			b = binary.AppendUvarint(b, v)
		}
	}
	return bin{kind, location, 0, base, b}
}

// definitions makes the bin that is the n-th of those of definitions.
func definitions(n uint32, list ...[]byte) bin {
	var b []byte
	for _, d := range list {
		b = append(b, 1, d[0], 0, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(d)-1))
		b = append(b, d[1:]...)
	}
	return bin{definitionsBin, 0, n, uint64(n), b}
}

func text(b []byte, s string) []byte { return append(binary.AppendUvarint(b, uint64(len(s))), s...) }

func region(number uint64, name string) []byte {
	b := append(binary.AppendUvarint([]byte{1}, number), 1, 1, 17, 0) // a function of the user in line 17, no address
	return text(text(b, name), "solve.c")
}

// function is a region that has an address in place of a name.
func function(number, address uint64) []byte {
	b := binary.AppendUvarint(append(binary.AppendUvarint([]byte{1}, number), 1, 1, 0), address)
	return text(text(b, ""), "")
}

// object is an executable or a shared library of which there is no file.
func object(begin, size, bias uint64, path string) []byte {
	b := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint([]byte{6}, begin), size), bias)
	return text(text(b, path), "")
}

// numbered makes a definition of numbers, and perhaps a name.
func numbered(kind byte, numbers []uint64, name ...string) []byte {
	b := []byte{kind}
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	for _, s := range name {
		b = text(b, s)
	}
	return b
}

func window(number, communicator uint64, name string) []byte {
	return numbered(7, []uint64{number, communicator}, name)
}

func group(number uint64, ranks ...uint64) []byte {
	return numbered(8, append([]uint64{number, uint64(len(ranks))}, ranks...))
}

func between(number, first, second uint64, name string) []byte {
	return numbered(9, []uint64{number, first, second}, name)
}

// grid is a Cartesian topology; of each dimension, sizes has the size and whether it is periodic.
func grid(communicator uint64, sizes ...uint64) []byte {
	return numbered(11, append([]uint64{communicator, uint64(len(sizes) / 2)}, sizes...))
}

func opened(number, communicator uint64, path string) []byte {
	return numbered(12, []uint64{number, communicator}, path)
}

// asked is the clock of the host of a rank: its time, that of this process at the same moment, and how long the question took.
func asked(rank, there, here, took uint64) []byte {
	return numbered(14, []uint64{rank, there, here, took})
}

func path(number uint64, name string) []byte { return numbered(13, []uint64{number}, name) }

func metric(number uint64, name, unit string) []byte {
	return text(text(binary.AppendUvarint([]byte{2}, number), name), unit)
}

func communicator(number uint64, name string) []byte {
	return text(binary.AppendUvarint([]byte{3}, number), name)
}

func members(number uint64, ranks ...uint64) []byte {
	b := binary.AppendUvarint(binary.AppendUvarint([]byte{4}, number), uint64(len(ranks)))
	for _, r := range ranks {
		b = binary.AppendUvarint(b, r)
	}
	return b
}

func location(number uint64, name string) []byte {
	return text(binary.AppendUvarint([]byte{5}, number), name)
}
