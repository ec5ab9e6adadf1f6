package text

import (
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/pandotrace/pando/format"
)

// window is how far back the compressor looks.
const window = 2 << 20

// fewMatches is how many times shorter a text becomes at least where matches pay for sure.
const fewMatches = 8

// frameHead is the least that a zstd frame takes besides what it holds: shorter texts are not tried.
const frameHead = 9

var (
	compressor   = sync.OnceValue(func() *zstd.Encoder { return newCompressor(zstd.SpeedDefault, 0) })
	simple       = sync.OnceValue(func() *zstd.Encoder { return newCompressor(zstd.SpeedFastest, 0) })
	compressors  = sync.Pool{New: func() any { return newCompressor(zstd.SpeedDefault, 1) }} // with a dictionary
	decompressor = sync.OnceValue(func() *zstd.Decoder { return newDecompressor(0) })
	withContent  = sync.Pool{New: func() any { return newDecompressor(1) }} // decompressors with a dictionary
)

// newCompressor returns one for some texts at a time, 0 for as many as there are processors.
func newCompressor(level zstd.EncoderLevel, concurrency int) *zstd.Encoder {
	if concurrency == 0 {
		concurrency = runtime.GOMAXPROCS(0)
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(concurrency), zstd.WithWindowSize(window))
	if err != nil {
		panic(err) // it is the options that are wrong
	}
	return e
}

func newDecompressor(concurrency int) *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(concurrency))
	if err != nil {
		panic(err)
	}
	return d
}

// pack returns a text as a zstd frame, or as it is if that takes less. The simple compressor finds fewer matches, and does better where they
// hardly pay.
func pack(raw []byte) Text {
	t := packBy(compressor(), zstdForm, raw)
	if t.Stored() < len(raw)/fewMatches {
		return t
	}
	if s := packBy(simple(), zstdForm, raw); s.Stored() < t.Stored() {
		return s
	}
	return t
}

// packWith returns texts, each in the form that takes least of those that there are with a dictionary and others that are given.
func packWith(content []byte, texts [][]byte, others []Text) []Text {
	e := compressors.Get().(*zstd.Encoder)
	defer compressors.Put(e)
	if err := e.ResetWithOptions(nil, zstd.WithEncoderDictRaw(0, content)); err != nil {
		panic(err) // a dictionary may be any bytes
	}
	out := make([]Text, len(texts))
	for i, raw := range texts {
		if out[i] = packBy(e, dictionaryForm, raw); out[i].Stored() >= others[i].Stored() {
			out[i] = others[i]
		}
	}
	return out
}

func packBy(e *zstd.Encoder, form byte, raw []byte) Text {
	plain := Plain(raw)
	if len(raw) <= frameHead {
		return plain
	}
	packed := Text{form, len(raw), FillFrame(e.EncodeAll(raw, nil), format.LeastBytes(format.Things(len(raw), format.TextBytes)))}
	if packed.Stored() >= plain.Stored() {
		return plain
	}
	return packed
}

// FillFrame extends a zstd frame to a least length by a skippable frame of zeros.
func FillFrame(packed []byte, least int) []byte {
	const head = 8
	if len(packed) >= least {
		return packed
	}
	n := max(least-len(packed)-head, 0)
	packed = binary.LittleEndian.AppendUint32(packed, 0x184d2a50)
	packed = binary.LittleEndian.AppendUint32(packed, uint32(n))
	return append(packed, make([]byte, n)...)
}

// unpack decompresses a text, with the content of a dictionary if that is not nil. The text's size is known to be within bounds.
func unpack(section string, t *Text, content []byte) ([]byte, error) {
	d := decompressor()
	if content != nil {
		d = withContent.Get().(*zstd.Decoder)
		defer withContent.Put(d)
		if err := d.ResetWithOptions(nil, zstd.WithDecoderDictRaw(0, content)); err != nil && err != zstd.ErrDecoderNilInput {
			return nil, format.Corruptf(section, -1, "zstd: %v", err)
		}
	}
	raw, err := d.DecodeAll(t.stored, make([]byte, 0, t.size))
	if err != nil || len(raw) != t.size {
		return nil, format.Corruptf(section, -1, "zstd: %d of %d bytes of text: %v", len(raw), t.size, err)
	}
	return raw, nil
}
