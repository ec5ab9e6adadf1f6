package read

import (
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Walk goes from frame to frame through the whole file, whatever the directory says. progress
// counts bytes of blocks, after each of them.
func (r *File) Walk(progress trace.Progress, visit func(*format.Frame, format.Ref) error) error {
	end := r.size - format.FooterSize
	at := int64(format.HeaderSize)
	for at < end {
		f, ref, err := r.Frame(at)
		if err == nil {
			err = visit(f, ref)
		}
		if err != nil {
			return format.At(err, r.name, at)
		}
		at += int64(ref.Length)
		progress.Report(at, end)
	}
	if at != end {
		return format.At(format.Corruptf("frame", -1, "the last block runs into the footer"), r.name, end)
	}
	return nil
}

// Frame reads the header of the frame at an offset, and tells where its block is.
func (r *File) Frame(at int64) (*format.Frame, format.Ref, error) {
	head := make([]byte, min(format.FrameSize, r.size-at))
	r.reach(at, int64(len(head)))
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
	r.reach(at, length)
	return f, format.Ref{Offset: uint64(at), Length: uint32(length), CRC: f.CRC}, nil
}

// DecodeAt decodes a slice block that says itself what it is.
func (r *File) DecodeAt(ref format.Ref) (*slice.Events, error) {
	b, err := r.Block(format.BlockSlice, ref)
	if err != nil {
		return nil, err
	}
	number, lane, err := slice.BlockName(b)
	if err != nil {
		return nil, err
	}
	return r.Decode(number, lane, ref)
}
