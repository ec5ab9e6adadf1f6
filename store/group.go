package store

import (
	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// sliceData is a slice on its way into the file.
type sliceData struct {
	number     uint64
	start, end int64
	events     uint64
	lanes      []*laneSlice // nil for lanes without events
}

// group is the slices of one node of level 1: they share statistics and are written together.
type group struct {
	number uint64
	epoch  uint32
	slices []*sliceData
}

// newGroup starts the next group, and an epoch when it is time: dictionaries begin anew.
func (w *Writer) newGroup() *group {
	number := w.sliceCount / w.tree.Fanout
	groups := uint64(w.options.epochGroups())
	if number%groups == 0 {
		for _, l := range w.lanes {
			l.dictionary, l.written, l.ranksWritten = encode.NewDictionary(w.meta.Table()), 0, 0
		}
	}
	return &group{number: number, epoch: uint32(number / groups)}
}

// spanning collects the items of the tree's nodes until the nodes are written.
type spanning struct {
	calls    []map[uint32][]index.Call // by level, then lane
	messages [][]index.Message         // by level
}

func (s *spanning) level(n int) {
	for len(s.calls) <= n {
		s.calls = append(s.calls, map[uint32][]index.Call{})
		s.messages = append(s.messages, nil)
	}
}

// addCalls moves a lane's spanning calls to the smallest nodes that contain them. Their ends lie in the current slice,
// so that these nodes are yet to be written.
func (s *spanning) addCalls(tree index.Tree, l *lane) {
	for i := range l.spanned {
		c := &l.spanned[i]
		level, _ := tree.Smallest(c.StartSlice, c.EndSlice)
		s.level(level)
		s.calls[level][l.number] = append(s.calls[level][l.number], *c)
	}
	l.spanned = l.spanned[:0]
}

// addMessage puts a message into the smallest node that contains it and is not yet written: that contains the current
// slice too.
func (s *spanning) addMessage(tree index.Tree, m *index.Message, current uint64) {
	level, _ := tree.Smallest(min(m.Send.Slice, m.Receive.Slice), max(m.Send.Slice, m.Receive.Slice, current))
	s.level(level)
	s.messages[level] = append(s.messages[level], *m)
}

// nodeItems are the spanning items of a node that is complete.
type nodeItems struct {
	node     index.Node
	calls    map[uint32][]index.Call
	messages []index.Message
}

func (s *spanning) take(n index.Node) nodeItems {
	s.level(n.Level)
	items := nodeItems{node: n, calls: s.calls[n.Level], messages: s.messages[n.Level]}
	s.calls[n.Level], s.messages[n.Level] = map[uint32][]index.Call{}, nil
	return items
}

// laneJob is one lane's part of a group, ready to be encoded.
type laneJob struct {
	lane    uint32
	page    []byte // new shapes
	columns int
	slices  []*laneSlice
	stats   *encode.Statistics
	blocks  [][]byte
}

// job is a group that is complete, with the nodes that it completes, ready to be encoded and written.
type job struct {
	group       *group
	definitions []byte
	lanes       []*laneJob
	nodes       []nodeItems
}

// sealGroup hands the complete group over: to be encoded while the next one is taken apart. It waits until the next
// slice begins, so that at the trace's end no node is closed to what is found then.
func (w *Writer) sealGroup() error {
	j := w.newJob()
	for level := 1; ; level++ {
		j.nodes = append(j.nodes, w.spanning.take(index.Node{Level: level, Index: w.tree.Ancestor(w.sliceCount-1, level)}))
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
	j := w.newJob()
	for level := 1; level <= w.tree.Levels(w.sliceCount); level++ {
		j.nodes = append(j.nodes, w.spanning.take(index.Node{Level: level, Index: w.tree.Ancestor(w.sliceCount-1, level)}))
	}
	return w.backlog.push(j)
}

// newJob takes the current group, with the definitions and shapes that it needs.
func (w *Writer) newJob() *job {
	j := &job{group: w.group, definitions: w.defined}
	w.defined = nil
	w.matcher.seal(j.group)
	w.group = nil
	for _, l := range w.lanes {
		lj := &laneJob{lane: l.number, columns: l.dictionary.Columns()}
		for _, s := range j.group.slices {
			if int(l.number) < len(s.lanes) && s.lanes[l.number] != nil {
				lj.slices = append(lj.slices, s.lanes[l.number])
			}
		}
		if len(lj.slices) == 0 {
			continue
		}
		if l.dictionary.Len() > l.written || l.dictionary.Ranks() > l.ranksWritten {
			lj.page = l.dictionary.AppendPage(nil, l.written, l.ranksWritten)
			l.written, l.ranksWritten = l.dictionary.Len(), l.dictionary.Ranks()
		}
		j.lanes = append(j.lanes, lj)
	}
	return j
}

// entry makes a directory entry.
func entry(kind format.BlockKind, level int, lane uint32, number uint64, ref format.Ref) index.Entry {
	return index.Entry{Kind: kind, Level: uint8(level), Lane: lane, Number: number, Ref: ref}
}
