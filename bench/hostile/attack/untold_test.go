package attack

import (
	"bytes"
	"compress/zlib"
	"testing"
)

// unended returns a text compressed as OTF's library does: without an end.
func unended(text string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // into memory
	_ = w.Flush()
	return b.Bytes()
}

// What nothing tells is what docs/fidelity.md says, and no more: all else that a file lacks must be told.
func TestUntold(t *testing.T) {
	const old = "0\n*1\nENTER 1\n5\n*1\nLEAVE \n9\n*2\nE2\na\n*2\nL\nb\n*1\nKEY 1\n"
	const closed = old + "c\n*1\n"
	for _, c := range []struct {
		name, sound string
		cut         int
		want        bool
	}{
		{"t.1.events", old, len("0\n*1\nENTER 1\n5\n*1\nLEAVE \n"), true},
		{"t.1.events", old, 0, true},
		{"t.1.events", old, len("0\n*1\n"), true}, // as a file of a later library ends
		{"t.1.events", old, len("0\n*1\nENTER 1\n"), false},
		{"t.1.events", old, len("0\n*1\nENTER 1\n5\n*1\nLEAVE \n9\n*2\nE2\n"), false},
		{"t.1.events", old, len("0\n*1\nENTER 1\n5\n*1\nLEA"), false},
		{"t.1.events", old, len(old), false}, // it is whole
		{"t.1.events", closed, len("0\n*1\nENTER 1\n5\n*1\nLEAVE \n"), false},
		{"t.1.events", closed, len("0\n*1\nENTER 1\n5\n*1\n"), true},
		{"t.0.def", old, 0, false},
	} {
		if got := untold(c.name, []byte(c.sound), []byte(c.sound[:c.cut])); got != c.want {
			t.Errorf("%s, %q of %q: %v", c.name, c.sound[:c.cut], c.sound, got)
		}
		if got := untold(c.name+".z", unended(c.sound), bytes.TrimSuffix(unended(c.sound[:c.cut]), pause[3:])); got {
			t.Errorf("%s.z, %q of %q: cut within the compression", c.name, c.sound[:c.cut], c.sound)
		}
		if got := untold(c.name+".z", unended(c.sound), unended(c.sound[:c.cut])); got != (c.want && c.name == "t.1.events") {
			t.Errorf("%s.z, %q of %q: %v", c.name, c.sound[:c.cut], c.sound, got)
		}
	}
}
