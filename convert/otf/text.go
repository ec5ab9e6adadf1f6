package otf

import (
	"bytes"
	"errors"
	"io"
)

// maxLine bounds the length of lines, in bytes: the list of members of a group of a million processes takes half of it.
const maxLine = 16 << 20

// errGap is what a reader returns where a piece of the text is missing, and what follows does not continue what was read before.
var errGap = errors.New("a piece is missing")

// text is a file's text, of which a window is in memory: the scanner's data are the whole lines there.
type text struct {
	scanner
	in   io.Reader
	path string
	buf  []byte // what was read: whole lines, and the begin of another
	have int    // bytes in buf
	base int64  // position of buf in the text, in bytes
	torn bool   // what is read next begins in the middle of a line
	gaps int    // pieces that were missing so far
}

// newText reads from a reader in pieces of at least size bytes.
func newText(in io.Reader, path string, size int) *text {
	return &text{in: in, path: path, buf: make([]byte, size)}
}

// at returns the position of a byte of the scanner's data in the text.
func (t *text) at(pos int) int64 { return t.base + int64(pos) }

// fill reads on: the scanner's data become the next lines, from 0 on. After the last line it returns io.EOF; rest is
// what stands behind it.
func (t *text) fill() error {
	t.base += int64(t.pos)
	t.have = copy(t.buf, t.buf[t.pos:t.have])
	t.data, t.pos = t.buf[:0], 0
	for len(t.data) == 0 {
		if t.have == len(t.buf) {
			if t.have >= maxLine {
				return corrupt(t.path, t.base, "a line of more than %d bytes", maxLine)
			}
			t.buf = append(t.buf, make([]byte, len(t.buf))...)
		}
		n, err := t.in.Read(t.buf[t.have:])
		end := t.have + bytes.LastIndexByte(t.buf[t.have:t.have+n], '\n') + 1
		t.have += n
		switch {
		case errors.Is(err, errGap):
			t.base, t.have, t.torn = t.base+int64(t.have), 0, true
			t.gaps++
		case err != nil:
			return err
		case end > t.have-n:
			t.lines(end)
		}
	}
	return nil
}

// lines makes buf[:end] the scanner's data, but for the end of a torn line.
func (t *text) lines(end int) {
	from := 0
	if t.torn {
		from = bytes.IndexByte(t.buf[:end], '\n') + 1
		t.torn = false
	}
	if from < end {
		t.data, t.pos = t.buf[:end], from
		return
	}
	t.base += int64(end)
	t.have = copy(t.buf, t.buf[end:t.have])
}

// rest returns what stands behind the last line.
func (t *text) rest() []byte { return t.buf[:t.have] }
