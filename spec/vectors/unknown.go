package vectors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// unknowns makes files with what a reader does not know and must take or pass over: they are read like the file without it.
func unknowns() ([]Vector, error) {
	src := func() trace.Source { return tracegen.Ring(2, 3, 1) }
	file, err := File(src(), small)
	if err != nil {
		return nil, err
	}
	want, err := dumpOf(src(), file)
	if err != nil {
		return nil, err
	}
	all := []Vector{
		{"unknown-minor-version", signHeader(file, 10, 7), want},
		{"unknown-optional-features", damage.Sign(signHeader(file, 16, 0xff, 0, 0, 0, 0, 0, 0, 0x80)), want},
		{"unknown-optional-features-of-the-footer", signFooter(file, 8, 1<<3), want},
		{"unknown-extensions", withExtensions(file, 0, 8), want},
		{"unknown-postings", withUnknownPostings(file), want},
		{"unknown-blocks", withUnknownBlocks(file, false), want},
		{"unknown-blocks-that-are-listed", withUnknownBlocks(file, true), want},
	}
	for i := range all {
		if got, err := Read(all[i].File); err != nil || !isDump(got) {
			return nil, fmt.Errorf("%s is read as %.100v: %v", all[i].Name, got, err)
		}
	}
	return all, nil
}

func isDump(v any) bool {
	_, ok := v.(*Dump)
	return ok
}

// signHeader returns the file with other bytes in its header, which has the right checksum.
func signHeader(file []byte, at int, b ...byte) []byte {
	file = bytes.Clone(file)
	copy(file[at:], b)
	binary.LittleEndian.PutUint32(file[60:], format.Checksum(file[:60]))
	return file
}

// signFooter returns the file with other bits in its footer, which has the right checksum.
func signFooter(file []byte, at int, bits byte) []byte {
	file = bytes.Clone(file)
	footer := file[len(file)-format.FooterSize:]
	footer[at] ^= bits
	binary.LittleEndian.PutUint32(footer[60:], format.Checksum(footer[:60]))
	return file
}

// extended are the kinds of blocks that may end with extensions: those that all files have, and those that only files of many locations have.
var extended = []format.BlockKind{format.BlockMeta, format.BlockKinds, format.BlockTotals, format.BlockPage, format.BlockRoot, format.BlockSummary, format.BlockLocations, format.BlockLocationTotals}

// withExtensions appends extensions to blocks that may have them, to the first field of a kind, and to the first entry of a page.
func withExtensions(file []byte, tags ...uint64) []byte {
	return edited(described(file), func(b *damage.Block) {
		if b.Kind == format.BlockPage {
			b.Payload = extendEntry(b.Payload, tags)
		}
		if b.Kind == format.BlockKinds {
			b.Payload = extendField(b.Payload, tags)
		}
		if slices.Contains(extended, b.Kind) {
			b.Payload = append(bytes.Clone(b.Payload), extensions(tags)...)
		}
	})
}

// described returns the file with descriptions of all its kinds, as a writer may have them, also of those that each reader knows.
func described(file []byte) []byte {
	var specs []*trace.Spec
	edited(file, func(b *damage.Block) {
		if b.Kind != format.BlockTotals {
			return
		}
		totals, err := index.ReadTotals(b.Payload)
		if err != nil {
			panic(err) // the file is one that was just written
		}
		for _, k := range totals.Info.Kinds {
			if spec := trace.Standard.Spec(k.Kind); spec != nil {
				specs = append(specs, spec)
			}
		}
	})
	return edited(file, func(b *damage.Block) {
		if b.Kind == format.BlockKinds {
			b.Payload = records.AppendKinds(nil, specs)
		}
	})
}

// edited returns the file with blocks that a function changes.
func edited(file []byte, change func(b *damage.Block)) []byte {
	blocks := damage.Blocks(file)
	for i := range blocks {
		change(&blocks[i])
	}
	return damage.Join(file, blocks)
}

func extensions(tags []uint64) (b []byte) {
	for _, tag := range tags {
		b = format.AppendExtension(b, tag, []byte("later"))
	}
	return b
}

// extendEntry gives the last entry of a page extensions. Its level stands behind its kind, as long before the end as the rest of it is.
func extendEntry(page []byte, tags []uint64) []byte {
	parsed, err := index.ParsePage(page)
	if err != nil {
		panic(err) // the file is one that was just written
	}
	last := len(parsed.Entries) - 1
	without := *parsed
	without.Entries = parsed.Entries[:last]
	level := len(without.Append(nil)) + 1
	page = bytes.Clone(page)
	page[level] |= 0x80
	return format.AppendBytes(page, extensions(tags))
}

// extendField gives the first field of the first kind extensions, behind its role.
func extendField(kinds []byte, tags []uint64) []byte {
	d := format.NewDecoder("kinds block", kinds)
	d.Uvarint()
	d.Uvarint()
	d.Bytes()
	d.Uvarint()
	d.Bytes()
	d.Take(3)
	role := len(kinds) - d.Len()
	out := append(bytes.Clone(kinds[:role]), kinds[role]|16)
	return append(format.AppendBytes(out, extensions(tags)), kinds[role+1:]...)
}

// withUnknownPostings appends a list of something that a later program knows to all postings.
func withUnknownPostings(file []byte) []byte {
	return edited(file, func(b *damage.Block) {
		if b.Kind == format.BlockPostings {
			b.Payload = append(bytes.Clone(b.Payload), 200, 7, 3, 1, 2, 3)
			b.Payload[2]++
		}
	})
}

// withUnknownBlocks puts a block of a reserved and one of a private kind behind the first block. The root may list them.
func withUnknownBlocks(file []byte, listed bool) []byte {
	blocks := damage.Blocks(file)
	var added []damage.Block
	for i, kind := range []format.BlockKind{100, 200} {
		added = append(added, damage.Block{Frame: format.Frame{Kind: kind}, Offset: -1 - i, Payload: []byte("from a later program")})
	}
	root := &blocks[len(blocks)-1]
	if parsed, err := index.ParseRoot(root.Payload); err == nil && listed {
		for i := range added {
			ref := format.Ref{Offset: uint64(added[i].Offset)} // which Join sets right
			parsed.Entries = append(parsed.Entries, index.Entry{Kind: added[i].Kind, Number: uint64(i), Ref: ref})
		}
		root.Payload = parsed.Append(nil)
	}
	return damage.Join(file, append(append([]damage.Block{blocks[0]}, added...), blocks[1:]...))
}

// futureTrace has events of a kind whose specification says what this program does not know: the type of a field, a space of ids, a family
// and a rule of pairs.
func futureTrace() trace.Source {
	t := withKind(&trace.Spec{
		ID: trace.FirstPrivateKind + 1, Name: "Future", Fields: []trace.Field{
			{Name: "what", Type: 99, Bits: 64, Role: trace.Value}, {Name: "whose", Type: trace.TypeRef, Ref: 77, Bits: 32},
		}, Pairs: []trace.Pair{{Family: 99, Rule: 98, Keys: []string{"whose"}}},
	})
	src := tracegen.New(trace.Meta{Kinds: t})
	b := src.Location(0, src.Process("process"))
	for i := range uint64(5) {
		b.Append(trace.FirstPrivateKind+1, int64(10*i), i<<60, 7)
	}
	return src
}
