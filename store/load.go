package store

import (
	"cmp"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/format"
)

// Blocks that will be needed are read together: neighbours in one go, and all that can be read at once at the same time. What
// cannot be read is left out: whoever needs it reads it again, and gets the error.

const (
	mergeGap    = 16 << 10 // bytes between two blocks that are read along rather than leaving them out
	mergedBytes = 4 << 20  // at most that much is read in one go
	reads       = 8        // at the same time
)

// load reads blocks into the cache as far as they are not there yet.
func (r *Reader) load(refs []format.Ref) {
	refs = slices.DeleteFunc(refs, func(ref format.Ref) bool { return r.inTail(ref.Offset) || !r.fits(ref) })
	slices.SortFunc(refs, func(a, b format.Ref) int { return cmp.Compare(a.Offset, b.Offset) })
	var group errgroup.Group
	group.SetLimit(reads)
	for len(refs) > 0 {
		n := neighbours(refs)
		part := refs[:n]
		if refs = refs[n:]; len(refs) == 0 {
			r.loadRange(part)
			break
		}
		group.Go(func() error { r.loadRange(part); return nil })
	}
	_ = group.Wait() // they return no errors
}

// neighbours returns how many of the first blocks are worth reading in one go.
func neighbours(refs []format.Ref) int {
	n := 1
	for ; n < len(refs); n++ {
		before := refs[n-1]
		end := before.Offset + uint64(before.Length)
		if refs[n].Offset > end+mergeGap || refs[n].Offset+uint64(refs[n].Length)-refs[0].Offset > mergedBytes {
			break
		}
	}
	return n
}

// loadRange reads blocks and what stands between them.
func (r *Reader) loadRange(refs []format.Ref) {
	first, last := refs[0], refs[len(refs)-1]
	b := make([]byte, last.Offset+uint64(last.Length)-first.Offset)
	if r.readAt(b, int64(first.Offset)) != nil {
		return
	}
	for _, ref := range refs {
		at := ref.Offset - first.Offset
		if end := at + uint64(ref.Length); end <= uint64(len(b)) {
			r.cache.put(cacheKey{what: cachedBytes, offset: ref.Offset}, b[at:end:end], int64(ref.Length))
		}
	}
}

// plan collects the blocks that reading some slices of some lanes needs.
type plan struct {
	r     *Reader
	lanes []uint32
	refs  []format.Ref
	size  int64 // bytes of refs
	err   error
}

// needs says what is wanted of slices; for calls, events are not decoded if their steps are known.
type needs struct {
	calls, events bool
	messages      *talkers // nil for none
}

// add notes a block of a slice's group unless what is made of it is in the cache.
func (p *plan) add(slice uint64, k blockKey, made cacheWhat) {
	ref, ok, err := p.r.ref(slice, k)
	if err != nil {
		p.err = err
	}
	if ok {
		p.addRef(ref, made)
	}
}

func (p *plan) addRef(ref format.Ref, made cacheWhat) {
	if !p.r.cache.has(cacheKey{what: made, offset: ref.Offset}) && !p.r.cache.has(cacheKey{what: cachedBytes, offset: ref.Offset}) {
		p.refs = append(p.refs, ref)
		p.size += int64(ref.Length)
	}
}

// slice notes what a slice needs, and if it is the first one of its group, what it shares with the others.
func (p *plan) slice(slice uint64, n needs, fresh bool) {
	fanout := p.r.root.Fanout
	made := cachedEvents
	if n.calls {
		made = cachedCallSteps
	}
	lanes, err := p.r.busy(slice, p.lanes)
	if err != nil {
		p.err = err
		return
	}
	for _, lane := range lanes {
		p.add(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice}, made)
	}
	if !fresh {
		return
	}
	for _, lane := range p.lanes {
		p.statistics(slice/fanout, lane)
	}
	if n.calls {
		p.nodes(format.BlockCalls, slice, cachedCalls)
	}
	if n.messages != nil {
		p.nodes(format.BlockMessages, slice, cachedMessages)
	}
}

// statistics notes the model of a group, and the shapes of its epoch.
func (p *plan) statistics(group uint64, lane uint32) {
	if !p.r.cache.has(cacheKey{what: cachedStatistics, offset: group, lane: lane}) {
		p.add(group*p.r.root.Fanout, blockKey{kind: format.BlockModel, lane: lane, number: group}, cachedBytes)
	}
	epoch := p.r.root.EpochOf(group)
	if p.r.cache.has(cacheKey{what: cachedDictionary, offset: epoch, lane: lane}) {
		return
	}
	from, to := p.r.root.GroupsOf(epoch)
	for g := from; g < to && p.err == nil; g++ {
		p.add(g*p.r.root.Fanout, blockKey{kind: format.BlockDictionary, lane: lane, number: g}, cachedBytes)
	}
}

// nodes notes the blocks of the nodes on the way from the root to a slice.
func (p *plan) nodes(kind format.BlockKind, slice uint64, made cacheWhat) {
	for level := 1; level <= p.r.tree.Levels(p.r.root.Slices); level++ {
		node := p.r.node(level, slice)
		lanes, err := p.r.having(kind, node, p.lanes)
		if err != nil {
			p.err = err
			return
		}
		for _, lane := range lanes {
			refs, err := p.r.nodeRefs(kind, node, lane)
			if err != nil {
				p.err = err
			}
			for _, ref := range refs {
				p.addRef(ref, made)
			}
		}
	}
}

// loadPages reads the pages of the directory that describe the time [from, to), and the definitions if nobody has asked for them yet.
func (r *Reader) loadPages(from, to int64, definitions bool) {
	var refs []format.Ref
	for _, p := range r.root.Pages {
		if p.End > from && p.Start <= to {
			refs = append(refs, p.Ref)
		}
	}
	if definitions && !r.definitions.made() {
		for i := range r.root.Entries {
			if r.root.Entries[i].Kind == format.BlockDefinitions {
				refs = append(refs, r.root.Entries[i].Ref)
			}
		}
	}
	r.load(refs)
}
