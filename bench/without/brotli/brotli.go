// Package brotli stands in a release for github.com/andybalholm/brotli, of which the program never compresses or reads a byte: the
// Parquet library links it for tables that others wrote with that codec, and its dictionary and tables take 0.7 MB.
// It has what that library refers to, and refuses to work.
package brotli

import (
	"errors"
	"io"
)

var errLeftOut = errors.New("brotli is not part of this program")

// WriterOptions are the settings of a compressor.
type WriterOptions struct {
	Quality int
	LGWin   int
}

// Writer is a compressor.
type Writer struct{}

// NewWriterOptions returns a compressor that refuses to write.
func NewWriterOptions(io.Writer, WriterOptions) *Writer { return &Writer{} }

// Write refuses.
func (*Writer) Write([]byte) (int, error) { return 0, errLeftOut }

// Close does nothing.
func (*Writer) Close() error { return nil }

// Reset does nothing.
func (*Writer) Reset(io.Writer) {}

// Reader is a decompressor.
type Reader struct{}

// NewReader returns a decompressor that refuses to read.
func NewReader(io.Reader) *Reader { return &Reader{} }

// Read refuses.
func (*Reader) Read([]byte) (int, error) { return 0, errLeftOut }

// Reset does nothing.
func (*Reader) Reset(io.Reader) error { return nil }
