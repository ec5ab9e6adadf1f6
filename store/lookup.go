package store

import (
	"slices"
	"sort"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// page is a part of the directory, ready to be searched.
type page struct {
	*index.Page
	number int // among the pages of the root
	refs   map[blockKey]format.Ref
	lanes  map[laneKey][]uint32
}

// blockKey names a block among those of its slices.
type blockKey struct {
	kind   format.BlockKind
	level  uint8
	lane   uint32
	number uint64
	page   uint32 // of spanning items
}

// blocksOf returns blocks by their keys. Those of the same key that follow each other are pages.
func blocksOf(entries []index.Entry) map[blockKey]format.Ref {
	refs := make(map[blockKey]format.Ref, len(entries))
	var before blockKey
	for i := range entries {
		e := &entries[i]
		k := blockKey{e.Kind, e.Level, e.Lane, e.Number, before.page}
		if k == before && i > 0 {
			k.page++
		} else {
			k.page = 0
		}
		refs[k] = e.Ref
		before = k
	}
	return refs
}

// checkSlices checks that each slice has events, and blocks that may have them, and no more than the limit.
func (p *page) checkSlices(limits format.Limits) error {
	for i, s := range p.Slices {
		number := p.First + uint64(i)
		if s.Events == 0 || len(p.lanes[laneKey{kind: format.BlockSlice, number: number}]) == 0 {
			return format.Corruptf("directory page", -1, "slice %d has no block, or no events", number)
		}
		if s.Events > uint64(limits.SliceEvents) {
			return format.Corruptf("directory page", -1, "slice %d has %d events, more than the limit of %d", number, s.Events, limits.SliceEvents)
		}
	}
	return nil
}

// laneKey names the blocks of all lanes of a slice, group or node.
type laneKey struct {
	kind   format.BlockKind
	level  uint8
	number uint64
}

// lanesOf returns the lanes that have blocks, in rising order: what is done for each of them takes no longer than the file is long.
func lanesOf(entries []index.Entry) map[laneKey][]uint32 {
	lanes := map[laneKey][]uint32{}
	for i := range entries {
		e := &entries[i]
		k := laneKey{e.Kind, e.Level, e.Number}
		lanes[k] = append(lanes[k], e.Lane)
	}
	for k, all := range lanes {
		slices.Sort(all)
		lanes[k] = slices.Compact(all)
	}
	return lanes
}

// busy returns those of some lanes, in rising order, that have events in a slice.
func (r *Reader) busy(slice uint64, lanes []uint32) ([]uint32, error) {
	p, err := r.pageOf(slice)
	if err != nil {
		return nil, err
	}
	return common(p.lanes[laneKey{kind: format.BlockSlice, number: slice}], lanes), nil
}

// having returns those of some lanes, in rising order, that have blocks of spanning items of a node.
func (r *Reader) having(kind format.BlockKind, n index.Node, lanes []uint32) ([]uint32, error) {
	k := laneKey{kind, uint8(n.Level), n.Index}
	if n.Level > pageLevel {
		return common(r.nodeLanes[k], lanes), nil
	}
	p, err := r.pageOf(min((n.Index+1)*r.tree.Width(n.Level), r.root.Slices) - 1)
	if err != nil {
		return nil, err
	}
	return common(p.lanes[k], lanes), nil
}

// common returns the numbers that stand in both of two lists, which are in rising order.
func common(a, b []uint32) (both []uint32) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			both = append(both, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return both
}

// page returns a page of the directory. The latest one is at hand even if the cache is too small for it.
func (r *Reader) page(i int) (*page, error) {
	ref := r.root.Pages[i].Ref
	if p := r.latest.Load(); p != nil && p.number == i {
		return p, nil
	}
	p, err := cached(r.cache, cacheKey{what: cachedPage, offset: ref.Offset}, func() (*page, int64, error) {
		b, err := r.block(format.BlockPage, ref)
		if err != nil {
			return nil, 0, err
		}
		parsed, err := index.ParsePage(b)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		p := &page{Page: parsed, number: i, refs: blocksOf(parsed.Entries), lanes: lanesOf(parsed.Entries)}
		if p.First != r.root.Pages[i].First || uint64(len(p.Slices)) != r.root.Pages[i].Slices {
			return nil, 0, format.At(format.Corruptf("directory page", -1, "it describes other slices than the root says"), r.name, int64(ref.Offset))
		}
		if err := p.checkSlices(r.limits); err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return p, int64(150 * (len(p.Entries) + len(p.Slices))), nil
	})
	if err == nil {
		r.latest.Store(p)
	}
	return p, err
}

// pageOf returns the page that describes a slice.
func (r *Reader) pageOf(slice uint64) (*page, error) {
	pages := r.root.Pages
	i := sort.Search(len(pages), func(i int) bool { return pages[i].First+pages[i].Slices > slice })
	if i == len(pages) {
		return nil, format.Corruptf("directory root", -1, "no page describes slice %d", slice)
	}
	return r.page(i)
}

func (r *Reader) slice(n uint64) (index.SliceEntry, error) {
	p, err := r.pageOf(n)
	if err != nil {
		return index.SliceEntry{}, err
	}
	return p.Slices[n-p.First], nil
}

// ref finds a block that is written with a slice's group; ok is false if there is none.
func (r *Reader) ref(slice uint64, k blockKey) (ref format.Ref, ok bool, err error) {
	p, err := r.pageOf(slice)
	if err != nil {
		return ref, false, err
	}
	ref, ok = p.refs[k]
	return ref, ok, nil
}

// slices returns the slices that a window [from, to) touches: first <= n < last. If no slice has events at `from`, the one
// before it is included: calls may be going on.
func (r *Reader) slices(from, to int64) (first, last uint64, err error) {
	if first, err = r.searchSlices(func(s index.SliceEntry) bool { return s.End > from }); err != nil {
		return 0, 0, err
	}
	if first == r.root.Slices {
		return first, first, nil
	}
	s, err := r.slice(first)
	if err != nil {
		return 0, 0, err
	}
	if s.Start > from && first > 0 {
		first--
	}
	last, err = r.searchSlices(func(s index.SliceEntry) bool { return s.Start >= to })
	return first, max(first+1, last), err // an empty window still has what goes on around it
}

// sliceAt returns the last slice that begins at or before t; ok is false if there is none.
func (r *Reader) sliceAt(t int64) (n uint64, ok bool, err error) {
	n, err = r.searchSlices(func(s index.SliceEntry) bool { return s.Start > t })
	return n - 1, n > 0, err
}

// searchSlices returns the first slice for which after is true; it is false for all before, and true for all behind.
func (r *Reader) searchSlices(after func(index.SliceEntry) bool) (uint64, error) {
	pages := r.root.Pages
	i := sort.Search(len(pages), func(i int) bool {
		return after(index.SliceEntry{Start: pages[i].Start, End: pages[i].Start + 1}) || after(index.SliceEntry{Start: pages[i].End, End: pages[i].End})
	})
	for j := i; j < len(pages); j++ {
		p, err := r.page(j)
		if err != nil {
			return 0, err
		}
		n := sort.Search(len(p.Slices), func(n int) bool { return after(p.Slices[n]) })
		if n < len(p.Slices) {
			return p.First + uint64(n), nil
		}
	}
	return r.root.Slices, nil
}

// dictionary returns the shapes of a lane in an epoch.
func (r *Reader) dictionary(epoch uint64, lane uint32) (*encode.Dictionary, error) {
	return cached(r.cache, cacheKey{what: cachedDictionary, offset: epoch, lane: lane}, func() (*encode.Dictionary, int64, error) {
		d := encode.NewDictionary(r.meta.Kinds)
		from, to := r.root.GroupsOf(epoch)
		pages := uint32(0)
		for g := from; g < to; g++ {
			head, b, ref, err := r.groupBlock(format.BlockDictionary, g, lane)
			if err != nil {
				return nil, 0, err
			}
			if b == nil {
				continue
			}
			if pages++; head.pages != pages {
				err = format.Corruptf("dictionary block", -1, "it is page %d and stands in the place of page %d", head.pages, pages)
			} else {
				err = d.AddPage(b, r.limits)
			}
			if err != nil {
				return nil, 0, format.At(err, r.name, int64(ref.Offset))
			}
		}
		d.Prepare()
		return d, d.Memory(), nil
	})
}

// groupBlock returns what a block of a lane's group says of itself, and the rest of it, nil if there is none.
func (r *Reader) groupBlock(kind format.BlockKind, group uint64, lane uint32) (groupHead, []byte, format.Ref, error) {
	ref, ok, err := r.ref(group*r.root.Fanout, blockKey{kind: kind, lane: lane, number: group})
	if err != nil || !ok {
		return groupHead{}, nil, ref, err
	}
	b, err := r.block(kind, ref)
	if err != nil {
		return groupHead{}, nil, ref, err
	}
	head, rest, err := readGroupHead(b)
	if err == nil {
		err = head.check(kind, group, lane, uint32(r.root.EpochOf(group)))
	}
	return head, rest, ref, format.At(err, r.name, int64(ref.Offset))
}

func (r *Reader) statistics(group uint64, lane uint32) (*encode.Statistics, error) {
	return cached(r.cache, cacheKey{what: cachedStatistics, offset: group, lane: lane}, func() (*encode.Statistics, int64, error) {
		_, b, ref, err := r.groupBlock(format.BlockModel, group, lane)
		if err != nil {
			return nil, 0, err
		}
		if b == nil {
			return nil, 0, format.Corruptf("directory page", -1, "it lists no model of group %d, lane %d", group, lane)
		}
		t, err := encode.ParseStatistics(b, r.limits)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return t, t.Memory(), nil
	})
}

// events returns the events of a lane in a slice, nil if it has none.
func (r *Reader) events(slice uint64, lane uint32) (*encode.Events, error) {
	ref, ok, err := r.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	if err != nil || !ok {
		return nil, err
	}
	return cached(r.cache, cacheKey{what: cachedEvents, offset: ref.Offset}, func() (*encode.Events, int64, error) {
		e, err := r.decode(slice, lane, ref)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return e, e.Memory(), nil
	})
}

func (r *Reader) decode(slice uint64, lane uint32, ref format.Ref) (*encode.Events, error) {
	e := &encode.Events{}
	return e, r.decodeInto(e, slice, lane, ref)
}

// decodeInto is decode into memory that was used before.
func (r *Reader) decodeInto(e *encode.Events, slice uint64, lane uint32, ref format.Ref) error {
	group := slice / r.root.Fanout
	d, err := r.dictionary(r.root.EpochOf(group), lane)
	if err != nil {
		return err
	}
	t, err := r.statistics(group, lane)
	if err != nil {
		return err
	}
	bounds, err := r.slice(slice)
	if err != nil {
		return err
	}
	b, err := r.block(format.BlockSlice, ref)
	if err != nil {
		return err
	}
	limits := r.limits
	limits.LaneEvents = int(min(uint64(limits.LaneEvents), bounds.Events))
	err = e.Decode(b, d, t, limits, func(l uint32) uint64 { return r.info.Locations[l].ID })
	r.expanded.Add(int64(len(e.Leaves)))
	if err != nil {
		return err
	}
	if e.Number != slice || e.Lane != lane || uint64(e.Epoch) != r.root.EpochOf(group) {
		return format.Corruptf("slice block", -1, "it is slice %d, lane %d, not slice %d, lane %d", e.Number, e.Lane, slice, lane)
	}
	if bounds.Start != e.Start || bounds.End != e.End {
		return format.Corruptf("slice block", -1, "it is [%d, %d), the directory says [%d, %d)", e.Start, e.End, bounds.Start, bounds.End)
	}
	for i := range e.Runs {
		if l := int(e.Runs[i].Location); l >= len(r.info.Locations) || r.info.Locations[l].Lane != lane {
			return format.Corruptf("slice block", -1, "location %d is not of lane %d", l, lane)
		}
	}
	return nil
}

// nodeRef finds the block of a node and lane; ok is false if there is none.
func (r *Reader) nodeRef(kind format.BlockKind, n index.Node, lane uint32) (ref format.Ref, ok bool, err error) {
	refs, err := r.nodeRefs(kind, n, lane)
	if len(refs) > 0 {
		ref = refs[0]
	}
	return ref, len(refs) > 0, err
}

// nodeRefs finds the blocks of spanning items of a node and lane: the pages, if there are any.
func (r *Reader) nodeRefs(kind format.BlockKind, n index.Node, lane uint32) (refs []format.Ref, err error) {
	k := blockKey{kind: kind, level: uint8(n.Level), lane: lane, number: n.Index}
	for ; ; k.page++ {
		ref, ok := r.nodes[k]
		if n.Level <= pageLevel { // listed with the node's last slice
			last := min((n.Index+1)*r.tree.Width(n.Level), r.root.Slices) - 1
			if ref, ok, err = r.ref(last, k); err != nil {
				return nil, err
			}
		}
		if !ok {
			return refs, nil
		}
		refs = append(refs, ref)
	}
}
