package records

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/pandotrace/pando/format"
)

// compressionWindow is how far back the compressor looks: few blocks are as large, and it takes several times as much memory.
const compressionWindow = 2 << 20

// Where the usual level leaves more than an eighth of many bytes, as of logs of programs, a better one is tried: it takes half as long again, and finds matches
// that are further apart.
const (
	manyBytes  = 64 << 10
	fewMatches = 8
)

var (
	compressor   = sync.OnceValue(func() *zstd.Encoder { return newCompressor(zstd.SpeedDefault) })
	better       = sync.OnceValue(func() *zstd.Encoder { return newCompressor(zstd.SpeedBetterCompression) })
	decompressor = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err)
		}
		return d
	})
)

func newCompressor(level zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(compressionWindow))
	if err != nil {
		panic(err) // it is the options that are wrong
	}
	return e
}

// Compress returns the bytes compressed by zstd, and the codec; bytes that do not shrink are returned as they are.
func Compress(raw []byte) ([]byte, format.Codec) {
	packed := compressor().EncodeAll(raw, nil)
	if len(raw) >= manyBytes && len(packed) >= len(raw)/fewMatches {
		if b := better().EncodeAll(raw, nil); len(b) < len(packed) {
			packed = b
		}
	}
	packed = skippable(packed, format.LeastBytes(format.Things(len(raw), format.ZstdBytes)))
	if len(packed) >= len(raw) {
		return raw, format.CodecNone
	}
	return packed, format.CodecZstd
}

// skippable extends a zstd frame to a least length by a skippable frame of zeros.
func skippable(packed []byte, least int) []byte {
	const head = 8
	if len(packed) >= least {
		return packed
	}
	n := max(least-len(packed)-head, 0)
	packed = binary.LittleEndian.AppendUint32(packed, 0x184d2a50)
	packed = binary.LittleEndian.AppendUint32(packed, uint32(n))
	return append(packed, make([]byte, n)...)
}

// Decompress undoes Compress; raw is the length that the block's frame declares, already found to be within limits.
func Decompress(stored []byte, codec format.Codec, raw int) ([]byte, error) {
	switch codec {
	case format.CodecNone:
		if len(stored) != raw {
			return nil, format.Corruptf("block", -1, "%d bytes stored, %d declared", len(stored), raw)
		}
		return stored, nil
	case format.CodecZstd:
		if format.TooDense(uint64(format.Things(raw, format.ZstdBytes)), len(stored)) {
			return nil, format.Corruptf("block", -1, "zstd: %d bytes must not become %d", len(stored), raw)
		}
		out, err := decompressor().DecodeAll(stored, make([]byte, 0, raw))
		if err != nil || len(out) != raw {
			return nil, format.Corruptf("block", -1, "zstd: %d of %d bytes: %v", len(out), raw, err)
		}
		return out, nil
	}
	return nil, format.Corruptf("block", -1, "unknown codec %d", codec)
}
