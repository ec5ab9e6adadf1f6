package text

import (
	"github.com/pandotrace/pando/format"
)

// Forms of a text.
const (
	plainForm      = 0
	zstdForm       = 1
	dictionaryForm = 2
	phrasesForm    = 3
)

// Text is a text as it is stored. The zero value is the empty text.
type Text struct {
	form   byte
	size   int // bytes of the text
	stored []byte
}

// Plain returns a text that is stored as it is.
func Plain(raw []byte) Text { return Text{plainForm, len(raw), raw} }

// A text is
//
//	byte     form: 0 as it is, 1 a zstd frame, 2 a zstd frame that needs the dictionary, 3 phrases
//	uvarint  bytes of the text; not in form 0
//	rest     the text, the frame or the phrases
//
// and the empty text is no bytes at all.
func (t *Text) Append(dst []byte) []byte {
	if t.size == 0 {
		return dst
	}
	dst = append(dst, t.form)
	if t.form != plainForm {
		dst = format.AppendUvarint(dst, uint64(t.size))
	}
	return append(dst, t.stored...)
}

// Stored returns how many bytes Append appends.
func (t *Text) Stored() int {
	switch {
	case t.size == 0:
		return 0
	case t.form == plainForm:
		return 1 + t.size
	}
	return 1 + format.UvarintLen(uint64(t.size)) + len(t.stored)
}

// Read reads bytes that are a text, of which it looks at the head alone. It refuses a text that is longer than a limit, or than its bytes can
// stand for. The text refers to the bytes.
func Read(r *format.Decoder, limit int) Text {
	b := r.Bytes()
	if len(b) == 0 {
		return Text{}
	}
	head := format.NewDecoder("text", b)
	t := Text{form: head.Byte(), size: len(b) - 1}
	if t.form != plainForm {
		t.size = head.Int(1 << 32)
	}
	t.stored = head.Take(head.Len())
	switch {
	case head.Err() != nil:
		r.Fail("%v", head.Err())
	case t.form > phrasesForm:
		r.Fail("a text of the unknown form %d", t.form)
	case t.size == 0:
		r.Fail("an empty text of form %d", t.form)
	case t.dense():
		r.Fail("%d bytes must not become a text of %d", len(t.stored), t.size)
	case t.size > limit:
		r.FailLimit("a text of %d bytes, more than the limit of %d", t.size, limit)
	}
	return t
}

// dense reports whether the text is longer than its bytes may stand for.
func (t *Text) dense() bool {
	return format.TooDense(uint64(format.Things(t.size, format.TextBytes)), len(t.stored))
}

// alone reports whether the text is as it is, or a frame that needs nothing else: dictionaries and lists of phrases are such texts.
func (t *Text) alone() bool { return t.form == plainForm || t.form == zstdForm }

// Len returns the number of bytes of the text.
func (t *Text) Len() int { return t.size }

// Unpack returns the text, of which the section is named by errors. The dictionary may be nil for texts that need none.
func (t *Text) Unpack(section string, d *Dictionary) ([]byte, error) {
	switch t.form {
	case plainForm:
		return t.stored, nil
	case zstdForm:
		return unpack(section, t, nil)
	case phrasesForm:
		return UnpackPhrases(section, t.stored, t.size)
	}
	content, err := d.content(section)
	if err != nil {
		return nil, err
	}
	return unpack(section, t, content)
}
