package read

import (
	"errors"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// feed finds the events of a document and their fields, while others work with those before.
type feed struct {
	document *Document
	full     chan *Batch // what was found, in order; closed at the end
	free     chan *Batch
	stopped  chan struct{}
	err      error // of the document, when full is closed
	now      *Batch
}

// batchesAhead is how many batches there are at a time.
const batchesAhead = 4

// newFeed starts to read a document.
func newFeed(d *Document) *feed {
	f := &feed{document: d, full: make(chan *Batch, batchesAhead), free: make(chan *Batch, batchesAhead), stopped: make(chan struct{})}
	for range batchesAhead {
		f.free <- &Batch{}
	}
	d.Event = f.take
	go f.run()
	return f
}

// run reads the document. What stands before a fault is given too.
func (f *feed) run() {
	defer close(f.full)
	f.now = <-f.free
	f.err = f.document.Read()
	if f.now.Len() > 0 {
		f.full <- f.now // there are as many batches as there is room for
	}
}

var errStopped = errors.New("chrome: reading was stopped")

// take takes in an event. Nothing is read beside a large one, so that there is one at a time.
func (f *feed) take(s *scan.Scanner) error {
	if err := f.now.Take(s, f.document.Lines+1, f.document.Offset()); err != nil || !f.now.Full() {
		return err
	}
	wait := 1
	if f.now.large() {
		wait = batchesAhead
	}
	f.full <- f.now
	f.now = &Batch{}
	for range wait {
		select {
		case f.now = <-f.free:
		case <-f.stopped:
			return errStopped
		}
	}
	for range wait - 1 {
		f.free <- &Batch{}
	}
	return nil
}

// done gives back a batch.
func (f *feed) done(b *Batch) {
	b.Reset()
	f.free <- b
}

// stop ends the reading before its end, and waits for that.
func (f *feed) stop() {
	close(f.stopped)
	for range f.full {
	}
}
