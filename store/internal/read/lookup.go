package read

import (
	"errors"
	"slices"
	"sort"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// Page is a part of the directory, ready to be searched.
type Page struct {
	*index.Page
	number int // among those of the root
	part   int // among those of the same slices
	Refs   map[BlockKey]format.Ref
	Lanes  map[LaneKey][]uint32
}

// BlockKey names a block among those of its slices.
type BlockKey struct {
	Kind   format.BlockKind
	level  uint8
	Lane   uint32
	Number uint64
	page   uint32 // of spanning items
}

// Made returns the key under which is kept what is made of a block of a lane, of a slice or a group. It is not the place of the block: in a damaged file
// several may have one, and each is checked to be what was asked for when it is read.
func (k BlockKey) Made(what cache.What) cache.Key {
	return cache.Key{What: what, Offset: k.Number, Lane: k.Lane}
}

// blocksOf returns blocks by their keys. Those of the same key that follow each other are pages.
func blocksOf(entries []index.Entry) map[BlockKey]format.Ref {
	refs := make(map[BlockKey]format.Ref, len(entries))
	var before BlockKey
	for i := range entries {
		e := &entries[i]
		k := BlockKey{e.Kind, e.Level, e.Lane, e.Number, before.page}
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

// checkRef checks that a page describes the slices and the time that the root says: slices are searched for by them.
func (p *Page) checkRef(ref *index.PageRef) error {
	n := len(p.Slices)
	_, lane := ref.Page(p.part)
	if p.First != ref.First || p.Lane != lane || p.part == 0 && uint64(n) != ref.Slices || p.part > 0 && n > 0 {
		return format.Corruptf("directory page", -1, "it describes other slices than the root says")
	}
	if n > 0 && (p.Slices[0].Start != ref.Start || p.Slices[n-1].End != ref.End) {
		return format.Corruptf("directory page", -1, "its slices go from %d to %d, the root says from %d to %d", p.Slices[0].Start, p.Slices[n-1].End, ref.Start, ref.End)
	}
	return nil
}

// withSlice returns the slice whose page lists a block: listed elsewhere, it would not be found. ok is false if the root lists it,
// inFile if the file has nothing that the block could be of.
func (r *File) withSlice(e *index.Entry) (slice uint64, ok, inFile bool) {
	slices := r.root.Slices
	switch e.Kind {
	case format.BlockSlice, format.BlockPostings:
		return e.Number, true, e.Level == 0 && e.Number < slices
	case format.BlockDictionary, format.BlockModel, format.BlockMarks:
		inFile = e.Level == 0 && slices > 0 && e.Number <= r.root.GroupOf(slices-1)
		return r.root.FirstOf(e.Number), true, inFile
	case format.BlockCalls, format.BlockMessages, format.BlockPairs, format.BlockSummary, format.BlockBins, format.BlockHashes:
		n := index.Node{Level: int(e.Level), Index: e.Number}
		if !r.IsNode(n) {
			return 0, false, false
		}
		return r.lastSlice(n), n.Level <= layout.PageLevel, true
	}
	return 0, false, true
}

// lastSlice returns the last slice of a node, with which its block is written.
func (r *File) lastSlice(n index.Node) uint64 {
	return min((n.Index+1)*r.tree.Width(n.Level), r.root.Slices) - 1
}

// checkEntries checks that a page lists blocks of its slices and lanes.
func (r *File) checkEntries(p *Page, ref *index.PageRef) error {
	for i := range p.Entries {
		e := &p.Entries[i]
		if ref.PageOf(e.Lane) != p.part {
			return format.Corruptf("directory page", -1, "a block of lane %d stands in a page of lanes from %d on", e.Lane, p.Lane)
		}
		slice, ok, inFile := r.withSlice(e)
		if !inFile || ok && slice-ref.First >= ref.Slices {
			return format.Corruptf("directory page", -1, "%s block %d of level %d stands in the page of slices %d to %d", e.Kind, e.Number, e.Level, ref.First, ref.First+ref.Slices-1)
		}
		if !ok && e.Level > layout.PageLevel {
			return format.Corruptf("directory page", -1, "it lists a block of level %d", e.Level)
		}
	}
	return nil
}

// checkRootEntries checks that the root lists no blocks that are looked for in pages.
func (r *File) checkRootEntries(at format.Ref) error {
	for i := range r.root.Entries {
		e := &r.root.Entries[i]
		if _, ok, inFile := r.withSlice(e); ok || !inFile {
			return format.Corruptf("directory root", int64(at.Offset), "it lists %s block %d of level %d", e.Kind, e.Number, e.Level)
		}
	}
	return nil
}

// checkSlices checks that each slice has events, and blocks that may have them if the page lists them all, and no more than the limit.
func (p *Page) checkSlices(limits format.Limits, all bool) error {
	for i, s := range p.Slices {
		number := p.First + uint64(i)
		if s.Events == 0 || all && len(p.Lanes[LaneKey{Kind: format.BlockSlice, Number: number}]) == 0 {
			return format.Corruptf("directory page", -1, "slice %d has no block, or no events", number)
		}
		if s.Events > uint64(limits.SliceEvents) {
			return format.Corruptf("directory page", -1, "slice %d has %d events, more than the limit of %d", number, s.Events, limits.SliceEvents).Of(format.ErrLimit)
		}
	}
	return nil
}

// LaneKey names the blocks of all lanes of a slice, group or node.
type LaneKey struct {
	Kind   format.BlockKind
	level  uint8
	Number uint64
}

// lanesOf returns the lanes that have blocks, in rising order: what is done for each of them takes no longer than the file is long.
func lanesOf(entries []index.Entry) map[LaneKey][]uint32 {
	lanes := map[LaneKey][]uint32{}
	for i := range entries {
		e := &entries[i]
		k := LaneKey{e.Kind, e.Level, e.Number}
		lanes[k] = append(lanes[k], e.Lane)
	}
	for k, all := range lanes {
		slices.Sort(all)
		lanes[k] = slices.Compact(all)
	}
	return lanes
}

// Busy returns those of some lanes, in rising order, that have events in a slice.
func (r *File) Busy(slice uint64, lanes []uint32) ([]uint32, error) {
	return r.having(slice, LaneKey{Kind: format.BlockSlice, Number: slice}, lanes)
}

// having returns those of some lanes, in rising order, that have blocks which pages of a slice list.
func (r *File) having(slice uint64, k LaneKey, lanes []uint32) (found []uint32, err error) {
	row, err := r.row(slice)
	if err != nil {
		return nil, err
	}
	ref := &r.root.Pages[row]
	for len(lanes) > 0 {
		part := ref.PageOf(lanes[0])
		n := len(lanes)
		if part < len(ref.Lanes) {
			n, _ = slices.BinarySearch(lanes, ref.Lanes[part].First)
		}
		p, err := r.part(row, part)
		if err != nil {
			return nil, err
		}
		found, lanes = append(found, common(p.Lanes[k], lanes[:n])...), lanes[n:]
	}
	return found, nil
}

// Having returns those of some lanes, in rising order, that have blocks of spanning items of a node.
func (r *File) Having(kind format.BlockKind, n index.Node, lanes []uint32) ([]uint32, error) {
	k := LaneKey{kind, uint8(n.Level), n.Index}
	if n.Level > layout.PageLevel {
		return common(r.nodeLanes[k], lanes), nil
	}
	return r.having(min((n.Index+1)*r.tree.Width(n.Level), r.root.Slices)-1, k, lanes)
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

// Page returns the page of the directory that has some slices.
func (r *File) Page(i int) (*Page, error) { return r.part(i, 0) }

// Parts returns all pages of the directory about some slices: the one that has them, and further ones.
func (r *File) Parts(i int) (pages []*Page, err error) {
	for part := range 1 + len(r.root.Pages[i].Lanes) {
		p, err := r.part(i, part)
		if err != nil {
			return pages, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// part returns one of the pages about the same slices. The latest one that has slices and the latest further one are at hand even if the
// cache is too small for them.
func (r *File) part(i, part int) (*Page, error) {
	ref, _ := r.root.Pages[i].Page(part)
	latest := &r.latest
	if part > 0 {
		latest = &r.latestLanes
	}
	if p := latest.Load(); p != nil && p.number == i && p.part == part {
		return p, nil
	}
	if r.Far && !r.AtHand(ref, cache.Page) {
		r.fetchRow(i)
	}
	p, err := cache.Get(r.cache, cache.Key{What: cache.Page, Offset: ref.Offset}, func() (*Page, int64, error) {
		b, err := r.Block(format.BlockPage, ref)
		if err != nil {
			return nil, 0, err
		}
		parsed, err := index.ParsePage(b)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		p := &Page{Page: parsed, number: i, part: part, Refs: blocksOf(parsed.Entries), Lanes: lanesOf(parsed.Entries)}
		if err := p.checkRef(&r.root.Pages[i]); err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		if err := r.checkEntries(p, &r.root.Pages[i]); err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		if err := p.checkSlices(r.limits, len(r.root.Pages[i].Lanes) == 0); err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return p, int64(150 * (len(p.Entries) + len(p.Slices))), nil
	})
	if err == nil && (p.number != i || p.part != part) {
		err = format.At(format.Corruptf("directory page", -1, "the root names it twice"), r.name, int64(ref.Offset))
	}
	if err == nil {
		latest.Store(p)
	}
	return p, err
}

// fetchRow reads all pages about the same slices, of a file on a server: to read one after the other takes a round for each.
func (r *File) fetchRow(i int) {
	if len(r.root.Pages[i].Lanes) == 0 {
		return
	}
	var refs []format.Ref
	for part := range 1 + len(r.root.Pages[i].Lanes) {
		ref, _ := r.root.Pages[i].Page(part)
		refs = append(refs, ref)
	}
	r.Load(refs)
}

// row returns the number of the page that has a slice, among those of the root.
func (r *File) row(slice uint64) (int, error) {
	pages := r.root.Pages
	i := sort.Search(len(pages), func(i int) bool { return pages[i].First+pages[i].Slices > slice })
	if i == len(pages) {
		return 0, format.Corruptf("directory root", r.size-format.FooterSize, "no page describes slice %d", slice)
	}
	return i, nil
}

// PageOf returns the page that has a slice.
func (r *File) PageOf(slice uint64) (*Page, error) {
	i, err := r.row(slice)
	if err != nil {
		return nil, err
	}
	return r.Page(i)
}

// LanePage returns the page that lists the blocks of a lane that are written with a slice's group.
func (r *File) LanePage(slice uint64, lane uint32) (*Page, error) {
	i, err := r.row(slice)
	if err != nil {
		return nil, err
	}
	return r.part(i, r.root.Pages[i].PageOf(lane))
}

func (r *File) Slice(n uint64) (index.SliceEntry, error) {
	p, err := r.PageOf(n)
	if err != nil {
		return index.SliceEntry{}, err
	}
	return p.Slices[n-p.First], nil
}

// Ref finds a block that is written with a slice's group; ok is false if there is none.
func (r *File) Ref(slice uint64, k BlockKey) (ref format.Ref, ok bool, err error) {
	p, err := r.LanePage(slice, k.Lane)
	if err != nil {
		return ref, false, err
	}
	ref, ok = p.Refs[k]
	return ref, ok, nil
}

// Slices returns the slices that a window [from, to) touches: first <= n < last. If no slice has events at `from`, the one
// before it is included: calls may be going on.
func (r *File) Slices(from, to int64) (first, last uint64, err error) {
	if first, err = r.SearchSlices(func(s index.SliceEntry) bool { return s.End > from }); err != nil {
		return 0, 0, err
	}
	if first == r.root.Slices {
		return first, first, nil
	}
	s, err := r.Slice(first)
	if err != nil {
		return 0, 0, err
	}
	if s.Start > from && first > 0 {
		first--
	}
	last, err = r.SearchSlices(func(s index.SliceEntry) bool { return s.Start >= to })
	return first, max(first+1, last), err // an empty window still has the calls that are open around it
}

// SliceAt returns the last slice that begins at or before t; ok is false if there is none.
func (r *File) SliceAt(t int64) (n uint64, ok bool, err error) {
	n, err = r.SearchSlices(func(s index.SliceEntry) bool { return s.Start > t })
	return n - 1, n > 0, err
}

// SearchSlices returns the first slice for which after is true; it is false for all before, and true for all behind.
func (r *File) SearchSlices(after func(index.SliceEntry) bool) (uint64, error) {
	if err := r.Alive(); err != nil {
		return 0, err
	}
	pages := r.root.Pages
	i := sort.Search(len(pages), func(i int) bool {
		return after(index.SliceEntry{Start: pages[i].Start, End: pages[i].Start + 1}) || after(index.SliceEntry{Start: pages[i].End, End: pages[i].End})
	})
	for j := i; j < len(pages); j++ {
		p, err := r.Page(j)
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

// Dictionary returns the shapes of a lane in an epoch.
func (r *File) Dictionary(epoch uint64, lane uint32) (*shape.Dictionary, error) {
	return cache.Get(r.cache, cache.Key{What: cache.Dictionary, Offset: epoch, Lane: lane}, func() (*shape.Dictionary, int64, error) {
		d := shape.NewDictionary(r.meta.Kinds)
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
			if pages++; head.Pages != pages {
				err = format.Corruptf("dictionary block", -1, "it is page %d and stands in the place of page %d", head.Pages, pages)
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
func (r *File) groupBlock(kind format.BlockKind, group uint64, lane uint32) (layout.GroupHead, []byte, format.Ref, error) {
	ref, ok, err := r.Ref(r.root.FirstOf(group), BlockKey{Kind: kind, Lane: lane, Number: group})
	if err != nil || !ok {
		return layout.GroupHead{}, nil, ref, err
	}
	b, err := r.Block(kind, ref)
	if err != nil {
		return layout.GroupHead{}, nil, ref, err
	}
	head, rest, err := layout.ReadGroupHead(b)
	if err == nil {
		err = head.Check(kind, group, lane, uint32(r.root.EpochOf(group)))
	}
	return head, rest, ref, format.At(err, r.name, int64(ref.Offset))
}

// Statistics returns what the slices of a group share in a lane.
func (r *File) Statistics(group uint64, lane uint32) (*slice.Statistics, error) {
	return modelOf(r, cache.Statistics, group, lane, slice.ParseStatistics)
}

// tokenStatistics returns the part of the statistics that structure needs, of those in the cache if they are there.
func (r *File) tokenStatistics(group uint64, lane uint32) (*slice.TokenStatistics, error) {
	if r.cache.Has(cache.Key{What: cache.Statistics, Offset: group, Lane: lane}) {
		t, err := r.Statistics(group, lane)
		if err != nil {
			return nil, err
		}
		return &t.TokenStatistics, nil
	}
	return modelOf(r, cache.TokenStatistics, group, lane, slice.ParseTokenStatistics)
}

// modelOf returns what is parsed of the model block of a lane's group, and keeps it.
func modelOf[T interface{ Memory() int64 }](r *File, what cache.What, group uint64, lane uint32, parse func([]byte, format.Limits) (T, error)) (T, error) {
	return cache.Get(r.cache, cache.Key{What: what, Offset: group, Lane: lane}, func() (none T, size int64, err error) {
		head, b, ref, err := r.groupBlock(format.BlockModel, group, lane)
		if err != nil {
			return none, 0, err
		}
		if b == nil {
			return none, 0, r.InSlice(format.Corruptf("directory page", -1, "it lists no model of group %d, lane %d", group, lane), r.root.FirstOf(group), lane)
		}
		if err := r.checkPages(&head); err != nil {
			return none, 0, format.At(err, r.name, int64(ref.Offset))
		}
		t, err := parse(b, r.limits)
		if err != nil {
			return none, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return t, t.Memory(), nil
	})
}

// checkPages checks that a model needs the pages of the dictionary that its lane has in the epoch up to its group.
func (r *File) checkPages(model *layout.GroupHead) error {
	from, _ := r.root.GroupsOf(uint64(model.Epoch))
	pages := uint32(0)
	for g := from; g <= model.Group; g++ {
		_, ok, err := r.Ref(r.root.FirstOf(g), BlockKey{Kind: format.BlockDictionary, Lane: model.Lane, Number: g})
		if err != nil {
			return err
		}
		pages += uint32(pairing.B2i(ok))
	}
	if model.Pages != pages {
		return format.Corruptf("model block", -1, "it needs %d pages of the dictionary, of which there are %d", model.Pages, pages)
	}
	return nil
}

// Events returns the events of a lane in a slice, nil if it has none.
func (r *File) Events(number uint64, lane uint32) (*slice.Events, error) {
	k := SliceKey(number, lane)
	ref, ok, err := r.Ref(number, k)
	if err != nil || !ok {
		return nil, err
	}
	return cache.Get(r.cache, k.Made(cache.Events), func() (*slice.Events, int64, error) {
		e, err := r.Decode(number, lane, ref)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return e, e.Memory(), nil
	})
}

func (r *File) Decode(number uint64, lane uint32, ref format.Ref) (*slice.Events, error) {
	e := &slice.Events{}
	return e, r.DecodeInto(e, number, lane, ref)
}

// DecodeInto is decode into memory that was used before.
func (r *File) DecodeInto(e *slice.Events, slice uint64, lane uint32, ref format.Ref) error {
	if _, err := r.Lane(lane); err != nil {
		return err
	}
	group := r.root.GroupOf(slice)
	d, err := r.Dictionary(r.root.EpochOf(group), lane)
	if err != nil {
		return err
	}
	t, err := r.Statistics(group, lane)
	if err != nil {
		return err
	}
	bounds, err := r.Slice(slice)
	if err != nil {
		return err
	}
	b, err := r.Block(format.BlockSlice, ref)
	if err != nil {
		return err
	}
	err = r.inLimits(bounds, func(limits format.Limits) error {
		return e.Decode(b, d, t, limits, r.LocationID)
	})
	r.expanded.Add(int64(len(e.Leaves)))
	if err != nil {
		return err
	}
	return r.checkPlace(&e.Block, slice, lane, bounds)
}

// inLimits decodes a lane's block, which has no more events than all lanes of the slice have by the directory.
func (r *File) inLimits(bounds index.SliceEntry, decode func(format.Limits) error) error {
	limits := r.limits
	limits.LaneEvents = int(min(uint64(limits.LaneEvents), bounds.Events))
	err := decode(limits)
	if errors.Is(err, format.ErrLimit) && limits != r.limits {
		if over := decode(r.limits); !errors.Is(over, format.ErrLimit) { // it is the directory that allows no more
			err = format.Corruptf("slice block", -1, "it has more events than the %d that the directory says", bounds.Events)
		}
	}
	return err
}

// checkPlace checks that a slice block is the one that the directory says it is, and has locations of its lane only.
func (r *File) checkPlace(b *slice.Block, number uint64, lane uint32, bounds index.SliceEntry) error {
	if b.Number != number || b.Lane != lane || uint64(b.Epoch) != r.root.EpochOf(r.root.GroupOf(number)) {
		return format.Corruptf("slice block", -1, "it is slice %d, lane %d, not slice %d, lane %d", b.Number, b.Lane, number, lane)
	}
	if bounds.Start != b.Start || bounds.End != b.End {
		return format.Corruptf("slice block", -1, "it is [%d, %d), the directory says [%d, %d)", b.Start, b.End, bounds.Start, bounds.End)
	}
	for i := range b.Runs {
		if l := b.Runs[i].Location; !r.InLane(uint64(l), lane) {
			return format.Corruptf("slice block", -1, "location %d is not of lane %d", l, lane)
		}
	}
	return nil
}

// NodeRef finds the block of a node and lane; ok is false if there is none.
func (r *File) NodeRef(kind format.BlockKind, n index.Node, lane uint32) (ref format.Ref, ok bool, err error) {
	refs, err := r.nodeRefs(kind, n, lane)
	if len(refs) > 0 {
		ref = refs[0]
	}
	return ref, len(refs) > 0, err
}

// nodeRefs finds the blocks of spanning items of a node and lane: the pages, if there are any.
func (r *File) nodeRefs(kind format.BlockKind, n index.Node, lane uint32) (refs []format.Ref, err error) {
	k := BlockKey{Kind: kind, level: uint8(n.Level), Lane: lane, Number: n.Index}
	for ; ; k.page++ {
		ref, ok := r.nodes[k]
		if n.Level <= layout.PageLevel { // listed with the node's last slice
			if ref, ok, err = r.Ref(r.lastSlice(n), k); err != nil {
				return nil, err
			}
		}
		if !ok {
			return refs, nil
		}
		refs = append(refs, ref)
	}
}

// IsNode reports whether the tree has a node.
func (r *File) IsNode(n index.Node) bool {
	slices := r.root.Slices
	return slices > 0 && n.Level >= 1 && n.Level <= r.tree.Levels(slices) && n.Index <= r.tree.Ancestor(slices-1, n.Level)
}
