package form

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/pandotrace/pando/trace"
)

// maxAnchor bounds the size of anchor files, in bytes. Real ones have some hundred.
const maxAnchor = 16 << 20

// Chunk sizes beyond these cannot be right: a chunk has a header, and the library refuses to write larger ones.
const (
	MinChunk = 64
	MaxChunk = 1 << 30
)

// NotePrefix is [trace.NotePrefix] as OTF2 names properties.
const NotePrefix = "PANDO::NOTE::"

// Anchor is the content of an anchor file.
type Anchor struct {
	Big                        bool
	Format, TraceFormat        uint64
	Version                    [3]uint64
	EventChunk, DefChunk       uint64
	Substrate, Compression     uint64
	Locations, Definitions     uint64
	Machine, Creator, Describe string
	Properties                 []trace.Property
	TraceID                    uint64
	Snapshots, Thumbnails      uint64
}

// Detect reports whether a file that begins with prefix is the anchor of an OTF2 archive. 7 bytes are enough.
func Detect(prefix []byte) bool {
	return len(prefix) >= 7 && prefix[0] == IdChunk && (prefix[1] == MarkLittle || prefix[1] == MarkBig) &&
		bytes.Equal(prefix[2:7], []byte("OTF2\x00"))
}

func ReadAnchor(path string) (*Anchor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, trace.Unreadable("otf2", path, 0, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, Corrupt(path, 0, "is a directory where an anchor file should be")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxAnchor))
	if err != nil {
		return nil, &trace.SourceError{Format: "otf2", File: path, Problem: "cannot be read", Cause: err}
	}
	return ParseAnchor(path, data)
}

// ParseAnchor reads an anchor file's content. Later formats only append to it.
func ParseAnchor(path string, data []byte) (*Anchor, error) {
	if !Detect(data) {
		return nil, Corrupt(path, 0, "is not the anchor file of an OTF2 archive")
	}
	a := &Anchor{Big: data[1] == MarkBig}
	c := &Cursor{Data: append(bytes.Clone(data), make([]byte, Slack)...), Pos: 7, End: len(data), Big: a.Big}
	a.scalars(c)
	if a.Format >= 2 {
		a.extras(c)
	}
	if a.Format == 3 && c.Byte() != IdEndOfFile {
		c.Fail("no mark of the end where it should be")
	}
	if c.Problem != "" {
		return nil, Corrupt(path, int64(c.failed), "anchor: %s", c.Problem)
	}
	return a, a.check(path)
}

// scalars reads what all formats have.
func (a *Anchor) scalars(c *Cursor) {
	if a.Format = c.Byte(); a.Format == 0 {
		c.Fail("anchor format 0")
	}
	a.TraceFormat = c.Byte()
	a.Version = [3]uint64{c.Byte(), c.Byte(), c.Byte()}
	a.EventChunk, a.DefChunk = c.Fixed(8), c.Fixed(8)
	a.Substrate, a.Compression = c.Byte(), c.Byte()
	a.Locations, a.Definitions = c.Fixed(8), c.Fixed(8)
	a.Machine, a.Creator, a.Describe = string(c.Text()), string(c.Text()), string(c.Text())
}

// extras reads what formats 2 and 3 appended.
func (a *Anchor) extras(c *Cursor) {
	const least = 2 // bytes of a property
	for range c.Times(c.Fixed(4), least) {
		name := string(c.Text())
		a.Properties = append(a.Properties, trace.Property{Name: name, Value: string(c.Text())})
	}
	a.TraceID = c.Fixed(8)
	if a.Format >= 3 {
		a.Snapshots, a.Thumbnails = c.Fixed(4), c.Fixed(4)
	}
}

// Values of the fields substrate and compression.
const (
	SubstratePosix  = 1
	CompressionNone = 1
)

var (
	substrates   = map[uint64]string{2: "SION", 3: "NONE"}
	compressions = map[uint64]string{2: "ZLIB"}
)

// check refuses what cannot be read.
func (a *Anchor) check(path string) error {
	problem := ""
	switch {
	case a.Substrate != SubstratePosix:
		problem = "file substrate " + nameOr(substrates, a.Substrate)
	case a.Compression != CompressionNone:
		problem = "compression " + nameOr(compressions, a.Compression)
	}
	if problem != "" {
		return &trace.SourceError{Format: "otf2", File: path, Problem: problem + " is not supported", Class: trace.ErrUnsupported}
	}
	for _, size := range []uint64{a.EventChunk, a.DefChunk} {
		if size < MinChunk || size > MaxChunk {
			return Corrupt(path, 0, "a chunk size of %d bytes", size)
		}
	}
	return nil
}

func nameOr(names map[uint64]string, v uint64) string {
	if name, ok := names[v]; ok {
		return fmt.Sprintf("%s (%d)", name, v)
	}
	return fmt.Sprint(v)
}
