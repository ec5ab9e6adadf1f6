package format

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// Magic opens every file. Like PNG's, it notices a transfer that strips the eighth bit or changes line ends.
const Magic = "\x89PND\r\n\x1a\n"

// HeaderSize is the size of the file header in bytes.
const HeaderSize = 64

// Major is the major version of the format that this package reads and writes. A reader refuses any other.
const Major = 1

// Minor is the minor version that this package writes. Minor versions only add what old readers may ignore.
const Minor = 0

// FileID is drawn at random for each file; all block checksums cover it.
type FileID [16]byte

// Header opens a file.
//
//	 0  8  magic
//	 8  2  major version
//	10  2  minor version
//	12  4  zero
//	16  8  optional features: bits that a reader may ignore
//	24  8  required features: bits that a reader must understand or refuse the file
//	32 16  file id
//	48 12  zero
//	60  4  CRC-32C of bytes 0 to 59
type Header struct {
	Major, Minor       uint16
	Optional, Required uint64
	ID                 FileID
}

// OptionalLoss is the optional feature of files that tell less than the trace that they were made of: their meta block says how much less.
const OptionalLoss uint64 = 1 << 0

// OptionalAnnotations is the optional feature of files that have an annotations block.
const OptionalAnnotations uint64 = 1 << 1

// KnownFeatures are the required-feature bits that this package understands.
const KnownFeatures uint64 = 0

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum is CRC-32C, the checksum of all parts of a file.
func Checksum(parts ...[]byte) uint32 {
	crc := uint32(0)
	for _, p := range parts {
		crc = crc32.Update(crc, castagnoli, p)
	}
	return crc
}

// Append appends the header's bytes.
func (h *Header) Append(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, Magic...)
	dst = binary.LittleEndian.AppendUint16(dst, h.Major)
	dst = binary.LittleEndian.AppendUint16(dst, h.Minor)
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	dst = binary.LittleEndian.AppendUint64(dst, h.Optional)
	dst = binary.LittleEndian.AppendUint64(dst, h.Required)
	dst = append(dst, h.ID[:]...)
	dst = append(dst, make([]byte, 12)...)
	return binary.LittleEndian.AppendUint32(dst, Checksum(dst[at:]))
}

// ParseHeader reads the header at the begin of a file. Bytes after it are ignored.
func ParseHeader(b []byte) (*Header, error) {
	if len(b) < len(Magic) || string(b[:8]) != Magic {
		return nil, Corruptf("header", 0, "not a Pando file: %s", describeMagic(b)).Of(ErrNotPando)
	}
	if len(b) < HeaderSize {
		return nil, Corruptf("header", 0, "file ends after %d of %d bytes", len(b), HeaderSize)
	}
	b = b[:HeaderSize]
	if got, want := binary.LittleEndian.Uint32(b[60:]), Checksum(b[:60]); got != want {
		return nil, Corruptf("header", 0, "checksum is %08x, should be %08x", got, want)
	}
	h := &Header{
		Major:    binary.LittleEndian.Uint16(b[8:]),
		Minor:    binary.LittleEndian.Uint16(b[10:]),
		Optional: binary.LittleEndian.Uint64(b[16:]),
		Required: binary.LittleEndian.Uint64(b[24:]),
		ID:       FileID(b[32:48]),
	}
	return h, h.check(b)
}

func (h *Header) check(b []byte) error {
	switch {
	case h.Major != Major:
		return Corruptf("header", 8, "format version %d.%d; this program reads version %d", h.Major, h.Minor, Major).Of(ErrUnsupported)
	case !bytes.Equal(b, h.Append(nil)):
		return Corruptf("header", 12, "reserved bytes are not zero")
	}
	return checkFeatures("header", 24, h.Required)
}

// checkFeatures refuses features that this package does not understand.
func checkFeatures(section string, at int64, required uint64) error {
	if unknown := required &^ KnownFeatures; unknown != 0 {
		return Corruptf(section, at, "the file needs features %#x that this program does not have", unknown).Of(ErrUnsupported)
	}
	return nil
}

func describeMagic(b []byte) string {
	switch {
	case len(b) == 0:
		return "it is empty"
	case bytes.HasPrefix(b, []byte("\x09PND")):
		return "it was damaged by a transfer that cleared the eighth bit of each byte"
	case bytes.HasPrefix(b, []byte("\x89PND")):
		return "it was damaged by a transfer that changed line ends"
	}
	return "it does not begin with Pando's magic"
}
