package otf2

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// Of several local ids that stand for one definition, each event comes back with the one that it had.
func TestTwins(t *testing.T) {
	const enter, parameterString = 12, 33
	regions := newIDMap([]idPair{{0, 7}, {1, 8}, {2, 7}, {3, 7}, {400, 8}, {401, 9}})
	strings := newIDMap([]idPair{{0, 5}, {1, 5}})
	attributes := newIDMap([]idPair{{0, 3}, {1, 3}})
	maps := &mappings{trace.SpaceRegion: regions, trace.SpaceString: strings, trace.SpaceAttribute: attributes}
	for i := range maps {
		maps[i].findTwins()
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
				records = append(records, recordL(idAttributes, list...), recordL(parameterString, append(number(0), number(rnd.IntN(2))...)...))
			case 1:
				records = append(records, []byte{enter, 2, 0x90, 1})
			default:
				records = append(records, []byte{enter, 1, 1 + byte(rnd.IntN(3))})
			}
		}
		data := fileOf(records...)
		var file []byte
		o := &output{path: "memory", sink: inMemorySink(&file), grammar: eventGrammar, chunk: writtenChunk, dropped: &drops{}, encoder: encoder{maps: maps.reverse()}}
		o.begin()
		s := newStream(inMemory(data, writtenChunk, 64), eventGrammar, 1, 0, maps, nil, &trace.Warnings{})
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
			if err := o.write(&b); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(o.close(), err); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if !bytes.Equal(file[chunkHeader:], data[chunkHeader:]) || changes == 0 {
			t.Errorf("seed %d, %d changes: %x, want %x", seed, changes, file, data)
		}
	}
}
