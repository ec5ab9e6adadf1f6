package query

import (
	"io"
	"iter"
	"math"
	"sync/atomic"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Source returns the file as a source, for copying it or converting it into something else. The event streams of a lane are a group.
func Source(r *read.File) trace.Source {
	return NewWindow(r, math.MinInt64, math.MaxInt64).source(true)
}

// Source returns the window as a source: the events in it, of the locations that it keeps, and all that the file has besides events.
// All locations have an event stream. Other filters are not applied.
func (w *Window) Source() trace.Source { return w.source(false) }

// source makes a source of the window; whole says that it has all events of the file.
func (w *Window) source(whole bool) *readerSource {
	s := &readerSource{r: w.Reader, w: w, whole: whole}
	s.err = s.readLocations()
	return s
}

// Deviations implements trace.Deviant.
func (s *readerSource) Deviations() (list []trace.CallDeviation, known bool) {
	list = s.r.Info().Deviations
	return list, s.whole && list != nil
}

// Info returns what the file says of the trace, nil for a window.
func (s *readerSource) Info() *index.Info {
	if !s.whole {
		return nil
	}
	return s.r.Info()
}

// Structure yields the structure of all events, without their values.
func (s *readerSource) Structure() iter.Seq2[*LaneStructure, error] { return s.w.Structure() }

// EventsOf yields the events of some kinds, in merged order. Slices without any are not read.
func (s *readerSource) EventsOf(kinds ...trace.Kind) iter.Seq2[trace.Event, error] {
	return s.w.WithKinds(kinds...).Events()
}

func (s *readerSource) readLocations() (err error) {
	if s.w.err != nil {
		return s.w.err
	}
	if s.locations, err = s.r.Locations(); err != nil {
		return err
	}
	open := new(atomic.Int32)
	for lane := range s.r.LaneCount() {
		walk, err := s.w.walk(uint32(lane), s.locations, open)
		if err != nil {
			return err
		}
		s.walks = append(s.walks, walk)
	}
	return nil
}

type readerSource struct {
	r     *read.File
	w     *Window
	whole bool
	walks []*laneWalk // by lane

	locations []index.LocationInfo
	err       error // locations could not be read: definitions and streams get it

	defined int // definitions of the file, when they have been read
}

func (s *readerSource) Meta() *trace.Meta { return s.r.Meta() }

func (s *readerSource) Warnings() []trace.Warning { return nil }

func (s *readerSource) Close() error { return nil }

// Definitions implements trace.Source. It keeps no log: those who convert a file have one of their own, and ask again and again whether
// there is more.
func (s *readerSource) Definitions(from int) ([]trace.Record, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.defined > 0 && from >= s.defined {
		return nil, nil
	}
	log, err := s.r.DefinitionLog()
	if err != nil {
		return nil, err
	}
	s.defined = len(log)
	return log[min(from, len(log)):], nil
}

// Streams implements trace.Source. If the locations cannot be read, there is one stream, and to open it gives the error.
func (s *readerSource) Streams() []trace.StreamInfo {
	if s.err != nil {
		return []trace.StreamInfo{{}}
	}
	streams := make([]trace.StreamInfo, 0, len(s.locations)+len(s.r.Info().AuxStreams))
	for _, l := range s.locations {
		streams = append(streams, trace.StreamInfo{StreamID: trace.StreamID{Location: l.ID}, Records: l.Events, Group: l.Lane})
	}
	return append(streams, s.r.Info().AuxStreams...)
}

func (s *readerSource) Open(id trace.StreamID) (trace.Stream, error) {
	if s.err != nil {
		return nil, s.err
	}
	if id.Class != trace.StreamEvents {
		return s.openAuxiliary(id)
	}
	i, ok := s.r.LocationIndex(id.Location)
	if !ok {
		return nil, layout.Invalidf("%s: no location %d", s.r.Name(), id.Location)
	}
	return s.openEvents(i)
}

// indexAuxiliary notes which blocks hold records of which auxiliary stream.
func indexAuxiliary(r *read.File) (map[trace.StreamID][]format.Ref, error) {
	refs := map[trace.StreamID][]format.Ref{}
	for _, e := range r.Root().Entries {
		if e.Kind != format.BlockAuxiliary {
			continue
		}
		block, err := AuxiliaryBlock(r, e.Ref)
		if err != nil {
			return nil, err
		}
		for id := range block {
			refs[id] = append(refs[id], e.Ref)
		}
	}
	return refs, nil
}

// AuxiliaryBlock returns the records of a block of auxiliary streams, by stream.
func AuxiliaryBlock(r *read.File, ref format.Ref) (map[trace.StreamID]*trace.Batch, error) {
	return cache.Get(r.Cache(), cache.Key{What: cache.Auxiliary, Offset: ref.Offset}, func() (map[trace.StreamID]*trace.Batch, int64, error) {
		b, err := r.Block(format.BlockAuxiliary, ref)
		if err != nil {
			return nil, 0, err
		}
		block, size := map[trace.StreamID]*trace.Batch{}, int64(0)
		err = records.ReadBatches(b, r.Meta().Kinds, func(id trace.StreamID, b *trace.Batch) error {
			to := block[id]
			if to == nil {
				to = &trace.Batch{}
				to.Reset(id.Location)
				block[id] = to
			}
			to.AppendRange(b, 0, b.Len(), r.Meta().Kinds)
			return nil
		})
		for _, b := range block {
			size += b.Memory()
		}
		return block, size, format.At(err, r.Name(), int64(ref.Offset))
	})
}

func (s *readerSource) openAuxiliary(id trace.StreamID) (trace.Stream, error) {
	refs, err := s.r.Auxiliary.Get(s.r.Context(), func() (map[trace.StreamID][]format.Ref, error) { return indexAuxiliary(s.r) })
	if err != nil {
		return nil, err
	}
	return &auxiliaryStream{r: s.r, id: id, refs: refs[id]}, nil
}

// auxiliaryStream gives the records of one auxiliary stream, block by block.
type auxiliaryStream struct {
	r     *read.File
	id    trace.StreamID
	refs  []format.Ref
	batch *trace.Batch // of the current block; nil before the first one
	at    int          // what is left of it
	err   error
}

// Next implements trace.Stream.
func (s *auxiliaryStream) Next(b *trace.Batch, limit int) error {
	b.Reset(s.id.Location)
	for s.err == nil && (s.batch == nil || s.at == s.batch.Len()) {
		s.err = s.advance()
	}
	if s.err != nil {
		return s.err
	}
	n := min(limit, s.batch.Len()-s.at)
	b.AppendRange(s.batch, s.at, s.at+n, s.r.Meta().Kinds)
	s.at += n
	return nil
}

// Close implements trace.Stream.
func (s *auxiliaryStream) Close() error { return nil }

func (s *auxiliaryStream) advance() error {
	if len(s.refs) == 0 {
		return io.EOF
	}
	block, err := AuxiliaryBlock(s.r, s.refs[0])
	if err != nil {
		return err
	}
	s.batch, s.at, s.refs = block[s.id], 0, s.refs[1:]
	return nil
}
