package read

import (
	"math"

	"github.com/pandotrace/pando/format"
)

// PlaceOf returns the offset of a block that is referred to. A forged one may be larger than any file.
func PlaceOf(ref format.Ref) int64 { return int64(min(ref.Offset, math.MaxInt64)) }

// InSlice fills in where a slice's block of a lane stands, for an error that was noticed behind its decoding.
func (r *File) InSlice(err error, slice uint64, lane uint32) error {
	if err == nil {
		return nil
	}
	if ref, ok, lost := r.Ref(slice, SliceKey(slice, lane)); ok && lost == nil {
		return format.At(err, r.name, PlaceOf(ref))
	}
	return format.At(err, r.name, r.OffsetOf(format.BlockTotals)) // which lists the locations of all lanes
}

// OffsetOf returns where the block of a kind stands of which the root lists one; -1 if it lists none.
func (r *File) OffsetOf(kind format.BlockKind) int64 {
	for _, e := range r.root.Entries {
		if e.Kind == kind {
			return PlaceOf(e.Ref)
		}
	}
	return -1
}
