package write

import (
	"cmp"
	"errors"
	"io"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/trace"
)

// newOutput starts the file of a stream.
func (w *archiveWriter) newOutput(path string, g *form.Grammar, chunk uint64) *Output {
	o := &Output{Path: path, Sink: fileSink(path), Grammar: g, Chunk: int64(chunk), Want: w.window, Dropped: &w.dropped, Foreign: !w.native,
		Encoder: Encoder{big: w.anchor.Big, Epoch: w.src.Meta().Epoch}}
	o.Begin()
	return o
}

// outputOf starts the file of a stream.
func (w *archiveWriter) outputOf(id trace.StreamID) *Output {
	g, chunk := w.anchor.FormOf(id.Class)
	return w.newOutput(form.PathOf(w.stem, id), g, chunk)
}

// auxiliaryBatch is the number of records of other streams that are read at once.
const auxiliaryBatch = 1024

// events writes the events of all locations, group by group of the source's streams: as many groups at once as there are processors.
func (w *archiveWriter) events() error {
	groups := instep.Groups(w.src.Streams())
	declared := int64(0)
	for _, g := range groups {
		w.anchor.Locations += uint64(len(g))
		for i := range g {
			declared += int64(g[i].Records)
		}
	}
	workers := runtime.GOMAXPROCS(0)
	w.window = form.WindowFor(int(w.anchor.Locations) / max(1, len(groups)/workers))
	e := &eventsWriter{archiveWriter: w, total: declared}
	var running errgroup.Group
	running.SetLimit(workers)
	for _, g := range groups {
		running.Go(func() error { return e.group(g, max(1, workers/len(groups))) })
	}
	return running.Wait()
}

// eventsWriter writes the events of all locations.
type eventsWriter struct {
	*archiveWriter
	opening sync.Mutex // streams
	batches sync.Pool  // of *trace.Batch

	mu    sync.Mutex // of what follows, of marked and Progress
	done  uint64
	total int64 // events that the source says it has
}

// feed is a location whose events are being written.
type feed struct {
	stream trace.Stream
	output *Output
	batch  int // events to be read at once
}

// group writes the events of a group of streams in step.
func (e *eventsWriter) group(streams []trace.StreamInfo, workers int) error {
	batch := instep.BatchSize(len(streams))
	var feeds []*feed
	defer func() {
		for _, f := range feeds {
			f.stream.Close()
		}
	}()
	for _, info := range streams {
		f, err := e.open(info.StreamID, batch)
		if err != nil {
			return err
		}
		feeds = append(feeds, f)
	}
	return instep.Run(workers, feeds, e.step)
}

// open opens a location's stream, with the tables and the clock that make its ids and times local.
func (e *eventsWriter) open(id trace.StreamID, batch int) (*feed, error) {
	o := e.outputOf(id)
	o.Marking = &Marking{Marks: &e.marks, Table: e.src.Meta().Table()}
	e.opening.Lock()
	defer e.opening.Unlock()
	if err := e.localize(o, id.Location); err != nil {
		return nil, err
	}
	s, err := e.src.Open(id)
	return &feed{s, o, batch}, err
}

// step writes the next events of a location, and its file's end behind the last one.
func (e *eventsWriter) step(f *feed) (covered int64, err error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	b, ok := e.batches.Get().(*trace.Batch)
	if !ok {
		b = &trace.Batch{}
	}
	defer e.batches.Put(b)
	covered, err = trace.Step(f.stream, b, f.batch)
	if err == nil {
		err = f.output.Write(b)
	} else if errors.Is(err, io.EOF) {
		err = cmp.Or(f.output.Close(), io.EOF)
	}
	e.progress(b.Len(), f.output.Marking.Made)
	return covered, err
}

// progress tells of events that were written, and notes whether there are marks among those of a location.
func (e *eventsWriter) progress(events int, marked bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.marked = e.marked || marked
	e.done += uint64(events)
	e.opt.Progress.Report(int64(e.done), e.total)
}
