package store

import (
	"bytes"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
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
	dictionary *encode.Dictionary
	statistics *encode.Statistics
}

// LoadSlices reads the slice blocks of a file.
func LoadSlices(file []byte) (*Slices, error) {
	r, err := NewReader(bytes.NewReader(file), int64(len(file)), ReadOptions{CacheBytes: 1 << 40})
	if err != nil {
		return nil, err
	}
	s := &Slices{Events: r.info.Events, ids: func(l uint32) uint64 { return r.info.Locations[l].ID }}
	for slice := range r.root.Slices {
		for lane := range uint32(len(r.lanes)) {
			ref, ok, err := r.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			b := sliceBlock{}
			if b.bytes, err = r.block(format.BlockSlice, ref); err != nil {
				return nil, err
			}
			group := slice / r.root.Fanout
			if b.dictionary, err = r.dictionary(r.root.EpochOf(group), lane); err != nil {
				return nil, err
			}
			if b.statistics, err = r.statistics(group, lane); err != nil {
				return nil, err
			}
			s.blocks = append(s.blocks, b)
		}
	}
	return s, nil
}

// Decode decodes all slices, and makes batches of them on demand.
func (s *Slices) Decode(batches bool) error {
	var e encode.Events
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

// ScaleSummaries lets tables of summaries take so many times as much of the file, until the function returned is called: files
// of tests are too small for them.
func ScaleSummaries(factor uint64) (restore func()) {
	before, firstBefore := shares, firstShares
	for part := range index.Parts {
		shares[part] *= factor
		firstShares[part] *= factor
	}
	bins, all := binShare, indexShare
	binShare, indexShare = bins*factor, all*factor
	return func() { shares, firstShares, binShare, indexShare = before, firstBefore, bins, all }
}

// Borders returns the times at which slices begin and end.
func (r *Reader) Borders() (times []int64, err error) {
	for n := range r.root.Slices {
		s, err := r.slice(n)
		if err != nil {
			return nil, err
		}
		times = append(times, s.Start, s.End)
	}
	return times, nil
}

// FewBlocks lets timelines read only so many slices for sure.
func FewBlocks(n uint64) { manyBlocks = n }

// ReadBlock reads a block as everything does that needs it.
func (r *Reader) ReadBlock(kind format.BlockKind, ref format.Ref) error {
	_, err := r.block(kind, ref)
	return err
}

// ForgetEnds makes a reader read the ends of its file again when it needs them.
func (r *Reader) ForgetEnds() { r.fileEnds = fileEnds{} }

// CreateOn is Create on any file system.
func CreateOn(files fileSystem, path string, meta *trace.Meta, opt Options) (*Writer, error) {
	return createAs(files, path, partSuffix, meta, opt)
}

// AtOnce sets how much a reader puts in order at once.
func (r *Reader) AtOnce(calls, messages, words, channels int) {
	r.atOnce = atOnce{calls: calls, messages: messages, words: words, channels: channels, events: words}
}

// AtOnce sets how much is saved at once.
func (s *Salvage) AtOnce(words, channels int) { s.atOnce = atOnce{words: words, channels: channels} }

// MostRequests sets how many requests VerifyDeep follows.
func MostRequests(n int) (restore func()) {
	before := mostRequests
	mostRequests = n
	return func() { mostRequests = before }
}

// LowerLimits lowers the limits that the writer keeps to; the options of a slice are still held against the usual ones.
func LowerLimits(l format.Limits) (restore func()) {
	before, depth := limits, maxDepth
	limits = l.WithDefaults()
	maxDepth = limits.NodeItems
	return func() { limits, maxDepth = before, depth }
}

// PlainLanes is the largest number of lanes whose events do not wait packed.
const PlainLanes = plainLanes

// FanoutOf returns the number of children of a file's nodes.
func FanoutOf(r *Reader) uint64 { return r.root.Fanout }

// Kept returns how many blocks of slices are kept for streams, and what is with them: bytes, dictionaries, statistics.
func (r *Reader) Kept() (runs, others int) {
	r.cache.mu.Lock()
	defer r.cache.mu.Unlock()
	for k := range r.cache.items {
		switch k.what {
		case cachedRuns:
			runs++
		case cachedBytes, cachedDictionary, cachedStatistics:
			others++
		}
	}
	return runs, others
}
