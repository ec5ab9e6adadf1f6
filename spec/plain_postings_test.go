package spec

import (
	"maps"
	"slices"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// plainPosting is what a list is of: its kind, and an id.
type plainPosting [2]uint64

// plainPostings collects what slices have.
type plainPostings map[plainPosting]map[uint64]bool

func (p plainPostings) add(what, id, slice uint64) {
	k := plainPosting{what, id}
	if p[k] == nil {
		p[k] = map[uint64]bool{}
	}
	p[k][slice] = true
}

// collect notes what a lane has in a slice.
func (p plainPostings) collect(number uint64, s *plainSlice) {
	for i := range s.runs {
		p.add(0, s.runs[i].location, number)
		for _, r := range s.runs[i].records {
			p.add(2, uint64(r.Kind), number)
			switch r.Kind {
			case trace.KindEnter:
				p.add(1, r.Words[0], number)
			case trace.KindCallingContextEnter:
				p.add(3, r.Words[0], number)
			}
		}
	}
}

// postings reads the lists of all pages.
func (f *plainFile) postings() plainPostings {
	all := plainPostings{}
	for k, b := range f.blocks {
		if k.kind != 12 {
			continue
		}
		p := plain{b}
		first := p.uvarint()
		if first != k.number || p.uvarint() != k.lane {
			panic("postings of another page")
		}
		for range p.uvarint() {
			what, id := uint64(p.byte()), p.uvarint()
			for _, slice := range roaringBitmap(p.bytes()) {
				all.add(what, id, first+slice)
			}
		}
		p.end()
	}
	return all
}

// roaringBitmap reads a bitmap as the Roaring format specification describes it.
func roaringBitmap(b []byte) (numbers []uint64) {
	p := plain{b}
	containers, runs := uint64(0), []byte(nil)
	if cookie := p.fixed(4); cookie&0xffff == 12347 {
		containers = cookie>>16 + 1
		runs = p.take((containers + 7) / 8)
	} else if cookie == 12346 {
		containers = p.fixed(4)
	} else {
		panic("no bitmap")
	}
	var keys, sizes []uint64
	for range containers {
		keys, sizes = append(keys, p.fixed(2)), append(sizes, p.fixed(2)+1)
	}
	if runs == nil || containers >= 4 {
		p.take(4 * containers) // offsets
	}
	for i, key := range keys {
		switch {
		case runs != nil && runs[i/8]>>(i%8)&1 == 1:
			met["run of slices"]++
			for range p.fixed(2) {
				from := p.fixed(2)
				for n := range p.fixed(2) + 1 {
					numbers = append(numbers, key<<16|(from+n))
				}
			}
		case sizes[i] > 4096:
			for at, word := range p.take(8192) {
				for bit := range uint64(8) {
					if word>>bit&1 == 1 {
						numbers = append(numbers, key<<16|uint64(at)*8+bit)
					}
				}
			}
		default:
			met["array of slices"]++
			for range sizes[i] {
				numbers = append(numbers, key<<16|p.fixed(2))
			}
		}
	}
	p.end()
	return numbers
}

func checkPostings(t *testing.T, want, got plainPostings) {
	t.Helper()
	for what, slicesOf := range want {
		if !maps.Equal(slicesOf, got[what]) {
			t.Fatalf("%v is in the slices %v, postings say %v", what, slices.Sorted(maps.Keys(slicesOf)), slices.Sorted(maps.Keys(got[what])))
		}
	}
	if len(want) != len(got) {
		t.Errorf("%d lists, want %d", len(got), len(want))
	}
}
