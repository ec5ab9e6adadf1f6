package write

import (
	"cmp"
	"errors"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write/sums"
)

// backlog encodes and writes groups behind the writer's back, and keeps the directory. One job is encoded while the one before is
// written. While jobs are under way, the file and the directory are theirs; wait hands them back.
type backlog struct {
	w        *Writer
	encoding *job       // nil if none is encoded
	encoded  chan error // from the job that is encoded
	written  chan error // from the last job, when it and all before are written; the first error
	err      error
	room     *room
	free     drafts // for the writer to use again
	spare    drafts // for what is unpacked

	lattices lattices
	pace     layout.Pace
	kinds    kindCounts // of events
	page     index.Page
	postings []index.Postings // of the page, by lane
	root     index.Root
	defined  uint64 // definitions that are written
	counts   struct{ nodes uint64 }

	calls    cache.Pool[[]index.Call] // scratch, while a node is written
	messages cache.Pool[[]index.Message]

	nodeBytes []uint64 // by lane: of the slices so far of the node of level 1 under way
	summaries sums.Summarizer
	bins      sums.BinTree
	hashes    sums.HashTree
}

func newBacklog(w *Writer) *backlog {
	times, _ := w.meta.Loss.Times()
	b := &backlog{
		w: w, written: make(chan error, 1), room: newRoom(w.options.Memory / encodeShare), lattices: lattices{searches: firstSearches, declared: column.GridPeriod(times.Cell)},
		spare: drafts{cache.Pool[*slice.Draft]{Most: spareDrafts}}, summaries: sums.NewSummarizer(w.tree, &w.logs, layout.TableFifths(w.meta, &w.options)),
		bins: sums.NewBinTree(layout.TableFifths(w.meta, &w.options)),
		root: index.Root{Division: w.division}, hashes: sums.NewHashTree(w.division.Fanout),
	}
	b.written <- nil
	return b
}

// push waits until the job before is encoded, and starts this one.
func (b *backlog) push(j *job) error {
	if err := b.settle(); err != nil {
		return err
	}
	before, encoded, written := b.written, make(chan error, 1), make(chan error, 1)
	b.encoding, b.encoded, b.written = j, encoded, written
	go func() {
		err := errors.Join(b.encode(j), j.group.spool.Close())
		err = cmp.Or(<-before, err) // not before: no third job shall be under way
		encoded <- err
		if err == nil {
			err = b.write(j)
		}
		written <- err
	}()
	return nil
}

// settle waits until the job under way is encoded and the one before is written, and returns the first error of these.
func (b *backlog) settle() error {
	if b.encoding == nil {
		return b.err
	}
	b.err = <-b.encoded
	if b.err == nil {
		b.pace.Learn(b.encoding.size())
	}
	for _, l := range b.encoding.lanes {
		for _, s := range l.slices {
			if s.draft != nil {
				b.free.keep(s.draft)
			}
		}
	}
	b.encoding = nil
	return b.err
}

// wait waits until all jobs are written and returns their first error.
func (b *backlog) wait() error {
	_ = b.settle() // what is written says it too
	b.err = <-b.written
	b.written <- b.err
	return b.err
}

// write writes an encoded job.
func (b *backlog) write(j *job) error {
	if err := b.definitions(&j.definitions); err != nil {
		return err
	}
	if err := b.slices(j); err != nil {
		return err
	}
	second, err := b.writeEndings(j)
	if err != nil {
		return err
	}
	b.calls, b.messages = cache.Pool[[]index.Call]{}, cache.Pool[[]index.Message]{}
	b.summaries.Release()
	b.bins.Release()
	if second && b.pageIsFull() {
		if err := b.flushPage(); err != nil {
			return err
		}
	}
	return b.w.file.Flush()
}

// slices writes a group's dictionaries, models, marks and slices.
func (b *backlog) slices(j *job) error {
	if int(j.group.epoch) == len(b.root.Epochs) {
		b.root.Epochs = append(b.root.Epochs, j.group.number)
	}
	for _, l := range j.lanes {
		if err := b.dictionary(j.group.number, l); err != nil {
			return err
		}
	}
	for _, l := range j.lanes {
		if err := b.groupBlock(format.BlockModel, j.group.number, l, l.model); err != nil {
			return err
		}
	}
	for _, l := range j.lanes {
		if err := b.marks(j.group.number, l); err != nil {
			return err
		}
	}
	next := make([]int, len(j.lanes)) // of each lane's blocks
	for _, s := range j.group.slices {
		b.slice(s)
		for i, l := range j.lanes {
			if int(l.lane) >= len(s.lanes) || s.lanes[l.lane] == nil {
				continue
			}
			if err := b.sliceBlock(s.number, l.lane, l.blocks[next[i]]); err != nil {
				return err
			}
			next[i]++
		}
	}
	return nil
}

// dictionary writes the page that a group adds to a lane's dictionary, if there is one.
func (b *backlog) dictionary(group uint64, l *laneJob) error {
	if l.page == nil {
		return nil
	}
	if l.things > layout.Limits.DictionaryShapes {
		return layout.Overf("store: group %d, lane %d: shapes with %d parts: no reader takes more than %d", group, l.lane, l.things, layout.Limits.DictionaryShapes)
	}
	return b.groupBlock(format.BlockDictionary, group, l, l.page)
}

// groupBlock writes a block of a group's lane.
func (b *backlog) groupBlock(kind format.BlockKind, group uint64, l *laneJob, rest []byte) error {
	ref, err := b.w.file.Block(kind, appendGroupHead(nil, l.head, rest))
	if err != nil {
		return err
	}
	b.entry(entry(kind, 0, l.lane, group, ref))
	return nil
}

// marks writes which ends of messages of a group's lane are not simply paired in their slices, if there are any.
func (b *backlog) marks(group uint64, l *laneJob) error {
	m := slice.Marks{Group: group, Lane: l.lane}
	for _, s := range l.slices {
		if len(s.Pairs) > 0 {
			m.Slices = append(m.Slices, slice.SliceMarks{Slice: s.slice.Number, Pairs: s.Pairs})
		}
	}
	if len(m.Slices) == 0 {
		return nil
	}
	ref, err := b.w.file.Block(format.BlockMarks, m.Append(nil))
	b.entry(entry(format.BlockMarks, 0, l.lane, group, ref))
	return err
}

// sliceBlock writes a block of a slice, which waits in the log of encoded blocks.
func (b *backlog) sliceBlock(slice uint64, lane uint32, at blockio.LogBlock) error {
	block, err := b.w.logs.Take(at)
	if err != nil {
		return err
	}
	ref, err := b.w.file.Block(format.BlockSlice, block)
	if err != nil {
		return err
	}
	b.entry(entry(format.BlockSlice, 0, lane, slice, ref))
	return nil
}

// appendGroupHead makes a block of a group's lane describe itself:
//
//	uvarint  group
//	uvarint  lane
//	uvarint  epoch
//	uvarint  number of pages of the lane's dictionary in the epoch up to this group, the group's own included
func appendGroupHead(dst []byte, h layout.GroupHead, rest []byte) []byte {
	for _, n := range []uint64{h.Group, uint64(h.Lane), uint64(h.Epoch), uint64(h.Pages)} {
		dst = format.AppendUvarint(dst, n)
	}
	return append(dst, rest...)
}

// summary writes a block of summaries.
func (b *backlog) summary(s *tables.Summary) error {
	payload := s.Append(nil)
	b.bins.Summary(s.Node, s.Lane, len(payload))
	ref, err := b.w.file.Block(format.BlockSummary, payload)
	b.nodeEntry(entry(format.BlockSummary, s.Node.Level, s.Lane, s.Node.Index, ref))
	return err
}

// definitions writes the pages of a stretch of the log of definitions.
func (b *backlog) definitions(log *records.Log) error {
	for _, p := range log.Pages(b.defined) {
		ref, err := b.w.file.Compressed(format.BlockDefinitions, p.Bytes)
		if err != nil {
			return err
		}
		b.rootEntry(index.Entry{Kind: format.BlockDefinitions, Ref: ref})
		b.root.Definitions = append(b.root.Definitions, p.Contents)
	}
	b.defined += uint64(log.Len())
	return nil
}
