package attack

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var foreignKinds = []kind{
	{"OTF2", "bytes changed, forged counts and lengths", 1500, damagedOf("OTF2")},
	{"OTF2", "a file cut off, empty or missing", 400, cutOf("OTF2")},
	{"OTF", "bytes changed, forged counts and lengths", 900, damagedOf("OTF")},
	{"OTF", "a file cut off, empty or missing", 300, cutOf("OTF")},
	{"CLOG-2", "bytes changed, forged counts and lengths", 700, damagedOf("CLOG-2")},
	{"CLOG-2", "cut off", 200, cutOf("CLOG-2")},
	{"SLOG-2", "bytes changed, forged counts and lengths", 700, damagedOf("SLOG-2")},
	{"SLOG-2", "cut off", 200, cutOf("SLOG-2")},
	{"Chrome", "bytes changed", 800, damagedOf("Chrome")},
	{"Chrome", "cut off", 200, cutOf("Chrome")},
	{"Chrome", "gzip: bytes changed, cut off", 200, damagedOf("Chrome, gzip")},
}

// converting are the verbs that take other formats.
var converting = split("convert IN OUT.pando", "convert IN OUT.pando", "convert IN OUT.pando", "convert IN OUT.pando --lenient", "convert IN OUT/t.otf2",
	"convert IN OUT.pando --from 10% --to 50%", "diff IN IN", "info IN", "window IN")

// names returns the files of an archive, in a fixed order.
func (b archive) names() (all []string) {
	for name := range b.files {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// with returns the archive with another content of a file; nil for none.
func (b archive) with(name string, data []byte) *archive {
	c := &archive{main: b.main, files: map[string][]byte{}}
	for n, old := range b.files {
		c.files[n] = old
	}
	if c.files[name] = data; data == nil {
		delete(c.files, name)
	}
	return c
}

func damagedOf(format string) func(*Attack, dice, string) (*try, error) {
	return func(a *Attack, d dice, dir string) (*try, error) {
		base := pick(d, a.bases.foreign[format])
		name := pick(d, base.names())
		c := base.with(name, d.changed(name, base.files[name]))
		if err := c.put(dir); err != nil {
			return nil, err
		}
		verb := pick(d, converting)
		return &try{args: line(verb, c.main)}, nil
	}
}

// changed returns other bytes; of compressed files, often the bytes behind the compression are others.
func (d dice) changed(name string, data []byte) []byte {
	ext := filepath.Ext(name)
	if ext != ".z" && ext != ".gz" || d.IntN(3) == 0 {
		return d.damaged(data)
	}
	plain, err := inflate(ext, data)
	if err != nil || len(plain) == 0 {
		return d.damaged(data)
	}
	return deflate(ext, d.damaged(plain))
}

func inflate(ext string, data []byte) ([]byte, error) {
	var r io.Reader
	var err error
	if r, err = zlib.NewReader(bytes.NewReader(data)); ext == ".gz" {
		r, err = gzip.NewReader(bytes.NewReader(data))
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r) // what was read before an error, too
}

func deflate(ext string, data []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&b)
	if ext == ".gz" {
		w = gzip.NewWriter(&b)
	}
	_, _ = w.Write(data) // into memory
	_ = w.Close()
	return b.Bytes()
}

func cutOf(format string) func(*Attack, dice, string) (*try, error) {
	return func(a *Attack, d dice, dir string) (*try, error) {
		which := d.IntN(len(a.bases.foreign[format]))
		base := &a.bases.foreign[format][which]
		events, err := a.soundEvents(format, which)
		if err != nil {
			return nil, err
		}
		name := pick(d, base.names())
		data := base.files[name]
		c := base.with(name, data[:d.IntN(len(data)+1)/(1+d.IntN(2)*(len(data)+1))]) // half of them empty
		if d.IntN(2) == 0 && len(data) > 0 {
			c = base.with(name, data[:d.IntN(len(data))])
		}
		if d.IntN(8) == 0 && len(base.files) > 1 {
			c = base.with(name, nil)
		}
		must := notSilent
		if cut, there := c.files[name]; there && format == "OTF" && untold(name, data, cut) {
			must = anything
		}
		return &try{args: line(converting[0], c.main), must: must, events: events}, c.put(dir)
	}
}

var eventsLine = regexp.MustCompile(`(?m)^  events +([0-9,]+)`)

// soundEvents returns the events of a sound trace, as its conversion prints them.
func (a *Attack) soundEvents(format string, which int) (string, error) {
	base := &a.bases.foreign[format][which]
	summary, err := a.remembered(fmt.Sprint(format, which), line(converting[0], base.main), func(dir string) error { return base.put(dir) })
	return eventsOf(summary), err
}

func eventsOf(summary string) string {
	if m := eventsLine.FindStringSubmatch(summary); m != nil {
		return m[1]
	}
	return ""
}

// warned reports whether the summary of a conversion has warnings.
func warned(summary string) bool {
	return strings.Contains(summary, "warning") && !strings.Contains(summary, "warnings  none")
}
