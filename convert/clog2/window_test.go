package clog2

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

// Pieces are what stands in the file, wherever they begin; reading may end early, and fails where the file does.
func TestWindows(t *testing.T) {
	data := make([]byte, 4*windowBytes)
	for i := range data {
		data[i] = byte(i * i >> 9)
	}
	broken := errors.New("broken")
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		end := int64(preambleBytes + r.IntN(len(data)-preambleBytes))
		fails := end
		if r.IntN(4) == 0 {
			fails = r.Int64N(end)
		}
		f := &file{end: end, read: func(p []byte, at int64) error {
			if at+int64(len(p)) > fails {
				return broken
			}
			copy(p, data[at:])
			return nil
		}}
		w := newWindows(f)
		for at := int64(preambleBytes); at <= end; at += 1 + r.Int64N(2*pieceBytes) {
			got, err := w.piece(at)
			if err != nil {
				if !errors.Is(err, broken) || at+windowBytes < fails {
					t.Fatalf("seed %d: %v at byte %d of %d", seed, err, at, end)
				}
				break
			}
			if want := data[at:min(at+pieceBytes, end)]; !bytes.Equal(got, want) {
				t.Fatalf("seed %d: the piece at byte %d of %d is another one", seed, at, end)
			}
			if r.IntN(200) == 0 {
				break
			}
		}
		w.close()
	}
}
