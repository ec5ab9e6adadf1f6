package encode

import (
	"github.com/klauspost/compress/zstd"

	"github.com/pandotrace/pando/format"
)

// compressionWindow is how far back the compressor looks: few blocks are as large, and it takes several times as much memory.
const compressionWindow = 2 << 20

var (
	compressor, _   = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false), zstd.WithWindowSize(compressionWindow))
	decompressor, _ = zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
)

// Compress returns the bytes compressed by zstd, and the codec; bytes that do not shrink are returned as they are.
func Compress(raw []byte) ([]byte, format.Codec) {
	packed := compressor.EncodeAll(raw, nil)
	if len(packed) >= len(raw) {
		return raw, format.CodecNone
	}
	return packed, format.CodecZstd
}

// maxExpansion is what zstd can make of a byte: a block takes four and stands for 128 KiB at most.
const maxExpansion = 128 << 10 / 4

// Decompress undoes Compress; raw is the length that the block's frame declares, already found to be within limits.
func Decompress(stored []byte, codec format.Codec, raw int) ([]byte, error) {
	switch codec {
	case format.CodecNone:
		if len(stored) != raw {
			return nil, format.Corruptf("block", -1, "%d bytes stored, %d declared", len(stored), raw)
		}
		return stored, nil
	case format.CodecZstd:
		if raw > maxExpansion*len(stored) {
			return nil, format.Corruptf("block", -1, "zstd: %d bytes cannot be %d", len(stored), raw)
		}
		out, err := decompressor.DecodeAll(stored, make([]byte, 0, raw))
		if err != nil || len(out) != raw {
			return nil, format.Corruptf("block", -1, "zstd: %d of %d bytes: %v", len(out), raw, err)
		}
		return out, nil
	}
	return nil, format.Corruptf("block", -1, "unknown codec %d", codec)
}
