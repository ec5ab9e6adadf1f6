package convert

import (
	"strings"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Format is a trace format that can be read.
type Format struct {
	// Name is the format's name ("OTF2").
	Name string
	// Main says which file of a trace stands for the whole.
	Main string

	// detect reports whether a file that begins with prefix (prefixBytes of it, or all) is a main file.
	detect func(prefix []byte) bool
	open   func(path string, opt Options) (trace.Source, error)
	// parts are the files that belong to a main file STEM.EXT besides it, as patterns of what follows STEM.
	parts []string
}

// prefixBytes is how much of a file is read to tell its format.
const prefixBytes = 512

var formats = []Format{
	{Name: "Pando", Main: "the file", detect: isPando, open: openPando},
	{Name: "OTF2", Main: "the anchor file NAME.otf2", detect: otf2.Detect, open: openOTF2,
		parts: []string{".def", ".marker", ".*.thumb", "/*"}},
}

// Formats lists the formats that can be read.
func Formats() []Format { return append([]Format(nil), formats...) }

// known lists the formats for messages.
func known() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// formatOf returns the format of a main file that begins with prefix, nil if it has none that is known.
func formatOf(prefix []byte) *Format {
	for i := range formats {
		if formats[i].detect(prefix) {
			return &formats[i]
		}
	}
	return nil
}

// isPando goes by the middle of the magic, so that a file damaged by a transfer in text mode is told to be one.
func isPando(prefix []byte) bool {
	const from, to = 1, 4
	return len(prefix) >= to && string(prefix[from:to]) == format.Magic[from:to]
}

func openPando(path string, _ Options) (trace.Source, error) {
	r, err := store.Open(path, store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return &pandoSource{r.Source(), r}, nil
}

// pandoSource closes the file that it was opened from.
type pandoSource struct {
	trace.Source
	reader *store.Reader
}

// Close closes the file.
func (s *pandoSource) Close() error { return s.reader.Close() }

func openOTF2(path string, opt Options) (trace.Source, error) {
	a, err := otf2.Open(path, otf2.Options{Lenient: opt.Lenient})
	if err != nil {
		return nil, err // not a: a nil *Archive is no nil Source
	}
	return a, nil
}
