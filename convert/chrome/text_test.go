package chrome

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// plainText reads a file, which may be compressed.
func plainText(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil && isGzip(b) {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
			b, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}
