package growing

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write/nodes"
)

// itemBlock is a block of spanning items, encoded: of a node that no page of the directory that was read has.
type itemBlock struct {
	kind    format.BlockKind
	node    index.Node
	lane    uint32
	payload []byte
}

// seal closes the nodes and the group that end with the slices so far, if there are any: more slices follow. What was found out of them is encoded.
func (f *File) seal() error {
	levels := f.division.Ending(f.followed)
	if f.followed == 0 || levels == 0 && f.followed%f.division.GroupSlices != 0 {
		return nil
	}
	f.matcher.Seal()
	for level := 1; level <= levels; level++ {
		n := index.Node{Level: level, Index: f.tree.Ancestor(f.followed-1, level)}
		for lane := range f.lanes {
			items := f.lanes[lane].calls.Take(level)
			items.Join(f.matcher.Lane(uint32(lane)).Take(level))
			if err := f.encode(n, uint32(lane), &items, nil, nil); err != nil {
				return err
			}
			items.Calls.Clear()
			items.Messages.Clear()
			items.Pairs.Clear()
		}
	}
	f.takeRow()
	return nil
}

// encode encodes the items of a node and lane, and more calls and pairs.
func (f *File) encode(n index.Node, lane uint32, items *nodes.Items, more []index.Call, open []index.Message) error {
	calls, err := items.Calls.Calls(nil)
	if err != nil {
		return err
	}
	if calls = append(calls, more...); len(calls) > 0 {
		f.keep(format.BlockCalls, n, lane, f.tree.EncodeCalls(n, lane, 0, calls))
	}
	if err := f.encodeEnds(format.BlockMessages, n, lane, &items.Messages, nil, f.tree.EncodeMessages); err != nil {
		return err
	}
	return f.encodeEnds(format.BlockPairs, n, lane, &items.Pairs, open, f.tree.EncodePairs)
}

// encodeEnds encodes items that have two ends, and more of them.
func (f *File) encodeEnds(
	kind format.BlockKind, n index.Node, lane uint32, of *nodes.Ends, more []index.Message,
	encode func(n index.Node, lane uint32, receivers []uint32, period column.Period, list []index.Message) [][]byte,
) error {
	if of.Count()+len(more) == 0 {
		return nil
	}
	list, err := of.Messages(nil)
	if err != nil {
		return err
	}
	f.keep(kind, n, lane, encode(n, lane, of.Receivers(), 0, append(list, more...)))
	return nil
}

func (f *File) keep(kind format.BlockKind, n index.Node, lane uint32, pages [][]byte) {
	for _, p := range pages {
		f.items = append(f.items, itemBlock{kind, n, lane, p})
	}
}

// spine encodes the nodes that the latest slice is in, with the calls that are open, and returns what f.items was before.
func (f *File) spine() (before int, err error) {
	before = len(f.items)
	last := f.followed - 1
	open, pairs := f.openCalls(last), f.openPairs(last)
	for level := 1; level <= f.tree.Levels(f.followed); level++ {
		n := index.Node{Level: level, Index: f.tree.Ancestor(last, level)}
		for lane, l := range f.lanes {
			items := *l.calls.At(level)
			messages := f.matcher.Lane(uint32(lane)).At(level)
			items.Messages, items.Pairs = messages.Messages, messages.Pairs
			if err := f.encode(n, uint32(lane), &items, open[openAt{level, lane}], pairs[openAt{level, lane}]); err != nil {
				return before, err
			}
		}
	}
	return before, nil
}

// openAt is a level of nodes, and a lane.
type openAt struct{ level, lane int }

// openCalls returns the calls that are open behind the last slice, by the nodes that they belong to.
func (f *File) openCalls(last uint64) map[openAt][]index.Call {
	all := map[openAt][]index.Call{}
	f.info.OpenCalls = 0
	for _, l := range f.state {
		if l == nil {
			continue
		}
		for _, c := range l.open(f.info.Last, last) {
			level, _ := f.tree.Smallest(c.StartSlice, last)
			k := openAt{level, int(l.Lane)}
			all[k] = append(all[k], c)
			f.info.OpenCalls++
		}
	}
	return all
}

// openPairs returns the pairs that are open behind the last slice, by the nodes that they belong to.
func (f *File) openPairs(last uint64) map[openAt][]index.Message {
	all := map[openAt][]index.Message{}
	for _, p := range f.matcher.OpenPairs(f.info.Last, last, func(l uint32) uint64 { return f.state[l].events }) {
		level, _ := f.tree.Smallest(p.Send.Slice, last)
		k := openAt{level, int(f.state[p.Send.Location].Lane)}
		all[k] = append(all[k], p)
	}
	return all
}

// takeRow takes the pages of the directory that end with the slices so far, if they are there. What was kept for their slices goes.
func (f *File) takeRow() {
	i := slices.IndexFunc(f.rows, func(r row) bool { return r.First == f.pageFirst && r.First+r.Slices == f.followed })
	if i < 0 || f.rows[i].blocks != f.pageBlocks() {
		return
	}
	f.pages = append(f.pages, f.rows[i].PageRef)
	f.rows = slices.Delete(f.rows, 0, i+1)
	f.pageFirst = f.followed
	f.pageSlices = f.pageSlices[:0]
	end := f.followed
	f.entries = slices.DeleteFunc(f.entries, func(e index.Entry) bool {
		if e.Kind == format.BlockSlice {
			return e.Number < end
		}
		return f.division.FirstOf(e.Number) < end
	})
	f.items = slices.DeleteFunc(f.items, func(b itemBlock) bool { return b.node.Level <= layout.PageLevel })
	for _, l := range f.lanes {
		l.postings = index.Postings{First: end}
	}
}

// pageBlocks returns the number of blocks of the slices that no page that was taken has, as far as they were followed.
func (f *File) pageBlocks() (n int) {
	for i := range f.entries {
		if e := &f.entries[i]; e.Kind == format.BlockSlice && e.Number < f.followed {
			n++
		}
	}
	return n
}

// sorted puts blocks of items into the order of the directory: those of a node and lane follow each other.
func sorted(blocks []itemBlock) []itemBlock {
	blocks = slices.Clone(blocks)
	slices.SortStableFunc(blocks, func(a, b itemBlock) int {
		return cmp.Or(cmp.Compare(a.node.Level, b.node.Level), cmp.Compare(a.node.Index, b.node.Index), cmp.Compare(a.kind, b.kind), cmp.Compare(a.lane, b.lane))
	})
	return blocks
}
