package store

import (
	"bytes"
	"context"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/summary"
	"github.com/pandotrace/pando/store/internal/timeline"
	"github.com/pandotrace/pando/store/internal/verify"
	"github.com/pandotrace/pando/store/internal/write"
	"github.com/pandotrace/pando/trace"
)

// Slices are the slice blocks of a file in memory, with what decoding them needs.
type Slices struct {
	Events uint64
	blocks []sliceBlock
	ids    func(uint32) uint64
}

type sliceBlock struct {
	bytes      []byte
	dictionary *shape.Dictionary
	statistics *slice.Statistics
}

// LoadSlices reads the slice blocks of a file.
func LoadSlices(file []byte) (*Slices, error) {
	f, err := read.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), ReadOptions{CacheBytes: 1 << 40})
	if err != nil {
		return nil, err
	}
	s := &Slices{Events: f.Info().Events, ids: f.LocationID}
	for slice := range f.Root().Slices {
		for lane := range uint32(f.LaneCount()) {
			b, err := loadSlice(f, slice, lane)
			if err != nil {
				return nil, err
			}
			if b != nil {
				s.blocks = append(s.blocks, *b)
			}
		}
	}
	return s, nil
}

// loadSlice reads the block of a lane in a slice; nil if there is none.
func loadSlice(f *read.File, slice uint64, lane uint32) (*sliceBlock, error) {
	ref, ok, err := f.Ref(slice, read.BlockKey{Kind: format.BlockSlice, Lane: lane, Number: slice})
	if err != nil || !ok {
		return nil, err
	}
	b := &sliceBlock{}
	if b.bytes, err = f.Block(format.BlockSlice, ref); err != nil {
		return nil, err
	}
	group := f.Root().GroupOf(slice)
	if b.dictionary, err = f.Dictionary(f.Root().EpochOf(group), lane); err != nil {
		return nil, err
	}
	b.statistics, err = f.Statistics(group, lane)
	return b, err
}

// Decode decodes all slices, and makes batches of them on demand.
func (s *Slices) Decode(batches bool) error {
	var e slice.Events
	for _, b := range s.blocks {
		if err := e.Decode(b.bytes, b.dictionary, b.statistics, format.Limits{}, s.ids); err != nil {
			return err
		}
		if !batches {
			continue
		}
		for run := range e.Runs {
			if _, err := e.Batch(run); err != nil {
				return err
			}
		}
	}
	return nil
}

// Borders returns the times at which slices begin and end.
func (r *Reader) Borders() (times []int64, err error) {
	for n := range r.file.Root().Slices {
		s, err := r.file.Slice(n)
		if err != nil {
			return nil, err
		}
		times = append(times, s.Start, s.End)
	}
	return times, nil
}

// FewBlocks bounds the number of slices that timelines read for sure.
func FewBlocks(n uint64) { timeline.ManyBlocks = n }

// ReadBlock reads a block as every question does that needs it.
func (r *Reader) ReadBlock(kind format.BlockKind, ref format.Ref) error {
	_, err := r.file.Block(kind, ref)
	return err
}

// ForgetEnds makes a reader read the ends of its file again when it needs them.
func (r *Reader) ForgetEnds() { r.file.FileEnds = blockio.FileEnds{} }

// CreateOn is Create on any file system.
func CreateOn(ctx context.Context, files claim.System, path string, meta *trace.Meta, opt Options) (*Writer, error) {
	t, err := claim.CreateOn(files, path, opt.Output)
	if err != nil {
		return nil, err
	}
	return created(write.WriterTo(ctx, t, meta, opt))
}

// AtOnce sets how much a reader puts in order at once.
func (r *Reader) AtOnce(calls, messages, words, channels int) {
	r.file.AtOnce = read.AtOnce{Calls: calls, Messages: messages, Words: words, Channels: channels, Events: words, Lanes: words, ManyLanes: 1 + words%3, Sorted: 3 + words%50, OfLocation: words % 2}
}

// AtOnce sets how much is saved at once.
func (r *Recovery) AtOnce(words, channels int) {
	r.r.AtOnce = read.AtOnce{Words: words, Channels: channels}
}

// Unmatched returns the ends without a partner as the blocks list them.
func (r *Reader) Unmatched() (ends []pairing.Unmatched, err error) {
	for _, ref := range r.file.Listed(format.BlockUnmatched) {
		block, err := query.Unmatched(r.file, ref)
		if err != nil {
			return nil, err
		}
		ends = append(ends, block...)
	}
	return ends, nil
}

// MostRequests sets how many requests VerifyDeep follows.
func MostRequests(n int) (restore func()) {
	before := verify.MostRequests
	verify.MostRequests = n
	return func() { verify.MostRequests = before }
}

// LowerLimits lowers the limits that the writer keeps to; the options of a slice are still held against the usual ones.
func LowerLimits(l format.Limits) (restore func()) {
	before, depth := layout.Limits, layout.MaxDepth
	layout.Limits = l.WithDefaults()
	layout.MaxDepth = layout.Limits.NodeItems
	return func() { layout.Limits, layout.MaxDepth = before, depth }
}

// PlainLanes is the largest number of lanes whose events do not wait packed.
const PlainLanes = query.PlainLanes

// DivisionOf returns how a file's slices are divided.
func DivisionOf(r *Reader) index.Division { return r.file.Root().Division }

// Kept returns how many blocks of slices are kept for streams, and what is with them: bytes, dictionaries, statistics.
func (r *Reader) Kept() (runs, others int) {
	runs = r.file.Cache().Count(cache.Runs)
	return runs, r.file.Cache().Count(cache.Bytes, cache.Dictionary, cache.Statistics)
}

// ForceLattices has each lattice that is found used, or none, whatever it costs.
func ForceLattices(used bool) (restore func()) {
	before, free := write.Affordable, write.FreePhases
	if used {
		write.FreePhases = func(n int) int { return n }
	}
	write.Affordable = func(column.Period, int, []uint64, []int64) int {
		if used {
			return write.MostPhases
		}
		return 0
	}
	return func() { write.Affordable, write.FreePhases = before, free }
}

// SmallDirectory sets the size of the pages up to which a summary reads all of them, and returns a function that restores it.
func SmallDirectory(bytes int64) (restore func()) {
	before := summary.SmallDirectory
	summary.SmallDirectory = bytes
	return func() { summary.SmallDirectory = before }
}
