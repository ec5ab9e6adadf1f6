package timeline

import (
	"sort"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/read"
)

// timelinePart is the time [from, to) of a lane, as bins or a slice say it.
type timelinePart struct {
	from, to int64
	bins     *nodeBins // nil for a slice
	slice    uint64
}

// nodeBins are the bins of a node and a lane.
type nodeBins struct {
	*tables.Bins
	lines []read.TableLine
}

// ManyBlocks is the number of blocks of slices up to which all are read, if need be: then nothing is blurred. With more of
// them, cells may be up to maxBlur pixels wide.
var ManyBlocks = uint64(256)

const maxBlur = 4

// timelinePlanner finds what the timeline of a lane is made of.
type timelinePlanner struct {
	*timelineQuery
	*lanePlan
	missing *read.Plan // notes bins that are not at hand, in the place of planning with them; nil where they are read
}

// node plans the part of a time that a node covers.
func (p *timelinePlanner) node(n index.Node, from, to int64) error {
	all, _ := p.Children(n)
	start, end, err := span(p.timelineQuery.File, all)
	from, to = max(from, start), min(to, end)
	if err != nil || from >= to {
		return err
	}
	if p.missing != nil && p.note(n, start, end) {
		return nil
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

// note notes the bins of a node that may be fine enough, and reports whether they are not at hand.
func (p *timelinePlanner) note(n index.Node, start, end int64) bool {
	if !p.fine(start, end, p.blurred) {
		return false
	}
	ref, ok, err := p.NodeRef(format.BlockBins, n, p.lane)
	if err != nil || !ok || p.AtHand(ref, cache.Bins) {
		return false
	}
	p.missing.AddRef(ref, cache.Bins)
	return true
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
func (p *timelinePlanner) below(n index.Node, all read.SliceRange, from, to int64) error {
	if from >= to {
		return nil
	}
	first, err := p.SearchSlices(func(s index.SliceEntry) bool { return s.Start > from })
	if err != nil {
		return err
	}
	width := p.Tree().Width(n.Level - 1)
	child := all.First
	if first > all.First { // slice first - 1 has `from`, or slices before it of the same instant have nothing
		child = (first - 1) / width * width
	}
	for ; child < all.End; child += width {
		start, end, err := span(p.timelineQuery.File, read.SliceRange{First: child, End: min(child+width, all.End)})
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
func span(r *read.File, s read.SliceRange) (from, to int64, err error) {
	if from, err = startOf(r, s.First); err != nil || s.End >= r.Root().Slices {
		return from, r.Info().Last, err
	}
	to, err = startOf(r, s.End)
	return from, to, err
}

// startOf returns the start of a slice. That of the first one of a page stands in the root, too: pages have whole nodes.
func startOf(r *read.File, slice uint64) (int64, error) {
	pages := r.Root().Pages
	if i := sort.Search(len(pages), func(i int) bool { return pages[i].First >= slice }); i < len(pages) && pages[i].First == slice {
		return pages[i].Start, nil
	}
	s, err := r.Slice(slice)
	return s.Start, err
}

// fine reports whether the bins of a node may have cells of at most width ticks.
func (q *timelineQuery) fine(start, end int64, width uint64) bool {
	return uint64(end-start)/tables.MaxCells <= width
}

// readAhead reads the blocks of bins that plans are likely to ask for, all at once.
func (q *timelineQuery) readAhead(lanes []uint32, from, to int64) error {
	p := read.Plan{R: q.File, Lanes: lanes, Noted: map[uint64]bool{}}
	if err := q.likely(&p, q.Top(), from, to); err != nil {
		return err
	}
	if q.Far && len(p.Refs) > 0 {
		if err := q.possible(&p, from, to); err != nil {
			return err
		}
	}
	if len(p.Refs) > 1 {
		q.Load(p.Refs)
	}
	return nil
}

// likely notes the blocks of bins of a node if their cells may be narrow enough, and else, or where the node is not wholly in the
// time, those of its children. Of a file on a server it notes all that plans can ask for.
func (q *timelineQuery) likely(p *read.Plan, n index.Node, from, to int64) error {
	all, _ := q.Children(n)
	start, end, err := span(q.File, all)
	if err != nil || start >= to || end <= from || start >= end || p.Size >= read.ChunkBytes {
		return err
	}
	wanted, settled := q.guess(n, start, end)
	if wanted {
		if err := binsOf(p, n); err != nil {
			return err
		}
	}
	if n.Level == 1 || settled && start >= from && end <= to {
		return nil
	}
	width := q.Tree().Width(n.Level - 1)
	for child := all.First; child < all.End; child += width {
		if start, err := startOf(q.File, child); err != nil || start >= to {
			return err
		}
		if err := q.likely(p, index.Node{Level: n.Level - 1, Index: child / width}, from, to); err != nil {
			return err
		}
	}
	return nil
}

// guess tells whether the bins of a node of [start, end) are likely to be asked for, and whether those of its children are not, if all of
// the node is in the window. How wide cells are stands only in the bins.
func (q *timelineQuery) guess(n index.Node, start, end int64) (wanted, settled bool) {
	narrow := q.fine(start, end, q.widest)
	wanted = narrow || (n.Level == 1 || q.Far) && q.fine(start, end, q.blurred)
	if q.Far { // there may be fewer cells, and their width is rounded up
		narrow = q.fine(start, end, q.widest/4)
	}
	return wanted, narrow
}

// binsOf notes the blocks of bins of a node.
func binsOf(p *read.Plan, n index.Node) error {
	for _, lane := range p.Lanes {
		ref, ok, err := p.R.NodeRef(format.BlockBins, n, lane)
		if err != nil {
			return err
		}
		if ok {
			p.AddRef(ref, cache.Bins)
		}
	}
	return nil
}

// possible notes the blocks of bins of the window that are not noted yet, level by level, as far as some bytes and some requests can be
// spared: how wide the cells of bins are stands only in them, and if they are too wide, those of the node's children take another round.
func (q *timelineQuery) possible(p *read.Plan, from, to int64) error {
	first, last, err := q.Slices(from, to)
	most, nodes := p.Size+read.SpareBytes, read.FarReads
	for level := q.Top().Level - 1; level >= 1 && err == nil; level-- {
		for slice := first; slice < last; slice = (slice/q.Tree().Width(level) + 1) * q.Tree().Width(level) {
			before := p.Size
			if err = binsOf(p, q.File.Node(level, slice)); err != nil || p.Size >= most || nodes == 0 {
				return err
			}
			if p.Size > before {
				nodes--
			}
		}
	}
	return err
}

// binsFor returns the bins of a node if their cells are narrow enough.
func (p *timelinePlanner) binsFor(n index.Node, start, end int64) (*nodeBins, error) {
	if !p.fine(start, end, p.blurred) {
		return nil, nil
	}
	b, err := bins(p.timelineQuery.File, n, p.lane)
	if err != nil || b == nil || uint64(1)<<b.Shift <= p.widest {
		return b, err
	}
	if uint64(1)<<b.Shift > p.blurred {
		return nil, nil
	}
	if n.Level > 1 { // rather those of its children
		_, ok, err := p.NodeRef(format.BlockBins, index.Node{Level: n.Level - 1, Index: n.Index * p.Tree().Fanout}, p.lane)
		if ok || err != nil {
			return nil, err
		}
	}
	return b, nil
}

// bins returns the bins of a node and lane, nil if there are none.
func bins(r *read.File, n index.Node, lane uint32) (*nodeBins, error) {
	ref, ok, err := r.NodeRef(format.BlockBins, n, lane)
	if err != nil || !ok {
		return nil, err
	}
	b, err := cache.Get(r.Cache(), cache.Key{What: cache.Bins, Offset: ref.Offset}, func() (*nodeBins, int64, error) {
		b, err := r.Block(format.BlockBins, ref)
		if err != nil {
			return nil, 0, err
		}
		bins, err := ReadBins(r, b)
		if err != nil {
			return nil, 0, format.At(err, r.Name(), int64(ref.Offset))
		}
		return bins, bins.Memory(), nil
	})
	if err == nil {
		err = format.At(read.Belongs(format.BlockBins, b.Node, b.Lane, n, lane), r.Name(), int64(ref.Offset))
	}
	return b, err
}

// ReadBins reads a block of bins, and checks that it is about a node, a lane and a time of the file.
func ReadBins(r *read.File, payload []byte) (*nodeBins, error) {
	b, err := tables.ReadBins(payload)
	if err != nil {
		return nil, err
	}
	if !r.IsNode(b.Node) {
		return nil, format.Corruptf("bins block", -1, "the tree has no node %d of level %d", b.Node.Index, b.Node.Level)
	}
	all, _ := r.Children(b.Node)
	start, end, err := span(r, all)
	if err != nil {
		return nil, err
	}
	if start != b.Start || end != b.End {
		return nil, format.Corruptf("bins block", -1, "they are of [%d, %d), the node is [%d, %d)", b.Start, b.End, start, end)
	}
	if int64(b.Lane) >= int64(r.LaneCount()) {
		return nil, format.Corruptf("bins block", -1, "lane %d of %d", b.Lane, r.LaneCount())
	}
	if _, err := r.Lane(b.Lane); err != nil {
		return nil, err
	}
	keys := make([]tables.Key, len(b.Lines))
	for i, l := range b.Lines {
		if !r.InLane(l.Location, b.Lane) {
			return nil, format.Corruptf("bins block", -1, "location %d is not of lane %d", l.Location, b.Lane)
		}
		keys[i] = tables.Key{l.Location, l.Region}
	}
	lines, err := r.TableLines(keys, tables.Calls, b.Lane)
	return &nodeBins{b, lines}, err
}
