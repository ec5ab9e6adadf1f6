package record

import "unsafe"

// publish stores the tag of a record whose other bytes are stored. Readers of the file see stores in the order in which they were made.
func publish(at unsafe.Pointer, tag byte) { *(*byte)(at) = tag }
