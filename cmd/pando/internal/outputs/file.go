package outputs

import (
	"io"
	"os"
)

// File is what an answer or a picture is written to.
type File interface {
	io.Writer
	Commit() error
	Discard() error
}

// Device is a device or pipe that an output goes to. It has its name already.
type Device struct{ *os.File }

// Commit implements File.
func (d Device) Commit() error { return d.Close() }

// Discard implements File.
func (d Device) Discard() error {
	_ = d.Close() // it may be closed
	return nil
}

// Shown is standard output.
type Shown struct{ io.Writer }

// Commit implements File.
func (Shown) Commit() error { return nil }

// Discard implements File.
func (Shown) Discard() error { return nil }

// Picture is a picture in both of its formats.
type Picture interface {
	PNG(w io.Writer, width int) error
	SVG(w io.Writer, width int) error
}

// Draw writes a picture of a width: as PNG, unless the format is SVG.
func (f Format) Draw(to io.Writer, p Picture, width int) error {
	if f.Name == "svg" {
		return p.SVG(to, width)
	}
	return p.PNG(to, width)
}
