package store_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/spec"
	"github.com/pandotrace/pando/trace"
)

// A check without a flag finds what its help says: each of these is of a file whose checksums hold, and no deep check is needed.
func TestVerifyFindsWhatItSays(t *testing.T) {
	file, err := spec.Vectors.ReadFile("v1/vectors/exchange.pando")
	if err != nil {
		t.Fatal(err)
	}
	edited := func(kind format.BlockKind, edit func(payload []byte) []byte) []byte {
		blocks := damage.Blocks(file)
		b := &blocks[slices.IndexFunc(blocks, func(b damage.Block) bool { return b.Kind == kind })]
		b.Payload = edit(bytes.Clone(b.Payload))
		return damage.Join(file, blocks)
	}
	for name, bad := range map[string][]byte{
		"sound": edited(format.BlockPage, func(b []byte) []byte { return b }),
		"a slice of more events than its blocks": edited(format.BlockPage, func(b []byte) []byte {
			p, err := index.ParsePage(b)
			if err != nil {
				t.Fatal(err)
			}
			p.Slices[0].Events++
			return p.Append(nil)
		}),
		"postings of a location that is not there": edited(format.BlockPostings, func(b []byte) []byte {
			p, err := index.ParsePostings(b, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			p.Add(index.Posting{What: index.PostingLocation, ID: 1000}, 0)
			b, err = p.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}),
		"totals of a kind that is not described": edited(format.BlockTotals, func(b []byte) []byte {
			i, err := index.ReadTotals(b)
			if err != nil {
				t.Fatal(err)
			}
			i.Kinds = append(i.Kinds, index.KindCount{Kind: trace.FirstPrivateKind + 77, Count: 3})
			return i.Append(nil)
		}),
		"a footer of more blocks": func() []byte {
			b := bytes.Clone(file)
			foot := b[len(b)-format.FooterSize:]
			binary.LittleEndian.PutUint32(foot[56:], binary.LittleEndian.Uint32(foot[56:])+1)
			binary.LittleEndian.PutUint32(foot[60:], format.Checksum(foot[:60]))
			return b
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			if found, deep := problemsOf(t, bad); found == (name == "sound") || found && deep {
				t.Errorf("found: %v, by a deep check alone: %v", found, deep)
			}
		})
	}
}
