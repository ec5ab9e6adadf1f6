package report

import (
	"strings"
	"unicode/utf8"
)

// places has the labels of locations for a column of a fixed width.
type places struct {
	names  *names
	width  int
	padded map[uint64][]byte
	last   uint64 // the location asked for last, and its label
	found  []byte
}

// widestLabel is the width that long labels do not widen their column beyond.
const widestLabel = 32

func newPlaces(f *Trace) *places {
	p := &places{names: f.names, padded: map[uint64][]byte{}}
	locations := f.Info().Locations
	for _, l := range locations {
		p.width = max(p.width, min(utf8.RuneCountInString(f.names.location(l.ID)), widestLabel))
	}
	for _, l := range locations {
		p.padded[l.ID] = []byte(padRight(f.names.location(l.ID), p.width))
	}
	return p
}

// label returns the label of a location, padded.
func (p *places) label(location uint64) []byte {
	if location == p.last && p.found != nil {
		return p.found
	}
	label, ok := p.padded[location]
	if !ok {
		label = []byte(padRight(p.names.location(location), p.width))
	}
	p.last, p.found = location, label
	return label
}

func padRight(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

// alignRight moves what dst holds from at on to the right, so that it ends width bytes after at.
func alignRight(dst []byte, at, width int) []byte {
	n := len(dst) - at
	if n >= width {
		return dst
	}
	for len(dst) < at+width {
		dst = append(dst, ' ')
	}
	copy(dst[at+width-n:], dst[at:at+n])
	for i := at; i < at+width-n; i++ {
		dst[i] = ' '
	}
	return dst
}
