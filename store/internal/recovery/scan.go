package recovery

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// foundBlock is an intact block that is needed to rebuild a file.
type foundBlock struct {
	offset  int64
	length  uint32
	ordinal uint32
	number  uint64 // of the slice or group
	lane    uint32
	kind    format.BlockKind
}

// foundModel is a model with what it says of its group.
type foundModel struct {
	layout.GroupHead
	place       int    // among all blocks of the file that were found
	first, last uint64 // slices in its roster
	locations   []uint32
	block       foundBlock
	unmarked    bool // marks of its slices may be lost
}

// scanBytes is how much is searched at once for the next block.
const scanBytes = 1 << 16

// scan looks for blocks through the whole file. Where one is damaged, the next sync word with a sound frame header is looked for.
func (s *Recovery) scan(progress trace.Progress) error {
	at, damagedFrom := int64(format.HeaderSize), int64(-1)
	var damage error
	for at+format.FrameSize <= s.size {
		length, err := s.visit(at)
		if err != nil && !format.IsCorrupt(err) {
			return err
		}
		if err == nil {
			s.endOfDamage(damagedFrom, at, damage)
			damagedFrom, at = -1, at+length
		} else {
			if damagedFrom < 0 {
				damagedFrom, damage = at, err
			}
			if at, err = s.nextSync(at + max(length, 1)); err != nil {
				return err
			}
		}
		progress.Report(min(at, s.size), s.size)
	}
	if rest := s.size - at; rest > 0 && !s.footer && damagedFrom < 0 {
		damagedFrom, damage = at, format.Corruptf("frame", at, "%d bytes that are no block", rest)
	}
	if s.footer && damagedFrom == s.size-format.FooterSize {
		damagedFrom = -1
	}
	s.endOfDamage(damagedFrom, s.size, damage)
	s.sort()
	return nil
}

func (s *Recovery) endOfDamage(from, to int64, err error) {
	if from >= 0 {
		s.report.LostBytes += to - from
		s.problem(from, err)
	}
}

// visit reads the block at an offset and returns its length. Inside of a damaged one, whose length may be that of a block that is
// partly missing, others are looked for, unless that was in vain too often: then its length is returned, too.
func (s *Recovery) visit(at int64) (int64, error) {
	f, b, err := s.frameAt(at)
	if err != nil {
		return 0, err
	}
	if f.CRC^s.mark != format.Checksum(b[:20], b[format.FrameSize:], zeroID[:]) {
		err := format.Corruptf(f.Kind.String(), at, "its checksum does not hold")
		if f.Kind != format.BlockSlice && f.Kind != format.BlockModel {
			s.intact = append(s.intact, f.Ordinal) // no events are lost with it
			if f.Kind == format.BlockMarks {
				s.lostMarks = append(s.lostMarks, f.Ordinal)
			}
		}
		if s.wasted += int64(len(b)); s.wasted > 16*s.size {
			return int64(len(b)), err
		}
		return 0, err
	}
	s.report.Blocks++
	s.intact = append(s.intact, f.Ordinal)
	if err := s.note(f, at, b); err != nil {
		if !format.IsCorrupt(err) {
			return 0, err
		}
		s.problem(at, err)
	}
	return int64(len(b)), nil
}

// frameAt reads the frame at an offset, with its payload.
func (s *Recovery) frameAt(at int64) (*format.Frame, []byte, error) {
	var head [format.FrameSize]byte
	if err := s.readAt(head[:], at); err != nil {
		return nil, nil, err
	}
	f, err := format.ParseFrame(head[:])
	if err != nil {
		return nil, nil, format.At(err, s.name, at)
	}
	length := int64(f.Stored) + format.FrameSize
	switch {
	case length > s.size-at:
		return nil, nil, format.Corruptf(f.Kind.String(), at, "%d of its %d bytes are there", s.size-at, length)
	case length > int64(s.limits.BlockBytes) || int64(f.Raw) > int64(s.limits.BlockBytes):
		return nil, nil, format.Corruptf(f.Kind.String(), at, "%d bytes are over the limit", max(length, int64(f.Raw))).Of(format.ErrLimit)
	}
	s.buffer = slices.Grow(s.buffer[:0], int(length))[:length]
	return f, s.buffer, s.readAt(s.buffer, at)
}

// nextSync returns where the next sync word stands, from an offset on.
func (s *Recovery) nextSync(at int64) (int64, error) {
	var room [scanBytes]byte
	for at < s.size {
		b := room[:min(scanBytes, s.size-at)]
		if err := s.readAt(b, at); err != nil {
			return 0, err
		}
		if i := bytes.Index(b, []byte(format.Sync)); i >= 0 {
			return at + int64(i), nil
		}
		if at+int64(len(b)) == s.size {
			break
		}
		at += int64(len(b) - len(format.Sync) + 1)
	}
	return s.size, nil
}

// note keeps what will be needed of an intact block.
func (s *Recovery) note(f *format.Frame, at int64, b []byte) error {
	found := foundBlock{offset: at, length: uint32(len(b)), ordinal: f.Ordinal, kind: f.Kind}
	switch f.Kind {
	case format.BlockMeta, format.BlockKinds, format.BlockTotals, format.BlockSlice, format.BlockDictionary, format.BlockModel, format.BlockMarks, format.BlockRoot,
		format.BlockLocations, format.BlockLocationTotals:
	case format.BlockDefinitions, format.BlockAuxiliary:
		s.records = append(s.records, found)
		return nil
	default:
		s.hashes = s.hashes || f.Kind == format.BlockHashes
		return nil // what can be made again
	}
	payload, err := s.decompress(b[format.FrameSize:], f)
	if err != nil {
		return err
	}
	switch f.Kind {
	case format.BlockSlice:
		found.number, found.lane, err = slice.BlockName(payload)
		s.slices = append(s.slices, found)
	case format.BlockDictionary:
		var head layout.GroupHead
		head, _, err = layout.ReadGroupHead(payload)
		k := laneEpoch{head.Lane, head.Epoch}
		s.pages[k] = append(s.pages[k], foundPage{head.Pages, found})
	case format.BlockModel:
		err = s.noteModel(found, payload)
	case format.BlockMarks:
		err = s.noteMarks(found, payload)
	case format.BlockRoot:
		s.noteRoot(payload)
	case format.BlockLocations, format.BlockLocationTotals:
		err = s.noteLocations(f.Kind, payload)
	default:
		err = s.noteOnce(f.Kind, payload)
	}
	return err
}

// noteOnce keeps a block of a kind of which there is one.
func (s *Recovery) noteOnce(kind format.BlockKind, payload []byte) error {
	switch kind {
	case format.BlockMeta:
		meta, extensions, err := records.ReadMeta(payload)
		if err != nil {
			return err
		}
		s.meta = meta
		if d, ok, err := index.ReadDivision(extensions); ok && err == nil {
			s.division = d
		}
		return nil
	case format.BlockKinds:
		kinds, err := records.ReadKinds(payload)
		if err == nil {
			s.kinds = kinds
		}
		return err
	}
	totals, err := index.ReadTotals(payload)
	if err == nil {
		s.totals = &totals.Info
		s.told.note(&totals.Few)
		s.told.noteTotals(&totals.FewTotals)
	}
	return err
}

// noteModel keeps a model, and the ids of locations that its roster tells.
func (s *Recovery) noteModel(found foundBlock, payload []byte) error {
	if s.known[found.ordinal] {
		return nil
	}
	s.known[found.ordinal] = true
	head, rest, err := layout.ReadGroupHead(payload)
	if err != nil {
		return err
	}
	t, err := slice.ParseStatistics(rest, s.limits)
	if err != nil {
		return err
	}
	n := uint64(len(t.Roster.Slices))
	if n == 0 || t.Roster.First+n < n {
		return format.Corruptf("model block", found.offset, "it is of no slice")
	}
	m := foundModel{GroupHead: head, first: t.Roster.First, last: t.Roster.First + n - 1, block: found}
	for i, shares := range t.Roster.Slices {
		for _, share := range shares {
			if share.First == 0 {
				s.names.add(share.Location, share.ID)
			}
			s.rostered[share.Location] += uint64(share.Events)
			s.sliceEvents[m.first+uint64(i)] += uint64(share.Events)
			m.locations = append(m.locations, share.Location)
		}
	}
	slices.Sort(m.locations)
	m.locations = slices.Clip(slices.Compact(m.locations))
	s.models = append(s.models, m)
	return nil
}

// sort puts what was found into the order in which it was written. Blocks that stand twice count once.
func (s *Recovery) sort() {
	slices.Sort(s.intact)
	s.intact = slices.Compact(s.intact)
	s.records = inOrder(s.records)
	s.slices = inOrder(s.slices)
	slices.SortStableFunc(s.slices, func(a, b foundBlock) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.lane, b.lane))
	})
	for i := range s.models {
		s.models[i].place, _ = slices.BinarySearch(s.intact, s.models[i].block.ordinal)
	}
	slices.SortStableFunc(s.models, func(a, b foundModel) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.first, b.first), cmp.Compare(a.block.ordinal, b.block.ordinal))
	})
	s.findLostMarks()
	for _, pages := range s.pages {
		slices.SortStableFunc(pages, func(a, b foundPage) int { return cmp.Compare(a.number, b.number) })
	}
}

func inOrder(blocks []foundBlock) []foundBlock {
	slices.SortStableFunc(blocks, func(a, b foundBlock) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return slices.CompactFunc(blocks, func(a, b foundBlock) bool { return a.ordinal == b.ordinal })
}
