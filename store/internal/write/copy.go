package write

import (
	"context"
	"errors"
	"io"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/trace"
)

// Copy writes a whole source: definitions, auxiliary streams, and the events of all locations, read ahead in parallel.
// progress counts events read. When the context is done, the writer may only be aborted.
func Copy(ctx context.Context, w *Writer, src trace.Source, progress trace.Progress) error {
	c := copier{ctx: ctx, w: w, src: src, progress: progress}
	defer c.close()
	if err := c.define(); err != nil {
		return err
	}
	if err := c.events(); err != nil {
		return err
	}
	if err := c.auxiliary(); err != nil {
		return err
	}
	w.totals.Deviations, _ = trace.DeviationsOf(src)
	return c.define()
}

type copier struct {
	ctx      context.Context
	w        *Writer
	src      trace.Source
	progress trace.Progress
	total    int64 // events that the source says it has
	defined  int
	feeds    []feed
	byIndex  []*feed // by location, nil for those without a stream
	read     uint64
	reading  *errgroup.Group // the reads under way
}

// feed is the stream of one location, with the batch at hand and the one read ahead. There may be very many, few of which have any.
type feed struct {
	location *Location
	stream   trace.Stream // nil behind its end
	now      *reading
	ahead    *reading // to be read, or read when the reads under way are done
	words    int      // that a full batch has, if it is like the latest one
}

// reading is what was read of a stream at once.
type reading struct {
	batch   *trace.Batch
	covered int64 // no record after those of the batch is earlier
	end     bool
}

func (f *feed) read(n int) (err error) {
	f.ahead.covered, err = trace.Step(f.stream, f.ahead.batch, n)
	if errors.Is(err, io.EOF) {
		f.ahead.end = true
		return nil
	}
	return err
}

func (c *copier) close() {
	_ = c.wait() // what failed before is what counts
	for i := range c.feeds {
		if s := c.feeds[i].stream; s != nil {
			s.Close()
		}
	}
}

// partDefinitions is the number of definitions that are taken from a source at once, if it gives parts.
const partDefinitions = 1 << 12

// define takes the definitions that are new.
func (c *copier) define() error {
	for {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		defs, err := trace.DefinitionsPart(c.src, c.defined, partDefinitions)
		if err != nil {
			return err
		}
		if len(defs) == 0 {
			return c.w.endDefinitions()
		}
		c.defined += len(defs)
		if err := c.w.define(defs); err != nil {
			return err
		}
	}
}

// aheadFeeds is the largest number of feeds that all have a batch ahead. Of more, only the next ones have.
const aheadFeeds = 1024

func (c *copier) events() error {
	if err := c.open(); err != nil {
		return err
	}
	for i, l := range c.w.locations {
		if c.byIndex[i] == nil {
			if err := c.w.end(l); err != nil {
				return err
			}
		}
	}
	if len(c.feeds) == 0 {
		return nil
	}
	for c.w.unfinished.len() > 0 {
		if err := c.round(); err != nil {
			return err
		}
	}
	return nil
}

// open opens the streams of events.
func (c *copier) open() error {
	streams := c.src.Streams()
	c.feeds = make([]feed, 0, len(streams))
	for _, info := range streams {
		if info.Class != trace.StreamEvents {
			continue
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		s, err := c.src.Open(info.StreamID)
		if err != nil {
			return err
		}
		c.total += int64(info.Records)
		c.feeds = append(c.feeds, feed{location: c.w.Location(info.Location), stream: s})
	}
	c.byIndex = make([]*feed, len(c.w.locations))
	for i := range c.feeds { // which stay where they are from now on
		c.byIndex[c.feeds[i].location.Index] = &c.feeds[i]
	}
	return nil
}

// round appends the next batch of those locations that hold the cut back. The batches after these are read in parallel meanwhile.
func (c *copier) round() error {
	if err := c.w.check(); err != nil {
		return err
	}
	behind, next := c.behind()
	if err := c.wait(); err != nil {
		return err
	}
	c.start(behind)
	if err := c.wait(); err != nil {
		return err
	}
	if err := c.define(); err != nil { // what the events refer to may have been defined just now
		return err
	}
	for _, f := range behind {
		f.now, f.ahead = f.ahead, nil
	}
	c.start(next)
	for _, f := range behind {
		if err := c.append(f); err != nil {
			return err
		}
		f.now = nil
	}
	c.progress.Report(int64(c.read), c.total)
	return nil
}

// start starts to read the next batch of feeds that have none ahead.
func (c *copier) start(feeds []*feed) {
	var due []*feed
	for _, f := range feeds {
		if f.ahead == nil && f.stream != nil && (f.now == nil || !f.now.end) {
			f.ahead = &reading{batch: c.batch(f)}
			due = append(due, f)
		}
	}
	c.reading = &errgroup.Group{}
	for some := range slices.Chunk(due, max(1, readEvents/c.w.batches.size)) {
		c.reading.Go(func() error { return readAll(c.ctx, some, c.w.batches.size) })
	}
}

// readEvents is how many events are worth a goroutine that reads them.
const readEvents = 1024

// readAll reads the next batch of feeds, one after the other.
func readAll(ctx context.Context, feeds []*feed, n int) error {
	for _, f := range feeds {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.read(n); err != nil {
			return err
		}
	}
	return nil
}

// batch returns a batch to read events of a feed into.
func (c *copier) batch(f *feed) *trace.Batch {
	const spare = 8 // a part of the words
	return c.w.batches.forWords(max(c.w.batches.size, f.words+f.words/spare))
}

// wait waits for the reads under way. Definitions are read only then, so that they do not depend on timing.
func (c *copier) wait() error {
	if c.reading == nil {
		return nil
	}
	return c.reading.Wait()
}

func (c *copier) append(f *feed) error {
	b := f.now.batch
	n := b.Len()
	if n == 0 || f.now.end {
		c.w.batches.put(b)
	}
	switch {
	case f.now.end:
		if err := f.stream.Close(); err != nil {
			return err
		}
		f.stream = nil
		return c.w.end(f.location)
	case n > 0:
		c.read += uint64(n)
		f.words = len(b.Words) * max(c.w.batches.size, n) / n
		last := b.Times[n-1]
		if err := c.w.adopt(f.location, b); err != nil || last >= f.now.covered {
			return err // the batch may say it all
		}
	}
	return c.w.advance(f.location, f.now.covered)
}

// behind returns the feed of the location that covers least, and of some that cover little more, in that order; and those to be read
// next.
func (c *copier) behind() (feeds, next []*feed) {
	width := min(max(len(c.feeds)/widthShare, minWidth), maxWidth)
	feeds = c.lowest(2 * width)
	behind := feeds[:min(width, len(feeds))]
	if len(c.feeds) <= aheadFeeds {
		return behind, behind
	}
	return behind, feeds[len(behind):]
}

// lowest returns the feeds of the n locations that cover least, in that order.
func (c *copier) lowest(n int) (feeds []*feed) {
	for _, i := range c.w.unfinished.lowest(nil, n) {
		if int(i) < len(c.byIndex) && c.byIndex[i] != nil {
			feeds = append(feeds, c.byIndex[i])
		}
	}
	return feeds
}

// Locations that are read at once: a share of them, within bounds.
const (
	widthShare         = 64
	minWidth, maxWidth = 4, 64
)

func (c *copier) auxiliary() error {
	var b trace.Batch
	for _, info := range c.src.Streams() {
		if info.Class == trace.StreamEvents {
			continue
		}
		c.w.Auxiliary.Open(info.StreamID)
		if err := c.copyStream(info.StreamID, &b); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) copyStream(id trace.StreamID, b *trace.Batch) error {
	s, err := c.src.Open(id)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		err := s.Next(b, maxBatchEvents)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.w.AppendAux(id, b); err != nil {
			return err
		}
	}
}
