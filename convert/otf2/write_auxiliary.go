package otf2

import (
	"errors"
	"io"

	"github.com/pandotrace/pando/trace"
)

// auxiliary writes the streams that are no events. Only those that came from an archive are such as an archive has; a
// location of another trace gets local definitions that say nothing.
func (w *archiveWriter) auxiliary() error {
	for _, info := range w.src.Streams() {
		id, err := info.StreamID, error(nil)
		switch {
		case id.Class == trace.StreamEvents && !w.native:
			id.Class = trace.StreamLocalDefinitions
			err = w.outputOf(id).close()
		case id.Class == trace.StreamEvents:
		case w.native && id.Class <= trace.StreamThumbnails:
			err = w.stream(id)
		default:
			w.warnings.Add("stream left out", "class %d of location %d", id.Class, id.Location)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stream writes an auxiliary stream.
func (w *archiveWriter) stream(id trace.StreamID) error {
	s, err := w.src.Open(id)
	if err != nil {
		return err
	}
	defer s.Close()
	o := w.outputOf(id)
	var b trace.Batch
	for {
		err := s.Next(&b, auxiliaryBatch)
		if errors.Is(err, io.EOF) {
			w.count(id)
			return o.close()
		}
		if err == nil {
			err = o.write(&b)
		}
		if err == nil {
			err = w.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// count notes in the anchor that there is a thumbnail.
func (w *archiveWriter) count(id trace.StreamID) {
	if id.Class == trace.StreamThumbnails {
		w.anchor.thumbnails = max(w.anchor.thumbnails, id.Location+1)
	}
}

// localize gives the file of a location's events what makes ids and times local.
func (w *archiveWriter) localize(o *output, location uint64) error {
	id := trace.StreamID{Class: trace.StreamLocalDefinitions, Location: location}
	if !w.native || !w.locals[id] {
		return nil
	}
	s, err := w.src.Open(id)
	if err != nil {
		return err
	}
	defer s.Close()
	var ignored trace.Warnings // reading the archive told of them
	maps, clock, err := readLocal(s, location, &ignored)
	if err != nil {
		return err
	}
	o.maps = maps.reverse()
	if clock != nil && clock.Corrects() {
		o.clock = clock
	}
	return nil
}
