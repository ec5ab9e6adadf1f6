package sorting

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	_ "github.com/pandotrace/pando/internal/lastwords"
)

// FuzzUnpack unpacks any bytes, from memory and from a file of which few are read at a time: both give the same records, and end.
func FuzzUnpack(f *testing.F) {
	var p packer
	for i := range 40 {
		k := Key{Rank: uint64(i % 2), Time: scan.Instant{Micros: int64(i * i * i * 1000), Frac: uint32(i * (i % 3))}}
		p.add(&k, make([]byte, i*(i%3)))
	}
	f.Add(p.bytes, uint8(1))
	f.Add(p.bytes[1:], uint8(200))
	f.Add(p.bytes[:len(p.bytes)-1], uint8(7))
	f.Fuzz(func(t *testing.T, packed []byte, buffer uint8) {
		inMemory := unpacker{rest: packed}
		inFile := unpacker{file: bytes.NewReader(packed), end: int64(len(packed)), buf: make([]byte, buffer)}
		for n := 0; ; n++ {
			more := inMemory.next()
			if inFile.next() != more || fmt.Sprint(inFile.failures) != fmt.Sprint(inMemory.failures) || n > len(packed) {
				t.Fatalf("record %d: %v in memory, else in a file: %v, %v", n, more, inMemory.failures, inFile.failures)
			}
			if !more {
				return
			}
			if inMemory.key != inFile.key || !bytes.Equal(inMemory.data, inFile.data) {
				t.Fatalf("record %d: %v, %v", n, inMemory.key, inFile.key)
			}
		}
	})
}
