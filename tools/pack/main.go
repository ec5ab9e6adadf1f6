// Command pack puts a compressed file in the place of each file that it is given: FILE.gz. One that holds the same bytes already stays, so that another
// version of the compression changes nothing.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

func main() {
	for _, file := range os.Args[1:] {
		if err := pack(file); err != nil {
			fmt.Fprintln(os.Stderr, "pack:", err)
			os.Exit(1)
		}
	}
}

func pack(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.Remove(file); err != nil || bytes.Equal(b, packed(file+".gz")) {
		return err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(b); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(file+".gz", out.Bytes(), 0o644)
}

// packed returns what a compressed file holds, nil if there is none.
func packed(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return b
}
