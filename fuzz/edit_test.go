package fuzz

import (
	"os"
	"testing"

	"github.com/pandotrace/pando/internal/damage"
)

// edit changes bytes of payloads and gives the file the checksums that it should have. Each edit takes five bytes: the number
// of the block, the position in its payload, low bytes first, and what is added to the byte there.
func edit(file []byte, edits []byte) []byte {
	blocks := damage.Blocks(file)
	for i := range blocks {
		blocks[i].Payload = append([]byte(nil), blocks[i].Payload...)
	}
	for ; len(edits) >= 5; edits = edits[5:] {
		b := &blocks[(int(edits[0])|int(edits[1])<<8)%len(blocks)]
		if n := len(b.Payload); n > 0 {
			b.Payload[(int(edits[2])|int(edits[3])<<8)%n] += edits[4]
		}
	}
	return damage.Join(file, blocks)
}

func readEdited(t *testing.T, file, edits []byte, from, to int64) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Logf("edits % x", edits)
			panic(p)
		}
	}()
	readBounded(t, edit(file, edits), from, to)
}

// FuzzEdits reads files of which some bytes behind the checksums were changed.
func FuzzEdits(f *testing.F) {
	files := smallFiles(f)
	for i, file := range files {
		for n := 0; n < len(damage.Blocks(file)); n += 3 {
			f.Add(uint8(i), []byte{byte(n), byte(n >> 8), byte(7 * n), 0, 1}, int64(0), int64(1000))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, edits []byte, from, to int64) {
		readEdited(t, files[int(which)%len(files)], edits, from, to)
	})
}

// Every byte behind the checksums is changed in a few ways, or, where time is short, some of them in one way.
func TestEdits(t *testing.T) {
	tried := 0
	for _, file := range smallFiles(t) {
		step, ways := 1+len(file)/40, 1
		if os.Getenv("PANDO_SOAK") != "" {
			step, ways = 1, 4
		}
		for n, b := range damage.Blocks(file) {
			for at := n % step; at < len(b.Payload); at += step {
				for i, change := range []byte{1, 0x7f, 0x80, 0xff} {
					if (i+n+at)%4 >= ways {
						continue
					}
					readEdited(t, file, []byte{byte(n), byte(n >> 8), byte(at), byte(at >> 8), change}, -1<<60, 1<<60)
					tried++
				}
			}
		}
	}
	if tried < 350 {
		t.Errorf("only %d changes", tried)
	}
}
