package store

import (
	"sort"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// timelinePart is the time [from, to) of a lane, as bins or a slice say it.
type timelinePart struct {
	from, to int64
	bins     *nodeBins // nil for a slice
	slice    uint64
}

// nodeBins are the bins of a node and a lane.
type nodeBins struct {
	*index.Bins
	lines []tableLine
}

// manyBlocks is the number of blocks of slices up to which all are read, if need be: then nothing is blurred. With more of
// them, cells may be up to maxBlur pixels wide.
var manyBlocks = uint64(256)

const maxBlur = 4

// timelinePlanner finds what the timeline of a lane is made of.
type timelinePlanner struct {
	*timelineQuery
	*lanePlan
}

// node plans some time as far as it is that of a node.
func (p *timelinePlanner) node(n index.Node, from, to int64) error {
	all, _ := p.children(n)
	start, end, err := p.span(all)
	from, to = max(from, start), min(to, end)
	if err != nil || from >= to {
		return err
	}
	b, err := p.binsFor(n, start, end)
	if err != nil {
		return err
	}
	if b == nil {
		return p.below(n, all, from, to)
	}
	left, right := b.inner(from, to)
	if left >= right {
		return p.below(n, all, from, to)
	}
	if err := p.below(n, all, from, left); err != nil {
		return err
	}
	p.parts = append(p.parts, timelinePart{from: left, to: right, bins: b})
	return p.below(n, all, right, to)
}

// inner returns the part of a time that consists of whole cells.
func (b *nodeBins) inner(from, to int64) (left, right int64) {
	if left = b.Start; from > left {
		left = (from + 1<<b.Shift - 1) >> b.Shift << b.Shift
	}
	if right = b.End; to < right {
		right = to >> b.Shift << b.Shift
	}
	return left, right
}

// below plans some time of the children of a node.
func (p *timelinePlanner) below(n index.Node, all sliceRange, from, to int64) error {
	if from >= to {
		return nil
	}
	first, err := p.searchSlices(func(s index.SliceEntry) bool { return s.Start > from })
	if err != nil {
		return err
	}
	width := p.tree.Width(n.Level - 1)
	child := all.first
	if first > all.first { // slice first - 1 has `from`, or slices before it of the same instant have nothing
		child = (first - 1) / width * width
	}
	for ; child < all.end; child += width {
		start, end, err := p.span(sliceRange{child, min(child+width, all.end)})
		switch {
		case err != nil:
			return err
		case start >= to:
			return nil
		case end <= from || start >= end:
		case n.Level > 1:
			if err := p.node(index.Node{Level: n.Level - 1, Index: child / width}, from, to); err != nil {
				return err
			}
		default:
			p.parts = append(p.parts, timelinePart{from: max(from, start), to: min(to, end), slice: child})
		}
	}
	return nil
}

// span returns the time of some slices: from the start of the first one to that of the slice behind the last one.
func (r *Reader) span(s sliceRange) (from, to int64, err error) {
	if from, err = r.startOf(s.first); err != nil || s.end >= r.root.Slices {
		return from, r.info.Last, err
	}
	to, err = r.startOf(s.end)
	return from, to, err
}

// startOf returns the start of a slice. That of the first one of a page stands in the root, too: pages have whole nodes.
func (r *Reader) startOf(slice uint64) (int64, error) {
	pages := r.root.Pages
	if i := sort.Search(len(pages), func(i int) bool { return pages[i].First >= slice }); i < len(pages) && pages[i].First == slice {
		return pages[i].Start, nil
	}
	s, err := r.slice(slice)
	return s.Start, err
}

// fine reports whether the bins of a node may have cells of at most so many ticks.
func (q *timelineQuery) fine(start, end int64, width uint64) bool {
	return uint64(end-start)/index.MaxCells <= width
}

// readAhead reads the blocks of bins that plans are likely to ask for, all at once.
func (q *timelineQuery) readAhead(lanes []uint32, from, to int64) error {
	p := plan{r: q.Reader, lanes: lanes}
	if err := q.likely(&p, q.top(), from, to); err != nil {
		return err
	}
	if len(p.refs) > 1 {
		q.load(p.refs)
	}
	return nil
}

// likely notes the blocks of bins of a node if their cells may be narrow enough, and else, or where the node is not wholly in the
// time, those of its children.
func (q *timelineQuery) likely(p *plan, n index.Node, from, to int64) error {
	all, _ := q.children(n)
	start, end, err := q.span(all)
	if err != nil || start >= to || end <= from || start >= end || p.size >= chunkBytes {
		return err
	}
	narrow := q.fine(start, end, q.widest)
	if narrow || n.Level == 1 && q.fine(start, end, q.blurred) {
		for _, lane := range p.lanes {
			ref, ok, err := q.nodeRef(format.BlockBins, n, lane)
			if err != nil {
				return err
			}
			if ok {
				p.addRef(ref, cachedBins)
			}
		}
	}
	if n.Level == 1 || narrow && start >= from && end <= to {
		return nil
	}
	width := q.tree.Width(n.Level - 1)
	for child := all.first; child < all.end; child += width {
		if start, err := q.startOf(child); err != nil || start >= to {
			return err
		}
		if err := q.likely(p, index.Node{Level: n.Level - 1, Index: child / width}, from, to); err != nil {
			return err
		}
	}
	return nil
}

// binsFor returns the bins of a node if their cells are narrow enough.
func (p *timelinePlanner) binsFor(n index.Node, start, end int64) (*nodeBins, error) {
	if !p.fine(start, end, p.blurred) {
		return nil, nil
	}
	b, err := p.bins(n, p.lane)
	if err != nil || b == nil || uint64(1)<<b.Shift <= p.widest {
		return b, err
	}
	if uint64(1)<<b.Shift > p.blurred {
		return nil, nil
	}
	if n.Level > 1 { // rather those of its children
		_, ok, err := p.nodeRef(format.BlockBins, index.Node{Level: n.Level - 1, Index: n.Index * p.tree.Fanout}, p.lane)
		if ok || err != nil {
			return nil, err
		}
	}
	return b, nil
}

// bins returns the bins of a node and lane, nil if there are none.
func (r *Reader) bins(n index.Node, lane uint32) (*nodeBins, error) {
	ref, ok, err := r.nodeRef(format.BlockBins, n, lane)
	if err != nil || !ok {
		return nil, err
	}
	b, err := cached(r.cache, cacheKey{what: cachedBins, offset: ref.Offset}, func() (*nodeBins, int64, error) {
		b, err := r.block(format.BlockBins, ref)
		if err != nil {
			return nil, 0, err
		}
		bins, err := r.readBins(b)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return bins, bins.Memory(), nil
	})
	if err == nil {
		err = format.At(belongs(format.BlockBins, b.Node, b.Lane, n, lane), r.name, int64(ref.Offset))
	}
	return b, err
}

// readBins reads a block of bins, and checks that it is about a node, a lane and a time of the file.
func (r *Reader) readBins(payload []byte) (*nodeBins, error) {
	b, err := index.ReadBins(payload)
	if err != nil {
		return nil, err
	}
	if !r.isNode(b.Node) {
		return nil, format.Corruptf("bins block", -1, "the tree has no node %d of level %d", b.Node.Index, b.Node.Level)
	}
	all, _ := r.children(b.Node)
	start, end, err := r.span(all)
	if err != nil {
		return nil, err
	}
	if start != b.Start || end != b.End {
		return nil, format.Corruptf("bins block", -1, "they are of [%d, %d), the node is [%d, %d)", b.Start, b.End, start, end)
	}
	if int(b.Lane) >= len(r.lanes) {
		return nil, format.Corruptf("bins block", -1, "lane %d of %d", b.Lane, len(r.lanes))
	}
	keys := make([]index.Key, len(b.Lines))
	for i, l := range b.Lines {
		if l.Location >= uint64(len(r.info.Locations)) || r.info.Locations[l.Location].Lane != b.Lane {
			return nil, format.Corruptf("bins block", -1, "location %d is not of lane %d", l.Location, b.Lane)
		}
		keys[i] = index.Key{l.Location, l.Region}
	}
	lines, err := r.tableLines(keys, index.Calls, b.Lane)
	return &nodeBins{b, lines}, err
}
