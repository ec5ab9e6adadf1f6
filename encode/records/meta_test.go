package records

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// withoutEnums leaves enumerations out of comparisons: the bytes do not carry them.
var withoutEnums = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Enum" }, cmp.Ignore())

func specsOf(table *trace.Table) (all []*trace.Spec) {
	for _, s := range table.All() {
		own := *s
		if len(own.Fields) == 0 {
			own.Fields = nil
		}
		all = append(all, &own)
	}
	return all
}

func TestMetaComesBack(t *testing.T) {
	for seed := range uint64(10) {
		want := encodetest.RandomTrace(seed).Meta()
		if seed == 3 {
			want = &trace.Meta{}
		}
		for i := range int64(seed % 4) {
			files := []trace.Files{{Name: "a", Count: 1, Bytes: 2, Oldest: 3 - i, Newest: 1 << 40}, {Oldest: -1 << 63, Newest: 1<<63 - 1}}
			want.History = append(want.History, trace.Conversion{Program: "p", Options: "o", Note: "n", Files: files[:i]})
		}
		if seed%2 == 1 {
			want.Loss = &trace.Loss{Bounds: []trace.Bound{trace.TimeBound(seed), {Class: trace.LossMetric, Metric: 3, Member: seed, Bound: 7}, trace.CallsBound(trace.LeftShort, seed), {Class: trace.LossCalls, Metric: uint64(trace.LeftDeep), Bound: 256}}, Original: make([]byte, 32*(seed%3/2))}
		}
		b := AppendMeta(nil, want)
		got, _, err := ReadMeta(b)
		if err != nil {
			t.Fatal(err)
		}
		if got.Format != want.Format || got.Resolution != want.Resolution || got.Epoch != want.Epoch || len(got.Properties) != len(want.Properties) {
			t.Fatalf("%+v, want %+v", got, want)
		}
		for i, p := range want.Properties {
			if got.Properties[i] != p {
				t.Fatalf("property %+v, want %+v", got.Properties[i], p)
			}
		}
		if diff := cmp.Diff(want.Loss, got.Loss, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("loss (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want.History, got.History, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("history (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(specsOf(want.Table()), specsOf(got.Table()), withoutEnums); diff != "" {
			t.Fatalf("kinds (-want +got):\n%s", diff)
		}
		if !bytes.Equal(AppendMeta(nil, got), b) {
			t.Fatal("what was read is written in another way")
		}
	}
}

func TestKindsComeBack(t *testing.T) {
	want := specsOf(encodetest.RandomTrace(2).Meta().Table())
	b := AppendKinds(nil, want)
	got, err := ReadKinds(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, withoutEnums); diff != "" {
		t.Fatalf("kinds (-want +got):\n%s", diff)
	}
	if !bytes.Equal(AppendKinds(nil, got), b) {
		t.Fatal("what was read is written in another way")
	}
	for n := range len(b) {
		if _, err := ReadKinds(b[:n]); !format.IsCorrupt(err) {
			t.Fatalf("%d of %d bytes: %v", n, len(b), err)
		}
	}
}

func TestKindsRefuse(t *testing.T) {
	name := func(s string) []byte { return format.AppendBytes(nil, s) }
	spec := func(id uint64, fields ...byte) []byte {
		return bytes.Join([][]byte{encodetest.Uvarints(id), name("Name"), fields}, nil)
	}
	field := func(kind, bits, space, flags byte) []byte {
		return bytes.Join([][]byte{{1}, name("field"), {kind, bits, space, flags}, {0}}, nil)
	}
	for what, c := range map[string]struct {
		b    []byte
		want string
	}{
		"more kinds than bytes":  {append(encodetest.Uvarints(99), spec(0x8000, 0, 0)...), "count 99"},
		"kinds out of order":     {bytes.Join([][]byte{encodetest.Uvarints(2), spec(0x8001, 0, 0), spec(0x8000, 0, 0)}, nil), "order"},
		"the same kind twice":    {bytes.Join([][]byte{encodetest.Uvarints(2), spec(0x8001, 0, 0), spec(0x8001, 0, 0)}, nil), "order"},
		"a kind over 16 bits":    {append(encodetest.Uvarints(1), spec(1<<16, 0, 0)...), "out of range"},
		"more fields than bytes": {append(encodetest.Uvarints(1), spec(0x8000, 99, 0)...), "count 99"},
		"more pairs than bytes":  {append(encodetest.Uvarints(1), spec(0x8000, 0, 99)...), "count 99"},
		"unknown flags":          {append(encodetest.Uvarints(1), spec(0x8000, field(1, 8, 0, 32)...)...), "flags or width"},
		"no extension":           {append(encodetest.Uvarints(1), spec(0x8000, field(1, 8, 0, 16)...)...), "no extension"},
		"a peer that is none":    {append(encodetest.Uvarints(1), spec(0x8000, field(1, 8, 0, 8)...)...), "is no peer"},
		"a width over 64":        {append(encodetest.Uvarints(1), spec(0x8000, field(1, 65, 0, 0)...)...), "flags or width"},
		"bytes behind the last":  {append(encodetest.Uvarints(1), spec(0x8000, 0, 0, 0)...), "bad integer"},
	} {
		_, err := ReadKinds(c.b)
		if corrupt, ok := err.(*format.CorruptError); !ok || corrupt.Section != "kinds block" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	meta := encodetest.Uvarints(0, 1, 0, 0)
	if _, _, err := ReadMeta(append(bytes.Clone(meta), append(encodetest.Uvarints(1), spec(0x7fff, 0, 0)...)...)); !format.IsCorrupt(err) {
		t.Errorf("a kind of the registry among the private ones: %v", err)
	}
	if _, _, err := ReadMeta(encodetest.Uvarints(0, 1, 0, 99, 0, 0, 0)); !format.IsCorrupt(err) {
		t.Errorf("more properties than bytes: %v", err)
	}
	if _, _, err := ReadMeta(append(bytes.Clone(meta), 0, 0, 0)); !format.IsCorrupt(err) {
		t.Errorf("a byte too many: %v", err)
	}
}

func TestCompress(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 1000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var log bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&log, "step %d took %d us\n", i, r.Uint32N(1000))
	}
	for want, raw := range map[format.Codec][]byte{
		format.CodecNone: noise, format.CodecZstd: bytes.Repeat([]byte("again "), 1000), format.CodecPhrases: log.Bytes(),
	} {
		stored, codec := Compress(raw)
		if codec != want || len(stored) > len(raw) {
			t.Errorf("%d bytes became %d by codec %d, want %d", len(raw), len(stored), codec, want)
		}
		got, err := Decompress(stored, codec, len(raw))
		if err != nil || !bytes.Equal(got, raw) {
			t.Errorf("codec %d: %d bytes come back as %d, %v", codec, len(raw), len(got), err)
		}
		for _, length := range []int{0, len(raw) - 1, len(raw) + 1, 1 << 30} {
			if _, err := Decompress(stored, codec, length); !format.IsCorrupt(err) {
				t.Errorf("codec %d, %d bytes declared as %d: %v", codec, len(raw), length, err)
			}
		}
		for _, length := range []int{0, len(stored) - 1} {
			if _, err := Decompress(stored[:length], codec, len(raw)); !format.IsCorrupt(err) {
				t.Errorf("codec %d, %d of %d bytes: %v", codec, length, len(stored), err)
			}
		}
	}
	if _, err := Decompress(noise, 7, len(noise)); !format.IsCorrupt(err) {
		t.Errorf("an unknown codec: %v", err)
	}
}

// What zstd makes very small is filled up to the bound that keeps others from asking for memory.
func TestCompressZeros(t *testing.T) {
	for _, n := range []int{1 << 17, 1 << 20, 32 << 20} {
		stored, codec := Compress(make([]byte, n))
		if got, err := Decompress(stored, codec, n); err != nil || len(got) != n || codec != format.CodecZstd || len(stored) > n/(format.Density*format.PackedBytes)+8 {
			t.Errorf("%d zeros in %d bytes: %d, %v", n, len(stored), len(got), err)
		}
	}
	if _, err := Decompress(make([]byte, 50), format.CodecZstd, 1<<28); err == nil || !strings.Contains(err.Error(), "must not become") {
		t.Errorf("50 bytes declared as 2^28: %v", err)
	}
}
