package query

import (
	"sort"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
)

// LocationHash is the hash of the structure of a location, under the fixed bases of package content.
type LocationHash struct {
	Location uint64 // id
	Hash     content.Hash
}

// SliceHash is a slice, with the hash of what a location has before it.
type SliceHash struct {
	Slice      uint64
	Start, End int64
	Before     content.Hash
}

// WholeSlices returns the slices first <= n < end all of whose events lie in the window. Of events of the window that lie in none of them, some
// may be in a slice before and in one behind.
func (w *Window) WholeSlices() (first, end uint64, err error) {
	r := w.Reader
	info := r.Info()
	if slices := r.Root().Slices; slices == 0 || w.From <= info.First && w.To > info.Last {
		return 0, slices, nil
	}
	if first, end, err = r.Slices(w.From, w.To); err != nil {
		return 0, 0, err
	}
	whole := func(n uint64) (ok bool) {
		s, e := r.Slice(n)
		err = e
		return e == nil && (s.Start >= w.From || info.First >= w.From) && (s.End <= w.To || info.Last < w.To)
	}
	for first < end && !whole(first) && err == nil {
		first++
	}
	for first < end && !whole(end-1) && err == nil {
		end--
	}
	return first, end, err
}

// HasHashes reports whether the file has hashes of the structure of the window's locations.
func (w *Window) HasHashes() (bool, error) {
	r := w.Reader
	if r.Root().Slices == 0 {
		return true, nil
	}
	w.fetchHashes()
	for _, lane := range w.Lanes() {
		if !w.hasEvents(lane) {
			continue
		}
		if h, err := r.Hashes(r.Top(), lane); h == nil || err != nil {
			return false, err
		}
	}
	return true, nil
}

// hasEvents reports whether a location of a lane has events.
func (w *Window) hasEvents(lane uint32) bool {
	for _, l := range w.Reader.Lanes()[lane] {
		if w.Reader.Info().Locations[l].Events > 0 {
			return true
		}
	}
	return false
}

// fetchHashes reads the hashes of nodes in which some slices lie, and of the root, of a file on a server.
func (w *Window) fetchHashes(at ...uint64) {
	r := w.Reader
	if !r.Far {
		return
	}
	p := read.Plan{R: r}
	top := r.Top()
	for _, slice := range at {
		p.Pages(read.SliceRange{First: slice, End: slice + 1})
	}
	if top.Level <= layout.PageLevel {
		p.Pages(read.SliceRange{First: r.Root().Slices - 1, End: r.Root().Slices})
	}
	r.Load(p.Refs)
	p = read.Plan{R: r, Noted: map[uint64]bool{}}
	p.Node(format.BlockHashes, top, w.Lanes(), cache.Hashes)
	for _, slice := range at {
		for level := top.Level - 1; level >= 1; level-- {
			p.Node(format.BlockHashes, r.Node(level, slice), w.Lanes(), cache.Hashes)
		}
	}
	r.Load(p.Refs)
}

// Hashes returns the hashes of what the window's locations have in the slices first to end-1, in the order of definition: of those that
// call something there. The file must have hashes.
func (w *Window) Hashes(first, end uint64) ([]LocationHash, error) {
	if first >= end {
		return nil, nil
	}
	r := w.Reader
	if first > 0 || end < r.Root().Slices {
		w.fetchHashes(first, end-1)
	} else {
		w.fetchHashes()
	}
	sums := map[uint32]content.Hash{}
	for _, lane := range w.Lanes() {
		q := hashQuery{r, lane, first, end}
		if err := q.sum(r.Top(), func(location uint32, h content.Hash) { sums[location] = sums[location].Then(h) }); err != nil {
			return nil, err
		}
	}
	var all []LocationHash
	for i, l := range r.Info().Locations {
		if h, ok := sums[uint32(i)]; ok && w.keeps(uint32(i)) {
			all = append(all, LocationHash{l.ID, h})
		}
	}
	return all, nil
}

// SearchHashes returns the first of the slices first to end-1 with which a location's structure is no longer within something; ok is false if
// it is within to the end, and Before is then the hash of all. The structure begins with some that is given, which is within; once within is
// false, it stays so. The file must have hashes.
func (w *Window) SearchHashes(location uint64, first, end uint64, before content.Hash, within func(content.Hash) bool) (found SliceHash, ok bool, err error) {
	r := w.Reader
	i, known := r.LocationIndex()[location]
	if !known || first >= end {
		return SliceHash{Before: before}, false, nil
	}
	q := hashSearch{hashQuery{r, r.Info().Locations[i].Lane, first, end}, i, within, before}
	slice, ok, err := q.search(r.Top())
	found = SliceHash{Slice: slice, Before: q.prefix}
	if ok {
		bounds, e := r.Slice(slice)
		found.Start, found.End, err = bounds.Start, bounds.End, e
	}
	return found, ok, err
}

// hashQuery is a question about slices first to end-1 of a lane.
type hashQuery struct {
	r          *read.File
	lane       uint32
	first, end uint64
}

// hashes returns those of a node; nil if the lane has no events in it.
func (q *hashQuery) hashes(n index.Node) (list []index.ChildHash, err error) {
	h, err := q.r.Hashes(n, q.lane)
	if err == nil && h == nil && n.Level < q.r.Top().Level {
		err = format.Corruptf("directory", -1, "no hashes of %s, in which calls begin or end", read.Describe(n, q.lane))
	}
	if h != nil {
		list = h.List
	}
	return list, err
}

// children returns the children of a node that have slices of the question: those from one to another lie wholly in it. Another child may lie
// partly in it at each end, or is the only one.
func (q *hashQuery) children(n index.Node) (left, right *index.Node, from, to uint32) {
	width := q.r.Tree().Width(n.Level - 1)
	all, count := q.r.Children(n)
	child := func(c uint64) *index.Node {
		return &index.Node{Level: n.Level - 1, Index: n.Index*q.r.Tree().Fanout + c}
	}
	low, high := max(q.first, all.First)-all.First, min(q.end, all.End)-all.First
	from, to = uint32((low+width-1)/width), uint32(high/width)
	if all.First+high == all.End {
		to = uint32(count)
	}
	if low%width != 0 {
		left = child(low / width)
	}
	if c := high / width; uint64(to) == c && high > c*width && (left == nil || left.Index%q.r.Tree().Fanout != c) {
		right = child(c)
	}
	return left, right, from, to
}

// sum adds what locations have in a node.
func (q *hashQuery) sum(n index.Node, add func(location uint32, h content.Hash)) error {
	list, err := q.hashes(n)
	if err != nil || list == nil {
		return err
	}
	left, right, from, to := q.children(n)
	if left != nil && has(list, left, q.r) {
		if err := q.sum(*left, add); err != nil {
			return err
		}
	}
	for i := range list {
		if c := &list[i]; c.Child >= from && c.Child < to {
			add(c.Location, c.Hash)
		}
	}
	if right != nil && has(list, right, q.r) {
		return q.sum(*right, add)
	}
	return nil
}

// has reports whether a list has hashes of a child.
func has(list []index.ChildHash, child *index.Node, r *read.File) bool {
	number := uint32(child.Index % r.Tree().Fanout)
	for i := range list {
		if list[i].Child == number {
			return true
		}
	}
	return false
}

// hashSearch is a search along a location.
type hashSearch struct {
	hashQuery
	location uint32
	within   func(content.Hash) bool
	prefix   content.Hash
}

// search searches the slices of a node.
func (q *hashSearch) search(n index.Node) (slice uint64, ok bool, err error) {
	list, err := q.hashes(n)
	if err != nil {
		return 0, false, err
	}
	from := sort.Search(len(list), func(i int) bool { return list[i].Location >= q.location })
	to := sort.Search(len(list), func(i int) bool { return list[i].Location > q.location })
	list = list[from:to]
	left, right, first, end := q.children(n)
	if left != nil && has(list, left, q.r) {
		if slice, ok, err = q.search(*left); ok || err != nil {
			return slice, ok, err
		}
	}
	if slice, ok, err = q.among(n, list, first, end); ok || err != nil {
		return slice, ok, err
	}
	if right != nil && has(list, right, q.r) {
		return q.search(*right)
	}
	return 0, false, nil
}

// among searches the children first to end-1 of a node.
func (q *hashSearch) among(n index.Node, list []index.ChildHash, first, end uint32) (slice uint64, ok bool, err error) {
	var children []uint32
	prefixes := []content.Hash{q.prefix}
	for i := range list {
		if c := &list[i]; c.Child >= first && c.Child < end {
			children = append(children, c.Child)
			prefixes = append(prefixes, prefixes[len(prefixes)-1].Then(c.Hash))
		}
	}
	i := sort.Search(len(children), func(i int) bool { return !q.within(prefixes[i+1]) })
	q.prefix = prefixes[i]
	if i == len(children) {
		return 0, false, nil
	}
	child := index.Node{Level: n.Level - 1, Index: n.Index*q.r.Tree().Fanout + uint64(children[i])}
	if child.Level == 0 {
		return child.Index, true, nil
	}
	return q.search(child)
}
