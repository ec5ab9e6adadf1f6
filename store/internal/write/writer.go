package write

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/write/match"
	"github.com/pandotrace/pando/store/internal/write/sums"
	"github.com/pandotrace/pando/trace"
)

// Writer turns a trace into a file, in one pass, with memory bounded by what the locations run ahead of each other.
//
// Define definitions before the events that refer to them, and locations before their own events. Append gives events of
// one location in time order; different locations may take turns in any way. A slice of the file can only be closed when
// all locations have come past its end: Advance and Finish tell the writer of locations that are silent.
// Slices are written in groups of Options.GroupSlices. Those that are written can be recovered if the program is killed (OpenRecovery).
// After an error, only Abort may be called.
//
// A Writer is not safe for concurrent use.
type Writer struct {
	ctx     context.Context // of the caller, until Abort
	stop    context.CancelFunc
	options layout.Options
	meta    *trace.Meta
	file    *blockio.BlockFile
	target  *claim.File
	err     error
	done    bool

	Definitions *trace.Definitions // their links alone
	defined     records.Log        // definitions not yet written
	roles       *pairing.Roles     // of kinds that open or close pairs
	names       *sums.RegionNames  // nil unless hashes of structure are written
	Auxiliary   auxiliaryWriter
	kinds       kindCounts

	locations  []*Location
	numbers    trace.Numbers // of the locations, by id
	unfinished unfinished
	undefined  int // locations that have events but no definition
	lanes      []*lane
	lanesOf    map[pairing.ProcessID]int
	reserved   int // locations that the last lane is meant for
	laidOut    int // locations that have lanes

	pendingEvents int
	givenEvents   int // to the slice that is taken apart
	batches       batches
	nextCheck     int
	latest        int64
	search        cutSearch

	division    index.Division
	tree        index.Tree
	nodeStart   int64 // of the node of level 1 under way
	group       *group
	ends        []ending // in the group
	epoch       uint32
	epochBegin  uint64 // its first group
	sliceCount  uint64
	sliceEnd    int64
	instant     bool // the last slice is a part of an instant
	busy        int  // lanes with events in the last slice
	Matcher     *match.Matcher
	structuring chan error // from what takes the latest slice apart; nil if nothing does
	backlog     *backlog
	packing     cache.Pool[[]byte] // scratch
	logs        blockio.Logs
	totals      index.Totals
}

// Create starts to write a file. It is written as path.part, by one writer at a time, and gets its name when Close succeeds.
// [Options.Output] says what becomes of files that are there.
func Create(ctx context.Context, path string, meta *trace.Meta, opt layout.Options) (*Writer, error) {
	t, err := claim.Create(path, opt.Output)
	if err != nil {
		return nil, err
	}
	return WriterTo(ctx, t, meta, opt)
}

// WriterTo starts to write a file that is the writer's from now on.
func WriterTo(ctx context.Context, t *claim.File, meta *trace.Meta, opt layout.Options) (*Writer, error) {
	w, err := NewWriter(ctx, t, meta, opt)
	if err != nil {
		return nil, errors.Join(err, t.Discard())
	}
	w.target = t
	return w, nil
}

// NewWriter starts to write a file to a stream. Close does not close the stream.
func NewWriter(ctx context.Context, out io.Writer, meta *trace.Meta, opt layout.Options) (*Writer, error) {
	opt, err := opt.WithDefaults()
	if err != nil {
		return nil, err
	}
	if err := layout.CheckMeta(meta); err != nil {
		return nil, err
	}
	file, err := blockio.NewBlockFile(out, opt.ID, layout.Features(meta))
	if err != nil {
		return nil, err
	}
	w := &Writer{
		options: opt, meta: meta, file: file,
		Definitions: trace.NewDefinitions(nil),
		lanesOf:     map[pairing.ProcessID]int{}, latest: math.MinInt64,
		division: opt.Division(), roles: pairing.NewRoles(meta.Table(), 0),
		batches: batches{wide: int(min(opt.Memory/wideShare, wideEvents))},
		logs:    blockio.Logs{Most: opt.Memory / blockio.LogShare, Spool: blockio.Spool{Dir: opt.TempDir}},
	}
	w.tree = w.division.Tree()
	if opt.Hashes {
		w.names = sums.NewRegionNames(w.Definitions)
	}
	w.ctx, w.stop = context.WithCancel(ctx)
	w.Matcher = match.New(match.Config{
		Definitions: w.Definitions, Totals: &w.totals.Info, Tree: w.tree, Logs: &w.logs, Memory: opt.Memory, TempDir: opt.TempDir,
	})
	w.backlog = newBacklog(w)
	w.backlog.pace = layout.NewPace(meta, &w.options)
	ref, err := file.Compressed(format.BlockMeta, w.appendMeta(nil))
	w.backlog.rootEntry(index.Entry{Kind: format.BlockMeta, Ref: ref})
	if err == nil {
		err = file.Flush() // who follows the file learns what is being written
	}
	return w, err
}

// appendMeta appends the meta block. It says how slices are divided if who reads the file while it grows would not guess it.
func (w *Writer) appendMeta(dst []byte) []byte {
	dst = records.AppendMeta(dst, w.meta)
	if w.division.GroupSlices != w.division.Fanout {
		dst = index.AppendDivision(dst, &w.division)
	}
	return dst
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
		return layout.ErrClosed
	}
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err
}

// Define appends definitions to the trace's log.
func (w *Writer) Define(defs ...trace.Record) error {
	if err := w.define(defs); err != nil {
		return err
	}
	return w.endDefinitions()
}

// define appends definitions that may be followed by more of the same block.
func (w *Writer) define(defs []trace.Record) error {
	if err := w.check(); err != nil || len(defs) == 0 {
		return err
	}
	if err := w.Settle(); err != nil {
		return w.fail(err)
	}
	for i := range defs {
		spec := w.meta.Table().Spec(defs[i].Kind)
		if spec == nil {
			return w.fail(layout.Invalidf("store: definition of unknown kind %d", uint16(defs[i].Kind)))
		}
		if _, ok := spec.Count(defs[i].Words); !ok {
			return w.fail(layout.Invalidf("store: %d words do not make a %s", len(defs[i].Words), spec.Name))
		}
		w.defined.Add(spec, &defs[i])
		w.kinds.add(defs[i].Kind, 1)
		if w.defined.Len() == records.PageRecords || w.defined.Bytes() >= mostDefinitionBytes {
			if err := w.flushDefinitions(); err != nil {
				return w.fail(err)
			}
		}
	}
	return w.linked(defs)
}

// linked notes what definitions say of locations.
func (w *Writer) linked(defs []trace.Record) error {
	w.Definitions.AddLinks(defs)
	if w.names != nil {
		w.names.Define(defs)
	}
	w.totals.Definitions += uint64(len(defs))
	for _, l := range w.Definitions.Locations[len(w.locations)-w.undefined:] {
		if w.Has(l.ID) {
			return w.fail(layout.Invalidf("store: location %d is defined after its first event", l.ID))
		}
		w.addLocation(l.ID)
	}
	return nil
}

// endDefinitions writes blocks of definitions if there are enough.
func (w *Writer) endDefinitions() error {
	if w.defined.Bytes() < definitionBytes {
		return nil
	}
	return w.Keep(w.flushDefinitions())
}

// Memory of definitions at which they are written: when no more are at hand, and in any case, since readers refuse blocks that are too
// large.
const (
	definitionBytes     = 1 << 22
	mostDefinitionBytes = 1 << 26
)

func (w *Writer) flushDefinitions() error {
	if err := w.backlog.wait(); err != nil {
		return err
	}
	err := w.backlog.definitions(&w.defined)
	w.defined = records.Log{}
	return err
}

func (w *Writer) addLocation(id uint64) *Location {
	if len(w.locations) == layout.Limits.Locations {
		_ = w.fail(layout.Overf("store: more than %d locations", layout.Limits.Locations)) // the next call returns it
	}
	l := newLocation(id, uint32(len(w.locations)))
	w.locations = append(w.locations, l)
	w.numbers.Add(id)
	w.unfinished.add(covering{l.covered, l.Index})
	w.batches.share(len(w.locations))
	return l
}

// Location returns the location of an id. One that is not defined is taken as it comes.
func (w *Writer) Location(id uint64) *Location {
	if n, ok := w.numbers.Of(id); ok {
		return w.locations[n]
	}
	if err := w.Settle(); err != nil {
		_ = w.fail(err) // the next call returns it
	}
	w.undefined++
	return w.addLocation(id)
}

// Has reports whether there is a location of an id.
func (w *Writer) Has(id uint64) bool {
	_, ok := w.numbers.Of(id)
	return ok
}

// Append adds events of one location, in time order. The batch is not kept.
func (w *Writer) Append(b *trace.Batch) error {
	if err := w.check(); err != nil {
		return err
	}
	if b.Len() == 0 {
		return nil
	}
	l := w.Location(b.Location)
	if err := w.accepts(l, b); err != nil {
		return err
	}
	l.Pending.copy(b, &w.batches, w.meta.Table())
	return w.added(l, b)
}

// adopt adds some events of a location. The batch is the writer's from now on.
func (w *Writer) adopt(l *Location, b *trace.Batch) error {
	if err := w.accepts(l, b); err != nil {
		return err
	}
	if b.Len() >= w.batches.size/2 {
		l.Pending.adopt(b)
	} else {
		l.Pending.copy(b, &w.batches, w.meta.Table())
		w.batches.put(b)
	}
	return w.added(l, b)
}

// accepts checks events of a location.
func (w *Writer) accepts(l *Location, b *trace.Batch) error {
	if err := b.Check(w.meta.Table()); err != nil {
		return w.fail(layout.Invalidf("store: %w", err))
	}
	return w.Keep(w.checkTimes(l, b))
}

// added says that events of a location are pending now.
func (w *Writer) added(l *Location, b *trace.Batch) error {
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

// eventBytes is about the memory of an event that was read. While the pending events and those of the slice being taken apart take more than
// a readShare-th of the budget, no more are read.
const (
	eventBytes = 32
	readShare  = 10
)

func (w *Writer) checkTimes(l *Location, b *trace.Batch) error {
	if l.finished {
		return layout.Invalidf("store: events of location %d after it was finished", l.ID)
	}
	if t := b.Times[0]; w.sliceCount > 0 && t < w.sliceEnd && !(w.instant && t == w.sliceEnd-1) {
		return layout.Invalidf("store: location %d: an event at %d comes after all up to %d was written", l.ID, t, w.sliceEnd)
	}
	before := l.covered
	for i, t := range b.Times {
		if t < before {
			if err := w.Settle(); err != nil {
				return err
			}
			return layout.Invalidf("store: location %d: time runs backwards from %d to %d at event %d",
				l.ID, before, t, l.Events+uint64(l.Pending.Events+i))
		}
		before = t
	}
	if b.Times[0] < -layout.MaxTime || before > layout.MaxTime {
		return layout.Invalidf("store: location %d: times from %d to %d are further than 2^61 ticks from the epoch",
			l.ID, b.Times[0], before)
	}
	return nil
}

// Advance says that a location will have no event before time t.
func (w *Writer) Advance(location uint64, t int64) error {
	if err := w.check(); err != nil {
		return err
	}
	return w.advance(w.Location(location), t)
}

func (w *Writer) advance(l *Location, t int64) error {
	holder := w.first() == l
	if t > l.covered && w.unfinished.has(l.Index) {
		l.covered = t
		w.unfinished.advance(covering{t, l.Index})
	}
	if !holder && w.pendingEvents < w.nextCheck*4 {
		return nil // the cut waits for another location
	}
	return w.Keep(w.cut())
}

// Finish says that a location will have no more events.
func (w *Writer) Finish(location uint64) error {
	if err := w.check(); err != nil {
		return err
	}
	return w.end(w.Location(location))
}

func (w *Writer) end(l *Location) error {
	if l.finished {
		return nil
	}
	l.finished = true
	l.Pending.release()
	w.unfinished.remove(l.Index)
	return w.Keep(w.cut())
}

// first returns the location that holds the cut back, nil if all are finished.
func (w *Writer) first() *Location {
	if w.unfinished.len() == 0 {
		return nil
	}
	return w.locations[w.unfinished.heap[0].location]
}

// Keep is fail for errors that may be nil.
func (w *Writer) Keep(err error) error {
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
		return w.fail(layout.Invalidf("store: events go through Append"))
	}
	if err := b.Check(w.meta.Table()); err != nil {
		return w.fail(layout.Invalidf("store: %w", err))
	}
	if err := w.Settle(); err != nil {
		return w.fail(err)
	}
	for _, k := range b.Kinds {
		w.kinds.add(k, 1)
	}
	return w.Keep(w.Auxiliary.add(id, b, w.backlog))
}

// Close writes what is left, the directory and the footer. Locations that were not finished end here.
func (w *Writer) Close() error {
	if err := w.check(); err != nil {
		return err
	}
	if err := w.Keep(w.finish()); err != nil {
		return err
	}
	w.done = true
	w.stop()
	if w.target != nil {
		return w.target.Commit()
	}
	return nil
}

func (w *Writer) finish() error {
	if err := errors.Join(w.drain(), w.Settle()); err != nil {
		return err
	}
	w.closeOpenCalls()
	if w.sliceCount > 0 {
		w.Matcher.CloseOpenPairs(w.latest, w.sliceCount-1, func(l uint32) uint64 { return w.locations[l].Events })
	}
	w.Matcher.Finish()
	if err := w.Matcher.Failure(); err != nil {
		return err
	}
	if err := w.sealLast(); err != nil {
		return err
	}
	if err := w.backlog.wait(); err != nil {
		return err
	}
	for _, l := range w.lanes {
		l.totals, l.bins = sums.Tally{}, sums.Bins{} // large, where there are many regions
	}
	return errors.Join(w.backlog.finish(), w.Matcher.Close(), w.logs.Spool.Close())
}

// Abort gives up and deletes what was written. It may follow an error, and does nothing after Close.
func (w *Writer) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	w.stop()
	_ = w.Settle() // errors are not news: the file goes away
	_ = w.backlog.wait()
	if w.group != nil {
		_ = w.group.spool.Close()
	}
	_ = w.Matcher.Close()
	_ = w.logs.Spool.Close()
	if w.target != nil {
		return w.target.Discard()
	}
	return nil
}
