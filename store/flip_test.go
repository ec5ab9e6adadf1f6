package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime/metrics"
	"sort"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// What reading a damaged file may take in memory, in bytes, for everything that is asked of it together.
const mostMemory = 64 << 20

// allocated returns the number of bytes allocated since the program began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// bitVictim is a file of about 100 kB with blocks of all kinds, larger than what is read of it on opening.
func bitVictim(t *testing.T) *victim {
	t.Helper()
	k := tracegen.Knobs{
		Processes: 3, Threads: 2, Length: 1500, Regions: 5, Messages: 1500, Talk: 0.3, Step: 100, Lattice: 1, SameTime: 0.1, Mismatch: 0.1, Any: 0.1,
		Recursion: 10, Repeat: 4, Attributes: 0.1, Residuals: 0.1, Contexts: true, Auxiliary: true, Late: true,
	}
	opt := store.Options{SliceEvents: 152, Fanout: 3, EpochSlices: 6, LaneLocations: 3, PageEntries: 30, PageLocations: 2}
	for seed := uint64(1); seed < 100; seed++ {
		file := write(t, tracegen.Random(seed, k), opt)
		kinds := map[format.BlockKind]bool{}
		for _, b := range damage.Blocks(file) {
			kinds[b.Kind] = true
		}
		if len(kinds) == int(format.BlockPairs)-1 && len(file) > 90_000 && len(file) < 120_000 {
			return newVictim(t, func() trace.Source { return tracegen.Random(seed, k) }, opt)
		}
	}
	t.Fatal("no random trace has everything")
	return nil
}

// Every single bit of a file is guarded: the format has no byte that may be anything.
//
// Whatever is read of a file is header, footer, or a block; and a Reader takes the bytes of a block from one place only, which checks
// them. So it is enough to see each flipped bit refused there: who needs the block gets this error, and who does not need it does not see
// the bit. Some of the flips are read in all ways there are, to see that. A block that is not read on opening is read by a Reader that
// was opened before.
func TestEveryBit(t *testing.T) {
	v := bitVictim(t)
	step, whole := 613, 97 // of the bits, and of those that are tried
	if os.Getenv("PANDO_SOAK") != "" {
		step, whole = 1, 1009
	}
	file := bytes.Clone(v.file)
	opened := v.openedBefore(t, file)
	tried := map[string]int{}
	for bit := 0; bit < 8*len(file); bit += step {
		file[bit/8] ^= 1 << (bit % 8)
		tried[v.mustRefuse(t, opened, file, bit/8)]++
		if bit/step%whole == 0 {
			v.mustTell(t, file)
			tried["read in all ways"]++
		}
		file[bit/8] ^= 1 << (bit % 8)
		if t.Failed() {
			t.Fatalf("bit %d of byte %d of %d", bit%8, bit/8, len(file))
		}
	}
	t.Logf("%d bytes: %v", len(file), tried)
	if len(tried) < 17 {
		t.Errorf("flips in %v only", tried)
	}
}

// openedBefore is a reader of a file that is not damaged yet, and how much of it is read.
type openedBefore struct {
	*store.Reader
	src *countingReader
}

func (v *victim) openedBefore(t *testing.T, file []byte) openedBefore {
	t.Helper()
	src := &countingReader{Reader: bytes.NewReader(file)}
	r, err := store.NewReader(t.Context(), src, int64(len(file)), store.ReadOptions{Name: "damaged"})
	if err != nil {
		t.Fatal(err)
	}
	r.ForgetEnds()
	return openedBefore{r, src}
}

// readOnOpening are the kinds of blocks without which a file cannot be opened.
var readOnOpening = map[format.BlockKind]bool{format.BlockRoot: true, format.BlockMeta: true, format.BlockKinds: true, format.BlockTotals: true}

// mustRefuse checks that the part of the file in which a byte is damaged is refused, and returns its name.
func (v *victim) mustRefuse(t *testing.T, opened openedBefore, file []byte, at int) string {
	t.Helper()
	before := allocated()
	section, offset := v.sectionAt(at)
	src, b := opened.src, v.blockAt(at)
	src.bytes.Store(0)
	var err error
	if b == nil || readOnOpening[b.Kind] {
		src = &countingReader{Reader: bytes.NewReader(file)}
		_, err = store.NewReader(t.Context(), src, int64(len(file)), store.ReadOptions{Name: "damaged"})
	} else {
		err = opened.ReadBlock(b.Kind, format.Ref{Offset: uint64(b.Offset), Length: uint32(b.Size()), CRC: binary.LittleEndian.Uint32(v.file[b.Offset+24:])})
	}
	var corrupt *format.CorruptError
	if !errors.As(err, &corrupt) || corrupt.File != "damaged" || corrupt.Section != section && corrupt.Section != "frame" || corrupt.Offset < offset || corrupt.Offset > int64(at) {
		t.Errorf("a damaged %s at %d: %v", section, offset, err)
	}
	v.mustBeBounded(t, src, before, 2)
	return section
}

// mustTell checks what is said of a damaged file by all ways of reading it.
func (v *victim) mustTell(t *testing.T, file []byte) {
	t.Helper()
	src := &countingReader{Reader: bytes.NewReader(file)}
	before := allocated()
	v.checkFrom(t, src, len(file))
	v.mustBeBounded(t, src, before, 20)
}

// mustBeBounded checks that reading took no more memory than any file may, plus a multiple of the file's size.
func (v *victim) mustBeBounded(t *testing.T, src *countingReader, before uint64, times int64) {
	t.Helper()
	if spent := allocated() - before; spent > mostMemory {
		t.Errorf("%d bytes of memory", spent)
	}
	if n := src.bytes.Load(); n > times*int64(len(v.file)) {
		t.Errorf("%d bytes read of a file of %d", n, len(v.file))
	}
}

// blockAt returns the block that a byte of the file belongs to, nil for those of header and footer.
func (v *victim) blockAt(at int) *damage.Block {
	i := sort.Search(len(v.blocks), func(i int) bool { return v.blocks[i].Offset > at }) - 1
	if i < 0 || at >= v.blocks[i].Offset+v.blocks[i].Size() {
		return nil
	}
	return &v.blocks[i]
}

// sectionAt returns the name of the part of the file that a byte belongs to, and where it begins.
func (v *victim) sectionAt(at int) (string, int64) {
	if b := v.blockAt(at); b != nil {
		return b.Kind.String(), int64(b.Offset)
	}
	if at < format.HeaderSize {
		return "header", 0
	}
	return "footer", int64(len(v.file) - format.FooterSize)
}
