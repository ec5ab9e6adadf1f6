package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// VerifyReport is the outcome of Verify.
type VerifyReport struct {
	// Blocks and Bytes were read.
	Blocks, Bytes int64
	// Problems is empty if the file is sound. Each is a *format.CorruptError.
	Problems []error
}

// Verify reads the whole file, block by block from its begin: every checksum, the order of the blocks, that each can be
// decoded, that the directory describes exactly them, and that the events are those of the fingerprint. It returns an error only if the file cannot be read.
// progress, which may be nil, is called now and then with the number of bytes checked.
func (r *Reader) Verify(progress func(bytes int64)) (*VerifyReport, error) {
	v := verifier{r: r, report: &VerifyReport{}, listed: map[uint64]index.Entry{}, fingerprint: trace.NewFingerprint(r.meta)}
	if err := v.directory(); err != nil {
		return v.report, err
	}
	if err := v.walk(progress); err != nil {
		return v.report, err
	}
	for offset, e := range v.listed {
		v.problem(int64(offset), format.Corruptf("directory", -1, "it lists a %s that is not there", e.Kind))
	}
	if len(v.report.Problems) == 0 && v.fingerprint.Sum() != r.info.SHA256 {
		v.problem(-1, format.Corruptf("totals block", -1, "its SHA-256 is not that of the events"))
	}
	return v.report, nil
}

type verifier struct {
	r      *Reader
	report *VerifyReport
	listed map[uint64]index.Entry // by offset: blocks that the directory lists and that were not met yet

	fingerprint *trace.Fingerprint
	lost        bool           // the block before had no sound frame header
	offsets     []uint64       // of all listed blocks behind, rising; made when needed
	checked     *messageTables // the latest ones, nil before
}

func (v *verifier) problem(offset int64, err error) {
	v.report.Problems = append(v.report.Problems, format.At(err, v.r.name, offset))
}

// damage notes an error of damage as a problem. Any other one it returns: the file cannot be read.
func (v *verifier) damage(offset int64, err error) error {
	if format.IsCorrupt(err) {
		v.problem(offset, err)
		return nil
	}
	return err
}

// directory collects the blocks that the directory lists.
func (v *verifier) directory() error {
	list := func(entries []index.Entry) {
		for _, e := range entries {
			if _, ok := v.listed[e.Ref.Offset]; ok {
				v.problem(int64(e.Ref.Offset), format.Corruptf("directory", -1, "it lists two blocks here"))
			}
			v.listed[e.Ref.Offset] = e
		}
	}
	list(v.r.root.Entries)
	for i, p := range v.r.root.Pages {
		list([]index.Entry{{Kind: format.BlockPage, Number: uint64(i), Ref: p.Ref}})
		page, err := v.r.page(i)
		if err == nil {
			list(page.Entries)
		} else if err := v.damage(int64(p.Ref.Offset), err); err != nil {
			return err
		}
	}
	return nil
}

// walk goes from frame to frame.
func (v *verifier) walk(progress func(int64)) error {
	at := int64(format.HeaderSize)
	end := v.r.size - format.FooterSize
	for at < end {
		length, err := v.frame(at)
		if err != nil {
			if err := v.damage(at, err); err != nil {
				return err
			}
			if length = v.nextListed(at) - at; length <= 0 {
				return nil // without a sound frame header nobody knows where the next one begins
			}
			v.lost = true
		}
		at += length
		if progress != nil {
			progress(at)
		}
	}
	if at != end {
		v.problem(at, format.Corruptf("frame", -1, "the last block runs into the footer"))
	}
	v.report.Bytes = v.r.size
	return nil
}

// nextListed returns where the directory says that the first block behind an offset stands, 0 if there is none.
func (v *verifier) nextListed(at int64) int64 {
	if v.offsets == nil {
		v.offsets = slices.Sorted(maps.Keys(v.listed))
	}
	i, _ := slices.BinarySearch(v.offsets, uint64(at)+1)
	if i == len(v.offsets) {
		return 0
	}
	return int64(v.offsets[i])
}

// VerifySample checks a share of the blocks that the directory lists, chosen at random, but all of the directory.
// progress, which may be nil, is called now and then with the number of bytes of the file passed.
func (r *Reader) VerifySample(share float64, progress func(bytes int64)) (*VerifyReport, error) {
	v := verifier{r: r, report: &VerifyReport{}, listed: map[uint64]index.Entry{}, fingerprint: trace.NewFingerprint(r.meta)}
	if err := v.directory(); err != nil {
		return v.report, err
	}
	for _, offset := range slices.Sorted(maps.Keys(v.listed)) {
		e := v.listed[offset]
		if e.Kind != format.BlockPage && rand.Float64() >= share {
			continue
		}
		v.report.Blocks++
		v.report.Bytes += int64(e.Ref.Length)
		if err := v.damage(int64(offset), v.payload(&e)); err != nil {
			return v.report, err
		}
		if progress != nil {
			progress(int64(offset))
		}
	}
	return v.report, nil
}

// frame checks the block at an offset and returns its length.
func (v *verifier) frame(at int64) (int64, error) {
	f, ref, err := v.r.frame(at)
	if err != nil {
		return 0, err
	}
	length := int64(ref.Length)
	if v.lost {
		v.report.Blocks, v.lost = int64(f.Ordinal), false
	}
	if int64(f.Ordinal) != v.report.Blocks {
		v.problem(at, format.Corruptf(f.Kind.String(), -1, "it is block %d and stands in the place of block %d", f.Ordinal, v.report.Blocks))
	}
	v.report.Blocks++
	e, ok := v.listed[ref.Offset]
	delete(v.listed, ref.Offset)
	switch {
	case f.Kind == format.BlockRoot:
		e = index.Entry{Kind: f.Kind, Ref: ref}
	case !ok:
		v.problem(at, format.Corruptf(f.Kind.String(), -1, "the directory does not list it"))
		e = index.Entry{Kind: f.Kind, Ref: ref}
	case e.Kind != f.Kind || e.Ref != ref:
		v.problem(at, format.Corruptf(f.Kind.String(), -1, "the directory lists a %s of %d bytes here", e.Kind, e.Ref.Length))
		return length, nil
	}
	return length, v.damage(at, v.payload(&e))
}

// payload checks that a block can be decoded, and that it is what its directory entry says.
func (v *verifier) payload(e *index.Entry) error {
	b, err := v.r.block(e.Kind, e.Ref)
	if err != nil {
		return err
	}
	switch e.Kind {
	case format.BlockSlice:
		err = v.events(e)
	case format.BlockDictionary, format.BlockModel:
		var head groupHead
		if head, _, err = readGroupHead(b); err == nil {
			err = head.check(e.Kind, e.Number, e.Lane, uint32(v.r.root.EpochOf(e.Number)))
		}
	case format.BlockCalls:
		err = v.calls(e)
	case format.BlockMessages:
		err = v.messages(e)
	case format.BlockSummary:
		err = v.summary(e, b)
	case format.BlockBins:
		err = v.bins(e, b)
	case format.BlockDefinitions:
		_, err = encode.ReadRecords(b, v.r.meta.Kinds)
	case format.BlockAuxiliary:
		err = encode.ReadBatches(b, v.r.meta.Kinds, func(trace.StreamID, *trace.Batch) error { return nil })
	}
	return err
}

// events decodes a slice block, and adds its events to the fingerprint: the blocks of a lane stand in the order of time.
func (v *verifier) events(e *index.Entry) error {
	events, err := v.r.decode(e.Number, e.Lane, e.Ref)
	if err != nil {
		return err
	}
	for i := range events.Runs {
		b, err := events.Batch(i)
		if err != nil {
			return err
		}
		v.fingerprint.Add(b, 0, b.Len())
	}
	v.r.forget(e.Number, e.Lane)
	return nil
}

// node checks that a block belongs to the node and lane that its entry says.
func (v *verifier) node(e *index.Entry, n index.Node, lane uint32) error {
	return belongs(e.Kind, n, lane, index.Node{Level: int(e.Level), Index: e.Number}, e.Lane)
}

func (v *verifier) calls(e *index.Entry) error {
	b, err := v.r.openCalls(e.Ref)
	if err != nil {
		return err
	}
	all, err := b.All()
	if err == nil {
		err = v.node(e, b.Node, b.Lane)
	}
	for i := range all {
		if err == nil {
			err = v.begins(b.Lane, all[i].StartSlice)
		}
	}
	return err
}

// begins checks that a lane has events in the slice in which one of its calls begins.
func (v *verifier) begins(lane uint32, slice uint64) error {
	if slice >= v.r.root.Slices {
		return format.Corruptf("calls block", -1, "a call begins in slice %d of %d", slice, v.r.root.Slices)
	}
	if busy, err := v.r.busy(slice, []uint32{lane}); err != nil || len(busy) > 0 {
		return err
	}
	return format.Corruptf("calls block", -1, "a call begins in slice %d, in which lane %d has no events", slice, lane)
}

func (v *verifier) messages(e *index.Entry) error {
	b, err := v.r.openMessages(e.Ref)
	if err != nil {
		return err
	}
	all, err := b.All()
	if err == nil {
		err = v.node(e, b.Node, b.Lane)
	}
	if err != nil {
		return err
	}
	return v.r.checkLanes(b, all)
}

// Err joins the problems into one error, nil if there are none.
func (v *VerifyReport) Err() error {
	if len(v.Problems) == 0 {
		return nil
	}
	return fmt.Errorf("%d problems; the first: %w", len(v.Problems), v.Problems[0])
}
