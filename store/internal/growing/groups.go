package growing

import (
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// group is what was met of a group of slices: it is whole when all blocks are there that its rosters promise.
type group struct {
	definitions []definitionBlock // that come before its slices
	auxiliary   []auxiliaryBlock
	entries     []index.Entry // of its dictionaries, models, marks and slices
	slices      []groupSlice
	epoch       uint32
	models      int
	shares      []share // of its rosters
	missing     int     // blocks of slices that are to come
	end         int64   // behind its last block
}

// groupSlice is a slice of a group.
type groupSlice struct {
	start, end int64
	blocks     []sliceBlock // by rising lanes
}

// sliceBlock is a lane's block of a slice; without a length, it is yet to come.
type sliceBlock struct {
	lane uint32
	ref  format.Ref
}

// share is what a roster says of a location.
type share struct {
	location, lane uint32
	id             uint64
	first          bool // its first event is in the slice, and its id is id
}

type definitionBlock struct {
	ref  format.Ref
	page *records.Definitions
}

// take takes a block into the group that is to become whole, and reports whether it is the last one of that.
func (f *File) take(b *block) (whole bool, err error) {
	g := &f.group
	switch b.Kind {
	case format.BlockMeta:
		if f.meta != nil {
			return false, format.Corruptf("meta block", -1, "there are two")
		}
		f.metaRef, f.end = b.Ref, int64(b.Offset)+int64(b.Length)
		return false, f.takeMeta(b.payload)
	case format.BlockDefinitions:
		var page *records.Definitions
		if page, err = records.ReadPage(b.payload, f.meta.Kinds); err == nil {
			g.definitions = append(g.definitions, definitionBlock{b.Ref, page})
		}
	case format.BlockAuxiliary:
		err = f.takeAuxiliary(b)
	case format.BlockDictionary, format.BlockModel:
		err = f.takeHead(b)
	case format.BlockMarks:
		err = f.takeMarks(b)
	case format.BlockSlice:
		err = f.takeSlice(b)
		g.end = int64(b.Offset) + int64(b.Length)
		whole = err == nil && g.missing == 0
	case format.BlockPage:
		err = f.takePage(b)
	}
	return whole, err
}

// takeMeta takes the meta block, which may say how slices are divided.
func (f *File) takeMeta(payload []byte) error {
	meta, extensions, err := records.ReadMeta(payload)
	if err != nil {
		return err
	}
	f.meta = meta
	f.division, _, err = index.ReadDivision(extensions)
	return err
}

// takeHead takes a dictionary or a model.
func (f *File) takeHead(b *block) error {
	g := &f.group
	h, rest, err := layout.ReadGroupHead(b.payload)
	if err != nil {
		return err
	}
	if h.Group != f.groups || len(g.slices) > 0 && g.missing < g.promised() {
		return format.Corruptf(b.Kind.String(), -1, "group %d stands where group %d is expected", h.Group, f.groups)
	}
	if int64(h.Lane) >= f.at || uint64(h.Epoch) > uint64(len(f.epochs)) {
		return format.Corruptf(b.Kind.String(), -1, "lane %d, epoch %d", h.Lane, h.Epoch)
	}
	g.entries = append(g.entries, index.Entry{Kind: b.Kind, Lane: h.Lane, Number: h.Group, Ref: b.Ref})
	if b.Kind == format.BlockDictionary {
		return nil
	}
	if g.models > 0 && h.Epoch != g.epoch {
		return format.Corruptf(b.Kind.String(), -1, "it is of epoch %d, another one of epoch %d", h.Epoch, g.epoch)
	}
	g.epoch, g.models = h.Epoch, g.models+1
	t, err := slice.ParseTokenStatistics(rest, f.limits)
	if err != nil {
		return err
	}
	return f.promise(h.Lane, &t.Roster)
}

// takeMarks takes the marks of a lane. They stand before the slices, so that a group that is whole has them.
func (f *File) takeMarks(b *block) error {
	g := &f.group
	m, err := slice.ParseMarks(b.payload, f.limits)
	if err != nil {
		return err
	}
	if m.Group != f.groups || g.missing < g.promised() {
		return format.Corruptf("marks block", -1, "group %d stands where group %d is expected", m.Group, f.groups)
	}
	g.entries = append(g.entries, index.Entry{Kind: b.Kind, Lane: m.Lane, Number: m.Group, Ref: b.Ref})
	return nil
}

// promise notes which slices a lane has blocks of, and the ids of its locations.
func (f *File) promise(lane uint32, r *slice.Roster) error {
	g, first := &f.group, f.slices
	if r.First < first || r.First-first+uint64(len(r.Slices)) >= 1<<16 {
		return format.Corruptf("model block", -1, "a roster of slice %d in a group that begins with slice %d", r.First, first)
	}
	for i, shares := range r.Slices {
		n := int(r.First - first + uint64(i))
		for len(g.slices) <= n {
			g.slices = append(g.slices, groupSlice{})
		}
		if len(shares) == 0 {
			continue
		}
		s := &g.slices[n]
		if last := len(s.blocks) - 1; last >= 0 && s.blocks[last].lane >= lane {
			return format.Corruptf("model block", -1, "lane %d comes after lane %d", lane, s.blocks[last].lane)
		}
		s.blocks = append(s.blocks, sliceBlock{lane: lane})
		g.missing++
		for _, of := range shares {
			if int64(of.Location) >= f.at {
				return format.Corruptf("model block", -1, "a location number %d", of.Location)
			}
			g.shares = append(g.shares, share{of.Location, lane, of.ID, of.First == 0})
		}
	}
	return nil
}

// promised returns the number of blocks that the rosters of the group promise.
func (g *group) promised() (n int) {
	for i := range g.slices {
		n += len(g.slices[i].blocks)
	}
	return n
}

// takeSlice takes a block of a slice.
func (f *File) takeSlice(b *block) error {
	g := &f.group
	number, lane, start, end, err := slice.BlockPlace(b.payload)
	if err != nil {
		return err
	}
	if number < f.slices || number-f.slices >= uint64(len(g.slices)) {
		return format.Corruptf("slice block", -1, "slice %d is not of group %d", number, f.groups)
	}
	s := &g.slices[number-f.slices]
	at, ok := slices.BinarySearchFunc(s.blocks, lane, func(a sliceBlock, lane uint32) int { return int(int64(a.lane) - int64(lane)) })
	if !ok || s.blocks[at].ref.Length > 0 {
		return format.Corruptf("slice block", -1, "lane %d of slice %d stands twice, or is in no roster", lane, number)
	}
	if at == 0 {
		s.start, s.end = start, end
	} else if s.start != start || s.end != end {
		return format.Corruptf("slice block", -1, "it is [%d, %d), that of another lane [%d, %d)", start, end, s.start, s.end)
	}
	s.blocks[at].ref = b.Ref
	g.entries = append(g.entries, index.Entry{Kind: format.BlockSlice, Lane: lane, Number: number, Ref: b.Ref})
	g.missing--
	return nil
}

// row is the pages of the directory about the same slices.
type row struct {
	index.PageRef
	blocks int   // of slices that it lists
	end    int64 // behind it
}

// takePage notes a page of the directory.
func (f *File) takePage(b *block) error {
	p, err := index.ParsePage(b.payload)
	if err != nil {
		return err
	}
	if n := len(p.Slices); n > 0 {
		f.rows = append(f.rows, row{PageRef: index.PageRef{First: p.First, Slices: uint64(n), Start: p.Slices[0].Start, End: p.Slices[n-1].End, Ref: b.Ref}})
	} else if last := len(f.rows) - 1; last >= 0 && f.rows[last].First == p.First {
		f.rows[last].Lanes = append(f.rows[last].Lanes, index.LanesRef{First: p.Lane, Ref: b.Ref})
	} else {
		return format.Corruptf("directory page", -1, "the page of its slices does not stand before it")
	}
	r := &f.rows[len(f.rows)-1]
	r.end = int64(b.Offset) + int64(b.Length)
	for i := range p.Entries {
		if p.Entries[i].Kind == format.BlockSlice {
			r.blocks++
		}
	}
	return nil
}

// accept takes the group, which is whole, over. Its events have been followed by then or will be next. Unless the meta block has said it, the first group tells
// the number of its slices, which is that of a node's children, too; if there is no second one, these numbers make no difference.
func (f *File) accept(g *group) error {
	n := uint64(len(g.slices))
	if f.division.Fanout == 0 {
		f.division = index.Division{Fanout: max(n, 2), GroupSlices: max(n, 2)}
	}
	if n > f.division.GroupSlices || f.slices != f.division.FirstOf(f.groups) {
		return format.Corruptf("model block", -1, "group %d has slices %d to %d, where groups have %d", f.groups, f.slices, f.slices+n-1, f.division.GroupSlices)
	}
	for i := range g.slices {
		if len(g.slices[i].blocks) == 0 {
			return format.Corruptf("model block", -1, "no lane has events in slice %d", f.slices+uint64(i))
		}
	}
	if int(g.epoch) == len(f.epochs) {
		f.epochs = append(f.epochs, f.groups)
	} else if int(g.epoch)+1 != len(f.epochs) {
		return format.Corruptf("model block", -1, "group %d is of epoch %d, after one of epoch %d", f.groups, g.epoch, len(f.epochs)-1)
	}
	for _, d := range g.definitions {
		f.define(d)
	}
	for i := range g.auxiliary {
		f.carry(&g.auxiliary[i])
	}
	for _, s := range g.shares {
		if err := f.locations.note(s); err != nil {
			return err
		}
	}
	f.entries = append(f.entries, g.entries...)
	f.end = g.end
	f.groups++
	f.slices += uint64(len(g.slices))
	return nil
}

// define takes a page of definitions over.
func (f *File) define(d definitionBlock) {
	f.rootEntries = append(f.rootEntries, index.Entry{Kind: format.BlockDefinitions, Ref: d.ref})
	f.defined = append(f.defined, d.page.Contents)
	f.definitions.AddLinks(d.page.Records)
	f.info.Definitions += uint64(len(d.page.Records))
	for i := range d.page.Records {
		f.kinds[d.page.Records[i].Kind]++
	}
}

// auxiliaryBlock is a block of auxiliary records, with the numbers of those of each stream, in order, and of each kind.
type auxiliaryBlock struct {
	ref     format.Ref
	streams []trace.StreamInfo
	kinds   map[trace.Kind]uint64
}

// takeAuxiliary takes a block of auxiliary records.
func (f *File) takeAuxiliary(b *block) error {
	a := auxiliaryBlock{ref: b.Ref, kinds: map[trace.Kind]uint64{}}
	err := records.ReadBatches(b.payload, f.meta.Kinds, func(id trace.StreamID, batch *trace.Batch) error {
		a.streams = append(a.streams, trace.StreamInfo{StreamID: id, Records: uint64(batch.Len())})
		for _, k := range batch.Kinds {
			a.kinds[k]++
		}
		return nil
	})
	f.group.auxiliary = append(f.group.auxiliary, a)
	return err
}

// carry takes a block of auxiliary records over.
func (f *File) carry(a *auxiliaryBlock) {
	f.rootEntries = append(f.rootEntries, index.Entry{Kind: format.BlockAuxiliary, Ref: a.ref})
	for _, s := range a.streams {
		at, ok := f.streamPlaces[s.StreamID]
		if !ok {
			at = len(f.streams)
			f.streamPlaces[s.StreamID], f.streams = at, append(f.streams, trace.StreamInfo{StreamID: s.StreamID})
		}
		f.streams[at].Records += s.Records
	}
	for k, n := range a.kinds {
		f.kinds[k] += n
	}
}
