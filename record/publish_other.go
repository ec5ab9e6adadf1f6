//go:build !amd64

package record

import (
	"sync/atomic"
	"unsafe"
)

// publish stores the tag of a record whose other bytes are stored, so that no reader of the file sees it before them. There is no atomic store of
// one byte; the others of the word are the caller's own.
func publish(at unsafe.Pointer, tag byte) {
	const mask = 3
	word := (*uint32)(unsafe.Pointer(uintptr(at) &^ mask))
	shift := 8 * (uintptr(at) & mask)
	atomic.StoreUint32(word, *word&^(0xff<<shift)|uint32(tag)<<shift)
}
