package format

import (
	"encoding/binary"
)

// BlockKind says what a block holds.
type BlockKind uint8

// The numbers of block kinds are part of the format. Kinds from 128 on are private to a program.
const (
	// BlockMeta holds the trace's meta data and the table of the kinds that occur.
	BlockMeta BlockKind = 1
	// BlockDefinitions holds consecutive records of the log of definitions.
	BlockDefinitions BlockKind = 2
	// BlockAuxiliary holds consecutive records of an auxiliary stream.
	BlockAuxiliary BlockKind = 3
	// BlockDictionary holds shapes that a lane's dictionary gained in one group of slices.
	BlockDictionary BlockKind = 4
	// BlockModel holds the statistics that the value columns of one lane in one group of slices share.
	BlockModel BlockKind = 5
	// BlockSlice holds the events of one lane in one slice.
	BlockSlice BlockKind = 6
	// BlockCalls holds the spanning calls of one lane in one node of the interval tree.
	BlockCalls BlockKind = 7
	// BlockMessages holds the spanning messages of one node of the interval tree.
	BlockMessages BlockKind = 8
	// BlockUnmatched holds endpoints of messages that were never matched.
	BlockUnmatched BlockKind = 9
	// BlockTotals holds what the trace adds up to: counts of calls, messages and kinds.
	BlockTotals BlockKind = 10
	// BlockSummary holds what the contents of one lane in a node of the interval tree add up to.
	BlockSummary BlockKind = 11
	// BlockPostings holds the postings of a page of the directory: which slices have which locations, regions and kinds.
	BlockPostings BlockKind = 12
	// BlockPage holds one page of the directory.
	BlockPage BlockKind = 13
	// BlockRoot holds the root of the directory.
	BlockRoot BlockKind = 14
	// BlockKinds holds the specifications of the kinds of records that occur.
	BlockKinds BlockKind = 15
	// BlockBins holds how the time of one lane in a node of the interval tree is divided among regions.
	BlockBins BlockKind = 16
	// BlockHashes holds hashes of the structure of one lane in the children of a node of the interval tree.
	BlockHashes BlockKind = 17
	// BlockLocations holds ids and lanes of consecutive locations.
	BlockLocations BlockKind = 18
	// BlockLocationTotals holds what the events of consecutive locations add up to.
	BlockLocationTotals BlockKind = 19
	// BlockMarks holds which ends of messages of one lane in one group of slices are not simply paired in their slice.
	BlockMarks BlockKind = 20
	// BlockPairs holds the pairs of events, other than calls and messages, that span slices, of one lane in one node of the interval tree.
	BlockPairs BlockKind = 21
	// BlockAnnotations holds what people and programs said of the trace afterwards; it is no part of the fingerprint.
	BlockAnnotations BlockKind = 65
)

var blockNames = map[BlockKind]string{
	BlockMeta: "meta", BlockDefinitions: "definitions", BlockAuxiliary: "auxiliary", BlockDictionary: "dictionary",
	BlockModel: "model", BlockSlice: "slice", BlockCalls: "calls", BlockMessages: "messages",
	BlockUnmatched: "unmatched", BlockTotals: "totals", BlockSummary: "summary", BlockPostings: "postings",
	BlockPage: "directory page", BlockRoot: "directory root", BlockKinds: "kinds",
	BlockBins: "bins", BlockHashes: "hashes", BlockLocations: "locations", BlockLocationTotals: "location totals", BlockMarks: "marks", BlockPairs: "pairs",
	BlockAnnotations: "annotations",
}

// String returns the kind's name, as it stands in messages: "slice block".
func (k BlockKind) String() string {
	if s, ok := blockNames[k]; ok {
		return s + " block"
	}
	return "unknown block"
}

// Codec says how a block's payload is compressed as a whole.
type Codec uint8

// The numbers of codecs are part of the format.
const (
	// CodecNone stores the payload uncompressed.
	CodecNone Codec = 0
	// CodecZstd stores one zstd frame.
	CodecZstd Codec = 1
	// CodecPhrases stores phrases and the numbers between them.
	CodecPhrases Codec = 2
)

// Sync opens every frame.
const Sync = "\xb7PBk"

// FrameSize is the size of a frame header in bytes.
const FrameSize = 28

// Frame is the header of a block.
//
//	 0  4  sync word
//	 4  1  kind
//	 5  1  codec
//	 6  2  zero
//	 8  4  stored length: bytes of payload that follow the frame header
//	12  4  raw length: bytes of payload after decompression
//	16  4  ordinal: number of the block in the file, from 0
//	20  4  CRC-32C of bytes 0 to 19
//	24  4  CRC-32C of bytes 0 to 19, the stored payload, and the file id
type Frame struct {
	Kind        BlockKind
	Codec       Codec
	Stored, Raw uint32
	Ordinal     uint32
	CRC         uint32
}

// AppendFrame appends a block: its frame header and its stored payload. It sets f.Stored and f.CRC.
func AppendFrame(dst []byte, f *Frame, payload []byte, id *FileID) []byte {
	at := len(dst)
	f.Stored = uint32(len(payload))
	dst = append(dst, Sync...)
	dst = append(dst, byte(f.Kind), byte(f.Codec), 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, f.Stored)
	dst = binary.LittleEndian.AppendUint32(dst, f.Raw)
	dst = binary.LittleEndian.AppendUint32(dst, f.Ordinal)
	head := dst[at : at+20]
	f.CRC = Checksum(head, payload, id[:])
	dst = binary.LittleEndian.AppendUint32(dst, Checksum(head))
	dst = binary.LittleEndian.AppendUint32(dst, f.CRC)
	return append(dst, payload...)
}

// ParseFrame reads a frame header. It checks the header's own checksum, but not the payload's.
func ParseFrame(b []byte) (*Frame, error) {
	if len(b) < FrameSize {
		return nil, Corruptf("frame", -1, "%d of %d bytes of a frame header", len(b), FrameSize)
	}
	if string(b[:4]) != Sync {
		return nil, Corruptf("frame", -1, "no block begins here")
	}
	if got, want := binary.LittleEndian.Uint32(b[20:]), Checksum(b[:20]); got != want {
		return nil, Corruptf("frame", -1, "checksum of the frame header is %08x, should be %08x", got, want)
	}
	f := &Frame{
		Kind: BlockKind(b[4]), Codec: Codec(b[5]),
		Stored:  binary.LittleEndian.Uint32(b[8:]),
		Raw:     binary.LittleEndian.Uint32(b[12:]),
		Ordinal: binary.LittleEndian.Uint32(b[16:]),
		CRC:     binary.LittleEndian.Uint32(b[24:]),
	}
	if b[6] != 0 || b[7] != 0 {
		return nil, Corruptf("frame", -1, "reserved bytes are not zero")
	}
	return f, nil
}

// CheckPayload checks a block's checksum. b is the whole block: frame header and stored payload.
func (f *Frame) CheckPayload(b []byte, id *FileID) error {
	if got := Checksum(b[:20], b[FrameSize:], id[:]); got != f.CRC {
		return Corruptf(f.Kind.String(), -1, "checksum is %08x, should be %08x", got, f.CRC)
	}
	return nil
}
