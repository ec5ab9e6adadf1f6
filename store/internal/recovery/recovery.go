package recovery

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/write"
	"github.com/pandotrace/pando/trace"
)

// Recovery is a file that is damaged, torn off, or was never finished, with what is left of it: all blocks whose checksums hold,
// found by their frames and not by the directory. It keeps some 40 bytes for each block of events.
type Recovery struct {
	ctx    context.Context // of the search, then of the copy
	src    io.ReaderAt
	size   int64
	file   fs.FileInfo // nil if it is not known to be a file
	name   string
	limits format.Limits
	mark   uint32 // what the file's id adds to checksums
	footer bool   // the file has a sound one
	AtOnce read.AtOnce
	work   read.ReadStats
	buffer []byte
	wasted int64 // bytes that were looked at in vain: of blocks that are damaged, where others may stand inside

	meta      *trace.Meta
	kinds     []*trace.Spec
	totals    *index.Info
	told      toldLocations
	intact    []uint32 // ordinals, rising: of all intact blocks, and of those that are known to hold no events
	records   []foundBlock
	slices    []foundBlock
	models    []foundModel
	known     map[uint32]bool // ordinals of models
	marks     map[marksName]foundBlock
	lostMarks []uint32 // ordinals of damaged blocks of marks
	pages     map[laneEpoch][]foundPage
	names     locationNames
	strings   map[uint64]bool // high ids of strings that are taken
	report    RecoverReport

	rostered    map[uint32]uint64 // by index of the location: events in all rosters
	sliceEvents map[uint64]uint64 // by slice: those of all lanes
	division    index.Division    // that root or meta block say
	hashes      bool              // there are hashes of structure
}

type laneEpoch struct{ lane, epoch uint32 }

// foundPage is a page of a dictionary; numbers begin with 1.
type foundPage struct {
	number uint32
	block  foundBlock
}

// RecoverReport says what was saved of a file, and what was not.
type RecoverReport struct {
	// Blocks is the number of blocks whose checksum holds, LostBytes the number of bytes between them.
	Blocks, LostBytes int64
	// Problems are what is wrong with the file, in the order of their offsets. Each is a *format.CorruptError.
	Problems []error
	// Events and Definitions count what was saved.
	Events, Definitions uint64
	// Losses are events that are known to be lost, by location and time.
	Losses []LostEvents
	// LostIDs are locations whose events were saved, but not their ids.
	LostIDs []LostID
	// LostDefinitions and LostAuxiliary count records that are known to be lost.
	LostDefinitions, LostAuxiliary uint64
	// NoMeta says that what the trace is as a whole is lost: a tick is taken for a nanosecond.
	NoMeta bool
	// Torn says that totals are lost, of the trace or of locations: what came after the last events is not known.
	Torn bool
}

// LostEvents are events of one location that are lost.
type LostEvents struct {
	Location uint64
	// From and To are the times of the location's last event before the loss and the first one after it: the lost events lie in
	// [From, To]. Without such an event they are -MaxTime and MaxTime.
	From, To int64
	Events   uint64
}

// Lossless reports whether everything was saved: no event, definition or auxiliary record is missing.
func (r *RecoverReport) Lossless() bool {
	return !r.NoMeta && !r.Torn && len(r.Losses) == 0 && len(r.LostIDs) == 0 && r.LostDefinitions == 0 && r.LostAuxiliary == 0
}

// Open looks through a file for what is intact. It returns an error if the file cannot be read, or is no Pando file at all.
// progress counts bytes seen. A source that is a file, with a method Stat, is known
// again when it is in the way of an output.
func Open(ctx context.Context, src io.ReaderAt, size int64, opt layout.ReadOptions, progress trace.Progress) (*Recovery, error) {
	s := &Recovery{
		ctx: ctx, src: src, size: size, name: opt.Name, limits: opt.Limits.WithDefaults(), pages: map[laneEpoch][]foundPage{},
		known: map[uint32]bool{}, marks: map[marksName]foundBlock{}, rostered: map[uint32]uint64{}, sliceEvents: map[uint64]uint64{}, strings: map[uint64]bool{},
		told:  toldLocations{map[uint32]uint64{}, map[uint32]uint32{}, map[uint32]index.LocationTotals{}},
		names: locationNames{map[uint32]uint64{}, map[uint64]bool{}, map[uint32]bool{}},
	}
	if file, ok := src.(interface{ Stat() (fs.FileInfo, error) }); ok {
		s.file, _ = file.Stat() // what cannot tell it is no file of this system
	}
	s.AtOnce = read.AtOnceOf(s.limits, read.RoomFor(size))
	if err := s.findMark(); err != nil {
		return nil, err
	}
	if err := s.scan(progress); err != nil {
		return nil, err
	}
	s.settleMeta()
	return s, nil
}

// zeroID stands in for an id that is not known: a checksum with another id differs from the one with this id by a number that
// depends on the id alone, the mark of the file.
var zeroID format.FileID

func markOf(id format.FileID) uint32 { return format.Checksum(id[:]) ^ format.Checksum(zeroID[:]) }

// findMark finds what the file's id adds to checksums: from the header, from the footer, or from what most blocks agree in.
func (s *Recovery) findMark() error {
	head, tail := make([]byte, min(format.HeaderSize, s.size)), make([]byte, min(format.FooterSize, s.size))
	if err := s.readAt(head, 0); err != nil {
		return err
	}
	if err := s.readAt(tail, s.size-int64(len(tail))); err != nil {
		return err
	}
	h, headErr := format.ParseHeader(head)
	f, tailErr := format.ParseFooter(tail, s.size)
	s.footer = tailErr == nil
	if headErr != nil {
		s.problem(0, headErr)
	}
	if tailErr != nil {
		s.problem(s.size-int64(len(tail)), tailErr)
	}
	switch {
	case headErr == nil:
		s.mark = markOf(h.ID)
	case tailErr == nil:
		s.mark = markOf(f.ID)
	case h != nil: // sound, but of a version or with features that are not known
		return format.At(headErr, s.name, 0)
	default:
		return s.voteMark(headErr)
	}
	return nil
}

// voters is the number of blocks whose marks are compared, and quorum the number of those that must agree: a single block
// agrees with any checksum.
const (
	voters = 100
	quorum = 2
)

func (s *Recovery) voteMark(otherwise error) error {
	votes := map[uint32]int{}
	at := int64(0)
	for range voters {
		var err error
		if at, err = s.nextSync(at); err != nil {
			return err
		}
		f, b, err := s.frameAt(at)
		switch {
		case err == nil:
			at += int64(len(b))
			mark := f.CRC ^ format.Checksum(b[:20], b[format.FrameSize:], zeroID[:])
			if votes[mark]++; votes[mark] == quorum {
				s.mark = mark
				return nil
			}
		case !format.IsCorrupt(err):
			return err
		default:
			at++
		}
	}
	return format.At(otherwise, s.name, 0)
}

func (s *Recovery) readAt(b []byte, at int64) error {
	n, err := blockio.ReadAt(s.ctx, s.src, b, at)
	if n == len(b) {
		return nil
	}
	return blockio.ReadError(s.name, at, n, len(b), err)
}

func (s *Recovery) problem(offset int64, err error) {
	s.report.Problems = append(s.report.Problems, format.At(err, s.name, offset))
}

// settleMeta makes the best of what is known of the trace as a whole.
func (s *Recovery) settleMeta() {
	if s.report.NoMeta = s.meta == nil; s.report.NoMeta {
		s.meta = &trace.Meta{Resolution: 1e9, Kinds: &trace.Table{}}
		for _, spec := range trace.Standard.All() {
			_ = s.meta.Kinds.Add(spec) // the table is empty
		}
	}
	for _, spec := range s.kinds {
		if s.meta.Kinds.Spec(spec.ID) == nil {
			_ = s.meta.Kinds.Add(spec) // one that cannot be added is none that records can be of
		}
	}
	s.meta.Loss = s.meta.Loss.Unsure() // events may be missing
	s.report.Torn = !s.isTold()
}

// ReadStats returns what has been done so far besides reading bytes.
func (s *Recovery) ReadStats() read.ReadStats { return s.work }

// Meta says what the trace is as a whole, as far as that is known.
func (s *Recovery) Meta() *trace.Meta { return s.meta }

// Create starts to write a file of what was saved, with the options of [Recovery.Options] or others. It is written as by [Create]; but
// if path.part is the very file that is saved, it is locked and left unchanged, and path.saved.part is written.
func (s *Recovery) Create(ctx context.Context, path string, opt layout.Options) (*write.Writer, error) {
	t, err := claim.CreateFrom(s.file, path, opt.Output)
	if err != nil {
		return nil, err
	}
	return write.WriterTo(ctx, t, s.meta, opt)
}

// payload reads a block that was found intact.
func (s *Recovery) payload(b foundBlock) ([]byte, error) {
	f, bytes, err := s.frameAt(b.offset)
	if err != nil {
		return nil, err
	}
	return s.decompress(slices.Clone(bytes[format.FrameSize:]), f)
}

// decompress decompresses a block, and counts its bytes.
func (s *Recovery) decompress(b []byte, f *format.Frame) ([]byte, error) {
	s.work.Decompressed += int64(f.Raw)
	return records.Decompress(b, f.Codec, int(f.Raw))
}

// Copy writes all that was saved, and says what was not. An error is one of writing, or of reading the file.
// progress counts slices written.
func (s *Recovery) Copy(ctx context.Context, w *write.Writer, progress trace.Progress) (*RecoverReport, error) {
	s.ctx = ctx
	c := &recoverer{Recovery: s, w: w, locations: map[uint32]*savedLocation{}, lanes: map[uint32]*savedLane{}}
	if err := c.definitions(); err != nil {
		return nil, err
	}
	if err := c.allSlices(progress); err != nil {
		return nil, err
	}
	if err := c.auxiliary(); err != nil {
		return nil, err
	}
	c.countLosses()
	w.Matcher.Undecided = !s.report.Lossless()
	slices.SortStableFunc(s.report.Problems, func(a, b error) int { return cmp.Compare(offsetOf(a), offsetOf(b)) })
	return &s.report, nil
}

func offsetOf(err error) int64 {
	var c *format.CorruptError
	if errors.As(err, &c) {
		return c.Offset
	}
	return -1
}
