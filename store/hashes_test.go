package store_test

import (
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pandotrace/pando/encode/content"
	shapes "github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// folded returns the hash of each location in each slice, by the structure alone.
func folded(t *testing.T, r *store.Reader) map[uint64]map[uint64]content.Hash {
	t.Helper()
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	calls := content.NewCalls(content.Fixed, defs)
	views := map[*shapes.View]*content.Shapes{}
	all := map[uint64]map[uint64]content.Hash{}
	for s, err := range r.All().Structure() {
		if err != nil {
			t.Fatal(err)
		}
		if views[s.Shapes] == nil {
			views[s.Shapes] = content.NewShapes(s.Shapes, calls.Symbol)
		}
		for _, run := range s.Runs {
			if all[run.Location] == nil {
				all[run.Location] = map[uint64]content.Hash{}
			}
			all[run.Location][s.Slice] = views[s.Shapes].Of(run.Tokens...)
		}
	}
	return all
}

// The hashes of any range of slices are those of its structure, and a search finds what going through all slices does.
func TestHashes(t *testing.T) {
	t.Parallel()
	with := 0
	for seed := range uint64(thrift.Of(40, 60)) {
		rand := rand.New(rand.NewPCG(seed, 3))
		k := tracegen.RandomKnobs(seed)
		opt := randomOptions(rand)
		opt.Hashes = true
		r := read(t, write(t, tracegen.Random(seed, k), opt))
		has, err := r.All().HasHashes()
		if err != nil {
			t.Fatal(err)
		}
		if !has {
			continue
		}
		with++
		h := hashChecker{t, r, folded(t, r), rand}
		for range 5 {
			h.check()
		}
	}
	if with < 20 {
		t.Errorf("only %d files have hashes: this tests little", with)
	}
}

type hashChecker struct {
	*testing.T
	r      *store.Reader
	folded map[uint64]map[uint64]content.Hash
	rand   *rand.Rand
}

// of returns the hash of a location in slices first to end-1.
func (h *hashChecker) of(location, first, end uint64) (sum content.Hash) {
	for slice := first; slice < end; slice++ {
		sum = sum.Then(h.folded[location][slice])
	}
	return sum
}

func (h *hashChecker) check() {
	h.Helper()
	n := h.r.Info().Slices
	first := h.rand.Uint64N(n + 1)
	end := first + h.rand.Uint64N(n-first+1)
	if h.rand.IntN(4) == 0 {
		first, end = 0, n
	}
	got, err := h.r.All().Hashes(first, end)
	if err != nil {
		h.Fatal(err)
	}
	var want []store.LocationHash
	for _, id := range stored.LocationIDs(h, h.r) {
		if sum := h.of(id, first, end); sum.N > 0 {
			want = append(want, store.LocationHash{Location: id, Hash: sum})
		}
		h.search(id, first, end)
	}
	if !slices.Equal(got, want) {
		h.Fatalf("slices %d to %d of %d: %v, want %v", first, end, n, got, want)
	}
}

// search looks for the slice in which a location has its n-th symbol.
func (h *hashChecker) search(location, first, end uint64) {
	h.Helper()
	before := content.Fixed.Symbol(7)
	total := h.of(location, first, end).N + 1
	at := h.rand.Uint64N(total + 4)
	slice := first
	for ; slice < end && (h.of(location, slice, slice+1).N == 0 || h.of(location, first, slice+1).N+1 <= at); slice++ {
	}
	found, ok, err := h.r.All().SearchHashes(location, first, end, before, func(prefixes []content.Hash) int {
		return sort.Search(len(prefixes), func(i int) bool { return prefixes[i].N > at })
	})
	if err != nil || ok != (slice < end) || ok && found.Slice != slice {
		h.Fatalf("symbol %d of location %d, slices %d to %d: %+v, %v (%v), want slice %d", at, location, first, end, found, ok, err, slice)
	}
	if want := before.Then(h.of(location, first, slice)); found.Before != want {
		h.Fatalf("location %d has %v before slice %d, want %v", location, found.Before, slice, want)
	}
}

// Hashes are blocks more, and nothing else is another: a file is the same but for them, for its directory and the places of blocks.
func TestFilesWithHashes(t *testing.T) {
	t.Parallel()
	src := tracegen.Ring(4, 300, 1)
	opt := store.Options{SliceEvents: 100, Fanout: 3, ID: format.FileID{1}}
	plain := write(t, src, opt)
	opt.Hashes = true
	hashed := write(t, src, opt)
	payloads := func(file []byte) (list []string, hashes int) {
		for _, b := range damage.Blocks(file) {
			switch b.Kind {
			case format.BlockHashes:
				hashes++
			case format.BlockPage, format.BlockRoot:
			default:
				list = append(list, string(b.Payload))
			}
		}
		return list, hashes
	}
	want, none := payloads(plain)
	got, some := payloads(hashed)
	if none != 0 || some < 10 || !slices.Equal(got, want) {
		t.Errorf("%d and %d hashes, %d blocks besides, want %d", none, some, len(got), len(want))
	}
	if has, err := read(t, plain).All().HasHashes(); has || err != nil {
		t.Errorf("a file without hashes has some (%v)", err)
	}
	for name, file := range map[string][]byte{"written": hashed, "recovered": saved(t, hashed, (*store.Recovery).Options)} {
		has, err := read(t, file).All().HasHashes()
		report, e := read(t, file).Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep})
		if !has || err != nil || e != nil || report.Err() != nil {
			t.Errorf("%s: hashes %v (%v), %v, %v", name, has, err, e, report.Err())
		}
	}
}

// Where a name may still come, there are no hashes: a region that is not defined at all may be, too.
func TestHashesNeedNames(t *testing.T) {
	t.Parallel()
	src := tracegen.Ring(2, 100, 1)
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		keep func(d *trace.Record) bool
		has  bool
	}{
		"all":        {func(*trace.Record) bool { return true }, true},
		"no regions": {func(d *trace.Record) bool { return d.Kind != trace.KindRegion }, false},
		"no strings": {func(d *trace.Record) bool { return d.Kind != trace.KindString }, false},
	} {
		var kept []trace.Record
		for i := range log {
			if c.keep(&log[i]) {
				kept = append(kept, log[i])
			}
		}
		file := write(t, defined{src, kept}, store.Options{SliceEvents: 50, Fanout: 2, Hashes: true})
		has, err := read(t, file).All().HasHashes()
		if err != nil || has != c.has {
			t.Errorf("%s: hashes %v (%v), want %v", what, has, err, c.has)
		}
		report, err := read(t, file).Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep})
		if err != nil || report.Err() != nil {
			t.Errorf("%s: %v, %v", what, err, report.Err())
		}
	}
}

// defined is a trace with other definitions.
type defined struct {
	trace.Source
	log []trace.Record
}

func (d defined) Definitions(from int) ([]trace.Record, error) { return d.log[from:], nil }

// Verifying finds hashes that are not those of the events: deeply in the lowest nodes, and anyhow above them.
func TestWrongHashes(t *testing.T) {
	t.Parallel()
	file, err := damage.Plain(write(t, tracegen.Ring(4, 100, 1), store.Options{SliceEvents: 100, Fanout: 3, Hashes: true}))
	if err != nil {
		t.Fatal(err)
	}
	blocks := damage.Blocks(file)
	wrong := 0
	for i := range blocks {
		if blocks[i].Kind != format.BlockHashes {
			continue
		}
		changed := slices.Clone(blocks)
		payload := slices.Clone(blocks[i].Payload)
		payload[len(payload)-10] ^= 1 // of the first sum of the last hash
		changed[i].Payload = payload
		r := read(t, damage.Join(file, changed))
		report, err := r.Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep})
		if err != nil || report.Err() == nil || !strings.Contains(report.Err().Error(), "are not those of what it holds") {
			t.Errorf("block %d: %v, %v", i, err, report.Err())
		}
		wrong++
	}
	if wrong < 3 {
		t.Errorf("only %d blocks of hashes", wrong)
	}
}
