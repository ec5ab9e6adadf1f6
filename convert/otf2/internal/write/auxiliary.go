package write

import (
	"errors"
	"io"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// auxiliary writes the streams that are no events. Those that came from an archive are such as an archive has. Of other traces,
// markers are written, into one file, and snapshots, and a location gets local definitions that say nothing.
func (w *archiveWriter) auxiliary() error {
	var markers []trace.StreamID
	for _, info := range w.src.Streams() {
		id, err := info.StreamID, error(nil)
		switch {
		case id.Class == trace.StreamEvents && !w.native:
			id.Class = trace.StreamLocalDefinitions
			err = w.outputOf(id).Close()
		case id.Class == trace.StreamEvents:
		case id.Class == trace.StreamMarkers:
			markers = append(markers, id)
		case w.native && id.Class <= trace.StreamThumbnails:
			err = w.stream(id)
		case id.Class == trace.StreamSnapshots:
			err = w.snapshots(id)
		default:
			w.warnings.Add("stream left out", "class %d of location %d", id.Class, id.Location)
		}
		if err != nil {
			return err
		}
	}
	if err := w.withoutSnapshots(); err != nil || len(markers) == 0 {
		return err
	}
	return w.stream(markers...)
}

// stream writes auxiliary streams into the file of the first one.
func (w *archiveWriter) stream(ids ...trace.StreamID) error {
	o := w.outputOf(ids[0])
	for _, id := range ids {
		if err := w.records(id, o); err != nil {
			return err
		}
		w.count(id)
	}
	return o.Close()
}

func (w *archiveWriter) records(id trace.StreamID, o *Output) error {
	return w.eachBatch(id, func(b *trace.Batch) error {
		if !o.Grammar.Timed {
			w.countAttributes(id, b)
		}
		return o.Write(b)
	})
}

// eachBatch reads an auxiliary stream to its end.
func (w *archiveWriter) eachBatch(id trace.StreamID, do func(*trace.Batch) error) error {
	s, err := w.src.Open(id)
	if err != nil {
		return err
	}
	defer s.Close()
	var b trace.Batch
	for {
		err := s.Next(&b, auxiliaryBatch)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(&b)
		}
		if err == nil {
			err = w.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// countAttributes warns of attributes of records that have none in an archive.
func (w *archiveWriter) countAttributes(id trace.StreamID, b *trace.Batch) {
	for range b.Attrs {
		w.warnings.Add("attribute left out", "of a record of class %d", id.Class)
	}
}

// count notes in the anchor that there is a thumbnail.
func (w *archiveWriter) count(id trace.StreamID) {
	if id.Class == trace.StreamThumbnails {
		w.anchor.Thumbnails = max(w.anchor.Thumbnails, id.Location+1)
	}
}

// localize gives the file of a location's events what makes ids and times local.
func (w *archiveWriter) localize(o *Output, location uint64) error {
	id := trace.StreamID{Class: trace.StreamLocalDefinitions, Location: location}
	if !w.native || !w.locals[id] {
		return nil
	}
	s, err := w.src.Open(id)
	if err != nil {
		return err
	}
	defer s.Close()
	var ignored trace.Warnings // the source has the same warnings
	maps, clock, err := form.ReadLocal(s, location, &ignored)
	if err != nil {
		return err
	}
	o.Maps = maps.Reverse()
	if clock != nil && clock.Corrects() {
		o.Clock = clock
	}
	return nil
}
