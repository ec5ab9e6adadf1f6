package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// victim is a file to be damaged, with the answers of the sound one.
type victim struct {
	file   []byte
	blocks []damage.Block
	twin   []damage.Block // those of the same trace in a file with another id
	sound  answers
}

func newVictim(t *testing.T, open func() trace.Source, opt store.Options) *victim {
	t.Helper()
	v := &victim{}
	opt.ID = format.FileID{1}
	v.file = write(t, open(), opt)
	opt.ID = format.FileID{2}
	v.blocks, v.twin = damage.Blocks(v.file), damage.Blocks(write(t, open(), opt))
	if len(v.blocks) < 10 || len(v.blocks) != len(v.twin) {
		t.Fatalf("%d and %d blocks", len(v.blocks), len(v.twin))
	}
	r := read(t, v.file)
	v.sound = ask(r)
	for what, a := range v.sound {
		if a.err != nil {
			t.Fatalf("%s of the sound file: %v", what, a.err)
		}
	}
	return v
}

type victimsByName map[string]*victim

// victims are small files that have blocks of all kinds: one of a real trace, one of a random trace.
func victims(t *testing.T) victimsByName {
	t.Helper()
	k := tracegen.Knobs{
		Processes: 3, Threads: 2, Length: 60, Regions: 3, Messages: 60, Talk: 0.3, Step: 100, Lattice: 1, SameTime: 0.1, Mismatch: 0.1, Any: 0.1,
		Recursion: 10, Repeat: 4, Attributes: 0.1, Residuals: 0.1, Contexts: true, Auxiliary: true, Late: true, Private: true,
	}
	anchor := tracetest.Anchor(t, "otf2.ez.hello.4.io")
	all := victimsByName{
		"real": newVictim(t, func() trace.Source {
			src, err := otf2.Open(anchor, otf2.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return src
		}, store.Options{SliceEvents: 100, Fanout: 2, EpochSlices: 4, LaneLocations: 2, PageLocations: 2}),
		"random": randomVictim(t, k),
	}
	missing := map[format.BlockKind]bool{}
	for kind := format.BlockMeta; kind <= format.BlockBins; kind++ {
		missing[kind] = true
	}
	for _, v := range all {
		for _, b := range v.blocks {
			missing[b.Kind] = false
		}
	}
	for kind, is := range missing {
		if is {
			t.Errorf("no file has a %s", kind)
		}
	}
	return all
}

// randomVictim is the file of the first random trace that has messages across slices.
func randomVictim(t *testing.T, k tracegen.Knobs) *victim {
	t.Helper()
	for seed := uint64(1); seed < 100; seed++ {
		v := newVictim(t, func() trace.Source { return tracegen.Random(seed, k) },
			store.Options{SliceEvents: 40, Fanout: 2, EpochSlices: 4, LaneLocations: 3})
		if slices.ContainsFunc(v.blocks, func(b damage.Block) bool { return b.Kind == format.BlockMessages }) {
			return v
		}
	}
	t.Fatal("no random trace has messages across slices")
	return nil
}

// answers are what a reader says, by question.
type answers map[string]answer

type answer struct {
	value any
	err   error
}

// ask asks a file everything.
func ask(r *store.Reader) answers {
	all := answers{}
	first, last := r.Info().First, r.Info().Last
	all.window(r, "all", r.All())
	all.window(r, "middle", r.Window(first+(last-first)/2, first+(last-first)/2+(last-first)/10))
	timeline, err := r.Window(first+(last-first)/9, last).Timeline(10)
	all["timeline"] = answer{timeline, err}
	locations, err := r.Locations()
	all["locations"] = answer{locations, err}
	ids, _ := r.LocationIDs()
	for _, id := range ids {
		stack, err := r.CallStack(id, first+(last-first)/3)
		all[fmt.Sprintf("stack of %d", id)] = answer{stack, err}
	}
	if whole, err := model.Load(r.Source()); err != nil {
		all["source"] = answer{nil, err}
	} else {
		all["source"] = answer{[]any{whole.Locations, whole.Auxiliary, whole.Definitions.Log}, nil}
	}
	all["info"] = answer{*r.Info(), nil}
	return all
}

// window asks everything about a window.
func (a answers) window(r *store.Reader, name string, w *store.Window) {
	note := func(what string, value any, err error) { a[what+" of "+name] = answer{value, err} }
	calls, err := collect(w.Calls())
	note("calls", calls, err)
	calls, err = w.LongestCalls(5)
	note("longest calls", calls, err)
	messages, err := collect(w.Messages())
	note("messages", messages, err)
	summary, err := w.Summary()
	note("summary", summary, err)
	events, err := collect(eventsOf(r, w.Events()))
	note("events", events, err)
	events, err = collect(eventsOf(r, w.UnmatchedMessageEnds()))
	note("unmatched events", events, err)
	calls, err = collect(w.WithRegions(1).Calls())
	note("calls of a region", calls, err)
}

// eventsOf yields events as values of their own.
func eventsOf(r *store.Reader, events iter.Seq2[trace.Event, error]) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		for e, err := range events {
			if err != nil {
				yield(model.Event{}, err)
				return
			}
			if !yield(model.Event{Location: e.Batch.Location, Ordinal: e.Ordinal, Record: model.RecordOf(e.Batch, e.Index, r.Meta().Table())}, nil) {
				return
			}
		}
	}
}

func collect[T any](items func(yield func(T, error) bool)) (all []T, err error) {
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// damages are ways to damage a block. Each returns a new file.
var damages = map[string]func(v *victim, b *damage.Block, r *rand.Rand) []byte{
	"first byte of the frame": func(v *victim, b *damage.Block, _ *rand.Rand) []byte { return v.changed(b.Offset, 0xff) },
	"first byte of the payload": func(v *victim, b *damage.Block, _ *rand.Rand) []byte {
		return v.changed(b.Offset+format.FrameSize, 0x01)
	},
	"last byte": func(v *victim, b *damage.Block, _ *rand.Rand) []byte { return v.changed(b.Offset+b.Size()-1, 0x80) },
	"any bit": func(v *victim, b *damage.Block, r *rand.Rand) []byte {
		return v.changed(b.Offset+r.IntN(b.Size()), 1<<r.IntN(8))
	},
	"any bit of the payload": func(v *victim, b *damage.Block, r *rand.Rand) []byte {
		return v.changed(b.Offset+format.FrameSize+r.IntN(len(b.Payload)), 1<<r.IntN(8))
	},
	"zeros": func(v *victim, b *damage.Block, r *rand.Rand) []byte {
		file := bytes.Clone(v.file)
		at := b.Offset + r.IntN(b.Size())
		clear(file[at:min(at+1+r.IntN(600), len(file)-format.FooterSize)])
		if bytes.Equal(file, v.file) {
			file[b.Offset] = 0
		}
		return file
	},
	"swapped with another block": func(v *victim, b *damage.Block, r *rand.Rand) []byte {
		o := b
		for o == b {
			o = &v.blocks[r.IntN(len(v.blocks))]
		}
		return v.swapped(b, o)
	},
	"swapped with one like it": func(v *victim, b *damage.Block, _ *rand.Rand) []byte {
		for i := range v.blocks {
			if o := &v.blocks[i]; o != b && o.Kind == b.Kind && o.Size() == b.Size() {
				return v.swapped(b, o)
			}
		}
		return v.swapped(&v.blocks[0], &v.blocks[1]) // there is none
	},
	"the block of another file": func(v *victim, b *damage.Block, _ *rand.Rand) []byte {
		o := v.twin[b.Ordinal]
		frame := format.AppendFrame(nil, &o.Frame, o.Payload, &format.FileID{2})
		return slices.Concat(v.file[:b.Offset], frame, v.file[b.Offset+b.Size():])
	},
	"all zeros": func(v *victim, b *damage.Block, _ *rand.Rand) []byte {
		file := bytes.Clone(v.file)
		clear(file[b.Offset : b.Offset+b.Size()])
		return file
	},
	"cut short": func(v *victim, b *damage.Block, r *rand.Rand) []byte {
		end := b.Offset + b.Size()
		return slices.Concat(v.file[:end-1-r.IntN(b.Size()-1)], v.file[end:])
	},
	"a copy of another block in its place": func(v *victim, b *damage.Block, r *rand.Rand) []byte {
		o := b
		for o == b {
			o = &v.blocks[r.IntN(len(v.blocks))]
		}
		return slices.Concat(v.file[:b.Offset], v.file[o.Offset:o.Offset+o.Size()], v.file[b.Offset+b.Size():])
	},
	"missing": func(v *victim, b *damage.Block, _ *rand.Rand) []byte {
		return slices.Concat(v.file[:b.Offset], v.file[b.Offset+b.Size():])
	},
	"twice": func(v *victim, b *damage.Block, _ *rand.Rand) []byte {
		end := b.Offset + b.Size()
		return slices.Concat(v.file[:end], v.file[b.Offset:])
	},
}

// swapped returns the file with two blocks in each other's place.
func (v *victim) swapped(a, b *damage.Block) []byte {
	if b.Offset < a.Offset {
		a, b = b, a
	}
	f := v.file
	aEnd, bEnd := a.Offset+a.Size(), b.Offset+b.Size()
	return slices.Concat(f[:a.Offset], f[b.Offset:bEnd], f[aEnd:b.Offset], f[a.Offset:aEnd], f[bEnd:])
}

// changed returns the file with some bits of a byte flipped.
func (v *victim) changed(at int, bits byte) []byte {
	file := bytes.Clone(v.file)
	file[at] ^= bits
	return file
}

// Every kind of block, hit by every kind of damage: opening or verifying tells, with section and offset, and reading
// gives right answers or an error of damage. Kinds that both files have are hit by one half of the damages in each.
func TestDamage(t *testing.T) {
	each, soak := 1, os.Getenv("PANDO_SOAK") != "" // blocks of a kind
	if soak {
		each = 20
	}
	all := victims(t)
	t.Parallel()
	for name, v := range all {
		for kind, blocks := range v.byKind() {
			for i, damage := range slices.Sorted(maps.Keys(damages)) {
				hit := damages[damage]
				if half := name == "real"; !soak && all.everywhere(kind) && half != ((i+int(kind))%2 == 0) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", name, kind, damage), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(kind), 1))
					for _, i := range r.Perm(len(blocks))[:min(each, len(blocks))] {
						v.check(t, hit(v, blocks[i], r))
					}
				})
			}
		}
	}
}

// everywhere reports whether all files have blocks of a kind.
func (all victimsByName) everywhere(kind format.BlockKind) bool {
	for _, v := range all {
		if !slices.ContainsFunc(v.blocks, func(b damage.Block) bool { return b.Kind == kind }) {
			return false
		}
	}
	return true
}

func (v *victim) byKind() map[format.BlockKind][]*damage.Block {
	all := map[format.BlockKind][]*damage.Block{}
	for i := range v.blocks {
		b := &v.blocks[i]
		all[b.Kind] = append(all[b.Kind], b)
	}
	return all
}

// check reads a damaged file.
func (v *victim) check(t *testing.T, file []byte) {
	t.Helper()
	v.checkFrom(t, bytes.NewReader(file), len(file))
}

func (v *victim) checkFrom(t *testing.T, src io.ReaderAt, size int) {
	t.Helper()
	r, err := store.NewReader(t.Context(), src, int64(size), store.ReadOptions{Name: "damaged"})
	if err != nil {
		mustSayWhere(t, "opening", err)
		return
	}
	for what, a := range ask(r) {
		switch {
		case a.err != nil:
			mustSayWhere(t, what, a.err)
		case what == "info":
			sound := v.sound[what].value.(store.Info)
			sound.FileBytes = a.value.(store.Info).FileBytes
			if !reflect.DeepEqual(a.value, sound) {
				t.Errorf("info is wrong: %+v", a.value)
			}
		case !reflect.DeepEqual(a.value, v.sound[what].value):
			t.Errorf("%s: wrong answers without an error", what)
		}
	}
	report, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err != nil {
		t.Fatalf("the file cannot be verified: %v", err)
	}
	if len(report.Problems) == 0 || report.Err() == nil {
		t.Error("the file is verified")
	}
	for _, p := range report.Problems {
		mustSayWhere(t, "verifying", p)
	}
}

// mustSayWhere checks that an error is one of damage, with file, section and offset.
func mustSayWhere(t *testing.T, what string, err error) {
	t.Helper()
	var corrupt *format.CorruptError
	if !errors.As(err, &corrupt) || corrupt.File != "damaged" || corrupt.Section == "" || corrupt.Offset < 0 {
		t.Errorf("%s: %v does not say what is damaged, and where", what, err)
	}
}

// A damaged block is reported at its place, by the name of its kind.
func TestVerifyFindsThePlace(t *testing.T) {
	most := thrift.Of(3, 20) // blocks of a kind: the first, and those after a third and two thirds
	all := victims(t)
	t.Parallel()
	for name, v := range all {
		for _, blocks := range v.byKind() {
			for i := range min(most, len(blocks)) {
				b := blocks[i*len(blocks)/min(most, len(blocks))]
				t.Run(fmt.Sprintf("%s/%s at %d", name, b.Kind, b.Offset), func(t *testing.T) { v.checkPlace(t, b) })
			}
		}
	}
}

func (v *victim) checkPlace(t *testing.T, b *damage.Block) {
	file := v.changed(b.Offset+format.FrameSize+len(b.Payload)/2, 0x10)
	here := func(err error) bool {
		var corrupt *format.CorruptError
		return errors.As(err, &corrupt) && corrupt.Offset == int64(b.Offset) && corrupt.Section == b.Kind.String()
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		if !here(err) {
			t.Errorf("opening says %v", err)
		}
		return
	}
	report, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err != nil || !slices.ContainsFunc(report.Problems, here) {
		t.Errorf("verifying says %v, %v", report.Problems, err)
	}
}

// A file that ends early is refused, wherever it ends, and the message says what to do.
func TestCutOff(t *testing.T) {
	t.Parallel()
	for name, v := range victims(t) {
		ends := map[int]bool{}
		for _, b := range v.blocks { // around the begin of each frame, of its payload, and anywhere in it
			for d := -2; d <= 2; d++ {
				ends[b.Offset+d], ends[b.Offset+format.FrameSize+d], ends[b.Offset+b.Size()/2] = true, true, true
			}
		}
		for d := range 200 {
			ends[d], ends[len(v.file)-1-d] = true, true
		}
		for n := range ends {
			_, err := store.NewReader(t.Context(), bytes.NewReader(v.file), int64(n), store.ReadOptions{Name: "damaged"})
			mustSayWhere(t, name, err)
			want := "the file is incomplete"
			if n < format.HeaderSize {
				want = ""
			}
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Fatalf("%s: %d of %d bytes: %v", name, n, len(v.file), err)
			}
		}
	}
}

// Header and footer are guarded, every bit of them, and against bytes before and behind.
func TestDamagedEnds(t *testing.T) {
	t.Parallel()
	for _, v := range victims(t) {
		n := len(v.file)
		root := v.blocks[len(v.blocks)-1]
		foreign := format.Footer{
			Root: format.Ref{Offset: uint64(root.Offset), Length: uint32(root.Size())}, ID: format.FileID{2}, Length: uint64(n),
			Blocks: uint32(len(v.blocks)),
		}
		files := [][]byte{
			append(bytes.Clone(v.file), 0), append([]byte{0}, v.file...), foreign.Append(v.file[: n-format.FooterSize : n-format.FooterSize]),
		}
		for bit := range 8 {
			for i := range format.HeaderSize {
				files = append(files, v.changed(i, 1<<bit))
			}
			for i := range format.FooterSize {
				files = append(files, v.changed(n-1-i, 1<<bit))
			}
		}
		for i, file := range files {
			_, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "damaged"})
			var corrupt *format.CorruptError
			if !errors.As(err, &corrupt) || corrupt.File != "damaged" || corrupt.Offset < 0 {
				t.Errorf("damage %d: %v", i, err)
			}
		}
	}
}
