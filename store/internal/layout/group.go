package layout

import (
	"github.com/pandotrace/pando/format"
)

// GroupHead is what a block of a group's lane says that it belongs to.
type GroupHead struct {
	Group       uint64
	Lane, Epoch uint32
	Pages       uint32 // of the lane's dictionary in the epoch, up to the group
}

func ReadGroupHead(b []byte) (h GroupHead, rest []byte, err error) {
	r := format.NewDecoder("group block", b)
	h = GroupHead{Group: r.Uvarint(), Lane: uint32(r.Int(1 << 32)), Epoch: uint32(r.Int(1 << 32)), Pages: uint32(r.Int(1 << 32))}
	if h.Pages == 0 {
		r.Fail("a group without a dictionary")
	}
	return h, r.Take(r.Len()), r.Err()
}

// Check checks that a block belongs to what the directory says.
func (h GroupHead) Check(kind format.BlockKind, group uint64, lane, epoch uint32) error {
	if h.Group == group && h.Lane == lane && h.Epoch == epoch {
		return nil
	}
	return format.Corruptf(kind.String(), -1, "it belongs to group %d, lane %d, epoch %d, not to group %d, lane %d, epoch %d",
		h.Group, h.Lane, h.Epoch, group, lane, epoch)
}
