// Package format is Pando's container: what stands in a file around the data. A file is
//
//	header | block frame, block frame, ... | footer
//
// All integers are little-endian. The header carries magic, version, feature bits and a random file id. Each block stands
// in a frame that names its kind, codec, lengths and ordinal, and is guarded by two checksums: one over the frame header,
// so that a walk from frame to frame trusts its lengths, and one over header, payload and file id, so that a swapped,
// stale or foreign block is noticed. The footer has a fixed size and locates the directory, which is a block too.
//
// Everything can be found twice: through the directory, and by walking frames from the start.
//
// The package is pure: bytes to structs and back, without I/O.
package format
