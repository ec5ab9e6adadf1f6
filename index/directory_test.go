package index

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/internal/indextest"
	"github.com/pandotrace/pando/trace"
)

func drawRef(r *rand.Rand) format.Ref {
	return format.Ref{Offset: indextest.AnyNumber(r), Length: uint32(indextest.AnyNumber(r)), CRC: r.Uint32()}
}

func drawEntries(r *rand.Rand) []Entry {
	entries := make([]Entry, r.IntN(30))
	for i := range entries {
		entries[i] = Entry{
			Kind: format.BlockKind(r.IntN(256)), Level: uint8(r.IntN(extended)), Lane: uint32(indextest.AnyNumber(r)), Number: indextest.AnyNumber(r), Ref: drawRef(r),
		}
	}
	return entries
}

// drawBounds draws an interval that begins at or behind a time.
func drawBounds(r *rand.Rand, after int64) (start, end int64) {
	start = after + int64(indextest.AnyNumber(r)>>10)
	return start, start + int64(indextest.AnyNumber(r)>>10)
}

func drawPage(r *rand.Rand) *Page {
	p := &Page{First: indextest.AnyNumber(r), Lane: uint32(indextest.AnyNumber(r)), Slices: make([]SliceEntry, r.IntN(30)), Entries: drawEntries(r)}
	end := -int64(indextest.AnyNumber(r) >> 3)
	for i := range p.Slices {
		s := &p.Slices[i]
		switch {
		case i > 0 && p.Slices[i-1].End == p.Slices[i-1].Start+1: // more of the same instant
			s.Start, s.End = p.Slices[i-1].Start, p.Slices[i-1].End
		case r.IntN(4) == 0:
			s.Start, s.End = end, end+1
		default:
			s.Start, s.End = drawBounds(r, end)
		}
		s.Events, end = indextest.AnyNumber(r), s.End
	}
	return p
}

// drawContents draws what the root says of a block of definitions.
func drawContents(r *rand.Rand) (c records.Contents) {
	for kind := r.IntN(1 << 12); kind < 1<<16 && len(c.Kinds) < 5; kind += 1 + r.IntN(1<<15) {
		c.Kinds = append(c.Kinds, trace.Kind(kind))
	}
	if len(c.Kinds) == 1 {
		c.First = indextest.AnyNumber(r) >> 1
		c.Last = c.First + indextest.AnyNumber(r)>>1
	}
	return c
}

func drawLocationRange(r *rand.Rand, lanes uint64) (l LocationRange) {
	l.FirstID = indextest.AnyNumber(r) >> 1
	l.LastID = l.FirstID + indextest.AnyNumber(r)>>1
	l.FirstLane = uint32(r.Uint64N(lanes))
	l.LastLane = l.FirstLane + uint32(r.Uint64N(lanes-uint64(l.FirstLane)))
	return l
}

// drawDivision draws how slices are divided: groups that are greater or smaller than nodes, or do not divide them.
func drawDivision(r *rand.Rand) Division {
	a, b := 1+r.Uint64N(55), 2+r.Uint64N(20)
	return Division{Fanout: a * b, GroupSlices: []uint64{a * b, a, a * a, b * b, a * a * b}[r.IntN(5)]}
}

func drawRoot(r *rand.Rand) *Root {
	t := &Root{
		Division: drawDivision(r), Events: indextest.AnyNumber(r),
		Lanes: 1 + indextest.AnyNumber(r)>>33,
		Pages: make([]PageRef, r.IntN(30)), Entries: drawEntries(r),
	}
	for i := range t.Entries {
		if r.IntN(4) == 0 {
			t.Entries[i].Kind = format.BlockLocations
		}
		switch t.Entries[i].Kind {
		case format.BlockDefinitions:
			t.Definitions = append(t.Definitions, drawContents(r))
		case format.BlockLocations:
			t.Ranges = append(t.Ranges, drawLocationRange(r, t.Lanes))
		}
	}
	end := -int64(indextest.AnyNumber(r) >> 3)
	for i := range t.Pages {
		p := &t.Pages[i]
		p.First, p.Slices, p.Ref = t.Slices, 1+indextest.AnyNumber(r)>>24, drawRef(r)
		p.Start, p.End = drawBounds(r, end)
		t.Slices, end = t.Slices+p.Slices, p.End
		for first := r.Uint64N(8); first < t.Lanes && r.IntN(4) > 0; first += 1 + r.Uint64N(100) {
			p.Lanes = append(p.Lanes, LanesRef{uint32(first), drawRef(r)})
		}
	}
	for first := uint64(0); first < t.groups(); first += 1 + r.Uint64N(1+t.groups()/uint64(1+r.IntN(20))) {
		t.Epochs = append(t.Epochs, first)
	}
	return t
}

// checkRoundTrip writes what a function draws: it must come back, and have one form only.
func checkRoundTrip[T any](t *testing.T, draw func(*rand.Rand) *T, write func(*T) []byte, parse func([]byte) (*T, error)) {
	for seed := range uint64(200) {
		want := draw(rand.New(rand.NewPCG(seed, 1)))
		b := write(want)
		got, err := parse(b)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: (-want +got)\n%s", seed, diff)
		}
		if !bytes.Equal(b, write(got)) {
			t.Fatalf("seed %d: what was read is written in another way", seed)
		}
		for range 20 {
			checkDamaged(t, b[:rand.IntN(len(b))], parse)
		}
		if _, err := parse(append(slices.Clone(b), 0)); !format.IsCorrupt(err) {
			t.Fatalf("seed %d, with a byte too many: %v", seed, err)
		}
	}
}

func checkDamaged[T any](t *testing.T, b []byte, parse func([]byte) (*T, error)) {
	t.Helper()
	_, err := parse(b)
	if corrupt, ok := err.(*format.CorruptError); !ok || !strings.HasPrefix(corrupt.Section, "directory ") && !strings.HasPrefix(corrupt.Section, "location") && corrupt.Section != "totals block" {
		t.Fatalf("damaged: %v", err)
	}
}

func TestPages(t *testing.T) {
	checkRoundTrip(t, drawPage, func(p *Page) []byte { return p.Append(nil) }, ParsePage)
}

// Extensions at the end, and of entries, are passed over; those at the end stay.
func TestDirectoryWithExtensions(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		page, root := drawPage(r), drawRoot(r)
		some := format.AppendExtension(format.AppendExtension(nil, 0, nil), 8, []byte("later"))
		page.Extensions, root.Extensions = some, some
		checkExtended(t, page, func(p *Page) []byte { return p.Append(nil) }, ParsePage)
		checkExtended(t, root, func(r *Root) []byte { return r.Append(nil) }, ParseRoot)
		e := drawEntries(r)
		if len(e) == 0 {
			continue
		}
		b := appendEntries(nil, e)
		at := len(appendEntries(nil, e[:1])) // where the second entry begins
		b[len(format.AppendUvarint(nil, uint64(len(e))))+1] |= extended
		b = slices.Insert(b, at, format.AppendBytes(nil, some)...)
		d := format.NewDecoder("directory page", b)
		if got := readEntries(d); d.Finish() != nil || !slices.Equal(got, e) {
			t.Fatalf("seed %d: %v, %v, want %v", seed, d.Err(), got, e)
		}
	}
}

func checkExtended[T any](t *testing.T, want *T, write func(*T) []byte, parse func([]byte) (*T, error)) {
	t.Helper()
	b := write(want)
	got, err := parse(b)
	if err != nil || !cmp.Equal(want, got, cmpopts.EquateEmpty()) || !bytes.Equal(b, write(got)) {
		t.Fatalf("%v, want %v: %v", got, want, err)
	}
}

func TestRoots(t *testing.T) {
	checkRoundTrip(t, drawRoot, func(r *Root) []byte { return r.Append(nil) }, ParseRoot)
}

// Slices of a page come in the order of time. Those of one instant share their bounds, and only those.
func TestPagesRefuseDisorder(t *testing.T) {
	for name, list := range map[string][]SliceEntry{
		"overlap":                    {{Start: 0, End: 10}, {Start: 9, End: 20}},
		"the same interval twice":    {{Start: 0, End: 10}, {Start: 0, End: 10}},
		"inside of an instant":       {{Start: 0, End: 1}, {Start: 0, End: 2}},
		"behind a shorter one":       {{Start: 0, End: 10}, {Start: 0, End: 0}},
		"an end that wraps round":    {{Start: 1<<63 - 1, End: -1 << 63}},
		"a begin that wraps round":   {{Start: 0, End: 1 << 61}, {Start: -1 << 63, End: 0}},
		"longer than a trace may be": {{Start: 0, End: format.SpanLimit}},
	} {
		p := Page{Slices: list}
		if got, err := ParsePage(p.Append(nil)); !format.IsCorrupt(err) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	whole := Page{Slices: []SliceEntry{{Start: -1 << 61, End: 1<<61 + 1}}}
	if _, err := ParsePage(whole.Append(nil)); err != nil {
		t.Errorf("a slice of all times that a trace may have: %v", err)
	}
}

// Each group belongs to the last epoch that begins with it or before, and to no other.
func TestEpochs(t *testing.T) {
	for seed := range uint64(100) {
		r := drawRoot(rand.New(rand.NewPCG(seed, 2)))
		next := uint64(0)
		for epoch := range uint64(len(r.Epochs)) {
			from, to := r.GroupsOf(epoch)
			if from != next || to <= from || r.EpochOf(from) != epoch || r.EpochOf(to-1) != epoch {
				t.Fatalf("seed %d: epoch %d has the groups %d to %d; %d belongs to %d", seed, epoch, from, to, to-1, r.EpochOf(to-1))
			}
			next = to
		}
		from, to := r.GroupsOf(uint64(len(r.Epochs)))
		if next != r.groups() || from < to {
			t.Fatalf("seed %d: epochs have %d of %d groups", seed, next, r.groups())
		}
	}
}

func TestRootsRefuse(t *testing.T) {
	page := func(slices uint64, start, end int64) PageRef { return PageRef{Slices: slices, Start: start, End: end} }
	one := []uint64{0}
	for name, r := range map[string]Root{
		"fanout 1":                   {Division: Division{1, 1}},
		"a fanout of 16 bits":        {Division: Division{1 << 16, 1}},
		"groups of 65,536 slices":    {Division: Division{256, 1 << 16}},
		"groups of no slices":        {Division: Division{2, 0}},
		"groups that divide no node": {Division: Division{4, 6}},
		"slices without epoch":       {Division: Division{2, 2}, Slices: 1, Pages: []PageRef{page(1, 0, 1)}},
		"an epoch without slices":    {Division: Division{2, 2}, Epochs: one},
		"an epoch behind the end":    {Division: Division{2, 2}, Epochs: []uint64{0, 2}, Slices: 4, Pages: []PageRef{page(4, 0, 1)}},
		"two epochs of a group":      {Division: Division{2, 2}, Epochs: []uint64{0, 1, 1}, Slices: 4, Pages: []PageRef{page(4, 0, 1)}},
		"slices without page":        {Division: Division{2, 2}, Epochs: one, Slices: 1},
		"fewer slices than in pages": {Division: Division{2, 2}, Epochs: one, Slices: 1, Pages: []PageRef{page(2, 0, 1)}},
		"a page without slices":      {Division: Division{2, 2}, Epochs: one, Slices: 1, Pages: []PageRef{page(0, 0, 0), page(1, 0, 1)}},
		"a sum that wraps round":     {Division: Division{2, 2}, Epochs: one, Slices: 1, Pages: []PageRef{page(1<<48-1, 0, 1), page(2, 1, 2)}},
		"pages that overlap":         {Division: Division{2, 2}, Epochs: one, Slices: 2, Pages: []PageRef{page(1, 0, 9), page(1, 7, 12)}},
		"a page that ends early":     {Division: Division{2, 2}, Epochs: one, Slices: 1, Pages: []PageRef{page(1, 1<<63-1, -1<<63)}},
		"too many slices":            {Division: Division{2, 2}, Slices: maxSlices},
	} {
		if got, err := ParseRoot(r.Append(nil)); !format.IsCorrupt(err) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	// An instant that does not end may be divided between pages.
	r := Root{Division: Division{2, 2}, Epochs: one, Slices: 2, Pages: []PageRef{page(1, 0, 10), page(1, 9, 10)}}
	if _, err := ParseRoot(r.Append(nil)); err != nil {
		t.Error(err)
	}
}

// A few bytes cannot make a reader allocate much: counts are held against the bytes that follow.
func TestDirectoryCounts(t *testing.T) {
	huge := format.AppendUvarint(nil, 1<<31-1)
	for _, b := range [][]byte{
		append([]byte{0}, huge...),
		append([]byte{0, 0}, huge...),
	} {
		checkDamaged(t, append(b, make([]byte, 100)...), ParsePage)
	}
	for _, b := range [][]byte{
		append([]byte{2, 1, 1}, huge...),
		append([]byte{2, 1, 1, 1}, huge...),
		append([]byte{2, 0, 1, 0, 0}, huge...),
	} {
		checkDamaged(t, append(b, make([]byte, 100)...), ParseRoot)
	}
}

// Nodes end where the number of slices is a multiple of theirs.
func TestEnding(t *testing.T) {
	d := Division{Fanout: 3, GroupSlices: 9}
	for n, want := range map[uint64]int{0: 0, 1: 0, 3: 1, 6: 1, 9: 2, 18: 2, 27: 3, 28: 0} {
		if got := d.Ending(n); got != want {
			t.Errorf("behind %d slices: level %d, not %d", n, got, want)
		}
	}
}
