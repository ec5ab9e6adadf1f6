package write

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
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

// group is slices that share statistics and are written together.
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
	number := w.division.GroupOf(w.sliceCount)
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

// job is a group that is complete, with the nodes that end in it, ready to be encoded and written.
type job struct {
	group       *group
	definitions records.Log
	lanes       []*laneJob
	ends        []ending
}

// seal closes the nodes and the group that end before the next slice. It waits until that begins, at a time, so that at the trace's end no node
// is closed to what is found then. A group is encoded while the next one is taken apart.
func (w *Writer) seal(next int64) error {
	levels, group := w.division.Ending(w.sliceCount), w.group != nil && len(w.group.slices) == w.options.GroupSlices
	if levels == 0 && !group {
		return nil
	}
	if err := w.Matcher.Wait(); err != nil {
		return err
	}
	w.Matcher.Seal()
	if levels > 0 {
		w.endNodes(levels, next)
	}
	if group {
		return w.backlog.push(w.newJob())
	}
	return nil
}

// sealLast hands over what is left, with all nodes up to the root.
func (w *Writer) sealLast() error {
	if w.group == nil {
		return nil
	}
	w.Matcher.Seal()
	w.endNodes(w.tree.Levels(w.sliceCount), w.latest)
	return w.backlog.push(w.newJob())
}

// newJob takes the current group, with the definitions and shapes that it needs.
func (w *Writer) newJob() *job {
	j := &job{group: w.group, definitions: w.defined, ends: w.ends}
	w.defined, w.group, w.ends = records.Log{}, nil, nil
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
