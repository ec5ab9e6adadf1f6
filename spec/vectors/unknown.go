package vectors

import (
	"bytes"
	"encoding/binary"
	"fmt"

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
		{"unknown-optional-features", signHeader(file, 16, 0xff, 0, 0, 0, 0, 0, 0, 0x80), want},
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
