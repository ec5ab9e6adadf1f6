package text

import "testing"

// BenchmarkPhrases packs and unpacks a log.
func BenchmarkPhrases(b *testing.B) {
	raw := logOf(20_000)
	packed := PackPhrases(raw)
	b.Run("pack", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			PackPhrases(raw)
		}
	})
	b.Run("unpack", func(b *testing.B) {
		b.SetBytes(int64(len(raw)))
		for b.Loop() {
			if _, err := UnpackPhrases("block", packed, len(raw)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
