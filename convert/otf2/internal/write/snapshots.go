package write

import (
	"errors"
	"io"
	"math"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// An archive has whole snapshots: how many records follow, these, and the number of the first event behind. Other formats have just the
// records, of which those of one time are taken for a snapshot. It says what was going on before the events of that time.

// mostInSnapshot bounds the records of a snapshot; there are several of one time if there are more.
const mostInSnapshot = 1 << 16

// snapshots writes the snapshots of a location of another format.
type snapshots struct {
	*Output
	table    *trace.Table
	warnings *trace.Warnings
	pending  trace.Batch // of one time
	latest   int64
	before   eventCounter
	count    uint64
}

func (w *archiveWriter) snapshots(id trace.StreamID) error {
	s := &snapshots{Output: w.outputOf(id), table: w.src.Meta().Table(), warnings: &w.warnings, latest: math.MinInt64}
	err := s.before.open(w.src, id.Location)
	if err == nil {
		err = w.eachBatch(id, s.add)
	}
	if err == nil {
		err = s.finish()
	}
	if err = errors.Join(err, s.before.close()); err != nil {
		return err
	}
	w.anchor.Snapshots = max(w.anchor.Snapshots, s.count)
	return s.Close()
}

// withoutSnapshots gives the locations of another format that have no snapshots empty files of them if others have some, as the OTF2
// library wants it.
func (w *archiveWriter) withoutSnapshots() error {
	if w.native || w.anchor.Snapshots == 0 {
		return nil
	}
	has, streams := map[uint64]bool{}, w.src.Streams()
	for _, info := range streams {
		has[info.Location] = has[info.Location] || info.Class == trace.StreamSnapshots
	}
	for _, info := range streams {
		if id := info.StreamID; id.Class == trace.StreamEvents && !has[id.Location] {
			id.Class = trace.StreamSnapshots
			if err := w.outputOf(id).Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// add takes in records. Those that an archive does not have are counted as dropped.
func (s *snapshots) add(b *trace.Batch) error {
	for i, kind := range b.Kinds {
		if s.Grammar.IdOf(kind) == 0 {
			s.Dropped.add(kind)
			continue
		}
		if b.Times[i] < s.latest {
			s.warnings.Add("snapshot left out", "of location %d, at %d ticks after one at %d", b.Location, b.Times[i], s.latest)
			continue
		}
		s.latest = b.Times[i]
		if n := s.pending.Len(); n >= mostInSnapshot || n > 0 && s.pending.Times[0] != b.Times[i] {
			if err := s.finish(); err != nil {
				return err
			}
		}
		s.pending.AppendFrom(b, i, s.table)
	}
	return nil
}

// finish writes the snapshot whose records are at hand, if there are any.
func (s *snapshots) finish() error {
	n := s.pending.Len()
	if n == 0 {
		return nil
	}
	at := s.pending.Times[0]
	events, err := s.before.until(at)
	if err != nil {
		return err
	}
	var start, end trace.Batch
	start.Append(trace.KindSnapshotStart, at, uint64(n))
	end.Append(trace.KindSnapshotEnd, at, events+1)
	for _, b := range []*trace.Batch{&start, &s.pending, &end} {
		if err := s.Write(b); err != nil {
			return err
		}
	}
	s.pending.Reset(s.pending.Location)
	s.count++
	return nil
}

// eventCounter counts the events of a location that an archive has.
type eventCounter struct {
	stream trace.Stream // nil at the end
	batch  trace.Batch
	at     int // in the batch
	count  uint64
}

func (c *eventCounter) open(src trace.Source, location uint64) (err error) {
	id := trace.StreamID{Class: trace.StreamEvents, Location: location}
	for _, info := range src.Streams() {
		if info.StreamID == id {
			c.stream, err = src.Open(id)
		}
	}
	return err
}

// until returns the number of events before a time. Times must not decrease from call to call.
func (c *eventCounter) until(t int64) (uint64, error) {
	for c.stream != nil {
		for ; c.at < c.batch.Len(); c.at++ {
			if c.batch.Times[c.at] >= t {
				return c.count, nil
			}
			if form.EventGrammar.IdOf(c.batch.Kinds[c.at]) != 0 {
				c.count++
			}
		}
		c.at = 0
		if err := c.stream.Next(&c.batch, auxiliaryBatch); errors.Is(err, io.EOF) {
			return c.count, c.close()
		} else if err != nil {
			return 0, err
		}
	}
	return c.count, nil
}

func (c *eventCounter) close() error {
	s := c.stream
	if c.stream = nil; s == nil {
		return nil
	}
	return s.Close()
}
