package convert

import (
	"cmp"

	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/pandotrace/pando/trace"
)

// Limits on what a packed archive may become, so that a small file cannot fill the disk: the number of entries, and
// the bytes unpacked, for each byte packed and at least.
const (
	maxEntries   = 4 << 20
	maxRatio     = 256
	leastAllowed = 256 << 20
)

// packing tells how a packed archive that begins with prefix is packed: "tar", "gzip" or "zstd", "" for other files.
func packing(prefix []byte) string {
	const magicAt = 257 // of the first tar header
	switch {
	case bytes.HasPrefix(prefix, []byte("\x28\xb5\x2f\xfd")):
		return "zstd"
	case bytes.HasPrefix(prefix, []byte("\x1f\x8b")):
		return "gzip"
	case len(prefix) > magicAt && bytes.HasPrefix(prefix[magicAt:], []byte("ustar")):
		return "tar"
	}
	return ""
}

// findPacked unpacks an archive and finds the one trace in it.
func findPacked(ctx context.Context, path string, size int64, opt Options) (*Trace, error) {
	temp, err := os.MkdirTemp(opt.TempDir, "pando-unpacked-")
	if err != nil {
		return nil, err
	}
	t, err := unpackAndFind(ctx, path, temp, size, opt)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	t.packed, t.temp, t.Bytes = path, temp, size
	return t, nil
}

func unpackAndFind(ctx context.Context, path, temp string, size int64, opt Options) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return unpackFrom(ctx, f, path, temp, allowed(size), opt)
}

// allowed returns how many bytes a number of packed ones may become.
func allowed(packed int64) int64 { return max(leastAllowed, packed*maxRatio) }

// unpackFrom unpacks an archive into an empty folder, and finds the one trace in it. Errors call the archive by the given name.
func unpackFrom(ctx context.Context, archive io.Reader, path, temp string, limit int64, opt Options) (*Trace, error) {
	if err := unpack(ctx, archive, temp, limit, opt); err != nil {
		return nil, fmt.Errorf("%s: unpacking: %w", path, err)
	}
	t, err := findIn(temp, opt, true)
	if err != nil {
		return nil, fmt.Errorf("%s: unpacked into %w", path, err)
	}
	return t, nil
}

// unpack unpacks an archive into an empty folder. It may become limit bytes; 0 for what the bytes that are read of it may become.
func unpack(ctx context.Context, archive io.Reader, dir string, limit int64, opt Options) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	packed := &meter{ctx: ctx, r: archive, report: opt.Unpacking}
	r, closeReader, err := decompressor(packed)
	if err != nil {
		return err
	}
	defer closeReader()
	plain := bufio.NewReader(r)
	if head, err := plain.Peek(prefixBytes); packing(head) != "tar" {
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("there is no tar archive in it")
		}
		return err
	}
	u := unpacker{root: root, limit: func() int64 { return limit }}
	if limit == 0 {
		u.limit = func() int64 { return allowed(packed.read) }
	}
	return u.unpack(tar.NewReader(plain))
}

// decompressor undoes the compression that the begin of a file tells of.
func decompressor(file io.Reader) (r io.Reader, done func(), err error) {
	b := bufio.NewReaderSize(file, 64<<10)
	head, err := b.Peek(prefixBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	switch packing(head) {
	case "zstd":
		const mostMemory = 256 << 20 // bytes of a window
		d, err := zstd.NewReader(b, zstd.WithDecoderMaxWindow(mostMemory))
		if err != nil {
			return nil, nil, err
		}
		return d, d.Close, nil
	case "gzip":
		d, err := gzip.NewReader(b)
		return d, func() {}, err
	}
	return b, func() {}, nil
}

// unpacker writes the entries of a tar archive below a folder, and nothing outside of it.
type unpacker struct {
	root    *os.Root
	limit   func() int64 // bytes that may be written
	written int64
	entries int
}

func (u *unpacker) unpack(r *tar.Reader) error {
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if u.entries++; u.entries > maxEntries {
			return fmt.Errorf("more than %d entries", maxEntries)
		}
		if err := u.entry(h, r); err != nil {
			return err
		}
	}
}

func (u *unpacker) entry(h *tar.Header, r io.Reader) error {
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	if !filepath.IsLocal(h.Name) {
		return fmt.Errorf("entry %q lies outside of the archive", h.Name)
	}
	name := filepath.Clean(h.Name)
	switch h.Typeflag {
	case tar.TypeDir:
		return u.root.MkdirAll(name, 0o700)
	case tar.TypeReg:
		return u.file(name, h.ModTime, r)
	}
	return fmt.Errorf("entry %q is neither a file nor a folder", h.Name)
}

func (u *unpacker) file(name string, modified time.Time, r io.Reader) error {
	if err := u.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := u.root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(&limited{f, u}, r) // which asks for the limit before each piece
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return u.root.Chtimes(name, modified, modified)
}

// limited is a file of an archive. It refuses bytes beyond the limit.
type limited struct {
	file *os.File
	of   *unpacker
}

// Write implements io.Writer.
func (l *limited) Write(b []byte) (int, error) {
	if l.of.written += int64(len(b)); l.of.written > l.of.limit() {
		return 0, errors.New("it is suspiciously large: unpack it by other means")
	}
	return l.file.Write(b)
}

// meter reports how much of a file was read through it, until a context is done.
type meter struct {
	ctx    context.Context
	r      io.Reader
	read   int64
	report trace.Progress
}

// Read implements io.Reader.
func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.read += int64(n)
	m.report.Report(m.read, 0)
	return n, cmp.Or(err, m.ctx.Err())
}
