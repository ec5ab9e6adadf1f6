package store_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/spec"
	"github.com/pandotrace/pando/store"
)

// told are the kinds of blocks that say what nothing else in a file says, each with the reason: with a checksum that fits, another number in
// them makes another sound trace.
var told = map[format.BlockKind]string{
	format.BlockMeta:        "the trace as a whole: its resolution, its start, the program that it is of",
	format.BlockKinds:       "names and fields of kinds that the program does not know",
	format.BlockDefinitions: "definitions are given: events refer to them, and may refer to what is not defined",
	format.BlockAuxiliary:   "records that are no events are given; only their number stands elsewhere",
}

// editedVectors are vectors that have blocks of all kinds among them, of several slices.
var editedVectors = []string{"exchange", "threads", "tables", "contexts", "auxiliary", "private-kinds", "late-definitions", "mismatch", "lattice", "ticks", "tables-of-wide-slices", "pairs", "idle-threads", "pages-of-locations"}

// Whatever number of a file is another one behind the checksums, opening or checking it finds that, or no answer is another one: but for
// what stands nowhere else.
func TestVerifyFindsEditedNumbers(t *testing.T) {
	t.Parallel()
	h := newEditHunt(t)
	for k := format.BlockMeta; k <= format.BlockPairs; k++ {
		if k != format.BlockHashes { // they are hints
			t.Run(k.String(), func(t *testing.T) {
				t.Parallel()
				h.hunt(t, k)
			})
		}
	}
}

// A lane that no location is in is found: the directory says how many there are.
func TestVerifyFindsLanesOfNoLocation(t *testing.T) {
	h := newEditHunt(t)
	for _, f := range h.files {
		blocks := slices.Clone(f.blocks)
		root := &blocks[slices.IndexFunc(blocks, func(b damage.Block) bool { return b.Kind == format.BlockRoot })]
		r, err := index.ParseRoot(root.Payload)
		if err != nil {
			t.Fatal(err)
		}
		r.Lanes++
		root.Payload = r.Append(nil)
		if found, deep := problemsOf(t, damage.Join(f.file, blocks)); !found || deep {
			t.Errorf("%s: a check finds a lane of no location: %v, a deep one alone: %v", f.name, found, deep)
		}
	}
}

// Where the totals give a location another number of events, also one that has none, the problem has the place of the totals.
func TestVerifyTellsWhereTotalsAreWrong(t *testing.T) {
	file, err := spec.Vectors.ReadFile("v1/vectors/pages-of-locations.pando")
	if err != nil {
		t.Fatal(err)
	}
	blocks, refused := damage.Blocks(file), 0
	totals := &blocks[slices.IndexFunc(blocks, func(b damage.Block) bool { return b.Kind == format.BlockLocationTotals })]
	sound := totals.Payload
	for at := range sound {
		totals.Payload = editNumber(sound, at, editChanges[0])
		if found, deep := problemsOf(t, damage.Join(file, blocks)); found && !deep {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no totals were refused without a deep check")
	}
}

// Another id or lane of a location is found without a deep check, also where the location has no events and no block names it.
func TestVerifyFindsOtherLocations(t *testing.T) {
	t.Parallel()
	h := newEditHunt(t)
	tried := map[format.BlockKind]int{}
	for _, kind := range []format.BlockKind{format.BlockTotals, format.BlockLocations} {
		for _, p := range h.places[kind] {
			f := &h.files[p.file]
			blocks := slices.Clone(f.blocks)
			b := &blocks[p.block]
			sound, err := locationsIn(b)
			if err != nil {
				t.Fatal(err)
			}
			b.Payload = editNumber(b.Payload, p.at, editChanges[p.change])
			edited, err := locationsIn(b)
			if err != nil || len(edited.IDs) != len(sound.IDs) || slices.Equal(edited.IDs, sound.IDs) && slices.Equal(edited.Lanes, sound.Lanes) {
				continue
			}
			tried[kind]++
			if found, deep := problemsOf(t, damage.Join(f.file, blocks)); !found || deep {
				t.Errorf("%s: byte %d of the %s: another location is found: %v, by a deep check alone: %v", f.name, p.at, kind, found, deep)
			}
		}
	}
	if tried[format.BlockTotals] < 10*len(h.files) || tried[format.BlockLocations] < 10 {
		t.Errorf("only %v changes were tried", tried)
	}
}

// locationsIn returns the ids and lanes that totals, or a page of locations, have.
func locationsIn(b *damage.Block) (*index.LocationPage, error) {
	if b.Kind == format.BlockLocations {
		return index.ParseLocationPage(b.Payload)
	}
	t, err := index.ReadTotals(b.Payload)
	if err != nil {
		return nil, err
	}
	return &t.Few, nil
}

// editOutcome is how a check deals with an edited file.
type editOutcome int

const (
	editRefused editOutcome = iota
	editRefusedDeep
	editHarmless // all answers are those of the sound file
	editAccepted // some answer is another one
	editOutcomes
)

// editHunt edits numbers of files.
type editHunt struct {
	files  []editedFile
	places map[format.BlockKind][]editPlace
}

type editedFile struct {
	name   string
	file   []byte
	blocks []damage.Block
	sound  answers
}

// editPlace is a change of a number of a file.
type editPlace struct{ file, block, at, change int }

func newEditHunt(t *testing.T) *editHunt {
	t.Helper()
	h := &editHunt{places: map[format.BlockKind][]editPlace{}}
	for _, name := range editedVectors {
		compressed, err := spec.Vectors.ReadFile("v1/vectors/" + name + ".pando")
		if err != nil {
			t.Fatal(err)
		}
		file, err := damage.Plain(compressed)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h.add(editedFile{name, file, damage.Blocks(file), askEdited(t, file)})
	}
	return h
}

// add notes where numbers of a file may begin.
func (h *editHunt) add(f editedFile) {
	for i, b := range f.blocks {
		for at := range b.Payload {
			if at > 0 && b.Payload[at-1] >= 0x80 {
				continue
			}
			for change := range editChanges {
				h.places[b.Kind] = append(h.places[b.Kind], editPlace{len(h.files), i, at, change})
			}
		}
	}
	h.files = append(h.files, f)
}

// hunt tries changes of blocks of a kind: some of them, or all.
func (h *editHunt) hunt(t *testing.T, k format.BlockKind) {
	places := h.places[k]
	if len(places) == 0 {
		t.Fatal("nothing is edited")
	}
	r := rand.New(rand.NewPCG(1, uint64(k)))
	r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	var n [editOutcomes]int
	for _, p := range places[:min(thrift.Of(40, math.MaxInt), len(places))] {
		n[h.try(t, p)]++
	}
	t.Logf("refused %d, by a deep check %d, harmless %d, other answers %d", n[editRefused], n[editRefusedDeep], n[editHarmless], n[editAccepted])
}

// try makes a change, and reports what nobody notices.
func (h *editHunt) try(t *testing.T, p editPlace) editOutcome {
	t.Helper()
	f := &h.files[p.file]
	blocks := slices.Clone(f.blocks)
	b := &blocks[p.block]
	before := b.Payload
	b.Payload = editNumber(before, p.at, editChanges[p.change])
	file := damage.Join(f.file, blocks)
	outcome := outcomeOf(t, f.sound, file)
	if outcome == editAccepted && told[b.Kind] == "" {
		t.Errorf("%s, %s %d: bytes %d of %d are % x, not % x, and nobody notices; %s", f.name, b.Kind, p.block, p.at, len(before),
			b.Payload[p.at:min(p.at+10, len(b.Payload))], before[p.at:min(p.at+10, len(before))], differences(t, f.sound, file))
	}
	return outcome
}

// askEdited asks everything but for the size of the file: a longer number makes it longer.
func askEdited(t *testing.T, file []byte) answers {
	t.Helper()
	r := open(t, file)
	defer r.Close()
	all := ask(r)
	info := all["info"].value.(store.Info)
	info.FileBytes = 0
	all["info"] = answer{info, nil}
	return all
}

func outcomeOf(t *testing.T, sound answers, file []byte) editOutcome {
	t.Helper()
	found, deep := problemsOf(t, file)
	switch {
	case found && deep:
		return editRefusedDeep
	case found:
		return editRefused
	case reflect.DeepEqual(askEdited(t, file), sound):
		return editHarmless
	}
	return editAccepted
}

// differences names the answers that are others.
func differences(t *testing.T, sound answers, file []byte) string {
	t.Helper()
	var names []string
	for what, a := range askEdited(t, file) {
		if want := sound[what]; !reflect.DeepEqual(a, want) {
			names = append(names, fmt.Sprintf("%s: %.200v, not %.200v", what, a, want))
		}
	}
	return strings.Join(names, "; ")
}

// editChanges are the changes that are tried.
var editChanges = []func(uint64) uint64{
	func(v uint64) uint64 { return v + 1 },
	func(v uint64) uint64 { return v - 1 },
	func(uint64) uint64 { return 0 },
	func(uint64) uint64 { return math.MaxUint64 },
	func(v uint64) uint64 { return 2 * v },
}

// editNumber returns a payload in which the number at a position is another one.
func editNumber(payload []byte, at int, change func(uint64) uint64) []byte {
	v, n := binary.Uvarint(payload[at:])
	if n <= 0 { // the payload ends within it
		return append(bytes.Clone(payload[:at]), payload[at]^0x80)
	}
	return append(binary.AppendUvarint(bytes.Clone(payload[:at]), change(v)), payload[at+n:]...)
}
