package store

import (
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// backlog encodes and writes groups behind the writer's back, one at a time, and keeps the directory. While a job is
// under way, the file and the directory are its own; push and wait hand them back.
type backlog struct {
	w       *Writer
	running *job
	result  chan error
	err     error
	free    []*laneSlice // for reuse

	page   index.Page
	root   index.Root
	counts struct{ nodes, epochs uint64 }
}

func newBacklog(w *Writer) *backlog {
	return &backlog{
		w: w, result: make(chan error, 1),
		root: index.Root{Fanout: w.tree.Fanout, EpochGroups: uint64(w.options.epochGroups())},
	}
}

func (b *backlog) laneSlice() *laneSlice {
	if n := len(b.free); n > 0 {
		ls := b.free[n-1]
		b.free = b.free[:n-1]
		return ls
	}
	return &laneSlice{}
}

// push waits for the job before and starts this one.
func (b *backlog) push(j *job) error {
	if err := b.wait(); err != nil {
		return err
	}
	b.running = j
	go func() { b.result <- b.run(j) }()
	return nil
}

// wait waits for the job under way and returns the first error of all jobs.
func (b *backlog) wait() error {
	if b.running == nil {
		return b.err
	}
	err := <-b.result
	if b.err == nil {
		b.err = err
	}
	for _, l := range b.running.lanes {
		b.free = append(b.free, l.slices...)
	}
	b.running = nil
	return b.err
}

func (b *backlog) run(j *job) error {
	b.encode(j)
	if err := b.definitions(j.definitions); err != nil {
		return err
	}
	if err := b.slices(j); err != nil {
		return err
	}
	for i := range j.nodes {
		if err := b.node(&j.nodes[i]); err != nil {
			return err
		}
	}
	if len(j.nodes) > 1 && b.pageIsFull() {
		return b.flushPage()
	}
	return nil
}

// encode fits the statistics of all lanes, and then encodes all slices, on all processors.
func (b *backlog) encode(j *job) {
	var fit, code errgroup.Group
	fit.SetLimit(b.w.options.Workers)
	code.SetLimit(b.w.options.Workers)
	for _, l := range j.lanes {
		fit.Go(func() error { l.fit(); return nil })
	}
	_ = fit.Wait() // they cannot fail
	for _, l := range j.lanes {
		l.blocks = make([][]byte, len(l.slices))
		for i := range l.slices {
			code.Go(func() error {
				l.blocks[i] = encode.AppendSlice(nil, &l.slices[i].slice, l.stats)
				return nil
			})
		}
	}
	_ = code.Wait()
}

func (l *laneJob) fit() {
	group := make([]*encode.Slice, len(l.slices))
	for i := range l.slices {
		group[i] = &l.slices[i].slice
	}
	counters := encode.FitCounters(group)
	s := encode.NewStatisticsBuilder(l.columns, encode.FitPairs(group, l.columns))
	for _, slice := range group {
		s.Add(slice)
	}
	l.stats = s.Build()
	l.stats.Periods, l.stats.Counters = l.periods(), counters
}

// slices writes a group's dictionaries, models and slices.
func (b *backlog) slices(j *job) error {
	if j.group.number%b.root.EpochGroups == 0 {
		b.counts.epochs++
	}
	number := j.group.number
	for _, l := range j.lanes {
		if l.page == nil {
			continue
		}
		ref, err := b.w.file.compressed(format.BlockDictionary, appendGroupHead(nil, number, l.lane, l.page))
		if err != nil {
			return err
		}
		b.entry(entry(format.BlockDictionary, 0, l.lane, number, ref))
	}
	for _, l := range j.lanes {
		ref, err := b.w.file.block(format.BlockModel, appendGroupHead(nil, number, l.lane, l.stats.Append(nil)))
		if err != nil {
			return err
		}
		b.entry(entry(format.BlockModel, 0, l.lane, number, ref))
	}
	next := make([]int, len(j.lanes))
	for _, s := range j.group.slices {
		b.slice(s)
		for i, l := range j.lanes {
			if int(l.lane) >= len(s.lanes) || s.lanes[l.lane] == nil {
				continue
			}
			ref, err := b.w.file.block(format.BlockSlice, l.blocks[next[i]])
			if err != nil {
				return err
			}
			next[i]++
			b.entry(entry(format.BlockSlice, 0, l.lane, s.number, ref))
		}
	}
	return nil
}

// appendGroupHead makes a block of a group's lane describe itself:
//
//	uvarint  group
//	uvarint  lane
//	rest     page of a dictionary, or statistics
func appendGroupHead(dst []byte, group uint64, lane uint32, rest []byte) []byte {
	dst = format.AppendUvarint(dst, group)
	dst = format.AppendUvarint(dst, uint64(lane))
	return append(dst, rest...)
}

func readGroupHead(b []byte) (group uint64, lane uint32, rest []byte, err error) {
	r := format.NewDecoder("group block", b)
	group, lane = r.Uvarint(), uint32(r.Int(1<<32))
	return group, lane, r.Take(r.Len()), r.Err()
}

// node writes the spanning items of a node.
func (b *backlog) node(n *nodeItems) error {
	b.counts.nodes++
	for _, lane := range slices.Sorted(maps.Keys(n.calls)) {
		calls := n.calls[lane]
		ref, err := b.w.file.compressed(format.BlockCalls, b.w.tree.AppendCalls(nil, n.node, lane, calls))
		if err != nil {
			return err
		}
		b.nodeEntry(entry(format.BlockCalls, n.node.Level, lane, n.node.Index, ref))
	}
	if len(n.messages) == 0 {
		return nil
	}
	ref, err := b.w.file.compressed(format.BlockMessages, b.w.tree.AppendMessages(nil, n.node, n.messages))
	if err != nil {
		return err
	}
	b.nodeEntry(entry(format.BlockMessages, n.node.Level, 0, n.node.Index, ref))
	return nil
}

// definitions writes records of the log of definitions.
func (b *backlog) definitions(records []byte) error {
	if len(records) == 0 {
		return nil
	}
	ref, err := b.w.file.compressed(format.BlockDefinitions, records)
	b.rootEntry(index.Entry{Kind: format.BlockDefinitions, Ref: ref})
	return err
}
