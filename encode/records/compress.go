package records

import (
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/pandotrace/pando/encode/text"
	"github.com/pandotrace/pando/format"
)

// compressionWindow is how far back the compressor looks: few blocks are as large, and it takes several times as much memory.
const compressionWindow = 2 << 20

// Where the usual level of zstd leaves more than an eighth of many bytes, as of logs of programs, a better one is tried: it takes half as long again, and
// finds matches that are further apart.
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

// Compress returns the bytes as the codec stores them that takes least, and that codec; bytes that do not shrink are returned as they are.
func Compress(raw []byte) ([]byte, format.Codec) {
	packed := compressor().EncodeAll(raw, nil)
	if len(raw) >= manyBytes && len(packed) >= len(raw)/fewMatches {
		if b := better().EncodeAll(raw, nil); len(b) < len(packed) {
			packed = b
		}
	}
	packed = text.FillFrame(packed, format.LeastBytes(format.Things(len(raw), format.PackedBytes)))
	if b := text.PackPhrases(raw); b != nil && len(b) < min(len(packed), len(raw)) && !dense(len(raw), b) {
		return b, format.CodecPhrases
	}
	if len(packed) >= len(raw) {
		return raw, format.CodecNone
	}
	return packed, format.CodecZstd
}

// dense reports whether some bytes must not become as many as they do.
func dense(raw int, stored []byte) bool {
	return format.TooDense(uint64(format.Things(raw, format.PackedBytes)), len(stored))
}

// Decompress undoes Compress; raw is the length that the block's frame declares, already found to be within limits.
func Decompress(stored []byte, codec format.Codec, raw int) ([]byte, error) {
	if codec == format.CodecNone {
		if len(stored) != raw {
			return nil, format.Corruptf("block", -1, "%d bytes stored, %d declared", len(stored), raw)
		}
		return stored, nil
	}
	if codec > format.CodecPhrases {
		return nil, format.Corruptf("block", -1, "unknown codec %d", codec)
	}
	if dense(raw, stored) {
		return nil, format.Corruptf("block", -1, "codec %d: %d bytes must not become %d", codec, len(stored), raw)
	}
	if codec == format.CodecPhrases {
		return text.UnpackPhrases("block", stored, raw)
	}
	out, err := decompressor().DecodeAll(stored, make([]byte, 0, raw))
	if err != nil || len(out) != raw {
		return nil, format.Corruptf("block", -1, "zstd: %d of %d bytes: %v", len(out), raw, err)
	}
	return out, nil
}
