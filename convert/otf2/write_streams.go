package otf2

import (
	"container/heap"
	"errors"
	"io"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/trace"
)

// newOutput starts the file of a stream.
func (w *archiveWriter) newOutput(path string, g *grammar, chunk uint64) *output {
	o := &output{path: path, sink: fileSink(path), grammar: g, chunk: int64(chunk), want: w.window, dropped: &w.dropped, foreign: !w.native,
		encoder: encoder{big: w.anchor.big, epoch: w.src.Meta().Epoch}}
	o.begin()
	return o
}

// outputOf starts the file of a stream.
func (w *archiveWriter) outputOf(id trace.StreamID) *output {
	g, chunk := w.anchor.formOf(id.Class)
	return w.newOutput(pathOf(w.stem, id), g, chunk)
}

// feed is a location whose events are being written.
type feed struct {
	stream  trace.Stream
	output  *output
	covered int64 // time up to which they are written
}

// feeds is a heap of those, the one that is furthest behind on top.
type feeds []*feed

func (f feeds) Len() int           { return len(f) }
func (f feeds) Less(i, j int) bool { return f[i].covered < f[j].covered }
func (f feeds) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }

// Push implements heap.Interface.
func (f *feeds) Push(x any) { *f = append(*f, x.(*feed)) }

// Pop implements heap.Interface.
func (f *feeds) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}

// Sizes of batches: those of all locations together hold a few slices' worth.
const (
	allBatches     = 1 << 17
	leastBatch     = 64
	mostBatch      = 4096
	auxiliaryBatch = 1024
)

// eventsWriter writes the events of all locations, those next that are furthest behind in time, so that a source which
// keeps the events of all locations together reads them once.
type eventsWriter struct {
	*archiveWriter
	batch int

	mu      sync.Mutex
	waiting feeds
	all     []*feed
	done    uint64
}

func (w *archiveWriter) events() error {
	e := &eventsWriter{archiveWriter: w}
	defer e.close()
	for _, info := range w.src.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		if err := e.open(info.StreamID); err != nil {
			return err
		}
	}
	e.batch = min(max(allBatches/(len(e.all)+1), leastBatch), mostBatch)
	w.anchor.locations = uint64(len(e.all))
	var g errgroup.Group
	for range runtime.GOMAXPROCS(0) {
		g.Go(e.work)
	}
	err := g.Wait()
	for _, f := range e.all {
		w.marked = w.marked || f.output.marking.made
	}
	return err
}

// open opens a location's stream, with the tables and the clock that make its ids and times local.
func (e *eventsWriter) open(id trace.StreamID) error {
	o := e.outputOf(id)
	o.marking = &marking{marks: &e.marks, table: e.src.Meta().Table()}
	if err := e.localize(o, id.Location); err != nil {
		return err
	}
	s, err := e.src.Open(id)
	if err != nil {
		return err
	}
	f := &feed{stream: s, output: o}
	e.all = append(e.all, f)
	e.waiting = append(e.waiting, f)
	return nil
}

// work writes batches until no location is waiting for its next one.
func (e *eventsWriter) work() error {
	var b trace.Batch
	for {
		f := e.next()
		if f == nil {
			return nil
		}
		covered, err := trace.Step(f.stream, &b, e.batch)
		if errors.Is(err, io.EOF) {
			err = f.output.close()
			f = nil
		} else if err == nil {
			err = f.output.write(&b)
		}
		if err == nil {
			err = e.ctx.Err()
		}
		if err != nil {
			return err
		}
		if f != nil {
			f.covered = covered
		}
		e.give(f, b.Len())
	}
}

func (e *eventsWriter) next() *feed {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		return nil
	}
	return heap.Pop(&e.waiting).(*feed)
}

// give puts a feed, if there is one, back among those that wait.
func (e *eventsWriter) give(f *feed, events int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f != nil {
		heap.Push(&e.waiting, f)
	}
	e.done += uint64(events)
	if e.opt.Progress != nil {
		e.opt.Progress(e.done)
	}
}

func (e *eventsWriter) close() {
	for _, f := range e.all {
		f.stream.Close()
	}
}
