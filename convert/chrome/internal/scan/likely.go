package scan

import (
	"encoding/binary"
)

// Likely is a key that may come next, with its quotes and the colon, if these are at most 8 bytes. Programs that write events write the same
// keys in the same order.
type Likely struct {
	word, mask uint64 // the bytes, the first one lowest; 0 and 0 if there is none
	length     int
}

const likelyBytes = 8

// NewLikely returns what is likely where a key was found once; none if it is too long.
func NewLikely(key []byte) Likely {
	n := len(key) + 1
	if n > likelyBytes {
		return Likely{}
	}
	var b [likelyBytes]byte
	b[copy(b[:], key)] = ':'
	return Likely{binary.LittleEndian.Uint64(b[:]), ^uint64(0) >> (8 * (likelyBytes - n)), n}
}

// Pass passes over the key and its colon, if it is the one that comes, maybe behind a space.
func (s *Scanner) Pass(k *Likely) (key Span, ok bool) {
	at := s.At
	if at < len(s.Text) && s.Text[at] == ' ' {
		at++
	}
	if k.length == 0 || at+likelyBytes > len(s.Text) || (binary.LittleEndian.Uint64(s.Text[at:])^k.word)&k.mask != 0 {
		return key, false
	}
	s.At = at + k.length
	return Span{uint32(at), uint32(s.At - 1)}, true
}
