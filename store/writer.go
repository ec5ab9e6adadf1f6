package store

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// MaxTime bounds times: those of events lie in [-MaxTime, MaxTime], in ticks relative to the epoch.
const MaxTime = 1 << 61

// Writer turns a trace into a file, in one pass, with memory bounded by what the locations run ahead of each other.
//
// Define definitions before the events that refer to them, and locations before their own events. Append gives events of
// one location in time order; different locations may take turns in any way. A slice of the file can only be closed when
// all locations have come past its end: Advance and Finish tell the writer of locations that are silent.
// Slices are written in groups of Options.Fanout. Those that are written can be recovered if the program is killed (OpenSalvage).
// After an error the writer is of no more use than to be aborted.
//
// A Writer is not safe for concurrent use.
type Writer struct {
	options Options
	meta    *trace.Meta
	file    *blockFile
	target  *target
	err     error
	done    bool

	definitions *trace.Definitions
	defined     []byte // definitions not yet written
	auxiliary   auxiliaryWriter
	kinds       kindCounts

	locations  []*location
	byID       map[uint64]*location
	unfinished unfinished
	undefined  int // locations that have events but no definition
	lanes      []*lane
	lanesOf    map[processID]int
	reserved   int // locations that the last lane is meant for
	laidOut    int // locations that have lanes

	pendingEvents int
	givenEvents   int // to the slice that is taken apart
	batches       batches
	nextCheck     int
	latest        int64
	search        cutSearch

	tree        index.Tree
	group       *group
	epoch       uint32
	epochBegin  uint64 // its first group
	sliceCount  uint64
	sliceEnd    int64
	instant     bool // the last slice is a part of an instant
	busy        int  // lanes with events in the last slice
	matcher     *matcher
	structuring chan error // from what takes the latest slice apart; nil if nothing does
	backlog     *backlog
	packing     pool[[]byte] // scratch
	logs        logs
	totals      Info
}

// Create starts to write a file. It is written as path.part and gets its name when Close succeeds.
func Create(path string, meta *trace.Meta, opt Options) (*Writer, error) {
	return createAs(systemFiles{}, path, partSuffix, meta, opt)
}

func createAs(files fileSystem, path, suffix string, meta *trace.Meta, opt Options) (*Writer, error) {
	t, err := createTarget(files, path, suffix)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(t, meta, opt)
	if err != nil {
		return nil, errors.Join(err, t.remove())
	}
	w.target = t
	return w, nil
}

// NewWriter starts to write a file to a stream. Close does not close the stream.
func NewWriter(out io.Writer, meta *trace.Meta, opt Options) (*Writer, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	file, err := newBlockFile(out, opt.ID)
	if err != nil {
		return nil, err
	}
	w := &Writer{
		options: opt, meta: meta, file: file,
		definitions: trace.NewDefinitions(nil),
		byID:        map[uint64]*location{}, lanesOf: map[processID]int{}, latest: math.MinInt64,
		tree: index.Tree{Fanout: uint64(opt.Fanout)},
		logs: logs{most: opt.Memory / logShare, spool: spool{dir: opt.TempDir}},
	}
	w.matcher = newMatcher(w)
	w.backlog = newBacklog(w)
	ref, err := file.compressed(format.BlockMeta, encode.AppendMeta(nil, meta))
	w.backlog.rootEntry(index.Entry{Kind: format.BlockMeta, Ref: ref})
	return w, err
}

// fail keeps the first error; every later call returns it.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return w.err
}

func (w *Writer) check() error {
	if w.err == nil && w.done {
		return errors.New("store: the writer is closed")
	}
	return w.err
}

// Define appends definitions to the trace's log.
func (w *Writer) Define(defs ...trace.Record) error {
	if err := w.check(); err != nil || len(defs) == 0 {
		return err
	}
	if err := w.settle(); err != nil {
		return w.fail(err)
	}
	for i := range defs {
		spec := w.meta.Table().Spec(defs[i].Kind)
		if spec == nil {
			return w.fail(fmt.Errorf("store: definition of unknown kind %d", uint16(defs[i].Kind)))
		}
		if _, ok := spec.Count(defs[i].Words); !ok {
			return w.fail(fmt.Errorf("store: %d words do not make a %s", len(defs[i].Words), spec.Name))
		}
		w.defined = encode.AppendRecord(w.defined, &defs[i])
		w.kinds.add(defs[i].Kind, 1)
	}
	if len(w.defined) >= definitionBytes {
		if err := w.flushDefinitions(); err != nil {
			return w.fail(err)
		}
	}
	w.definitions.Add(defs)
	w.totals.Definitions += uint64(len(defs))
	for _, l := range w.definitions.Locations[len(w.locations)-w.undefined:] {
		if w.byID[l.ID] != nil {
			return w.fail(fmt.Errorf("store: location %d is defined after its first event", l.ID))
		}
		w.addLocation(l.ID)
	}
	return nil
}

// definitionBytes is the size at which a block of definitions is written, before compression.
const definitionBytes = 1 << 20

func (w *Writer) flushDefinitions() error {
	if err := w.backlog.wait(); err != nil {
		return err
	}
	err := w.backlog.definitions(w.defined)
	w.defined = nil
	return err
}

func (w *Writer) addLocation(id uint64) *location {
	if len(w.locations) == limits.Locations {
		_ = w.fail(fmt.Errorf("store: more than %d locations", limits.Locations)) // the next call returns it
	}
	l := newLocation(id, uint32(len(w.locations)))
	w.locations = append(w.locations, l)
	w.byID[id] = l
	w.unfinished.add(covering{l.covered, l.index})
	w.batches.share(len(w.locations))
	return l
}

// location returns the location of an id. One that is not defined is taken as it comes.
func (w *Writer) location(id uint64) *location {
	l := w.byID[id]
	if l == nil {
		if err := w.settle(); err != nil {
			_ = w.fail(err) // the next call returns it
		}
		l = w.addLocation(id)
		w.undefined++
	}
	return l
}

// Append adds events of one location, in time order. The batch is not kept.
func (w *Writer) Append(b *trace.Batch) error {
	if err := w.check(); err != nil {
		return err
	}
	if b.Len() == 0 {
		return nil
	}
	l := w.location(b.Location)
	if err := w.accepts(l, b); err != nil {
		return err
	}
	l.pending.copy(b, &w.batches, w.meta.Table())
	return w.added(l, b)
}

// adopt adds some events of a location. The batch is the writer's from now on.
func (w *Writer) adopt(l *location, b *trace.Batch) error {
	if err := w.accepts(l, b); err != nil {
		return err
	}
	if b.Len() >= w.batches.size/2 {
		l.pending.adopt(b)
	} else {
		l.pending.copy(b, &w.batches, w.meta.Table())
		w.batches.put(b)
	}
	return w.added(l, b)
}

// accepts checks events of a location.
func (w *Writer) accepts(l *location, b *trace.Batch) error {
	if err := b.Check(w.meta.Table()); err != nil {
		return w.fail(fmt.Errorf("store: %w", err))
	}
	return w.keep(w.checkTimes(l, b))
}

// added says that events of a location are pending now.
func (w *Writer) added(l *location, b *trace.Batch) error {
	w.pendingEvents += b.Len()
	last := b.Times[b.Len()-1]
	w.latest = max(w.latest, last)
	if w.structuring != nil && int64(w.pendingEvents+w.givenEvents)*eventBytes > w.options.Memory/readShare {
		if err := w.structured(); err != nil {
			return w.fail(err)
		}
	}
	return w.advance(l, last)
}

// Events that were read take about so many bytes in memory. Where those that wait and those of the slice that is taken apart take more
// than such a part of what a writer may have, no more are read meanwhile.
const (
	eventBytes = 32
	readShare  = 10
)

func (w *Writer) checkTimes(l *location, b *trace.Batch) error {
	if l.finished {
		return fmt.Errorf("store: events of location %d after it was finished", l.id)
	}
	if t := b.Times[0]; w.sliceCount > 0 && t < w.sliceEnd && !(w.instant && t == w.sliceEnd-1) {
		return fmt.Errorf("store: location %d: an event at %d comes after all up to %d was written", l.id, t, w.sliceEnd)
	}
	before := l.covered
	for i, t := range b.Times {
		if t < before {
			if err := w.settle(); err != nil {
				return err
			}
			return fmt.Errorf("store: location %d: time runs backwards from %d to %d at event %d",
				l.id, before, t, l.events+uint64(l.pending.events+i))
		}
		before = t
	}
	if b.Times[0] < -MaxTime || before > MaxTime {
		return fmt.Errorf("store: location %d: times from %d to %d are further than 2^61 ticks from the epoch",
			l.id, b.Times[0], before)
	}
	return nil
}

// Advance says that a location will have no event before time t.
func (w *Writer) Advance(location uint64, t int64) error {
	if err := w.check(); err != nil {
		return err
	}
	return w.advance(w.location(location), t)
}

func (w *Writer) advance(l *location, t int64) error {
	holder := w.first() == l
	if t > l.covered && w.unfinished.has(l.index) {
		l.covered = t
		w.unfinished.advance(covering{t, l.index})
	}
	if !holder && w.pendingEvents < w.nextCheck*4 {
		return nil // the cut waits for another location
	}
	return w.keep(w.cut())
}

// Finish says that a location will have no more events.
func (w *Writer) Finish(location uint64) error {
	if err := w.check(); err != nil {
		return err
	}
	return w.end(w.location(location))
}

func (w *Writer) end(l *location) error {
	if l.finished {
		return nil
	}
	l.finished = true
	w.unfinished.remove(l.index)
	return w.keep(w.cut())
}

// first returns the location that holds the cut back, nil if all are finished.
func (w *Writer) first() *location {
	if w.unfinished.len() == 0 {
		return nil
	}
	return w.locations[w.unfinished.heap[0].location]
}

// keep is fail for errors that may be nil.
func (w *Writer) keep(err error) error {
	if err != nil {
		return w.fail(err)
	}
	return nil
}

// AppendAux adds records to an auxiliary stream. They are carried, not indexed.
func (w *Writer) AppendAux(id trace.StreamID, b *trace.Batch) error {
	if err := w.check(); err != nil {
		return err
	}
	if id.Class == trace.StreamEvents {
		return w.fail(errors.New("store: events go through Append"))
	}
	if err := b.Check(w.meta.Table()); err != nil {
		return w.fail(fmt.Errorf("store: %w", err))
	}
	if err := w.settle(); err != nil {
		return w.fail(err)
	}
	for _, k := range b.Kinds {
		w.kinds.add(k, 1)
	}
	return w.keep(w.auxiliary.add(id, b, w.backlog))
}

// Close writes what is left, the directory and the footer. Locations that were not finished end here.
func (w *Writer) Close() error {
	if err := w.check(); err != nil {
		return err
	}
	if err := w.keep(w.finish()); err != nil {
		return err
	}
	w.done = true
	if w.target != nil {
		return w.target.commit()
	}
	return nil
}

func (w *Writer) finish() error {
	if err := errors.Join(w.drain(), w.settle()); err != nil {
		return err
	}
	w.closeOpenCalls()
	w.matcher.finish()
	if err := w.matcher.failure(); err != nil {
		return err
	}
	if err := w.sealLast(); err != nil {
		return err
	}
	if err := w.backlog.wait(); err != nil {
		return err
	}
	return errors.Join(w.backlog.finish(), w.matcher.close(), w.logs.spool.close())
}

// Abort gives up and deletes what was written. It may follow an error, and does nothing after Close.
func (w *Writer) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	_ = w.settle() // errors are not news: the file goes away
	_ = w.backlog.wait()
	if w.group != nil {
		_ = w.group.spool.close()
	}
	_ = w.matcher.close()
	_ = w.logs.spool.close()
	if w.target != nil {
		return w.target.remove()
	}
	return nil
}
