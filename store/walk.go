package store

import (
	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
)

// walk goes from frame to frame through the whole file, whatever the directory says. progress, which may be nil, is
// called after each block with the number of bytes behind it.
func (r *Reader) walk(progress func(bytes int64), visit func(*format.Frame, format.Ref) error) error {
	end := r.size - format.FooterSize
	at := int64(format.HeaderSize)
	for at < end {
		f, ref, err := r.frame(at)
		if err == nil {
			err = visit(f, ref)
		}
		if err != nil {
			return format.At(err, r.name, at)
		}
		if at += int64(ref.Length); progress != nil {
			progress(at)
		}
	}
	if at != end {
		return format.At(format.Corruptf("frame", -1, "the last block runs into the footer"), r.name, end)
	}
	return nil
}

// frame reads the header of the frame at an offset, and tells where its block is.
func (r *Reader) frame(at int64) (*format.Frame, format.Ref, error) {
	head := make([]byte, min(format.FrameSize, r.size-at))
	if err := r.readAt(head, at); err != nil {
		return nil, format.Ref{}, err
	}
	f, err := format.ParseFrame(head)
	if err != nil {
		return nil, format.Ref{}, err
	}
	length := int64(f.Stored) + format.FrameSize
	if at+length > r.size || length >= 1<<32 {
		return nil, format.Ref{}, format.Corruptf(f.Kind.String(), -1, "%d bytes do not fit into the file", length)
	}
	return f, format.Ref{Offset: uint64(at), Length: uint32(length), CRC: f.CRC}, nil
}

// decodeAt decodes a slice block that says itself what it is.
func (r *Reader) decodeAt(ref format.Ref) (*encode.Events, error) {
	b, err := r.block(format.BlockSlice, ref)
	if err != nil {
		return nil, err
	}
	number, lane, err := encode.SliceName(b)
	if err != nil {
		return nil, err
	}
	return r.decode(number, lane, ref)
}
