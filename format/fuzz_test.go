package format

import (
	"bytes"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
)

// With `sign`, the targets give the input the checksum that it should have: so they get behind it.

func FuzzHeader(f *testing.F) {
	f.Add(fromHex(goldenHeader), false)
	f.Add(fromHex(goldenHeader), true)
	f.Fuzz(func(t *testing.T, b []byte, sign bool) {
		if sign && len(b) >= HeaderSize {
			resign(b, 60, 60)
		}
		h, err := ParseHeader(b)
		if err != nil {
			checkCorrupt(t, "header", err, "header")
			return
		}
		if !bytes.Equal(h.Append(nil), b[:HeaderSize]) {
			t.Fatalf("% x is not canonical", b[:HeaderSize])
		}
	})
}

func FuzzFrame(f *testing.F) {
	f.Add(fromHex(goldenFrame), false)
	f.Add(fromHex(goldenFrame), true)
	f.Fuzz(func(t *testing.T, b []byte, sign bool) {
		if sign && len(b) >= FrameSize {
			resign(b, 20, 20)
		}
		frame, err := ParseFrame(b)
		if err != nil {
			checkCorrupt(t, "frame", err, "frame")
			return
		}
		again := *frame
		if whole := AppendFrame(nil, &again, b[FrameSize:], &goldenID); frame.Stored == again.Stored && !bytes.Equal(whole[:24], b[:24]) {
			t.Fatalf("% x is not canonical", b[:FrameSize])
		}
		if err := frame.CheckPayload(b, &goldenID); (err == nil) != (frame.CRC == Checksum(b[:20], b[FrameSize:], goldenID[:])) {
			t.Fatalf("checksum %#x: %v", frame.CRC, err)
		}
	})
}

func FuzzFooter(f *testing.F) {
	f.Add(fromHex(goldenFooter), int64(207), false)
	f.Add(fromHex(goldenFooter), int64(207), true)
	f.Fuzz(func(t *testing.T, b []byte, size int64, sign bool) {
		if sign && len(b) == FooterSize {
			resign(b, 60, 60)
		}
		footer, err := ParseFooter(b, size)
		if err != nil {
			checkCorrupt(t, "footer", err, "footer")
			return
		}
		if !bytes.Equal(footer.Append(nil), b) || footer.Root.Offset+uint64(footer.Root.Length) > uint64(size) {
			t.Fatalf("% x is not canonical, or leads out of a file of %d bytes", b, size)
		}
	})
}
