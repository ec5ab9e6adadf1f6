package verify

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Report is the outcome of Verify.
type Report struct {
	// Blocks and Bytes were read.
	Blocks, Bytes int64
	// Problems is empty if the file is sound. Each is a *format.CorruptError.
	Problems []error
}

// Check reads the whole file, block by block from its begin, and decodes every block: every checksum, the order of the blocks, that each
// refers only to what is there, that the directory describes exactly them, that summaries and bins are what the slices add up to,
// that the events are those of the fingerprint, and that their times lie on the grid that the meta block may declare. It returns an error only if the file cannot be read.
// progress counts bytes checked.
func Check(r *read.File, progress trace.Progress) (*Report, error) {
	v := newVerifier(r.Along())
	if err := v.directory(); err != nil {
		return v.report, err
	}
	if err := v.walk(progress); err != nil {
		return v.report, err
	}
	for _, e := range v.listed {
		v.problem(read.PlaceOf(e.Ref), format.Corruptf("directory", -1, "it lists a %s that is not there", e.Kind))
	}
	if len(v.report.Problems) == 0 {
		if err := v.slices(); err != nil {
			return v.report, err
		}
		v.totals()
	}
	return v.report, nil
}

// slices holds the numbers of events of slices that the directory says against those of their blocks.
func (v *verifier) slices() error {
	for i := range v.r.Root().Pages {
		page, err := v.r.Page(i)
		if err != nil {
			return v.damage(-1, err)
		}
		for n := range page.Slices {
			number := page.First + uint64(n)
			if got, told := v.sliced[number], page.Slices[n].Events; got != told {
				v.problem(int64(v.r.Root().Pages[i].Ref.Offset), format.Corruptf("directory page", -1, "slice %d has %d events, it says %d", number, got, told))
			}
		}
	}
	return nil
}

// totals holds the totals against the events, as far as their numbers and their fingerprint go, and lanes against locations.
func (v *verifier) totals() {
	if err := records.CheckPlaces(v.places); err != nil {
		v.problem(v.r.Size()-format.FooterSize, err)
	}
	if err := v.r.CheckLocations(v.links); err != nil {
		v.problem(-1, err)
	}
	for _, lane := range v.r.AllLanes() {
		if _, err := v.r.Lane(lane); err != nil {
			v.problem(-1, err)
		}
	}
	for _, k := range v.r.Info().Kinds {
		if v.r.Meta().Kinds.Spec(k.Kind) == nil {
			v.problem(v.r.OffsetOf(format.BlockTotals), format.Corruptf("totals block", -1, "kind %d is described nowhere", k.Kind))
		}
	}
	locations, err := v.r.Locations()
	if err != nil {
		v.problem(-1, err)
	}
	for i := range locations {
		if l := &locations[i]; v.events[uint32(i)] != l.Events {
			v.problem(-1, v.r.LocationFault(format.BlockLocationTotals, "location %d has %d events, not %d", l.ID, v.events[uint32(i)], l.Events))
		}
	}
	if v.fingerprint.Sum() != v.r.Info().SHA256 {
		v.problem(v.r.OffsetOf(format.BlockTotals), format.Corruptf("totals block", -1, "its SHA-256 is not that of the events"))
	}
}

func newVerifier(r *read.File) *verifier {
	return &verifier{
		r: r, report: &Report{}, listed: map[uint64]index.Entry{}, fingerprint: trace.NewFingerprint(r.Meta()), events: map[uint32]uint64{}, sliced: map[uint64]uint64{}, links: trace.NewDefinitions(nil), told: map[string]bool{}, grid: newGrid(r.Meta().Loss), left: newLeftCalls(r.Meta().Loss),
	}
}

type verifier struct {
	r      *read.File
	report *Report
	told   map[string]bool        // problems by their text
	listed map[uint64]index.Entry // by offset: blocks that the directory lists and that were not met yet

	fingerprint *trace.Fingerprint
	grid        grid
	left        leftCalls
	events      map[uint32]uint64  // by location: those met
	sliced      map[uint64]uint64  // by slice: those met
	places      []records.Place    // of the definitions met
	links       *trace.Definitions // the locations and processes of the definitions met
	lost        bool               // the block before had no sound frame header
	unread      bool               // a page of the directory could not be read, which has been told
	offsets     []uint64           // of all listed blocks behind, rising; made when needed
	checked     *messageTables     // the latest ones, nil before
}

// problem notes a problem. Damage that several checks meet is one.
func (v *verifier) problem(offset int64, err error) {
	err = format.At(err, v.r.Name(), offset)
	if text := err.Error(); !v.told[text] {
		v.told[text] = true
		v.report.Problems = append(v.report.Problems, err)
	}
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
				v.problem(read.PlaceOf(e.Ref), format.Corruptf("directory", -1, "it lists two blocks here"))
			}
			v.listed[e.Ref.Offset] = e
		}
	}
	list(v.r.Root().Entries)
	v.r.FetchPages()
	for i, p := range v.r.Root().Pages {
		list([]index.Entry{{Kind: format.BlockPage, Number: uint64(i), Ref: p.Ref}})
		for _, l := range p.Lanes {
			list([]index.Entry{{Kind: format.BlockPage, Number: uint64(i), Lane: l.First, Ref: l.Ref}})
		}
		pages, err := v.r.Parts(i)
		for _, page := range pages {
			list(page.Entries)
		}
		if err == nil {
			v.blocksOf(&p, pages)
			continue
		}
		v.unread = true
		if err := v.damage(int64(p.Ref.Offset), err); err != nil {
			return err
		}
	}
	return nil
}

// blocksOf checks that each slice has a block, in one of the pages about it.
func (v *verifier) blocksOf(ref *index.PageRef, pages []*read.Page) {
	for n := range ref.Slices {
		k := read.LaneKey{Kind: format.BlockSlice, Number: ref.First + n}
		if !slices.ContainsFunc(pages, func(p *read.Page) bool { return len(p.Lanes[k]) > 0 }) {
			v.problem(int64(ref.Ref.Offset), format.Corruptf("directory page", -1, "slice %d has no block", k.Number))
		}
	}
}

// walk goes from frame to frame.
func (v *verifier) walk(progress trace.Progress) error {
	at := int64(format.HeaderSize)
	end := v.r.Size() - format.FooterSize
	for at < end {
		length, err := v.frame(at)
		if err != nil {
			if err := v.damage(at, err); err != nil {
				return err
			}
			delete(v.listed, uint64(at)) // that it is not there has been told
			if length = v.nextListed(at) - at; length <= 0 {
				return nil // without a sound frame header nobody knows where the next one begins
			}
			v.lost = true
		}
		at += length
		progress.Report(at, end)
	}
	if at != end {
		v.problem(at, format.Corruptf("frame", -1, "the last block runs into the footer"))
	} else if n := int64(v.r.Blocks()); n != v.report.Blocks {
		v.problem(end, format.Corruptf("footer", -1, "the file has %d blocks, it says %d", v.report.Blocks, n))
	}
	v.report.Bytes = v.r.Size()
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

// Sample checks a share of the blocks that the directory lists, chosen at random, but all of the directory.
// progress counts bytes of the file that are passed.
func Sample(r *read.File, share float64, progress trace.Progress) (*Report, error) {
	v := newVerifier(r)
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
		progress.Report(int64(offset), v.r.Size())
	}
	return v.report, nil
}

// frame checks the block at an offset and returns its length.
func (v *verifier) frame(at int64) (int64, error) {
	f, ref, err := v.r.Frame(at)
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
	case !ok: // of which slice, node and lane it is, nobody knows
		if !v.r.Unfinished && !v.unread { // what stands in its place there is in memory; a page that cannot be read lists nobody knows what
			v.problem(at, format.Corruptf(f.Kind.String(), -1, "the directory does not list it"))
		}
		_, err := v.r.Block(f.Kind, ref)
		return length, v.damage(at, err)
	case v.unread && e.Kind == format.BlockPage && e.Ref != ref: // told when it could not be read
		return length, nil
	case e.Kind != f.Kind || e.Ref != ref:
		v.problem(at, format.Corruptf(f.Kind.String(), -1, "the directory lists a %s of %d bytes here", e.Kind, e.Ref.Length))
		return length, nil
	}
	return length, v.damage(at, v.payload(&e))
}

// payload checks that a block can be decoded, and that it is what its directory entry says.
func (v *verifier) payload(e *index.Entry) error {
	b, err := v.r.Block(e.Kind, e.Ref)
	if err != nil {
		return err
	}
	switch e.Kind {
	case format.BlockSlice:
		err = v.slice(e)
	case format.BlockDictionary:
		_, err = v.r.Dictionary(v.r.Root().EpochOf(e.Number), e.Lane)
		err = ofBlock(e, err)
	case format.BlockModel:
		_, err = v.r.Statistics(e.Number, e.Lane)
	case format.BlockMarks:
		err = v.marks(e)
	case format.BlockPostings:
		err = v.postings(e, b)
	case format.BlockUnmatched:
		_, err = pairing.ParseUnmatched(b, int(v.r.Info().Locations), v.r.Root().Slices)
	case format.BlockCalls:
		err = v.calls(e)
	case format.BlockMessages, format.BlockPairs:
		err = v.messages(e)
	case format.BlockSummary:
		err = v.summary(e, b)
	case format.BlockBins:
		err = v.bins(e, b)
	case format.BlockHashes:
		err = v.hashes(e, b)
	case format.BlockDefinitions:
		err = v.definitions(e)
	case format.BlockLocations:
		err = v.r.CheckLocationPage(e.Ref)
	case format.BlockLocationTotals:
		err = v.r.CheckLocationTotals(e.Ref)
	case format.BlockAuxiliary:
		err = records.ReadBatches(b, v.r.Meta().Kinds, func(trace.StreamID, *trace.Batch) error { return nil })
	}
	return err
}

// definitions checks that a block of definitions can be decoded, and notes the locations that it defines.
func (v *verifier) definitions(e *index.Entry) error {
	d, err := v.r.DefinitionPage(e.Ref)
	if err == nil {
		v.links.AddLinks(d.Records)
		v.places = append(v.places, d.Places...)
	}
	return err
}

// ofBlock returns an error unless it is the problem of another block.
func ofBlock(e *index.Entry, err error) error {
	var c *format.CorruptError
	if errors.As(err, &c) && c.Offset != int64(e.Ref.Offset) {
		return nil
	}
	return err
}

// postings checks that a block of postings can be read, and that it is of a page.
func (v *verifier) postings(e *index.Entry, b []byte) error {
	page, err := v.r.LanePage(e.Number, e.Lane)
	if err != nil {
		return err
	}
	all, err := v.r.PageOf(e.Number)
	if err != nil {
		return err
	}
	p, err := index.ParsePostings(b, uint64(len(all.Slices)))
	if err == nil && (p.First != e.Number || p.First != page.First || p.Lane != e.Lane || p.Lane != page.Lane) {
		err = format.Corruptf("postings block", -1, "it is of slice %d, lane %d, not of the page of slice %d, lane %d", p.First, p.Lane, e.Number, e.Lane)
	}
	if err != nil {
		return err
	}
	for _, id := range p.Locations() {
		if id >= v.r.Info().Locations {
			return format.Corruptf("postings block", -1, "a list of location %d, of %d", id, v.r.Info().Locations)
		}
	}
	return nil
}

// slice decodes a slice block, and adds its events to the fingerprint: the blocks of a lane stand in the order of time.
func (v *verifier) slice(e *index.Entry) error {
	events, err := v.r.Decode(e.Number, e.Lane, e.Ref)
	if err == nil {
		err = v.endMarks(events)
	}
	if err != nil {
		return err
	}
	for i := range events.Runs {
		b, err := events.Batch(i)
		if err != nil {
			return err
		}
		if err := cmp.Or(v.grid.check(b), v.left.check(b)); err != nil {
			return err
		}
		v.fingerprint.Add(b, 0, b.Len())
		v.events[events.Runs[i].Location] += uint64(b.Len())
		v.sliced[e.Number] += uint64(b.Len())
	}
	query.Forget(v.r, e.Number, e.Lane)
	return nil
}

// marks checks a block of marks, and that the lane has events in their slices. Whether these have the ends is checked with them.
func (v *verifier) marks(e *index.Entry) error {
	m, err := v.r.Marks(e.Number, e.Lane)
	for i := 0; err == nil && i < len(m.Slices); i++ {
		number := m.Slices[i].Slice
		busy, pageErr := v.r.Busy(number, []uint32{e.Lane})
		if err = pageErr; err == nil && len(busy) == 0 {
			err = format.Corruptf("marks block", -1, "marks of slice %d, in which lane %d has no events", number, e.Lane)
		}
	}
	return err
}

// endMarks checks that marks are of ends of messages that a lane has in a slice. What is wrong with their block is a problem of that.
func (v *verifier) endMarks(events *slice.Events) error {
	m, err := v.r.Marks(v.r.Root().GroupOf(events.Number), events.Lane)
	switch {
	case format.IsCorrupt(err):
		return nil
	case err != nil:
		return err
	}
	return v.r.CheckMarks(m, events)
}

// node checks that a block belongs to the node and lane that its entry says.
func (v *verifier) node(e *index.Entry, n index.Node, lane uint32) error {
	return read.Belongs(e.Kind, n, lane, index.Node{Level: int(e.Level), Index: e.Number}, e.Lane)
}

func (v *verifier) calls(e *index.Entry) error {
	b, err := v.r.OpenCalls(e.Ref)
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
		if err == nil {
			err = v.ends(e.Kind, all[i].EndSlice)
		}
	}
	return err
}

// begins checks that a lane has events in the slice in which one of its calls begins.
func (v *verifier) begins(lane uint32, slice uint64) error {
	if slice >= v.r.Root().Slices {
		return format.Corruptf("calls block", -1, "a call begins in slice %d of %d", slice, v.r.Root().Slices)
	}
	if busy, err := v.r.Busy(slice, []uint32{lane}); err != nil || len(busy) > 0 {
		return err
	}
	return format.Corruptf("calls block", -1, "a call begins in slice %d, in which lane %d has no events", slice, lane)
}

// ends checks that an item does not end behind the last slice.
func (v *verifier) ends(kind format.BlockKind, slice uint64) error {
	if n := v.r.Root().Slices; slice >= n {
		return format.Corruptf(kind.String(), -1, "an item ends in slice %d of %d", slice, n)
	}
	return nil
}

func (v *verifier) messages(e *index.Entry) error {
	b, err := v.r.OpenEnds(e.Kind, e.Ref)
	if err != nil {
		return err
	}
	all, err := b.All()
	if err == nil {
		err = v.node(e, b.Node, b.Lane)
	}
	for i := range all {
		if err == nil {
			err = v.ends(e.Kind, max(all[i].Send.Slice, all[i].Receive.Slice))
		}
	}
	for i := range b.Receivers {
		if err == nil {
			err = v.receives(e.Kind, b.Node, b.Receivers[i])
		}
	}
	if err != nil {
		return err
	}
	return v.r.CheckLanes(e.Kind, b, all)
}

// receives checks that a node has messages that a lane receives.
func (v *verifier) receives(kind format.BlockKind, n index.Node, lane uint32) error {
	having, err := v.r.Having(kind, n, []uint32{lane})
	if err == nil && len(having) == 0 {
		err = format.Corruptf(kind.String(), -1, "no %s of %s, which is a receiver", kind, read.Describe(n, lane))
	}
	return err
}

// Err joins the problems into one error, nil if there are none.
func (v *Report) Err() error {
	switch len(v.Problems) {
	case 0:
		return nil
	case 1:
		return v.Problems[0]
	}
	return fmt.Errorf("%d problems; the first: %w", len(v.Problems), v.Problems[0])
}
