package format

import (
	"encoding/binary"
)

// FooterMagic closes every complete file.
const FooterMagic = "\x1aPND-end"

// FooterSize is the size of the footer in bytes.
const FooterSize = 72

// Footer closes a file and locates the directory's root. The root repeats the checksums of the directory's pages and
// those repeat the checksums of the blocks, so that the footer's checksum stands for the whole file.
//
//	 0  8  offset of the root's block
//	 8  8  optional features: those of the header, and perhaps more
//	16  8  required features: those of the header
//	24 16  file id
//	40  8  length of the whole file, footer included
//	48  4  length of the root's block, frame header included
//	52  4  the block's checksum
//	56  4  number of blocks
//	60  4  CRC-32C of bytes 0 to 59
//	64  8  magic
type Footer struct {
	Root Ref
	// Optional and Required are features, see Header. A writer learns of optional ones while it writes.
	Optional, Required uint64
	ID                 FileID
	Length             uint64
	Blocks             uint32
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
	dst = binary.LittleEndian.AppendUint64(dst, f.Optional)
	dst = binary.LittleEndian.AppendUint64(dst, f.Required)
	dst = append(dst, f.ID[:]...)
	dst = binary.LittleEndian.AppendUint64(dst, f.Length)
	dst = binary.LittleEndian.AppendUint32(dst, f.Root.Length)
	dst = binary.LittleEndian.AppendUint32(dst, f.Root.CRC)
	dst = binary.LittleEndian.AppendUint32(dst, f.Blocks)
	dst = binary.LittleEndian.AppendUint32(dst, Checksum(dst[at:]))
	return append(dst, FooterMagic...)
}

// IncompleteFile is what is wrong with a file whose end is missing.
const IncompleteFile = "missing: the file is incomplete; pando recover saves what is whole of it"

// ParseFooter reads the footer from the last FooterSize bytes of a file of the given size.
func ParseFooter(b []byte, size int64) (*Footer, error) {
	at := max(size-FooterSize, 0)
	if len(b) != FooterSize || string(b[64:]) != FooterMagic {
		return nil, Corruptf("footer", at, IncompleteFile)
	}
	if got, want := binary.LittleEndian.Uint32(b[60:]), Checksum(b[:60]); got != want {
		return nil, Corruptf("footer", at, "checksum is %08x, should be %08x", got, want)
	}
	f := &Footer{
		Root: Ref{
			Offset: binary.LittleEndian.Uint64(b),
			Length: binary.LittleEndian.Uint32(b[48:]),
			CRC:    binary.LittleEndian.Uint32(b[52:]),
		},
		Optional: binary.LittleEndian.Uint64(b[8:]),
		Required: binary.LittleEndian.Uint64(b[16:]),
		ID:       FileID(b[24:40]),
		Length:   binary.LittleEndian.Uint64(b[40:]),
		Blocks:   binary.LittleEndian.Uint32(b[56:]),
	}
	switch {
	case f.Length != uint64(size):
		return nil, Corruptf("footer", at, "the file has %d bytes, should have %d", size, f.Length)
	case f.Root.Offset > uint64(at) || uint64(f.Root.Length) > uint64(at)-f.Root.Offset:
		return nil, Corruptf("footer", at, "the directory lies outside of the file")
	}
	return f, checkFeatures("footer", at+16, f.Required)
}

// CheckHeader checks that a footer belongs to the file that begins with a header.
func (f *Footer) CheckHeader(h *Header) error {
	at := int64(f.Length) - FooterSize
	switch {
	case f.ID != h.ID:
		return Corruptf("footer", at, "belongs to another file")
	case f.Required != h.Required || h.Optional&^f.Optional != 0:
		return Corruptf("footer", at, "it has other features than the header")
	}
	return nil
}
