package write

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write/match"
)

// sliceData is a slice on its way into the file.
type sliceData struct {
	number     uint64
	start, end int64
	events     uint64
	lanes      []*laneSlice // nil for lanes without events
	ends       match.Slice
	has        []posted
}

// group is the slices of one node of level 1: they share statistics and are written together.
type group struct {
	number uint64
	epoch  uint32
	slices []*sliceData

	stowing        sync.Mutex // of what follows
	drafts, packed int64      // bytes that its events take in memory: as they are, and packed
	spool          *blockio.Spool
}

// newGroup starts the next group, and an epoch when it is time: dictionaries begin anew.
func (w *Writer) newGroup() *group {
	number := w.sliceCount / w.tree.Fanout
	if number > 0 && w.epochIsFull(number) {
		w.epoch++
		w.epochBegin = number
		for _, l := range w.lanes {
			l.newDictionary(w.meta.Table())
		}
	}
	return &group{number: number, epoch: w.epoch}
}

// epochIsFull reports whether a group must not belong to the current epoch: that has enough groups, or a dictionary is
// large.
func (w *Writer) epochIsFull(group uint64) bool {
	if group-w.epochBegin >= uint64(w.options.EpochGroups()) {
		return true
	}
	return slices.ContainsFunc(w.lanes, func(l *lane) bool { return l.pages.Bytes() >= w.options.EpochBytes })
}

// job is a group that is complete, with the nodes that it completes, ready to be encoded and written.
type job struct {
	group       *group
	definitions records.Log
	lanes       []*laneJob
	nodes       []nodeItems
	bins        []*tables.BinSum    // by lane, nil for those that are newer than the group
	names       []laneNames         // by lane
	hashes      [][]index.ChildHash // by lane; nil if none are written
}

// sealGroup hands the complete group over: to be encoded while the next one is taken apart. It waits until the next
// slice begins, at `end`, so that at the trace's end no node is closed to what is found then.
func (w *Writer) sealGroup(end int64) error {
	if err := w.Matcher.Wait(); err != nil {
		return err
	}
	j := w.newJob(end)
	for level := 1; ; level++ {
		j.nodes = append(j.nodes, w.takeNode(index.Node{Level: level, Index: w.tree.Ancestor(w.sliceCount-1, level)}))
		if w.sliceCount%w.tree.Width(level+1) != 0 {
			break
		}
	}
	return w.backlog.push(j)
}

// sealLast hands over what is left, with all nodes up to the root.
func (w *Writer) sealLast() error {
	if w.group == nil {
		return nil
	}
	j := w.newJob(w.latest)
	for level := 1; level <= w.tree.Levels(w.sliceCount); level++ {
		j.nodes = append(j.nodes, w.takeNode(index.Node{Level: level, Index: w.tree.Ancestor(w.sliceCount-1, level)}))
	}
	return w.backlog.push(j)
}

// newJob takes the current group, whose time goes up to end, with the definitions and shapes that it needs.
func (w *Writer) newJob(end int64) *job {
	w.creditAll(end)
	j := &job{group: w.group, definitions: w.defined}
	j.bins, j.names = w.takeBins(end)
	j.hashes = w.takeHashes()
	w.defined = records.Log{}
	w.Matcher.Seal()
	w.group = nil
	for _, l := range w.lanes {
		lj := &laneJob{lane: l.number, columns: l.dictionary.Columns(), infos: l.dictionary.ColumnInfos(), leaves: l.dictionary.LeafTable()}
		for _, s := range j.group.slices {
			if int(l.number) < len(s.lanes) && s.lanes[l.number] != nil {
				lj.slices = append(lj.slices, s.lanes[l.number])
			}
		}
		if len(lj.slices) == 0 {
			continue
		}
		lj.page = l.pages.Append(nil)
		lj.things = l.pages.Things()
		lj.head = layout.GroupHead{Group: j.group.number, Lane: l.number, Epoch: j.group.epoch, Pages: uint32(l.pages.Pages())}
		j.lanes = append(j.lanes, lj)
	}
	return j
}

// entry makes a directory entry.
func entry(kind format.BlockKind, level int, lane uint32, number uint64, ref format.Ref) index.Entry {
	return index.Entry{Kind: kind, Level: uint8(level), Lane: lane, Number: number, Ref: ref}
}
