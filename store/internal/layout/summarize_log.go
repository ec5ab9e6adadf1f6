package layout

import (
	"encoding/binary"
)

func NextWord(b []byte) (word uint64, rest []byte) {
	if b[0] < 0x80 {
		return uint64(b[0]), b[1:]
	}
	word, n := binary.Uvarint(b)
	return word, b[n:]
}
