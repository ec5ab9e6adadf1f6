package attack

// zstdMagic begins a frame of zstd; then come a descriptor of the frame and of the window, here of 8 MiB.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3}

// zstdBlock appends a block of one of the simple types: 0 holds bytes as they are, 1 one byte that stands for size of them.
func zstdBlock(b []byte, typ, size int, last bool) []byte {
	head := typ<<1 | size<<3
	if last {
		head |= 1
	}
	return append(b, byte(head), byte(head>>8), byte(head>>16))
}

const zstdMost = 128 << 10 // bytes of a block

// zstdZeros returns a frame of n zeros, with 4 bytes for 128 KiB of them.
func zstdZeros(n int) []byte {
	b := append([]byte(nil), zstdMagic...)
	for ; n > zstdMost; n -= zstdMost {
		b = append(zstdBlock(b, 1, zstdMost, false), 0)
	}
	return append(zstdBlock(b, 1, n, true), 0)
}

// zstdStored returns a frame of bytes that are not compressed.
func zstdStored(data []byte) []byte {
	b := append([]byte(nil), zstdMagic...)
	for len(data) > zstdMost {
		b = append(zstdBlock(b, 0, zstdMost, false), data[:zstdMost]...)
		data = data[zstdMost:]
	}
	return append(zstdBlock(b, 0, len(data), true), data...)
}
