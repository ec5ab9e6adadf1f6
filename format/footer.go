package format

import (
	"bytes"
	"encoding/binary"
)

// FooterMagic closes every complete file.
const FooterMagic = "\x1aPND-end"

// FooterSize is the size of the footer in bytes.
const FooterSize = 64

// Footer closes a file and locates the directory's root. The root repeats the checksums of the directory's pages and
// those repeat the checksums of the blocks, so that the footer's checksum stands for the whole file.
//
//	 0  8  offset of the root's block
//	 8  4  length of the root's block, frame header included
//	12  4  the block's checksum
//	16 16  file id
//	32  8  length of the whole file, footer included
//	40  4  number of blocks
//	44  8  zero
//	52  4  CRC-32C of bytes 0 to 51
//	56  8  magic
type Footer struct {
	Root   Ref
	ID     FileID
	Length uint64
	Blocks uint32
}

// Ref locates a block and repeats its checksum.
type Ref struct {
	// Offset is the position of the block's frame in the file.
	Offset uint64
	// Length is that of the frame header and the stored payload.
	Length uint32
	// CRC is the frame's payload checksum.
	CRC uint32
}

// Append appends the footer's bytes.
func (f *Footer) Append(dst []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, f.Root.Offset)
	dst = binary.LittleEndian.AppendUint32(dst, f.Root.Length)
	dst = binary.LittleEndian.AppendUint32(dst, f.Root.CRC)
	dst = append(dst, f.ID[:]...)
	dst = binary.LittleEndian.AppendUint64(dst, f.Length)
	dst = binary.LittleEndian.AppendUint32(dst, f.Blocks)
	dst = append(dst, make([]byte, 8)...)
	dst = binary.LittleEndian.AppendUint32(dst, Checksum(dst[at:]))
	return append(dst, FooterMagic...)
}

// ParseFooter reads the footer from the last FooterSize bytes of a file of the given size.
func ParseFooter(b []byte, size int64) (*Footer, error) {
	at := max(size-FooterSize, 0)
	if len(b) != FooterSize || string(b[56:]) != FooterMagic {
		return nil, Corruptf("footer", at, "missing: the file is incomplete")
	}
	if got, want := binary.LittleEndian.Uint32(b[52:]), Checksum(b[:52]); got != want {
		return nil, Corruptf("footer", at, "checksum is %08x, should be %08x", got, want)
	}
	f := &Footer{
		Root: Ref{
			Offset: binary.LittleEndian.Uint64(b),
			Length: binary.LittleEndian.Uint32(b[8:]),
			CRC:    binary.LittleEndian.Uint32(b[12:]),
		},
		ID:     FileID(b[16:32]),
		Length: binary.LittleEndian.Uint64(b[32:]),
		Blocks: binary.LittleEndian.Uint32(b[40:]),
	}
	switch {
	case f.Length != uint64(size):
		return nil, Corruptf("footer", at, "the file has %d bytes, should have %d", size, f.Length)
	case f.Root.Offset > uint64(at) || uint64(f.Root.Length) > uint64(at)-f.Root.Offset:
		return nil, Corruptf("footer", at, "the directory lies outside of the file")
	case !bytes.Equal(b, f.Append(nil)):
		return nil, Corruptf("footer", at, "reserved bytes are not zero")
	}
	return f, nil
}
