package growing

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// completion is what a file lacks behind its last whole group, on its way into memory.
type completion struct {
	out  bytes.Buffer
	file *blockio.BlockFile
	root index.Root
	page index.Page
	err  error
}

// completed begins a completion.
func (f *File) completed() *completion {
	division := f.division
	if division.Fanout == 0 { // there are no slices
		division = index.Division{Fanout: 2, GroupSlices: 2}
	}
	c := &completion{root: index.Root{
		Division: division, Epochs: f.epochs, Pages: slices.Clone(f.pages), Slices: f.slices, Definitions: f.defined,
		Entries: append([]index.Entry{{Kind: format.BlockMeta, Ref: f.metaRef}}, f.rootEntries...),
	}}
	c.file = blockio.Continue(&c.out, f.id, uint64(f.end), f.endBlocks)
	c.page = index.Page{First: f.pageFirst, Entries: slices.Clone(f.entries)}
	return c
}

// block writes a block, and lists it in the page if it is of a low node, else in the root.
func (c *completion) block(e index.Entry, payload []byte) {
	if c.err != nil {
		return
	}
	e.Ref, c.err = c.file.Block(e.Kind, payload)
	if e.Kind == format.BlockPostings || e.Level > 0 && e.Level <= layout.PageLevel {
		c.page.Entries = append(c.page.Entries, e)
	} else {
		c.root.Entries = append(c.root.Entries, e)
	}
}

// reader writes page, locations, kinds, totals and root, and opens the file.
func (f *File) reader(ctx context.Context, c *completion, specs []*trace.Spec, info *index.Info, list []index.LocationInfo) (*read.File, error) {
	if n := len(c.page.Slices); n > 0 && c.err == nil {
		p := index.PageRef{First: c.page.First, Slices: uint64(n), Start: c.page.Slices[0].Start, End: c.page.Slices[n-1].End}
		p.Ref, c.err = c.file.Block(format.BlockPage, c.page.Append(nil))
		c.root.Pages = append(c.root.Pages, p)
	}
	c.block(index.Entry{Kind: format.BlockKinds}, records.AppendKinds(nil, specs))
	t := index.Totals{Info: *info}
	ids, totals := t.SetLocations(list, index.PageLocations)
	for i := range ids {
		c.block(index.Entry{Kind: format.BlockLocationTotals, Number: uint64(i)}, totals[i].Append(nil))
	}
	for i := range ids {
		c.block(index.Entry{Kind: format.BlockLocations, Number: uint64(i)}, ids[i].Append(nil))
		c.root.Ranges = append(c.root.Ranges, ids[i].Range())
	}
	c.block(index.Entry{Kind: format.BlockTotals}, t.Append(nil))
	for _, l := range list {
		c.root.Lanes = max(c.root.Lanes, uint64(l.Lane)+1)
	}
	c.root.Events = info.Events
	if c.err == nil {
		c.err = c.file.Finish(&c.root, f.header.Optional)
	}
	if c.err != nil {
		return nil, c.err
	}
	p := &prefix{f.src, f.end, c.out.Bytes()}
	r, err := read.NewReader(ctx, p, p.size(), f.opt)
	if err != nil {
		return nil, err
	}
	r.Info().FileBytes = f.size
	r.Unfinished = true
	return r, nil
}

// provisional returns a reader of the slices of some groups, whose numbers of events are not known yet.
func (f *File) provisional(ctx context.Context, found []group, first uint64) (*read.File, error) {
	list, err := f.locations.list(f.definitions)
	if err != nil {
		return nil, format.At(err, f.name, f.end)
	}
	c := f.completed()
	c.page.Slices = slices.Clone(f.pageSlices)
	for i := range found {
		for _, s := range found[i].slices {
			c.page.Slices = append(c.page.Slices, index.SliceEntry{Start: s.start, End: s.end, Events: uint64(f.limits.SliceEvents)})
		}
	}
	return f.reader(ctx, c, nil, &index.Info{}, list)
}

// complete returns a reader of all groups that are whole.
func (f *File) complete(ctx context.Context) (*read.File, error) {
	info, list, err := f.totals()
	if err != nil {
		return nil, err
	}
	c := f.completed()
	c.page.Slices = f.pageSlices
	if f.followed > 0 {
		if err := f.completeItems(c, info); err != nil {
			return nil, err
		}
	}
	var specs []*trace.Spec
	for _, k := range info.Kinds {
		if k.Kind.Described() {
			specs = append(specs, f.meta.Table().Spec(k.Kind))
		}
	}
	return f.reader(ctx, c, specs, info, list)
}

// completeItems adds items, ends of messages without a partner, and postings.
func (f *File) completeItems(c *completion, info *index.Info) error {
	before, err := f.spine()
	if err != nil {
		return err
	}
	for _, b := range sorted(f.items) {
		c.block(index.Entry{Kind: b.kind, Level: uint8(b.node.Level), Lane: b.lane, Number: b.node.Index}, b.payload)
	}
	clear(f.items[before:])
	f.items = f.items[:before]
	info.OpenCalls = f.info.OpenCalls
	all, err := f.matcher.Pending(func(e index.End, lane, number uint32) bool { return f.pairs.known(e.Slice, lane, number) })
	if err != nil {
		return err
	}
	f.pairs.addTo(info)
	number := uint64(0)
	for ends := range slices.Chunk(all, pairing.UnmatchedInBlock) {
		c.block(index.Entry{Kind: format.BlockUnmatched, Number: number}, pairing.AppendUnmatched(nil, ends))
		number++
	}
	info.UnmatchedSends, info.UnmatchedReceives = 0, 0
	for i := range all {
		if all[i].Send {
			info.UnmatchedSends++
		} else {
			info.UnmatchedReceives++
		}
	}
	postings := index.Postings{First: f.pageFirst}
	for _, l := range f.lanes {
		postings.Join(&l.postings)
	}
	if postings.Len() > 0 {
		payload, err := postings.Append(nil)
		if err != nil {
			return err
		}
		c.block(index.Entry{Kind: format.BlockPostings, Number: f.pageFirst}, payload)
	}
	return c.err
}

// totals adds up what was found out, of the trace and of its locations.
func (f *File) totals() (*index.Info, []index.LocationInfo, error) {
	list, err := f.locations.list(f.definitions)
	if err != nil {
		return nil, nil, format.At(err, f.name, f.end)
	}
	info := f.info
	info.Calls, info.Events = 0, 0
	info.MessagesAlone()
	begun := false
	for i, l := range f.state {
		if l == nil {
			continue
		}
		at := &list[i]
		at.Events, at.Calls, at.MaxDepth, at.First, at.Last = l.events, l.calls, l.depth, l.first, l.last
		info.Calls += l.calls
		info.Events += l.events
		if !begun {
			info.Last = l.last
		}
		info.Last, begun = max(info.Last, l.last), true
	}
	f.info.Last = info.Last
	kinds := maps.Clone(f.kinds)
	fingerprint := trace.NewFingerprint(f.meta)
	for _, l := range f.lanes {
		info.OrphanLeaves += l.orphans
		info.CutCalls += l.cut
		for k, n := range l.kinds {
			kinds[k] += n
		}
		fingerprint.Join(l.fingerprint)
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		info.Kinds = append(info.Kinds, index.KindCount{Kind: k, Count: kinds[k]})
	}
	info.AuxStreams, info.SHA256 = f.streams, fingerprint.Sum()
	info.Epochs, info.Nodes = uint64(len(f.epochs)), f.nodes()
	return &info, list, nil
}

// nodes returns the number of nodes of the tree.
func (f *File) nodes() (n uint64) {
	for level := 1; f.followed > 0 && level <= f.tree.Levels(f.followed); level++ {
		n += f.tree.Ancestor(f.followed-1, level) + 1
	}
	return n
}
