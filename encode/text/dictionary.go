package text

import (
	"math"
	"sync"

	"github.com/pandotrace/pando/format"
)

// Dictionary is what the texts of a group share: bytes that stand before each text, as it were, so that zstd finds in them what the text
// repeats. It is safe for concurrent use.
type Dictionary struct {
	stored Text
	once   sync.Once
	raw    []byte
	err    error
}

// ReadDictionary reads bytes that are the dictionary of a group, of which it looks at the head alone: a text that needs no dictionary. No bytes
// are none.
func ReadDictionary(r *format.Decoder) *Dictionary {
	t := Read(r, math.MaxInt)
	switch {
	case !t.alone():
		r.Fail("a dictionary of texts of form %d", t.form)
	case t.size > format.TextDictionaryBytes:
		r.Fail("a dictionary of texts of %d bytes", t.size)
	case t.size > 0:
		return &Dictionary{stored: t}
	}
	return nil
}

// Append appends the dictionary as it is stored; nothing for none.
func (d *Dictionary) Append(dst []byte) []byte {
	if d == nil {
		return dst
	}
	return d.stored.Append(dst)
}

// Memory returns about how many bytes the dictionary takes.
func (d *Dictionary) Memory() int {
	if d == nil {
		return 0
	}
	return 128 + d.stored.size + len(d.stored.stored)
}

// content returns the bytes of the dictionary, which is unpacked for the first text that needs it.
func (d *Dictionary) content(section string) ([]byte, error) {
	if d == nil {
		return nil, format.Corruptf(section, -1, "a text that needs a dictionary, without one")
	}
	d.once.Do(func() { d.raw, d.err = d.stored.Unpack(section, nil) })
	return d.raw, d.err
}
