package otf2

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/convert/otf2/internal/read"
	"github.com/pandotrace/pando/convert/otf2/internal/write"
	"github.com/pandotrace/pando/trace"
)

// Of several local ids that stand for one definition, each event comes back with the one that it had.
func TestTwins(t *testing.T) {
	const enter, parameterString = 12, 33
	regions := form.NewIDMap([]form.IDPair{{Local: 0, Global: 7}, {Local: 1, Global: 8}, {Local: 2, Global: 7}, {Local: 3, Global: 7}, {Local: 400, Global: 8}, {Local: 401, Global: 9}})
	strings := form.NewIDMap([]form.IDPair{{Local: 0, Global: 5}, {Local: 1, Global: 5}})
	attributes := form.NewIDMap([]form.IDPair{{Local: 0, Global: 3}, {Local: 1, Global: 3}})
	maps := &form.Mappings{trace.SpaceRegion: regions, trace.SpaceString: strings, trace.SpaceAttribute: attributes}
	for i := range maps {
		maps[i].FindTwins()
	}
	number := func(v int) []byte {
		if v == 0 {
			return []byte{0}
		}
		return []byte{1, byte(v)}
	}
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		records := [][]byte{stampRecord(7)}
		for range 30 {
			switch rnd.IntN(6) {
			case 0:
				list := slices.Concat([]byte{1, 1}, number(rnd.IntN(2)), []byte{byte(trace.ValueRegion)}, number(2+rnd.IntN(2)))
				records = append(records, recordL(form.IdAttributes, list...), recordL(parameterString, append(number(0), number(rnd.IntN(2))...)...))
			case 1:
				records = append(records, []byte{enter, 2, 0x90, 1})
			default:
				records = append(records, []byte{enter, 1, 1 + byte(rnd.IntN(3))})
			}
		}
		data := fileOf(records...)
		var file []byte
		o := &write.Output{Path: "memory", Sink: inMemorySink(&file), Grammar: form.EventGrammar, Chunk: writtenChunk, Dropped: &write.Drops{}, Encoder: write.Encoder{Maps: maps.Reverse()}}
		o.Begin()
		s := read.NewStream(inMemory(data, writtenChunk, 64), form.EventGrammar, 1, 0, maps, nil, &trace.Warnings{})
		var b trace.Batch
		var err error
		changes := 0
		for err = s.Next(&b, 3); err == nil; err = s.Next(&b, 3) {
			for i, k := range b.Kinds {
				if k == trace.KindEventLocalID {
					changes++
				} else if k == trace.KindEnter && b.Fields(i)[0] != 7 && b.Fields(i)[0] != 8 {
					t.Errorf("region %d", b.Fields(i)[0])
				}
			}
			if err := o.Write(&b); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(o.Close(), err); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if !bytes.Equal(file[form.ChunkHeader:], data[form.ChunkHeader:]) || changes == 0 {
			t.Errorf("seed %d, %d changes: %x, want %x", seed, changes, file, data)
		}
	}
}
