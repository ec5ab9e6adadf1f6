package store

import (
	"math"
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
}

// blockKey names a block among those of its slices.
type blockKey struct {
	kind   format.BlockKind
	level  uint8
	lane   uint32
	number uint64
}

func keyOf(e *index.Entry) blockKey { return blockKey{e.Kind, e.Level, e.Lane, e.Number} }

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
		p := &page{Page: parsed, number: i, refs: make(map[blockKey]format.Ref, len(parsed.Entries))}
		if p.First != r.root.Pages[i].First || uint64(len(p.Slices)) != r.root.Pages[i].Slices {
			return nil, 0, format.At(format.Corruptf("directory page", -1, "it describes other slices than the root says"), r.name, int64(ref.Offset))
		}
		for j := range p.Entries {
			p.refs[keyOf(&p.Entries[j])] = p.Entries[j].Ref
		}
		return p, int64(100 * (len(p.Entries) + len(p.Slices))), nil
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
		bytes := int64(0)
		for g := epoch * r.root.EpochGroups; g < (epoch+1)*r.root.EpochGroups; g++ {
			if g > math.MaxInt64/r.root.Fanout || g*r.root.Fanout >= r.root.Slices {
				break
			}
			b, ref, err := r.groupBlock(format.BlockDictionary, g, lane)
			if err != nil {
				return nil, 0, err
			}
			if b == nil {
				continue
			}
			if err := d.AddPage(b, r.limits); err != nil {
				return nil, 0, format.At(err, r.name, int64(ref.Offset))
			}
			bytes += int64(len(b))
		}
		d.Prepare()
		return d, 20*bytes + int64(8*d.Len()), nil
	})
}

// groupBlock returns the payload of a block of a lane's group, nil if there is none.
func (r *Reader) groupBlock(kind format.BlockKind, group uint64, lane uint32) ([]byte, format.Ref, error) {
	ref, ok, err := r.ref(group*r.root.Fanout, blockKey{kind: kind, lane: lane, number: group})
	if err != nil || !ok {
		return nil, ref, err
	}
	b, err := r.block(kind, ref)
	if err != nil {
		return nil, ref, err
	}
	g, l, rest, err := readGroupHead(b)
	if err == nil && (g != group || l != lane) {
		err = format.Corruptf(kind.String(), -1, "it belongs to group %d, lane %d, not to group %d, lane %d", g, l, group, lane)
	}
	return rest, ref, format.At(err, r.name, int64(ref.Offset))
}

func (r *Reader) statistics(group uint64, lane uint32) (*encode.Statistics, error) {
	return cached(r.cache, cacheKey{what: cachedStatistics, offset: group, lane: lane}, func() (*encode.Statistics, int64, error) {
		b, ref, err := r.groupBlock(format.BlockModel, group, lane)
		if err != nil {
			return nil, 0, err
		}
		if b == nil {
			return nil, 0, format.Corruptf("directory page", -1, "it lists no model of group %d, lane %d", group, lane)
		}
		t, err := encode.ParseStatistics(b)
		return t, 100 * int64(len(b)), format.At(err, r.name, int64(ref.Offset))
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
		return e, int64(64 * len(e.Leaves)), nil
	})
}

func (r *Reader) decode(slice uint64, lane uint32, ref format.Ref) (*encode.Events, error) {
	group := slice / r.root.Fanout
	d, err := r.dictionary(group/r.root.EpochGroups, lane)
	if err != nil {
		return nil, err
	}
	t, err := r.statistics(group, lane)
	if err != nil {
		return nil, err
	}
	b, err := r.block(format.BlockSlice, ref)
	if err != nil {
		return nil, err
	}
	e, err := encode.DecodeSlice(b, d, t, r.limits, func(l uint32) uint64 { return r.info.Locations[l].ID })
	if err != nil {
		return nil, err
	}
	if e.Number != slice || e.Lane != lane || uint64(e.Epoch) != group/r.root.EpochGroups {
		return nil, format.Corruptf("slice block", -1, "it is slice %d, lane %d, not slice %d, lane %d", e.Number, e.Lane, slice, lane)
	}
	bounds, err := r.slice(slice)
	if err != nil {
		return nil, err
	}
	if bounds.Start != e.Start || bounds.End != e.End {
		return nil, format.Corruptf("slice block", -1, "it is [%d, %d), the directory says [%d, %d)", e.Start, e.End, bounds.Start, bounds.End)
	}
	for i := range e.Runs {
		if int(e.Runs[i].Location) >= len(r.info.Locations) {
			return nil, format.Corruptf("slice block", -1, "location %d of %d", e.Runs[i].Location, len(r.info.Locations))
		}
	}
	return e, nil
}

// nodeRef finds a block of spanning items of the node of a level that contains a slice.
func (r *Reader) nodeRef(kind format.BlockKind, level int, slice uint64, lane uint32) (ref format.Ref, ok bool, err error) {
	k := blockKey{kind, uint8(level), lane, r.tree.Ancestor(slice, level)}
	if level > pageLevel {
		ref, ok = r.nodes[k]
		return ref, ok, nil
	}
	// The node's blocks are listed with its last slice.
	end := min((k.number+1)*r.tree.Width(level), r.root.Slices) - 1
	return r.ref(end, k)
}
