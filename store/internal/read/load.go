package read

import (
	"cmp"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
)

// Blocks that will be needed are read together: neighbours in one go, and all that can be read at once at the same time. What
// cannot be read is left out: the query that needs it reads it again, and gets the error.

const (
	nearGap     = 4 << 10  // bytes between two blocks that are read along rather than leaving them out, of a file on this machine
	farGap      = 16 << 10 // of one on a server
	mergedBytes = 4 << 20  // at most that much is read in one go
	nearReads   = 8        // at the same time, of a file on this machine
	FarReads    = 64       // of one on a server: more requests at once take no longer than one
)

// Load reads blocks into the cache as far as they are not there yet.
func (r *File) Load(refs []format.Ref) {
	refs = slices.DeleteFunc(refs, func(ref format.Ref) bool { return r.AtHand(ref, cache.Bytes) || !r.fits(ref) })
	if len(refs) == 0 {
		return
	}
	slices.SortFunc(refs, func(a, b format.Ref) int { return cmp.Compare(a.Offset, b.Offset) })
	refs = slices.Compact(refs)
	var group errgroup.Group
	group.SetLimit(r.reads())
	for len(refs) > 0 {
		n := r.neighbours(refs)
		part := refs[:n]
		if refs = refs[n:]; len(refs) == 0 {
			r.loadRange(part)
			break
		}
		group.Go(func() error { r.loadRange(part); return nil })
	}
	_ = group.Wait() // they return no errors
}

// reads returns how many reads are made at the same time.
func (r *File) reads() int {
	if r.Far {
		return FarReads
	}
	return nearReads
}

// LoadLimit is the number of bytes of blocks that are read at once. Decoded, they must fit into the cache until they are used.
func (r *File) LoadLimit() int64 { return max(MinChunkBytes, min(ChunkBytes, r.cache.Budget/8)) }

// LoadSome reads the first of some blocks, as many as may be asked for at once, and returns their number.
func (r *File) LoadSome(refs []format.Ref) (n int) {
	for size := int64(0); n < len(refs) && size < r.LoadLimit(); n++ {
		size += int64(refs[n].Length)
	}
	r.Load(slices.Clone(refs[:n]))
	return n
}

// neighbours returns how many of the first blocks are worth reading in one go.
func (r *File) neighbours(refs []format.Ref) int {
	gap := uint64(nearGap)
	if r.Far {
		gap = farGap
	}
	n := 1
	for ; n < len(refs); n++ {
		before := refs[n-1]
		end := before.Offset + uint64(before.Length)
		if refs[n].Offset > end+gap || refs[n].Offset+uint64(refs[n].Length)-refs[0].Offset > mergedBytes {
			break
		}
	}
	return n
}

// loadRange reads blocks and what stands between them.
func (r *File) loadRange(refs []format.Ref) {
	first, last := refs[0], refs[len(refs)-1]
	b := make([]byte, last.Offset+uint64(last.Length)-first.Offset)
	if r.readAt(b, int64(first.Offset)) != nil {
		return
	}
	for _, ref := range refs {
		at := ref.Offset - first.Offset
		if end := at + uint64(ref.Length); end <= uint64(len(b)) {
			r.cache.Put(cache.Key{What: cache.Bytes, Offset: ref.Offset}, b[at:end:end], int64(ref.Length))
		}
	}
}

// TalkersLanes is the number of lanes of a file on a server up to which all are read for the messages of some: else those of their partners
// take another round for each few slices.
const MostMessageLanes = 8

// Plan collects the blocks that reading some slices of some lanes needs.
type Plan struct {
	R     *File
	Lanes []uint32
	Refs  []format.Ref
	Size  int64 // bytes of refs
	Err   error
	Noted map[uint64]bool // offsets of refs; nil if no block is noted twice
	Spare int64           // bytes of what is only likely to be needed that may still be noted
}

// Needs says what is wanted of slices; for calls, events are not decoded if their steps are known.
type Needs struct {
	Calls, Events bool
	Ends          bool          // of messages within slices, by events
	Pairs         bool          // of events, by these
	Messages      *MessageLanes // nil for none
}

// add notes a block of a slice's group unless what is made of it is in the cache.
func (p *Plan) add(slice uint64, k BlockKey, made cache.Key) {
	if ref, ok := p.ref(slice, k); ok {
		p.note(ref, made)
	}
}

// ref returns the place of a block; ok is false if there is none, or an error.
func (p *Plan) ref(slice uint64, k BlockKey) (ref format.Ref, ok bool) {
	ref, ok, err := p.R.Ref(slice, k)
	if err != nil {
		p.Err = err
	}
	return ref, ok
}

// AddRef notes a block unless what is made of it is in the cache.
func (p *Plan) AddRef(ref format.Ref, made cache.What) {
	p.note(ref, cache.Key{What: made, Offset: ref.Offset})
}

func (p *Plan) note(ref format.Ref, made cache.Key) {
	if p.R.atHand(ref, made) || p.Noted[ref.Offset] {
		return
	}
	if p.Noted != nil {
		p.Noted[ref.Offset] = true
	}
	p.Refs = append(p.Refs, ref)
	p.Size += int64(ref.Length)
}

// AtHand reports whether a block, or what is made of it, need not be read from the file any more.
func (r *File) AtHand(ref format.Ref, made cache.What) bool {
	return r.atHand(ref, cache.Key{What: made, Offset: ref.Offset})
}

// atHand looks for the bytes first. Who takes them for something that is kept has begun to make that: if they are gone, it can be seen.
func (r *File) atHand(ref format.Ref, made cache.Key) bool {
	return r.inTail(ref.Offset) || r.cache.Has(cache.Key{What: cache.Bytes, Offset: ref.Offset}) || r.cache.Has(made)
}

// Share reports whether two slices are of one group and of one node of level 1.
func (r *File) Share(a, b uint64) bool {
	return r.root.GroupOf(a) == r.root.GroupOf(b) && r.tree.Ancestor(a, 1) == r.tree.Ancestor(b, 1)
}

// Slice notes what a slice needs, and if it is the first one of its group or node, what it shares with the others. Where groups are larger than nodes, or nodes than groups,
// some of that is noted more than once: then the plan must know what it has noted.
func (p *Plan) Slice(slice uint64, n Needs, fresh bool) {
	made := cache.Events
	if n.Calls {
		made = cache.CallSteps
	}
	lanes, err := p.R.Busy(slice, p.Lanes)
	if err != nil {
		p.Err = err
		return
	}
	for _, lane := range lanes {
		k := SliceKey(slice, lane)
		p.add(slice, k, k.Made(made))
	}
	if !fresh {
		return
	}
	p.group(slice, n)
	if n.Calls {
		p.nodes(format.BlockCalls, slice, cache.Calls)
	}
	if n.Messages != nil {
		p.nodes(format.BlockMessages, slice, cache.Messages)
	}
	if n.Pairs {
		p.nodes(format.BlockPairs, slice, cache.Pairs)
	}
}

// group notes what the slices of a slice's group share.
func (p *Plan) group(slice uint64, n Needs) {
	group := p.R.root.GroupOf(slice)
	for _, lane := range p.Lanes {
		p.statistics(group, lane)
		if n.Ends || n.Messages != nil {
			k := marksKey(group, lane)
			p.add(slice, k, k.Made(cache.PairMarks))
		}
	}
}

// statistics notes the model of a group, and the shapes of its epoch.
func (p *Plan) statistics(group uint64, lane uint32) {
	p.add(p.R.root.FirstOf(group), BlockKey{Kind: format.BlockModel, Lane: lane, Number: group}, cache.Key{What: cache.Statistics, Offset: group, Lane: lane})
	epoch := p.R.root.EpochOf(group)
	made := cache.Key{What: cache.Dictionary, Offset: epoch, Lane: lane}
	if p.R.cache.Has(made) {
		return
	}
	from, to := p.R.root.GroupsOf(epoch)
	for g := from; g < to && p.Err == nil; g++ {
		p.add(p.R.root.FirstOf(g), BlockKey{Kind: format.BlockDictionary, Lane: lane, Number: g}, made)
	}
}

// nodes notes the blocks of the nodes on the way from the root to a slice.
func (p *Plan) nodes(kind format.BlockKind, slice uint64, made cache.What) {
	for level := 1; level <= p.R.tree.Levels(p.R.root.Slices) && p.Err == nil; level++ {
		p.Node(kind, p.R.Node(level, slice), p.Lanes, made)
	}
}

// Node notes the blocks of some lanes of a node.
func (p *Plan) Node(kind format.BlockKind, n index.Node, of []uint32, made cache.What) {
	lanes, err := p.R.Having(kind, n, of)
	for _, lane := range lanes {
		var refs []format.Ref
		if refs, err = p.R.nodeRefs(kind, n, lane); err != nil {
			break
		}
		for _, ref := range refs {
			if kind != format.BlockHashes {
				ref.Length = p.R.headBytes(ref) // its parts are read when it is known which
			}
			p.AddRef(ref, made)
		}
	}
	if err != nil {
		p.Err = err
	}
}

// LoadPages reads the pages of the directory that describe the time [from, to), and the definitions of a view if nobody has asked for them yet.
func (r *File) LoadPages(from, to int64, definitions View) {
	p := Plan{R: r}
	if pages := r.pagesBetween(from, to); len(pages) > 0 {
		last := &pages[len(pages)-1]
		p.Pages(SliceRange{pages[0].First, last.First + last.Slices})
	}
	p.Definitions(definitions)
	r.Load(p.Refs)
}

// FetchPages reads the first pages of the directory, as many as may be read at once, of a file on a server.
func (r *File) FetchPages() {
	if !r.Far {
		return
	}
	var refs []format.Ref
	for i := range r.root.Pages {
		refs = append(refs, r.root.Pages[i].Ref)
		for _, l := range r.root.Pages[i].Lanes {
			refs = append(refs, l.Ref)
		}
	}
	r.LoadSome(refs)
}

// pagesBetween returns the pages that searching slices of the time [from, to] looks at: those of the time, and if nothing happens at its
// beginning, the one before.
func (r *File) pagesBetween(from, to int64) []index.PageRef {
	pages := r.root.Pages
	first := sort.Search(len(pages), func(i int) bool { return pages[i].End > from })
	end := sort.Search(len(pages), func(i int) bool { return pages[i].Start > to })
	if first > 0 && (first == len(pages) || pages[first].Start > from) {
		first--
	}
	return pages[first:max(end, min(first+1, len(pages)))]
}

// FetchSlices reads what some slices need, of a file on a server.
func (r *File) FetchSlices(lanes []uint32, n Needs, numbers ...uint64) {
	if !r.Far {
		return
	}
	p := Plan{R: r, Lanes: lanes, Noted: map[uint64]bool{}}
	for _, slice := range numbers {
		if p.Slice(slice, n, true); p.Size >= r.LoadLimit() {
			break
		}
	}
	r.Load(p.Refs)
}

// FetchPostings reads the postings of the pages of some slices, of a file on a server.
func (r *File) FetchPostings(q index.Query, lanes []uint32, first, end uint64) {
	if !r.Far {
		return
	}
	p := Plan{R: r, Lanes: lanes}
	p.Postings(q, first, end)
	r.Load(p.Refs)
}

// Postings notes those of the pages of some slices and the plan's lanes, if there is anything to ask for.
func (p *Plan) Postings(q index.Query, first, end uint64) {
	for slice := first; slice < end && len(q) > 0; {
		row, err := p.R.row(slice)
		if err != nil {
			p.Err = err
			return
		}
		for _, part := range p.R.partsOf(row, p.Lanes) {
			page, err := p.R.part(row, part)
			if err != nil {
				p.Err = err
				return
			}
			if ref, ok := page.Refs[page.PostingsKey()]; ok {
				p.AddRef(ref, cache.Postings)
			}
		}
		slice = p.R.root.Pages[row].First + p.R.root.Pages[row].Slices
	}
}

// Pages notes the pages of the directory that describe some slices. Of a file on a server, those too that describe other slices of
// the epochs at both ends: there may be pages of their dictionaries.
func (p *Plan) Pages(of SliceRange) {
	if p.R.Far {
		of = p.R.wholeEpochs(of)
	}
	latest := p.R.latest.Load()
	for i := range p.R.root.Pages {
		page := &p.R.root.Pages[i]
		if page.First >= of.End || page.First+page.Slices <= of.First {
			continue
		}
		if latest == nil || latest.number != i {
			p.AddRef(page.Ref, cache.Page)
		}
		for _, l := range page.Lanes {
			if p.R.Far { // which lanes will be asked for is not known yet, and each request takes a round
				p.AddRef(l.Ref, cache.Page)
			}
		}
	}
}

// wholeEpochs returns the slices of the epochs that have some slices.
func (r *File) wholeEpochs(s SliceRange) SliceRange {
	if s.End == 0 {
		return s
	}
	from, _ := r.root.GroupsOf(r.root.EpochOf(r.root.GroupOf(s.First)))
	_, to := r.root.GroupsOf(r.root.EpochOf(r.root.GroupOf(s.End - 1)))
	return SliceRange{r.root.FirstOf(from), max(s.End, r.root.FirstOf(to))}
}

// Listed returns the blocks of a kind that the root lists.
func (r *File) Listed(kind format.BlockKind) (refs []format.Ref) {
	for i := range r.root.Entries {
		if e := &r.root.Entries[i]; e.Kind == kind {
			refs = append(refs, e.Ref)
		}
	}
	return refs
}
