package otf2

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
	minChunk = 64
	maxChunk = 1 << 30
)

// anchor is the content of an anchor file.
type anchor struct {
	big                        bool
	format, traceFormat        uint64
	version                    [3]uint64
	eventChunk, defChunk       uint64
	substrate, compression     uint64
	locations, definitions     uint64
	machine, creator, describe string
	properties                 []trace.Property
	traceID                    uint64
	snapshots, thumbnails      uint64
}

// Detect reports whether a file that begins with prefix is the anchor of an OTF2 archive. 7 bytes are enough.
func Detect(prefix []byte) bool {
	return len(prefix) >= 7 && prefix[0] == idChunk && (prefix[1] == markLittle || prefix[1] == markBig) &&
		bytes.Equal(prefix[2:7], []byte("OTF2\x00"))
}

func readAnchor(path string) (*anchor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, trace.Unreadable("otf2", path, 0, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, corrupt(path, 0, "is a directory where an anchor file should be")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxAnchor))
	if err != nil {
		return nil, &trace.SourceError{Format: "otf2", File: path, Problem: "cannot be read", Cause: err}
	}
	return parseAnchor(path, data)
}

// parseAnchor reads an anchor file's content. Later formats only append to it.
func parseAnchor(path string, data []byte) (*anchor, error) {
	if !Detect(data) {
		return nil, corrupt(path, 0, "is not the anchor file of an OTF2 archive")
	}
	a := &anchor{big: data[1] == markBig}
	c := &cursor{data: append(bytes.Clone(data), make([]byte, slack)...), pos: 7, end: len(data), big: a.big}
	a.scalars(c)
	if a.format >= 2 {
		a.extras(c)
	}
	if a.format == 3 && c.byte() != idEndOfFile {
		c.fail("no mark of the end where it should be")
	}
	if c.problem != "" {
		return nil, corrupt(path, int64(c.failed), "anchor: %s", c.problem)
	}
	return a, a.check(path)
}

// scalars reads what all formats have.
func (a *anchor) scalars(c *cursor) {
	if a.format = c.byte(); a.format == 0 {
		c.fail("anchor format 0")
	}
	a.traceFormat = c.byte()
	a.version = [3]uint64{c.byte(), c.byte(), c.byte()}
	a.eventChunk, a.defChunk = c.fixed(8), c.fixed(8)
	a.substrate, a.compression = c.byte(), c.byte()
	a.locations, a.definitions = c.fixed(8), c.fixed(8)
	a.machine, a.creator, a.describe = string(c.text()), string(c.text()), string(c.text())
}

// extras reads what formats 2 and 3 appended.
func (a *anchor) extras(c *cursor) {
	const least = 2 // bytes of a property
	for range c.times(c.fixed(4), least) {
		name := string(c.text())
		a.properties = append(a.properties, trace.Property{Name: name, Value: string(c.text())})
	}
	a.traceID = c.fixed(8)
	if a.format >= 3 {
		a.snapshots, a.thumbnails = c.fixed(4), c.fixed(4)
	}
}

// Values of the fields substrate and compression.
const (
	substratePosix  = 1
	compressionNone = 1
)

var (
	substrates   = map[uint64]string{2: "SION", 3: "NONE"}
	compressions = map[uint64]string{2: "ZLIB"}
)

// check refuses what cannot be read.
func (a *anchor) check(path string) error {
	problem := ""
	switch {
	case a.substrate != substratePosix:
		problem = "file substrate " + nameOr(substrates, a.substrate)
	case a.compression != compressionNone:
		problem = "compression " + nameOr(compressions, a.compression)
	}
	if problem != "" {
		return &trace.SourceError{Format: "otf2", File: path, Problem: problem + " is not supported", Class: trace.ErrUnsupported}
	}
	for _, size := range []uint64{a.eventChunk, a.defChunk} {
		if size < minChunk || size > maxChunk {
			return corrupt(path, 0, "a chunk size of %d bytes", size)
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
