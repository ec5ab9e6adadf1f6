package store_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// wreck is a file to be damaged, with what its blocks hold.
type wreck struct {
	file     []byte
	blocks   []damage.Block
	model    *model.Trace
	messages map[[4]uint64]bool // locations and ordinals of both ends
	groups   []wreckGroup
	found    int // messages in all that was saved
	sha256   [32]byte
	seed     uint64 // of the trace
	knobs    tracegen.Knobs
	options  store.Options
}

// wreckGroup is one lane's part of a group: which blocks it takes to read its slices.
type wreckGroup struct {
	model        int   // number of its block
	dictionary   []int // of pages
	slices       []int
	shares       [][]slice.Share // of these slices
	lane, epoch  uint64
	group, pages uint64
}

func newWreck(t *testing.T, seed uint64, opt store.Options, change ...func(*tracegen.Knobs)) *wreck {
	t.Helper()
	k := tracegen.RandomKnobs(seed)
	k.Processes, k.Threads, k.Length, k.Messages, k.Talk = 3, 2, 25, 60, 0.5
	k.Residuals, k.Any, k.Private, k.Undeclared, k.Auxiliary = 0.1, 0.1, true, true, true
	for _, f := range change {
		f(&k)
	}
	opt.ID = format.FileID{7}
	file := write(t, tracegen.Random(seed, k), opt)
	v := &wreck{file: file, blocks: damage.Blocks(file), messages: map[[4]uint64]bool{}, seed: seed, knobs: k, options: opt}
	var err error
	if v.model, err = model.Load(tracegen.Random(seed, k)); err != nil {
		t.Fatal(err)
	}
	for _, m := range v.model.Match().Messages {
		v.messages[[4]uint64{m.SendLocation, m.SendOrdinal, m.ReceiveLocation, m.ReceiveOrdinal}] = true
	}
	v.readGroups(t)
	v.sha256 = read(t, file).Info().SHA256
	return v
}

// endOf returns where the block of a kind ends of which there is one.
func (v *wreck) endOf(kind format.BlockKind) int {
	i := slices.IndexFunc(v.blocks, func(b damage.Block) bool { return b.Kind == kind })
	return v.blocks[i].Offset + v.blocks[i].Size()
}

// readGroups finds out what is needed to read each slice.
func (v *wreck) readGroups(t *testing.T) {
	t.Helper()
	head := func(b *damage.Block) (h [4]uint64, rest []byte) {
		d := format.NewDecoder("", b.Payload)
		for i := range h {
			h[i] = d.Uvarint()
		}
		return h, d.Rest()
	}
	for i := range v.blocks {
		b := &v.blocks[i]
		if b.Kind != format.BlockModel {
			continue
		}
		h, rest := head(b)
		g := wreckGroup{model: i, group: h[0], lane: h[1], epoch: h[2], pages: h[3]}
		stats, err := slice.ParseStatistics(rest, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for j := range v.blocks {
			switch o := &v.blocks[j]; o.Kind {
			case format.BlockDictionary:
				if p, _ := head(o); p[1] == g.lane && p[2] == g.epoch && p[3] <= g.pages {
					g.dictionary = append(g.dictionary, j)
				}
			case format.BlockSlice:
				number, lane, err := slice.BlockName(o.Payload)
				if at := number - stats.Roster.First; err == nil && uint64(lane) == g.lane && number >= stats.Roster.First && at < uint64(len(stats.Roster.Slices)) {
					g.slices, g.shares = append(g.slices, j), append(g.shares, stats.Roster.Slices[at])
				}
			}
		}
		if uint64(len(g.dictionary)) != g.pages {
			t.Fatalf("group %d of lane %d has %d pages of %d", g.group, g.lane, len(g.dictionary), g.pages)
		}
		v.groups = append(v.groups, g)
	}
}

// readable returns the ordinals of the events of all slices that can be read, by the place of the location.
func (v *wreck) readable(intact func(block int) bool) map[int][]uint64 {
	all := map[int][]uint64{}
	v.eachReadable(intact, func(shares []slice.Share) {
		for _, s := range shares {
			for n := range uint64(s.Events) {
				all[int(s.Location)] = append(all[int(s.Location)], s.First+n)
			}
		}
	})
	for _, ordinals := range all {
		slices.Sort(ordinals)
	}
	return all
}

// eachReadable gives the shares of the blocks of slices that are intact, and what they need, too.
func (v *wreck) eachReadable(intact func(block int) bool, visit func(shares []slice.Share)) {
	for _, g := range v.groups {
		if !intact(g.model) || slices.ContainsFunc(g.dictionary, func(b int) bool { return !intact(b) }) {
			continue
		}
		for i, b := range g.slices {
			if intact(b) {
				visit(g.shares[i])
			}
		}
	}
}

// named returns the locations whose ids can be known: those that pages of locations or totals tell, those that are defined by definitions, each by the statistics of
// the group with its first event.
func (v *wreck) named(intact func(block int) bool) map[int]bool {
	named := map[int]bool{}
	definitions := slices.IndexFunc(v.blocks, func(b damage.Block) bool { return b.Kind == format.BlockDefinitions })
	for place := range v.model.Locations {
		named[place] = intact(v.tells(format.BlockLocations, place)) || place < len(v.model.Definitions.Locations) && intact(definitions)
	}
	for _, g := range v.groups {
		for _, s := range slices.Concat(g.shares...) {
			named[int(s.Location)] = named[int(s.Location)] || s.First == 0 && intact(g.model)
		}
	}
	return named
}

// tells returns the block that says something of a location: a page, or the totals where there are none.
func (v *wreck) tells(kind format.BlockKind, place int) int {
	if v.options.PageLocations > 0 {
		return place/v.options.PageLocations + slices.IndexFunc(v.blocks, func(b damage.Block) bool { return b.Kind == kind })
	}
	return slices.IndexFunc(v.blocks, func(b damage.Block) bool { return b.Kind == format.BlockTotals })
}

// recovered is what was made of a damaged file.
type recovered struct {
	report *store.RecoverReport
	model  *model.Trace
	reader *store.Reader
}

func recoverFile(t *testing.T, file []byte) (*recovered, error) {
	t.Helper()
	saved, report, err := recoverBytes(t, file)
	if err != nil {
		return nil, err
	}
	r := read(t, saved)
	verified, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err == nil {
		err = verified.Err()
	}
	if err != nil {
		t.Fatalf("what was saved is not sound: %v", err)
	}
	m, err := model.Load(r.Source())
	if err != nil {
		t.Fatal(err)
	}
	return &recovered{report, m, r}, nil
}

// recoverBytes makes a file of what can be saved. Now and then it takes slices in spans, too, which makes no difference.
func recoverBytes(t *testing.T, file []byte) ([]byte, *store.RecoverReport, error) {
	t.Helper()
	out, report, err := recoverAtOnce(t, file, 0)
	if err == nil && format.Checksum(file)%4 == 0 {
		again, same, err := recoverAtOnce(t, file, 1+int(format.Checksum(file)/4%100))
		if err != nil || !bytes.Equal(again, out) || !reflect.DeepEqual(same, report) {
			t.Fatalf("%d bytes are saved in spans, else %d: %v; %+v, else %+v", len(again), len(out), err, same, report)
		}
	}
	return out, report, err
}

// recoverAtOnce recovers with a bound of words at once, if that is not 0.
func recoverAtOnce(t *testing.T, file []byte, words int) ([]byte, *store.RecoverReport, error) {
	t.Helper()
	s, err := store.OpenRecovery(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "damaged"}, nil)
	if err != nil {
		return nil, nil, err
	}
	if words > 0 {
		s.AtOnce(words, 1+words%3)
	}
	var out bytes.Buffer
	w, err := store.NewWriter(t.Context(), &out, s.Meta(), store.Options{SliceEvents: 50, Fanout: 3, LaneLocations: 2, Workers: 1, ID: format.FileID{8}})
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Copy(t.Context(), w, nil)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatalf("what was saved cannot be written: %v", err)
	}
	return out.Bytes(), report, nil
}

// check compares what was saved with the events of the slices that can be read.
func (v *wreck) check(t *testing.T, got *recovered, intact func(block int) bool) {
	t.Helper()
	want := v.readable(intact)
	total := uint64(0)
	ids := v.ids(t, got, want, intact)
	for place, ordinals := range want {
		l := &v.model.Locations[place]
		total += uint64(len(ordinals))
		saved := got.model.Location(ids[place])
		if saved == nil || len(saved.Events) != len(ordinals) {
			t.Fatalf("location %d, now %d: %v saved, want %d events", l.ID, ids[place], saved, len(ordinals))
		}
		for i, n := range ordinals {
			if !reflect.DeepEqual(saved.Events[i], l.Events[n]) {
				t.Fatalf("location %d, event %d: %+v, want %+v", l.ID, n, saved.Events[i], l.Events[n])
			}
		}
	}
	if got.report.Events != total {
		t.Fatalf("%d events saved, want %d", got.report.Events, total)
	}
	v.checkLosses(t, got.report, want, ids, intact)
	v.checkMessages(t, got, want, ids)
}

// ids returns the ids that locations have in what was saved: their own, but for those of which nothing tells it and events are saved.
func (v *wreck) ids(t *testing.T, got *recovered, saved map[int][]uint64, intact func(block int) bool) []uint64 {
	t.Helper()
	named, madeUp := v.named(intact), map[int]uint64{}
	for _, l := range got.report.LostIDs {
		madeUp[int(l.Index)] = l.Location
		i := slices.IndexFunc(got.model.Definitions.Locations, func(d trace.Location) bool { return d.ID == l.Location })
		if i < 0 || !strings.Contains(got.model.Definitions.Strings[got.model.Definitions.Locations[i].Name], fmt.Sprintf("%d, its id is lost", l.Index)) {
			t.Fatalf("location %d is defined as %+v", l.Location, got.model.Definitions.Locations)
		}
	}
	var ids []uint64
	for place := range v.model.Locations {
		id, ok := madeUp[place]
		if ok == named[place] && len(saved[place]) > 0 {
			t.Fatalf("the id of location number %d is told: %v, made up: %v", place, named[place], ok)
		}
		if !ok {
			id = v.model.Locations[place].ID
		}
		ids = append(ids, id)
	}
	return ids
}

// checkLosses compares the reported losses with the real ones; a loss behind the last event is reported only if the totals of locations
// are there, and that of all events only if the location's id is known.
func (v *wreck) checkLosses(t *testing.T, r *store.RecoverReport, saved map[int][]uint64, ids []uint64, intact func(block int) bool) {
	t.Helper()
	named := v.named(intact)
	told := map[uint64]uint64{}
	for _, loss := range r.Losses {
		told[loss.Location] += loss.Events
	}
	for place := range v.model.Locations {
		l := &v.model.Locations[place]
		end := uint64(len(l.Events))
		if !intact(v.tells(format.BlockLocationTotals, place)) || !named[place] && len(saved[place]) == 0 {
			end = 0
			if n := len(saved[place]); n > 0 {
				end = saved[place][n-1] + 1
			}
		}
		if want := end - uint64(len(saved[place])); told[ids[place]] != want {
			t.Fatalf("%d events of location %d are said to be lost, want %d", told[ids[place]], ids[place], want)
		}
		for _, loss := range r.Losses {
			if loss.Location == ids[place] && loss.From > loss.To {
				t.Fatalf("loss %+v", loss)
			}
		}
	}
}

// checkMessages checks that all messages are true ones; and if nothing was lost, that none is missing.
func (v *wreck) checkMessages(t *testing.T, got *recovered, saved map[int][]uint64, ids []uint64) {
	t.Helper()
	place := map[uint64]int{}
	for i, id := range ids {
		place[id] = i
	}
	found := map[[4]uint64]bool{}
	for m, err := range got.reader.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		from, to := place[m.SendLocation], place[m.ReceiveLocation]
		k := [4]uint64{v.model.Locations[from].ID, saved[from][m.SendOrdinal], v.model.Locations[to].ID, saved[to][m.ReceiveOrdinal]}
		if found[k] = true; !v.messages[k] {
			t.Fatalf("message %v is none", k)
		}
	}
	if got.report.Lossless() && len(found) != len(v.messages) {
		t.Fatalf("%d messages, want %d", len(found), len(v.messages))
	}
	v.found += len(found)
}

func wrecks(t *testing.T, change ...func(*tracegen.Knobs)) []*wreck {
	t.Helper()
	return []*wreck{
		newWreck(t, 4, store.Options{SliceEvents: 40, Fanout: 2, EpochSlices: 4, LaneLocations: 2, PageLocations: 2}, change...),
		newWreck(t, 12, store.Options{SliceEvents: 25, Fanout: 3, EpochSlices: 6, LaneLocations: 100}, change...),
	}
}

// A sound file is saved whole, whatever becomes of its directory.
func TestRecoverWhole(t *testing.T) {
	t.Parallel()
	for _, v := range wrecks(t) {
		for _, kind := range []format.BlockKind{0, format.BlockPage, format.BlockRoot, format.BlockCalls, format.BlockMessages, format.BlockSummary, format.BlockBins, format.BlockUnmatched} {
			file := bytes.Clone(v.file)
			for i := range v.blocks {
				if b := &v.blocks[i]; b.Kind == kind {
					file[b.Offset+format.FrameSize] ^= 1
				}
			}
			got, err := recoverFile(t, file)
			if err != nil {
				t.Fatal(err)
			}
			if !got.report.Lossless() || kind == 0 && len(got.report.Problems) > 0 {
				t.Errorf("without %ss: %+v", kind, got.report)
			}
			v.check(t, got, func(int) bool { return true })
			if !reflect.DeepEqual(got.model.Auxiliary, v.model.Auxiliary) || !reflect.DeepEqual(got.model.Definitions.Log, v.model.Definitions.Log) {
				t.Errorf("without %ss: other records", kind)
			}
			if !reflect.DeepEqual(got.model.Match(), v.model.Match()) {
				t.Errorf("without %ss: other messages", kind)
			}
		}
	}
}

// Wherever a file is torn off, every event of every slice whose blocks are there is saved. What is saved of a file that ends inside of
// a block is the same, byte by byte, as without this block.
func TestRecoverTorn(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	blocks, inside := 10, 1 // blocks of each file at whose begin it ends, lengths inside of each that are tried
	if os.Getenv("PANDO_SOAK") != "" {
		blocks, inside = math.MaxInt, math.MaxInt
	}
	tried := 0
	for _, v := range wrecks(t) {
		for _, i := range r.Perm(len(v.blocks))[:min(blocks, len(v.blocks))] {
			b := &v.blocks[i]
			t.Run(fmt.Sprint(b.Offset), func(t *testing.T) { v.checkTorn(t, b.Offset) }) // what it opens is closed and forgotten
			want, _, err := recoverBytes(t, v.file[:b.Offset])
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range r.Perm(b.Size() - 1)[:min(inside, b.Size()-1)] {
				n := b.Offset + 1 + d
				if got, report, err := recoverBytes(t, v.file[:n]); err != nil || !bytes.Equal(got, want) || report.LostBytes != int64(1+d) {
					t.Fatalf("%d of %d bytes, %d of the last block: %d bytes are saved, without it %d; %v", n, len(v.file), 1+d, len(got), len(want), err)
				}
				tried++
			}
		}
		for n := v.blocks[len(v.blocks)-1].Offset + v.blocks[len(v.blocks)-1].Size(); n <= len(v.file); n += max(1, 64/blocks) {
			t.Run(fmt.Sprint(n), func(t *testing.T) { v.checkTorn(t, n) })
		}
		t.Logf("%d bytes, %d blocks", len(v.file), len(v.blocks))
	}
	t.Logf("%d lengths inside of blocks", tried)
}

// checkTorn checks what is recovered from the first bytes of a file.
func (v *wreck) checkTorn(t *testing.T, n int) {
	t.Helper()
	got, err := recoverFile(t, v.file[:n])
	if err != nil {
		t.Fatal(err)
	}
	v.check(t, got, func(b int) bool { return v.blocks[b].Offset+v.blocks[b].Size() <= n })
	if got.report.Lossless() != (n >= v.endOf(format.BlockTotals)) {
		t.Fatalf("%d of %d bytes are said to be all", n, len(v.file))
	}
}

// Whatever blocks are damaged, the events of all others are saved, and no message is reported that is none.
func TestRecoverDamaged(t *testing.T) {
	t.Parallel()
	rounds := 12
	if os.Getenv("PANDO_SOAK") != "" {
		rounds = 3000
	}
	for n, v := range wrecks(t) {
		for round := range rounds {
			r := rand.New(rand.NewPCG(uint64(round), uint64(n)))
			file, bad := bytes.Clone(v.file), map[int]bool{}
			for range 1 + r.IntN(4) {
				i := r.IntN(len(v.blocks))
				if v.blocks[i].Kind == format.BlockMeta || v.blocks[i].Kind == format.BlockDefinitions {
					continue
				}
				b := &v.blocks[i]
				at, end := b.Offset+r.IntN(b.Size()), b.Offset+b.Size()
				clear(file[at:min(at+1+r.IntN(8), end)])
				file[end-1] ^= 1
				if bad[i] = true; bytes.Equal(file[b.Offset:end], v.file[b.Offset:end]) {
					delete(bad, i) // it ended with a 1, behind zeros
				}
			}
			if round%5 == 4 { // not even the ends are there
				clear(file[:format.HeaderSize])
				clear(file[len(file)-format.FooterSize:])
			}
			t.Run(fmt.Sprint(n, "/", round), func(t *testing.T) {
				got, err := recoverFile(t, file)
				if err != nil {
					t.Fatal(err)
				}
				v.check(t, got, func(b int) bool { return !bad[b] })
				lost := got.report.LostBytes
				if got.report.Lossless() && got.reader.Info().SHA256 != v.sha256 {
					t.Error("nothing is said to be lost, but the fingerprint is another one")
				}
				if lost == 0 && len(bad) > 0 || len(got.report.Problems) < min(1, len(bad)) {
					t.Errorf("%d blocks are damaged: %+v", len(bad), got.report)
				}
			})
		}
		if v.found < 50 {
			t.Errorf("only %d messages were saved", v.found)
		}
	}
}

// Events of locations whose ids are lost are saved under others: the pages of locations, with or without the definitions, and the models of first
// events are not there.
func TestRecoverNameless(t *testing.T) {
	madeUp := 0
	for _, v := range wrecks(t) {
		for _, lost := range []format.BlockKind{format.BlockDefinitions, format.BlockLocations} {
			file, bad := bytes.Clone(v.file), map[int]bool{}
			for i := range v.blocks {
				b := &v.blocks[i]
				first := slices.ContainsFunc(v.groups, func(g wreckGroup) bool { return g.model == i && g.group < 2 })
				if b.Kind == lost || b.Kind == format.BlockLocations || b.Kind == format.BlockTotals || b.Kind == format.BlockModel && first {
					file[b.Offset+format.FrameSize] ^= 1
					bad[i] = true
				}
			}
			got, err := recoverFile(t, file)
			if err != nil {
				t.Fatal(err)
			}
			v.check(t, got, func(b int) bool { return !bad[b] })
			madeUp += len(got.report.LostIDs)
		}
	}
	if madeUp < 4 {
		t.Errorf("only %d ids were made up", madeUp)
	}
}

// Blocks that stand in each other's place, or twice, are found all the same.
func TestRecoverShuffled(t *testing.T) {
	for n, v := range wrecks(t) {
		r := rand.New(rand.NewPCG(7, uint64(n)))
		for range 2 {
			file := bytes.Clone(v.file[:format.HeaderSize])
			order := r.Perm(len(v.blocks))
			order = append(order, order[:5]...)
			for _, i := range order {
				b := &v.blocks[i]
				file = append(file, v.file[b.Offset:b.Offset+b.Size()]...)
			}
			got, err := recoverFile(t, file)
			if err != nil {
				t.Fatal(err)
			}
			if !got.report.Lossless() {
				t.Errorf("%+v", got.report)
			}
			v.check(t, got, func(int) bool { return true })
		}
	}
}

// What is no Pando file is said to be none.
func TestRecoverOfSomethingElse(t *testing.T) {
	for _, file := range [][]byte{nil, []byte("hello"), bytes.Repeat([]byte(format.Sync), 100), make([]byte, 10_000)} {
		if _, err := recoverFile(t, file); !format.IsCorrupt(err) {
			t.Errorf("%d bytes: %v", len(file), err)
		}
	}
}
