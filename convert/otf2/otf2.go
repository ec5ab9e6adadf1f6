package otf2

import (
	"context"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/convert/otf2/internal/read"
	"github.com/pandotrace/pando/convert/otf2/internal/write"
	"github.com/pandotrace/pando/trace"
)

// Options of an Archive; zero fields mean the default.
type Options = read.Options

// Archive is an OTF2 archive. It implements trace.Source.
type Archive = read.Archive

// WriteOptions are options of [Write]; zero fields mean the default.
type WriteOptions = write.Options

// ErrUnwritable is in the chain of errors about records that an archive cannot hold.
var ErrUnwritable = form.ErrUnwritable

// Detect reports whether a file that begins with prefix is the anchor of an OTF2 archive. 7 bytes are enough.
func Detect(prefix []byte) bool { return form.Detect(prefix) }

// Open opens the archive of an anchor file. It reads all global definitions.
func Open(anchorPath string, opt Options) (*Archive, error) { return read.Open(anchorPath, opt) }

// Write makes an archive of a trace: the anchor file anchorPath, files of the same name with other extensions next to it, and a folder of
// that name. It returns the warnings of the source and of writing.
//
// The files are written into the folder NAME.part, by one writer at a time, and get their names when all are complete. After an error
// none of them exists, unless renaming them failed: then they stay in NAME.part. Files with their names must not exist before, except
// an archive that is to be replaced, which is removed at the end.
//
// A trace that was read from an archive becomes the same archive again. Records of kinds that OTF2 does not have are left out, and the
// warnings count them.
func Write(ctx context.Context, src trace.Source, anchorPath string, opt WriteOptions) ([]trace.Warning, error) {
	return write.Archive(ctx, src, anchorPath, opt)
}

// Claimed returns the path NAME of the folder NAME.part that an archive is written into.
func Claimed(anchorPath string) string { return write.Claimed(anchorPath) }
