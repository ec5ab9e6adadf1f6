package read

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
)

// Belongs checks that a block belongs to the node and lane to which it should.
func Belongs(kind format.BlockKind, node index.Node, lane uint32, should index.Node, shouldLane uint32) error {
	if node == should && lane == shouldLane {
		return nil
	}
	return format.Corruptf(kind.String(), -1, "it belongs to %s, not to %s", Describe(node, lane), Describe(should, shouldLane))
}

func Describe(n index.Node, lane uint32) string {
	return fmt.Sprintf("node %d of level %d, lane %d", n.Index, n.Level, lane)
}

// Node returns the node of a level that contains a slice.
func (r *File) Node(level int, slice uint64) index.Node {
	return index.Node{Level: level, Index: r.tree.Ancestor(slice, level)}
}

// SpanningCalls are the calls of a lane that go on when a slice begins, and those that begin in it and end later, both ordered by location and
// ordinal.
type SpanningCalls struct {
	Open, Begin []index.Call
	Keys        []uint32 // the numbers of the open ones' keys
}

// SpanningCalls returns the spanning calls of a slice, and keeps them. They lie in the nodes on the way from the root to the slice.
func (r *File) SpanningCalls(slice uint64, lane uint32) (*SpanningCalls, error) {
	return cache.Get(r.cache, cache.Key{What: cache.SpanningCalls, Offset: slice, Lane: lane}, func() (*SpanningCalls, int64, error) {
		var all []index.Call
		var err error
		for level := 1; level <= r.tree.Levels(r.root.Slices); level++ {
			if all, err = r.AppendCalls(all, r.Node(level, slice), lane, slice, slice); err != nil {
				return nil, 0, err
			}
		}
		if err := r.CheckCalls(all, lane); err != nil {
			return nil, 0, r.InSlice(err, slice, lane)
		}
		d, err := r.View(Contexts)
		if err != nil {
			return nil, 0, err
		}
		s := parted(all, slice)
		for i := range s.Open {
			s.Keys = append(s.Keys, r.CallNumber(d, &s.Open[i]).Key)
		}
		return s, int64(spanningBytes*len(all) + 100), nil
	})
}

// spanningBytes is what a spanning call takes.
const spanningBytes = 100

// CheckCalls checks that calls are on locations of a lane, which it makes known.
func (r *File) CheckCalls(calls []index.Call, lane uint32) error {
	if _, err := r.Lane(lane); err != nil {
		return err
	}
	for i := range calls {
		if l := calls[i].Location; !r.InLane(uint64(l), lane) {
			return format.Corruptf("calls block", -1, "location %d is not of lane %d", l, lane)
		}
	}
	return nil
}

// parted parts the calls that begin before a slice from the others.
func parted(all []index.Call, slice uint64) *SpanningCalls {
	type place struct {
		location, at uint32
		ordinal      uint64
	}
	order := make([]place, len(all)) // calls are too large to be moved again and again
	n := 0
	for i := range all {
		c := &all[i]
		order[i] = place{c.Location, uint32(i), c.Ordinal}
		if c.StartSlice < slice {
			n++
		}
	}
	slices.SortFunc(order, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.location, b.location), cmp.Compare(a.ordinal, b.ordinal))
	})
	sorted := make([]index.Call, len(all))
	open, begin := sorted[:0:n], sorted[n:n]
	for _, p := range order {
		if c := &all[p.at]; c.StartSlice < slice {
			open = append(open, *c)
		} else {
			begin = append(begin, *c)
		}
	}
	return &SpanningCalls{Open: open, Begin: begin}
}

// AppendCalls appends the spanning calls of a node and lane that overlap the slices first to last.
func (r *File) AppendCalls(all []index.Call, node index.Node, lane uint32, first, last uint64) ([]index.Call, error) {
	return r.callsOf(all, node, lane, func(b *CallBlock, all []index.Call) ([]index.Call, error) { return b.Append(all, first, last) })
}

// callsOf appends what a function finds in the blocks of the spanning calls of a node and lane.
func (r *File) callsOf(
	all []index.Call, node index.Node, lane uint32, find func(b *CallBlock, all []index.Call) ([]index.Call, error),
) ([]index.Call, error) {
	refs, err := r.nodeRefs(format.BlockCalls, node, lane)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		b, err := r.OpenCalls(ref)
		if err == nil {
			err = Belongs(format.BlockCalls, b.Node, b.Lane, node, lane)
		}
		if err == nil {
			all, err = find(b, all)
		}
		if err != nil {
			return nil, format.At(err, r.name, int64(ref.Offset))
		}
	}
	return all, nil
}

// SpanningMessages returns the messages that begin in a slice, and those that began before and end in it or later, as far as
// locations of some lanes, in ascending order, send or receive them. There may be others among them.
func (r *File) SpanningMessages(slice uint64, lanes []uint32) (all []index.Message, err error) {
	return r.spanning(format.BlockMessages, slice, lanes)
}

// SpanningPairs does for pairs of events what SpanningMessages does for messages.
func (r *File) SpanningPairs(slice uint64, lanes []uint32) ([]index.Message, error) {
	return r.spanning(format.BlockPairs, slice, lanes)
}

func (r *File) spanning(kind format.BlockKind, slice uint64, lanes []uint32) (all []index.Message, err error) {
	for level := 1; level <= r.tree.Levels(r.root.Slices); level++ {
		if all, err = r.appendEnds(kind, all, r.Node(level, slice), lanes, slice, slice); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// AppendMessages appends the spanning messages of a node that overlap the slices first to last, as far as locations of some lanes,
// in ascending order, send or receive them. There may be others among them.
func (r *File) AppendMessages(all []index.Message, node index.Node, lanes []uint32, first, last uint64) ([]index.Message, error) {
	return r.appendEnds(format.BlockMessages, all, node, lanes, first, last)
}

func (r *File) appendEnds(kind format.BlockKind, all []index.Message, node index.Node, lanes []uint32, first, last uint64) ([]index.Message, error) {
	var receivers []uint32
	add := func(b *MessageBlock) (err error) {
		receivers = append(receivers, b.Receivers...)
		all, err = b.Append(all, first, last)
		return err
	}
	receiving, err := r.Having(kind, node, lanes)
	if err != nil {
		return nil, err
	}
	for _, lane := range receiving {
		if _, err := r.Received(kind, node, lane, add); err != nil {
			return nil, err
		}
	}
	slices.Sort(receivers)
	for _, lane := range slices.Compact(slices.Clone(receivers)) {
		if _, ok := slices.BinarySearch(lanes, lane); ok {
			continue
		}
		pages, err := r.Received(kind, node, lane, add)
		if err == nil && pages == 0 {
			err = format.At(format.Corruptf("directory", -1, "no %s of %s, which is a receiver", kind, Describe(node, lane)), r.name, r.size-format.FooterSize)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Received opens the blocks of the messages of a node that a lane receives, and returns their number.
func (r *File) Received(kind format.BlockKind, node index.Node, lane uint32, do func(b *MessageBlock) error) (pages int, err error) {
	refs, err := r.nodeRefs(kind, node, lane)
	if err != nil {
		return 0, err
	}
	for _, ref := range refs {
		b, err := r.OpenEnds(kind, ref)
		if err == nil {
			err = Belongs(kind, b.Node, b.Lane, node, lane)
		}
		if err == nil {
			err = do(b)
		}
		if err != nil {
			return 0, format.At(err, r.name, int64(ref.Offset))
		}
	}
	return len(refs), nil
}

// CheckLanes checks that messages are received in their block's lane, and that the lanes that send them say so.
func (r *File) CheckLanes(kind format.BlockKind, b *MessageBlock, messages []index.Message) error {
	if err := r.NeedLocations(); err != nil {
		return err
	}
	told := map[uint32]bool{b.Lane: true}
	for i := range messages {
		if to, _ := r.LaneOf(messages[i].Receive.Location); to != b.Lane {
			return format.Corruptf(kind.String(), -1, "lane %d has a message that lane %d receives", b.Lane, to)
		}
		from, _ := r.LaneOf(messages[i].Send.Location)
		if told[from] {
			continue
		}
		_, err := r.Received(kind, b.Node, from, func(s *MessageBlock) error {
			told[from] = told[from] || slices.Contains(s.Receivers, b.Lane)
			return nil
		})
		if err != nil {
			return err
		}
		if !told[from] {
			return format.Corruptf(kind.String(), -1, "lane %d has a message from lane %d, which does not say so", b.Lane, from)
		}
	}
	return nil
}
