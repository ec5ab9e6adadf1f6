package damage

import (
	"encoding/binary"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// Block is one block of a file.
type Block struct {
	format.Frame
	// Offset is where its frame stands in the file that it was taken from.
	Offset int
	// Payload is the stored payload.
	Payload []byte
}

// Size is the number of bytes of frame header and payload.
func (b *Block) Size() int { return format.FrameSize + len(b.Payload) }

// Blocks returns the blocks of a file up to the first place where no frame follows. Checksums are not checked.
func Blocks(file []byte) []Block {
	var all []Block
	for at := format.HeaderSize; at+format.FrameSize <= len(file) && string(file[at:at+4]) == format.Sync; {
		head := file[at : at+format.FrameSize]
		b := Block{Offset: at, Frame: format.Frame{
			Kind: format.BlockKind(head[4]), Codec: format.Codec(head[5]),
			Stored: binary.LittleEndian.Uint32(head[8:]), Raw: binary.LittleEndian.Uint32(head[12:]),
			Ordinal: binary.LittleEndian.Uint32(head[16:]),
		}}
		end := at + format.FrameSize + int(b.Stored)
		if end > len(file) {
			break
		}
		b.Payload = file[at+format.FrameSize : end]
		all = append(all, b)
		at = end
	}
	return all
}

// Plain returns the same file with all blocks as they are before compression.
func Plain(file []byte) ([]byte, error) {
	blocks := Blocks(file)
	for i := range blocks {
		b := &blocks[i]
		raw, err := records.Decompress(b.Payload, b.Codec, int(b.Raw))
		if err != nil {
			return nil, err
		}
		b.Payload, b.Codec = raw, format.CodecNone
	}
	return Join(file, blocks), nil
}

// Sign returns the file with right checksums, lengths and numbers in header, frames, the readable part of the directory, and footer. Bytes
// that Blocks does not find are left out.
func Sign(file []byte) []byte { return Join(file, Blocks(file)) }

// Join makes a file of the blocks of another one, of which it keeps the header and the id.
func Join(file []byte, blocks []Block) []byte {
	var h format.Header
	if len(file) >= format.HeaderSize {
		h.Major, h.Minor = binary.LittleEndian.Uint16(file[8:]), binary.LittleEndian.Uint16(file[10:])
		h.Optional, h.Required = binary.LittleEndian.Uint64(file[16:]), binary.LittleEndian.Uint64(file[24:])
		h.ID = format.FileID(file[32:48])
	}
	j := joiner{id: h.ID, refs: map[uint64]format.Ref{}}
	j.out = h.Append(nil)
	for i := range blocks {
		j.add(&blocks[i], uint32(i))
	}
	footer := format.Footer{
		Root: j.root, Optional: h.Optional, Required: h.Required, ID: h.ID, Length: uint64(len(j.out)) + format.FooterSize, Blocks: uint32(len(blocks)),
	}
	return footer.Append(j.out)
}

// joiner writes blocks one after the other.
type joiner struct {
	out  []byte
	id   format.FileID
	refs map[uint64]format.Ref // new places, by the offset of the old one
	root format.Ref
}

func (j *joiner) add(b *Block, ordinal uint32) {
	payload := b.Payload
	if b.Codec == format.CodecNone {
		payload = j.directory(b.Kind, payload)
	}
	f := format.Frame{Kind: b.Kind, Codec: b.Codec, Raw: b.Raw, Ordinal: ordinal}
	if b.Codec == format.CodecNone {
		f.Raw = uint32(len(payload))
	}
	at := len(j.out)
	j.out = format.AppendFrame(j.out, &f, payload, &j.id)
	ref := format.Ref{Offset: uint64(at), Length: uint32(len(j.out) - at), CRC: f.CRC}
	j.refs[uint64(b.Offset)] = ref
	if b.Kind == format.BlockRoot {
		j.root = ref
	}
}

// directory returns a part of the directory with the places where blocks are now; other payloads are returned unchanged.
func (j *joiner) directory(kind format.BlockKind, payload []byte) []byte {
	switch kind {
	case format.BlockPage:
		if p, err := index.ParsePage(payload); err == nil {
			if !j.move(p.Entries) { // it may have extensions that would not be written again
				return payload
			}
			return p.Append(nil)
		}
	case format.BlockRoot:
		if r, err := index.ParseRoot(payload); err == nil {
			for i := range r.Pages {
				j.moveRef(&r.Pages[i].Ref)
				for l := range r.Pages[i].Lanes {
					j.moveRef(&r.Pages[i].Lanes[l].Ref)
				}
			}
			j.move(r.Entries)
			return r.Append(nil)
		}
	}
	return payload
}

// move does moveRef for all entries, and reports whether any changed.
func (j *joiner) move(entries []index.Entry) (changed bool) {
	for i := range entries {
		changed = j.moveRef(&entries[i].Ref) || changed
	}
	return changed
}

// moveRef sets a reference to where its block is now, and reports whether it changed. One that leads nowhere is left alone.
func (j *joiner) moveRef(r *format.Ref) (changed bool) {
	ref, ok := j.refs[r.Offset]
	if !ok || ref == *r {
		return false
	}
	*r = ref
	return true
}
