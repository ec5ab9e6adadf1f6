package format

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// The bytes below were made by another program from the layouts alone, with a CRC-32C written out bit by bit.
const (
	goldenHeader = "89504e440d0a1a0a01000000000000000a000000000000000000000000000000000102030405060708090a0b0c0d0e0f00000000000000000000000062690f61"
	goldenFrame  = "b750426b06000000070000000700000003000000af28df8e3637a1727061796c6f6164"
	goldenFooter = "64000000000000000a000000000000000000000000000000000102030405060708090a0b0c0d0e0fcf00000000000000230000000403020105000000b4040bf81a504e442d656e64"
)

var goldenID = FileID{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func fromHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func TestHeader(t *testing.T) {
	want := Header{Major: 1, Optional: 0xa, ID: goldenID}
	if got := hex.EncodeToString(want.Append(nil)); got != goldenHeader {
		t.Errorf("bytes\n%s, should be\n%s", got, goldenHeader)
	}
	got, err := ParseHeader(append(fromHex(goldenHeader), "what follows is ignored"...))
	if err != nil || *got != want {
		t.Errorf("parsed %+v, %v", got, err)
	}
}

func TestFooter(t *testing.T) {
	want := Footer{Root: Ref{Offset: 100, Length: 35, CRC: 0x01020304}, Optional: 0xa, ID: goldenID, Length: 207, Blocks: 5}
	if got := hex.EncodeToString(want.Append(nil)); got != goldenFooter {
		t.Errorf("bytes\n%s, should be\n%s", got, goldenFooter)
	}
	got, err := ParseFooter(fromHex(goldenFooter), 207)
	if err != nil || *got != want {
		t.Errorf("parsed %+v, %v", got, err)
	}
}

// A footer must belong to the header: it may know of more that a reader may ignore, and that is all.
func TestFooterAndHeader(t *testing.T) {
	h := Header{Optional: 3, Required: 4, ID: goldenID}
	for _, c := range []struct {
		footer Footer
		want   string
	}{
		{Footer{Optional: 3, Required: 4, ID: goldenID}, ""},
		{Footer{Optional: 7, Required: 4, ID: goldenID}, ""},
		{Footer{Optional: 1, Required: 4, ID: goldenID}, "other features"},
		{Footer{Optional: 3, Required: 5, ID: goldenID}, "other features"},
		{Footer{Optional: 3, ID: goldenID}, "other features"},
		{Footer{Optional: 3, Required: 4}, "another file"},
	} {
		err := c.footer.CheckHeader(&h)
		if (err == nil) != (c.want == "") || err != nil && (!IsCorrupt(err) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.footer, err, c.want)
		}
	}
}

func TestFrame(t *testing.T) {
	f := Frame{Kind: BlockSlice, Raw: 7, Ordinal: 3}
	if got := hex.EncodeToString(AppendFrame(nil, &f, []byte("payload"), &goldenID)); got != goldenFrame {
		t.Errorf("bytes\n%s, should be\n%s", got, goldenFrame)
	}
	got, err := ParseFrame(fromHex(goldenFrame))
	if err != nil || *got != f || f.Stored != 7 {
		t.Errorf("parsed %+v, %v, want %+v", got, err, f)
	}
	if err := got.CheckPayload(fromHex(goldenFrame), &goldenID); err != nil {
		t.Error(err)
	}
	if err := got.CheckPayload(fromHex(goldenFrame), &FileID{1}); err == nil {
		t.Error("the block of another file was accepted")
	}
}

// part is one of the three things that have a checksum of their own.
type part struct {
	section string
	golden  string
	parse   func(b []byte) error
}

var parts = []part{
	{"header", goldenHeader, func(b []byte) error { _, err := ParseHeader(b); return err }},
	{"footer", goldenFooter, func(b []byte) error { _, err := ParseFooter(b, 207); return err }},
	{"frame", goldenFrame, func(b []byte) error {
		f, err := ParseFrame(b)
		if err == nil {
			if int(f.Stored)+FrameSize != len(b) {
				return Corruptf("frame", -1, "it ends early")
			}
			err = f.CheckPayload(b, &goldenID)
		}
		return err
	}},
}

func TestEveryBitCounts(t *testing.T) {
	for _, p := range parts {
		for bit := range len(p.golden) / 2 * 8 {
			b := fromHex(p.golden)
			b[bit/8] ^= 1 << (bit % 8)
			if err := p.parse(b); !IsCorrupt(err) {
				t.Errorf("%s with bit %d of byte %d flipped: %v", p.section, bit%8, bit/8, err)
			}
		}
	}
}

func TestTruncated(t *testing.T) {
	for _, p := range parts {
		for n := range len(p.golden) / 2 {
			if err := p.parse(fromHex(p.golden)[:n]); !IsCorrupt(err) {
				t.Errorf("%d bytes of a %s: %v", n, p.section, err)
			}
		}
	}
}

// resign gives bytes that were changed on purpose the checksum that they should have.
func resign(b []byte, covered, at int) []byte {
	sum := Checksum(b[:covered])
	b[at], b[at+1], b[at+2], b[at+3] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
	return b
}

// Checksums alone do not make a valid header, frame or footer.
func TestRefusedInSpiteOfChecksums(t *testing.T) {
	header := func(at int, v byte) error {
		b := fromHex(goldenHeader)
		b[at] = v
		_, err := ParseHeader(resign(b, 60, 60))
		return err
	}
	footer := func(at int, v byte) error {
		b := fromHex(goldenFooter)
		b[at] = v
		_, err := ParseFooter(resign(b, 60, 60), 207)
		return err
	}
	frame := func(at int, v byte) error {
		b := fromHex(goldenFrame)
		b[at] = v
		_, err := ParseFrame(resign(b, 20, 20))
		return err
	}
	for _, c := range []struct {
		err     error
		section string
		offset  int64
		want    string
	}{
		{header(8, 2), "header", 8, "version 2.0; this program reads version 1"},
		{header(9, 1), "header", 8, "version 257.0"},
		{header(24, 1), "header", 24, "needs features 0x1"},
		{header(31, 0x80), "header", 24, "needs features 0x8000000000000000"},
		{header(12, 1), "header", 12, "reserved"},
		{header(59, 1), "header", 12, "reserved"},
		{footer(16, 1), "footer", 151, "needs features 0x1"},
		{footer(40, 206), "footer", 135, "has 207 bytes, should have 206"},
		{footer(0, 101), "footer", 135, "outside"},
		{footer(7, 0xff), "footer", 135, "outside"},
		{footer(48, 36), "footer", 135, "outside"},
		{frame(6, 1), "frame", -1, "reserved"},
		{frame(7, 1), "frame", -1, "reserved"},
	} {
		var corrupt *CorruptError
		if !errors.As(c.err, &corrupt) || corrupt.Section != c.section || corrupt.Offset != c.offset || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q of the %s at %d", c.err, c.want, c.section, c.offset)
		}
	}
	if err := header(10, 9); err != nil {
		t.Errorf("a newer minor version: %v", err)
	}
}

func TestMagicTellsWhatHappened(t *testing.T) {
	h := fromHex(goldenHeader)
	stripped := append([]byte{}, h...)
	for i := range stripped {
		stripped[i] &= 0x7f
	}
	for want, b := range map[string][]byte{
		"it is empty":              {},
		"does not begin":           []byte("OTF2 and more than that"),
		"cleared the eighth bit":   stripped,
		"changed line ends":        []byte(strings.Replace(string(h), "\r\n", "\n", 1)),
		"ends after 63 of 64":      h[:63],
		"not a Pando file: it doe": h[1:],
	} {
		if _, err := ParseHeader(b); !IsCorrupt(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestFooterOfTinyFiles(t *testing.T) {
	for size := range int64(FooterSize) {
		b := fromHex(goldenFooter)
		b[32] = byte(size)
		if _, err := ParseFooter(resign(b, 52, 52), size); !IsCorrupt(err) || err.(*CorruptError).Offset < 0 {
			t.Errorf("a footer in a file of %d bytes: %v", size, err)
		}
	}
}

func TestErrorsNamePlaces(t *testing.T) {
	err := Corruptf("frame", -1, "byte %d", 5)
	if got := err.Error(); got != "frame: byte 5" {
		t.Error(got)
	}
	wrapped := fmt.Errorf("while reading: %w", err)
	if At(wrapped, "a.pando", 77) != wrapped || At(wrapped, "b.pando", 88) != wrapped {
		t.Error("At returns another error")
	}
	if got := wrapped.Error(); err.Error() != "a.pando: frame at offset 77: byte 5" || !strings.Contains(got, "while reading") {
		t.Error(err, got)
	}
	if At(nil, "a", 1) != nil || At(io.EOF, "a", 1) != io.EOF || IsCorrupt(io.EOF) || IsCorrupt(nil) || !IsCorrupt(wrapped) {
		t.Error("other errors are taken for corruption")
	}
	if !errors.Is(&CorruptError{Err: io.EOF}, io.EOF) {
		t.Error("the cause is lost")
	}
}

func TestBlockKindNames(t *testing.T) {
	seen := map[string]BlockKind{}
	for k := range 256 {
		name := BlockKind(k).String()
		if first, ok := seen[name]; ok && name != "unknown block" {
			t.Errorf("kinds %d and %d are both called %q", first, k, name)
		}
		seen[name] = BlockKind(k)
	}
	for k, want := range map[BlockKind]string{BlockSlice: "slice block", BlockBins: "bins block", 0: "unknown block"} {
		if got := k.String(); got != want {
			t.Errorf("kind %d is called %q, not %q", k, got, want)
		}
	}
}
