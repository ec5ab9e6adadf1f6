package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// plainHash is a number of symbols and two sums.
type plainHash struct{ n, first, second uint64 }

// plainStrings are the symbols of each location, with their slices.
type plainStrings struct {
	definitions *trace.Definitions
	symbols     map[uint64][]plainSymbol // by location
}

type plainSymbol struct{ slice, symbol uint64 }

var hashModulus = big.NewInt(1<<61 - 1)

// collect takes the symbols of a lane's events in a slice.
func (p *plainStrings) collect(number uint64, s *plainSlice) {
	for i := range s.runs {
		r := &s.runs[i]
		for j := range r.records {
			if symbol, ok := p.symbol(&r.records[j]); ok {
				p.symbols[r.location] = append(p.symbols[r.location], plainSymbol{number, symbol})
			}
		}
	}
}

// symbol returns that of an event.
func (p *plainStrings) symbol(r *model.Record) (uint64, bool) {
	at, region := 0, uint64(0)
	switch r.Kind {
	case trace.KindEnter, trace.KindLeave:
		region = r.Words[0]
	case trace.KindCallingContextEnter, trace.KindCallingContextLeave:
		region = 1<<64 - 1
		if c, ok := p.definitions.Contexts[r.Words[0]]; ok {
			region = c.Region
		}
	default:
		return 0, false
	}
	if r.Kind == trace.KindLeave || r.Kind == trace.KindCallingContextLeave {
		at = 8
	}
	sum := sha256.Sum256([]byte(p.name(region)))
	return binary.LittleEndian.Uint64(sum[at:]) % (1<<61 - 1), true
}

func (p *plainStrings) name(region uint64) string {
	if region == 1<<32-1 || region == 1<<64-1 {
		return "no region"
	}
	r, ok := p.definitions.Region(region)
	if ok && p.definitions.Strings[r.CanonicalName] != "" {
		return p.definitions.Strings[r.CanonicalName]
	}
	if ok && p.definitions.Strings[r.Name] != "" {
		return p.definitions.Strings[r.Name]
	}
	return fmt.Sprintf("#%d", region)
}

// in returns the hash of a location's symbols in slices from one up to another, by the sum that the text gives.
func (p *plainStrings) in(location, from, to uint64) (h plainHash) {
	sums := [2]*big.Int{new(big.Int), new(big.Int)}
	for _, s := range p.symbols[location] {
		if s.slice < from || s.slice >= to {
			continue
		}
		h.n++
		for i, base := range []uint64{0x16a09e667f3bcc90, 0x1bb67ae8584caa73} {
			sums[i].Mul(sums[i], new(big.Int).SetUint64(base)).Add(sums[i], new(big.Int).SetUint64(s.symbol)).Mod(sums[i], hashModulus)
		}
	}
	h.first, h.second = sums[0].Uint64(), sums[1].Uint64()
	return h
}

// readPlainHashes reads the hashes of a node and lane, by location and child.
func readPlainHashes(k plainKey, b []byte) map[[2]uint64]plainHash {
	p := plain{b}
	if p.uvarint() != uint64(k.level) || p.uvarint() != k.number || p.uvarint() != k.lane {
		panic("another node")
	}
	found := map[[2]uint64]plainHash{}
	location := uint64(0)
	for range p.uvarint() {
		location += p.uvarint()
		child := uint64(0)
		for range p.uvarint() {
			child += p.uvarint()
			h := plainHash{n: p.uvarint()}
			h.first, h.second = binary.LittleEndian.Uint64(p.take(8)), binary.LittleEndian.Uint64(p.take(8))
			found[[2]uint64{location, child}] = h
			child++
		}
		location++
	}
	p.end()
	return found
}

// checkHashes compares all hashes with what the events say.
func checkHashes(t *testing.T, f *plainFile, strings *plainStrings) {
	t.Helper()
	for k, b := range f.blocks {
		if k.kind != 17 {
			continue
		}
		met["hashes"]++
		if k.level > 1 {
			met["hashes of nodes of nodes"]++
		}
		width := uint64(1) // of a child, in slices
		for range k.level - 1 {
			width *= f.fanout
		}
		want := map[[2]uint64]plainHash{}
		for location, l := range f.locations {
			for child := range f.fanout {
				from := (k.number*f.fanout + child) * width
				if h := strings.in(uint64(location), from, from+width); l.lane == k.lane && h.n > 0 {
					want[[2]uint64{uint64(location), child}] = h
				}
			}
		}
		if got := readPlainHashes(k, b); !maps.Equal(got, want) {
			t.Errorf("hashes of %+v:\n%v, want\n%v", k, got, want)
		}
	}
}
