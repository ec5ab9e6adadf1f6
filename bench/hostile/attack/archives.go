package attack

import (
	"archive/tar"
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

var archiveKinds = []kind{
	{"archive", "names that lead outside, links, devices, names twice, odd types", 400, leadingOutside},
	{"archive", "tar: bytes changed, cut off, forged sizes", 300, damagedTar},
	{"archive", "gzip and zstd: bytes changed, cut off, in one another", 200, damagedPacking},
	{"archive", "many entries, and files that unpack to much more", 16, bombArchive},
}

// outside are names of entries that must not be written.
func outside(d dice, dir string) string {
	return pick(d, []string{"../evil", "../../evil", "a/../../evil", "./../evil", filepath.Join(dir, "evil"), "/evil-of-pando", "..", ".", "", "a/..", "..\\evil", "C:\\evil", "a\x00b",
		"a/\x1b[31m.otf2", "a\n.otf2", strings.Repeat("a", 300), strings.Repeat("a/", 3000) + "b", "\xff\xfe", "a//b", "/", "//", "./", "...", "nul", "t.otf2/x"})
}

func leadingOutside(a *Attack, d dice, dir string) (*try, error) {
	base := pick(d, a.bases.foreign["OTF2"])
	entries := []entry{}
	types := []byte{tar.TypeReg, tar.TypeReg, tar.TypeReg, tar.TypeLink, tar.TypeSymlink, tar.TypeSymlink, tar.TypeChar, tar.TypeBlock, tar.TypeDir, tar.TypeFifo, tar.TypeCont, tar.TypeGNUSparse, 'Z'}
	for range 1 + d.IntN(3) {
		entries = append(entries, entry{name: outside(d, dir), link: pick(d, []string{"/etc/passwd", "..", "../..", dir, "t.otf2", "t"}), typ: pick(d, types), data: []byte("evil")})
	}
	for _, name := range base.names() {
		entries = append(entries, entry{name: name, typ: tar.TypeReg, data: base.files[name]})
	}
	if d.IntN(3) == 0 { // a link first, and a file through it
		entries = append([]entry{{name: "t", typ: tar.TypeSymlink, link: dir}}, entries...)
	}
	if d.IntN(3) == 0 {
		d.Shuffle(len(entries), func(i, k int) { entries[i], entries[k] = entries[k], entries[i] })
	}
	if d.IntN(4) == 0 {
		entries = append(entries, pick(d, entries))
	}
	return d.packed(dir, tarOf(entries))
}

// entry is one of a tar archive, whatever a packer would say to it.
type entry struct {
	name, link string
	typ        byte
	data       []byte
}

// tarOf writes entries; one that the format cannot hold is left out.
func tarOf(entries []entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		var one bytes.Buffer
		w := tar.NewWriter(&one)
		h := tar.Header{Name: e.name, Linkname: e.link, Typeflag: e.typ, Mode: 0o644, ModTime: time.Unix(1, 0)}
		if e.typ == tar.TypeReg {
			h.Size = int64(len(e.data))
		}
		if w.WriteHeader(&h) != nil {
			continue
		}
		if e.typ == tar.TypeReg {
			_, _ = w.Write(e.data) // into memory
		}
		_ = w.Flush()
		b.Write(one.Bytes())
	}
	return append(b.Bytes(), make([]byte, 1024)...)
}

// packed writes an archive as tar, tar.gz or tar.zst, and converts it.
func (d dice) packed(dir string, data []byte) (*try, error) {
	name := pick(d, []string{"in.tar", "in.tar.gz", "in.tar.zst"})
	switch filepath.Ext(name) {
	case ".gz":
		data = deflate(".gz", data)
	case ".zst":
		data = zstdStored(data)
	}
	return &try{args: line(converting[0], name)}, put(dir, name, data)
}

func (b archive) tar() []byte {
	var entries []entry
	for _, name := range b.names() {
		entries = append(entries, entry{name: name, typ: tar.TypeReg, data: b.files[name]})
	}
	return tarOf(entries)
}

func damagedTar(a *Attack, d dice, dir string) (*try, error) {
	data := pick(d, a.bases.foreign["OTF2"]).tar()
	for range 1 + d.IntN(3) {
		if d.IntN(2) == 0 { // within a header, with the sum that it should have
			at := 512 * d.IntN(min(8, len(data)/512))
			data[at+d.IntN(512)] = byte(d.Uint32())
			resum(data[at : at+512])
		} else if data = d.damaged(data); d.IntN(4) == 0 {
			data = data[:d.IntN(len(data))]
		}
	}
	return d.packed(dir, data)
}

// resum gives a header of tar the sum of its bytes.
func resum(h []byte) {
	copy(h[148:156], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

func damagedPacking(a *Attack, d dice, dir string) (*try, error) {
	data := pick(d, a.bases.foreign["OTF2"]).tar()
	for range 1 + d.IntN(3) {
		if d.IntN(2) == 0 {
			data = deflate(".gz", data)
		} else {
			data = zstdStored(data)
		}
	}
	if data = d.damaged(data); d.IntN(3) == 0 {
		data = data[:d.IntN(len(data))]
	}
	return &try{args: line(converting[0], "in.tar.gz")}, put(dir, "in.tar.gz", data)
}

func bombArchive(a *Attack, d dice, dir string) (*try, error) {
	switch d.IntN(3) {
	case 0: // zeros
		return &try{args: line(converting[0], "in.tar.zst")}, put(dir, "in.tar.zst", zstdZeros(1<<30))
	case 1: // one file of 1 TB, of which there is nothing
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&tar.Header{Name: "t.otf2", Typeflag: tar.TypeReg, Size: 1 << 40, Mode: 0o644}); err != nil {
			return nil, err
		}
		return d.packed(dir, b.Bytes())
	}
	entries := make([]entry, 20_000)
	for i := range entries {
		entries[i] = entry{name: fmt.Sprintf("d%d/%d", i%7, i), typ: tar.TypeReg}
	}
	return d.packed(dir, tarOf(entries))
}
