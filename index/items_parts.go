package index

import "github.com/pandotrace/pando/format"

// partHead is what the head says of a part.
type partHead struct {
	first   uint64 // its first cell
	end     uint64 // the first cell of the next part; its own are before that
	entries int
	size    int // items
	at      int // in the payload
	length  int
	crc     uint32 // unless it is the only part
}

// partItems is the number of items with which a part ends. A block with fewer than soleItems has one part.
const (
	partItems = 128
	soleItems = 512
)

// divided divides entries, all of a block's, into parts: each ends with the cell with which it has partItems or more.
func divided[T any](e entries[T]) (parts []partHead) {
	all := 0
	for i := range e.len() {
		_, items := e.at(i)
		all += items
	}
	enough := partItems
	if all < soleItems {
		enough = soleItems
	}
	p := partHead{}
	for i := range e.len() {
		cell, items := e.at(i)
		if p.entries == 0 {
			p.first = cell
		}
		p.entries++
		p.size += items
		last := i == e.len()-1
		if !last {
			next, _ := e.at(i + 1)
			last = p.size >= enough && next != cell
		}
		if last {
			parts = append(parts, p)
			p = partHead{}
		}
	}
	return parts
}

// The list of parts is
//
//	uvarint  number of parts
//	parts    uvarint first cell - first cell of the part before (the first part: first cell), uvarint entries,
//	         uvarint items - entries (of calls only), uvarint length, 4 bytes checksum (if there are several parts)
func appendParts(dst []byte, parts []partHead, grouped bool) []byte {
	dst = format.AppendUvarint(dst, uint64(len(parts)))
	before := uint64(0)
	for i := range parts {
		p := &parts[i]
		dst = format.AppendUvarint(dst, p.first-before)
		dst = format.AppendUvarint(dst, uint64(p.entries))
		if grouped {
			dst = format.AppendUvarint(dst, uint64(p.size-p.entries))
		}
		dst = format.AppendUvarint(dst, uint64(p.length))
		if len(parts) > 1 {
			dst = append(dst, byte(p.crc), byte(p.crc>>8), byte(p.crc>>16), byte(p.crc>>24))
		}
		before = p.first
	}
	return dst
}

// readParts reads the list of parts that have no more items than the limit; all cells are below a number.
func readParts(d *format.Decoder, grouped bool, limit int, cells uint64) []partHead {
	parts := make([]partHead, d.Count(3, limit))
	before := uint64(0)
	for i := range parts {
		p := &parts[i]
		*p = partHead{first: before + d.Uvarint(), end: cells, entries: d.Int(limit + 1)}
		if p.size = p.entries; grouped {
			p.size += d.Int(limit + 1)
		}
		p.length = d.Int(1 << 32)
		if len(parts) > 1 {
			p.crc = d.Uint32()
		}
		if i > 0 {
			parts[i-1].end = p.first
		}
		if p.first <= before || p.entries == 0 || p.first >= cells {
			d.Fail("part %d, of %d entries from cell %d on", i, p.entries, p.first)
			return nil
		}
		if limit -= p.size; limit < 0 {
			d.Fail("too many items")
			return nil
		}
		before = p.first
	}
	return parts
}
