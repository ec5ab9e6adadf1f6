package query

import (
	"maps"
	"slices"
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

// SliceSpan is the slices First to End-1, and the part [From, To) of a window that lies in them.
type SliceSpan struct {
	First, End uint64
	From, To   int64
}

// WholeSlices returns the slices all of whose events lie in the window. If there are none, the span is empty and stands at the window's end.
func (w *Window) WholeSlices() (s SliceSpan, err error) {
	r := w.Reader
	info := r.Info()
	if slices := r.Root().Slices; slices > 0 && w.From <= info.First && w.To > info.Last {
		return SliceSpan{0, slices, w.From, w.To}, nil
	}
	if s.First, s.End, err = r.Slices(w.From, w.To); err != nil {
		return s, err
	}
	whole := func(n uint64) bool {
		e, failed := r.Slice(n)
		err = failed
		return failed == nil && e.Start < w.To && e.End > w.From && (e.Start >= w.From || info.First >= w.From) && (e.End <= w.To || info.Last < w.To)
	}
	for s.First < s.End && !whole(s.First) && err == nil {
		s.First++
	}
	for s.First < s.End && !whole(s.End-1) && err == nil {
		s.End--
	}
	if s.From, s.To = w.To, w.To; s.First == s.End || err != nil {
		return s, err
	}
	first, err := r.Slice(s.First)
	if err != nil {
		return s, err
	}
	last, err := r.Slice(s.End - 1)
	s.From, s.To = max(w.From, first.Start), min(w.To, last.End)
	return s, err
}

// HasHashes reports whether the file has hashes of the structure of the window's locations.
func (w *Window) HasHashes() (bool, error) {
	r := w.Reader
	if r.Root().Slices == 0 {
		return true, nil
	}
	lanes, err := w.Lanes()
	if err != nil {
		return false, err
	}
	w.fetchHashes(lanes)
	for _, lane := range lanes {
		if has, err := w.hasEvents(lane); err != nil {
			return false, err
		} else if !has {
			continue
		}
		if h, err := r.Hashes(r.Top(), lane); h == nil || err != nil {
			return false, err
		}
	}
	return true, nil
}

// hasEvents reports whether a location of a lane has events.
func (w *Window) hasEvents(lane uint32) (bool, error) {
	its, err := w.Reader.Lane(lane)
	if err != nil {
		return false, err
	}
	for _, l := range its.Locations {
		if t, err := w.Reader.LocationTotals(l); err != nil || t.Events > 0 {
			return true, err
		}
	}
	return false, nil
}

// fetchHashes reads the hashes of nodes in which some slices lie, and of the root, of a file on a server.
func (w *Window) fetchHashes(lanes []uint32, at ...uint64) {
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
	p.Node(format.BlockHashes, top, lanes, cache.Hashes)
	for _, slice := range at {
		for level := top.Level - 1; level >= 1; level-- {
			p.Node(format.BlockHashes, r.Node(level, slice), lanes, cache.Hashes)
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
	lanes, err := w.Lanes()
	if err != nil {
		return nil, err
	}
	if first > 0 || end < r.Root().Slices {
		w.fetchHashes(lanes, first, end-1)
	} else {
		w.fetchHashes(lanes)
	}
	sums := map[uint32]content.Hash{}
	for _, lane := range lanes {
		q := hashQuery{r, lane, first, end}
		if err := q.sum(r.Top(), func(location uint32, h content.Hash) { sums[location] = sums[location].Then(h) }); err != nil {
			return nil, err
		}
	}
	var all []LocationHash
	for _, l := range slices.Sorted(maps.Keys(sums)) {
		if w.keeps(l) {
			all = append(all, LocationHash{r.LocationID(l), sums[l]})
		}
	}
	return all, nil
}

// SearchHashes returns the first of the slices first to end-1 with which a location's structure is no longer within something; ok is false if
// it is within to the end, and Before is then the hash of all. The structure begins with some that is given. Of prefixes, each of which goes on
// where the one before ends, within returns how many are: the first ones. The file must have hashes.
func (w *Window) SearchHashes(location uint64, first, end uint64, before content.Hash, within func(prefixes []content.Hash) int) (found SliceHash, ok bool, err error) {
	r := w.Reader
	i, known, err := r.FindLocation(location)
	if err != nil || !known || first >= end {
		return SliceHash{Before: before}, false, err
	}
	lane, _ := r.LaneOf(i)
	q := hashSearch{hashQuery{r, lane, first, end}, i, within, before}
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
		all, _ := q.r.Children(n)
		err = q.r.InSlice(format.Corruptf("directory page", -1, "no hashes of %s, in which calls begin or end", read.Describe(n, q.lane)), all.First, q.lane)
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
	within   func(prefixes []content.Hash) int
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
	i := 0
	if len(children) > 0 {
		i = q.within(prefixes[1:])
	}
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
