package index

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/format"
)

// Hashes of structure are those of the locations of a lane in the children of a node, see package content. A location has none in a child in
// which it enters and leaves no call.
//
//	uvarint  level of the node
//	uvarint  index of the node in its level
//	uvarint  lane
//	uvarint  number of locations
//	each     uvarint location - the one before - 1 (the first: location), uvarint number of children,
//	         children: uvarint child - the one before - 1 (the first: child), uvarint number of symbols, 8 bytes for each of two sums
type Hashes struct {
	Node Node
	Lane uint32
	List []ChildHash // in rising order of location and child
}

// ChildHash is the hash of the structure of a location in a child of a node.
type ChildHash struct {
	Location uint32 // index
	Child    uint32
	Hash     content.Hash // under the fixed bases
}

// SortHashes puts hashes into the order of a block.
func SortHashes(list []ChildHash) {
	slices.SortFunc(list, func(a, b ChildHash) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Child, b.Child))
	})
}

// Append appends the block.
func (h *Hashes) Append(dst []byte) []byte {
	dst = format.AppendUvarint(dst, uint64(h.Node.Level))
	dst = format.AppendUvarint(dst, h.Node.Index)
	dst = format.AppendUvarint(dst, uint64(h.Lane))
	locations := 0
	for range h.locations() {
		locations++
	}
	dst = format.AppendUvarint(dst, uint64(locations))
	next := uint32(0)
	for l := range h.locations() {
		dst = format.AppendUvarint(dst, uint64(l[0].Location-next))
		dst = appendChildren(dst, l)
		next = l[0].Location + 1
	}
	return dst
}

// Sums yields the hash of each location in the node: that of its children in order. A location without any call in the node has none.
func (h *Hashes) Sums() iter.Seq2[uint32, content.Hash] {
	return func(yield func(uint32, content.Hash) bool) {
		for l := range h.locations() {
			var sum content.Hash
			for i := range l {
				sum = sum.Then(l[i].Hash)
			}
			if !yield(l[0].Location, sum) {
				return
			}
		}
	}
}

// locations yields the hashes of each location.
func (h *Hashes) locations() iter.Seq[[]ChildHash] {
	return func(yield func([]ChildHash) bool) {
		for list := h.List; len(list) > 0; {
			n := 1
			for n < len(list) && list[n].Location == list[0].Location {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// appendChildren appends the hashes of one location.
func appendChildren(dst []byte, list []ChildHash) []byte {
	dst = format.AppendUvarint(dst, uint64(len(list)))
	next := uint32(0)
	for i := range list {
		c := &list[i]
		dst = format.AppendUvarint(dst, uint64(c.Child-next))
		dst = format.AppendUvarint(dst, c.Hash.N)
		for _, sum := range c.Hash.Sums {
			dst = binary.LittleEndian.AppendUint64(dst, sum)
		}
		next = c.Child + 1
	}
	return dst
}

// The bytes of a hash and of a location that has one, at least.
const (
	leastHashBytes     = 2 + 16
	leastLocationBytes = 2 + leastHashBytes
)

// ParseHashes reads a block of hashes.
func ParseHashes(b []byte) (*Hashes, error) {
	d := format.NewDecoder("hashes block", b)
	h := &Hashes{Node: Node{d.Int(64), d.Uvarint()}, Lane: uint32(d.Int(math.MaxUint32))}
	next := 0
	for range d.Count(leastLocationBytes, math.MaxInt32) {
		location := next + d.Int(math.MaxInt32-next)
		h.children(d, uint32(location))
		next = location + 1
	}
	return h, d.Finish()
}

// children reads the hashes of one location.
func (h *Hashes) children(d *format.Decoder, location uint32) {
	count := d.Count(leastHashBytes, math.MaxUint16)
	if count == 0 {
		d.Fail("a location without hashes")
	}
	next := 0
	for range count {
		child := next + d.Int(math.MaxUint16-next)
		n, sums := d.Uvarint(), d.Take(16)
		if d.Err() != nil {
			return
		}
		hash, ok := content.Fixed.Hash(n, [2]uint64{binary.LittleEndian.Uint64(sums), binary.LittleEndian.Uint64(sums[8:])})
		if !ok || n == 0 {
			d.Fail("%d symbols with sums that no string has", n)
			return
		}
		h.List = append(h.List, ChildHash{location, uint32(child), hash})
		next = child + 1
	}
}
