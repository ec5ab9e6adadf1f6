package stacks

import (
	"compress/gzip"
	"io"
	"strings"
)

// WritePprof writes a profile in the protocol buffers of pprof, compressed by gzip: a sample for each node that has a value, with all columns.
//
// Source: profile.proto of github.com/google/pprof.
func WritePprof(to io.Writer, t *Tree) error {
	z := gzip.NewWriter(to)
	if _, err := z.Write(appendPprof(nil, t)); err != nil {
		return err
	}
	return z.Close()
}

// Numbers of the fields of Profile and of the messages within.
const (
	profileSampleType, profileSample, profileLocation, profileFunction, profileStrings = 1, 2, 4, 5, 6
	profileDuration, profileComment, profileDefaultSampleType                          = 10, 13, 14
	valueTypeType, valueTypeUnit                                                       = 1, 2
	sampleLocation, sampleValue                                                        = 1, 2
	locationID, locationLine, lineFunction, lineLine                                   = 1, 4, 1, 2
	functionID, functionName, functionSystemName, functionFile, functionStartLine      = 1, 2, 3, 4, 5
)

// appendPprof appends the message Profile. The location and the function of a frame have its number from 1.
func appendPprof(dst []byte, t *Tree) []byte {
	texts := newTexts()
	var part []byte
	for _, c := range t.Columns {
		part = appendNumber(part[:0], valueTypeType, texts.of(c.Name))
		part = appendNumber(part, valueTypeUnit, texts.of(c.Unit))
		dst = appendBytes(dst, profileSampleType, part)
	}
	dst = appendSamples(dst, t)
	for i, f := range t.Frames {
		id := uint64(i + 1)
		line := appendNumber(nil, lineFunction, id)
		line = appendNumber(line, lineLine, uint64(f.Line))
		part = appendNumber(part[:0], locationID, id)
		dst = appendBytes(dst, profileLocation, appendBytes(part, locationLine, line))
	}
	for i, f := range t.Frames {
		part = appendNumber(part[:0], functionID, uint64(i+1))
		part = appendNumber(part, functionName, texts.of(f.Name))
		part = appendNumber(part, functionSystemName, texts.of(f.Name))
		part = appendNumber(part, functionFile, texts.of(f.File))
		part = appendNumber(part, functionStartLine, uint64(f.Line))
		dst = appendBytes(dst, profileFunction, part)
	}
	dst = appendNumber(dst, profileDuration, uint64(t.Duration))
	for _, c := range append([]string{t.Title}, t.Comments...) {
		dst = appendNumber(dst, profileComment, texts.of(c))
	}
	if len(t.Columns) > 0 {
		dst = appendNumber(dst, profileDefaultSampleType, texts.of(t.Columns[0].Name))
	}
	for _, s := range texts.list {
		dst = appendBytes(dst, profileStrings, []byte(s))
	}
	return dst
}

// appendSamples appends a sample for each node with a value; its locations are the innermost first.
func appendSamples(dst []byte, t *Tree) []byte {
	var stack []int
	var part, packed []byte
	for n := range t.Nodes {
		any := false
		packed = packed[:0]
		for _, c := range t.Columns {
			any = any || c.Values[n] != 0
			packed = appendVarint(packed, uint64(c.Values[n]))
		}
		if !any {
			continue
		}
		values := packed
		stack = t.stack(stack[:0], n)
		part = part[:0]
		var locations []byte
		for _, at := range stack {
			locations = appendVarint(locations, uint64(t.Nodes[at].Frame+1))
		}
		part = appendBytes(part, sampleLocation, locations)
		dst = appendBytes(dst, profileSample, appendBytes(part, sampleValue, values))
	}
	return dst
}

// texts is the table of strings, the first of which is empty.
type texts struct {
	list []string
	at   map[string]uint64
}

func newTexts() *texts { return &texts{[]string{""}, map[string]uint64{"": 0}} }

func (t *texts) of(s string) uint64 {
	s = strings.ToValidUTF8(s, "\ufffd")
	n, ok := t.at[s]
	if !ok {
		n = uint64(len(t.list))
		t.list, t.at[s] = append(t.list, s), n
	}
	return n
}

// appendVarint appends a number in the variable length of protocol buffers.
func appendVarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// appendNumber appends a field that is a number, nothing for 0.
func appendNumber(dst []byte, field, v uint64) []byte {
	if v == 0 {
		return dst
	}
	return appendVarint(appendVarint(dst, field<<3), v)
}

// appendBytes appends a field that is a text, a message or packed numbers.
func appendBytes(dst []byte, field uint64, b []byte) []byte {
	dst = appendVarint(dst, field<<3|2)
	return append(appendVarint(dst, uint64(len(b))), b...)
}
