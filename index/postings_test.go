package index

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/format"
)

// drawPostings draws postings of a page, and tells plainly what each slice has.
func drawPostings(r *rand.Rand) (p *Postings, plain []map[Posting]bool) {
	p = &Postings{First: r.Uint64N(1 << 40)}
	n := 1 + r.Uint64N(600)
	density := 1 + r.IntN(30)
	for i := range n {
		has := map[Posting]bool{}
		for range r.IntN(12) {
			what := Posting{PostingWhat(r.IntN(4)), r.Uint64N(5)}
			if r.IntN(density) == 0 || i/50%3 == what.ID%3 {
				has[what] = true
				p.Add(what, p.First+i)
			}
		}
		plain = append(plain, has)
	}
	return p, plain
}

func answers(has map[Posting]bool, q Query) bool {
	for _, group := range q {
		some := false
		for _, what := range group {
			some = some || has[what]
		}
		if !some {
			return false
		}
	}
	return true
}

func drawQuery(r *rand.Rand) Query {
	var q Query
	for range r.IntN(4) {
		var group []Posting
		for range 1 + r.IntN(3) {
			group = append(group, Posting{PostingWhat(r.IntN(4)), r.Uint64N(6)})
		}
		q = append(q, group)
	}
	return q
}

func TestPostings(t *testing.T) {
	found, none := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		p, plain := drawPostings(r)
		b, err := p.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = ParsePostings(b, uint64(len(plain))); err != nil {
			t.Fatal(err)
		}
		if again, err := p.Append(nil); err != nil || !bytes.Equal(again, b) {
			t.Fatal("what was read is written in another way", err)
		}
		for range 50 {
			q := drawQuery(r)
			at := r.IntN(len(plain))
			next, previous := at, at
			for next < len(plain) && !answers(plain[next], q) {
				next++
			}
			for previous >= 0 && !answers(plain[previous], q) {
				previous--
			}
			n, ok := p.Next(q, p.First+uint64(at))
			if len(q) == 0 {
				next = at
			}
			if ok != (next < len(plain)) || ok && n != p.First+uint64(next) {
				t.Fatalf("seed %d: next of %v from %d: %d %v, want %d of %d", seed, q, at, n-p.First, ok, next, len(plain))
			}
			if n, ok = p.Previous(q, p.First+uint64(at)); ok != (previous >= 0) || ok && n != p.First+uint64(previous) {
				t.Fatalf("seed %d: previous of %v from %d: %d %v, want %d", seed, q, at, n-p.First, ok, previous)
			}
			if ok {
				found++
			} else {
				none++
			}
		}
	}
	if found < 1000 || none < 1000 {
		t.Errorf("%d found, %d not: this tests little", found, none)
	}
}

func TestPostingsRefuse(t *testing.T) {
	p := &Postings{First: 7}
	for i := range uint64(100) {
		p.Add(Posting{PostingRegion, 3}, 7+i*i)
	}
	good, err := p.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParsePostings(good, 9802); err != nil {
		t.Fatal(err)
	}
	if _, err := ParsePostings(good, 9801); !format.IsCorrupt(err) {
		t.Errorf("a slice behind the page: %v", err)
	}
	for n := range good {
		if _, err := ParsePostings(good[:n], 9802); !format.IsCorrupt(err) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	twice := append(append([]byte{7, 0, 2}, good[3:]...), good[3:]...)
	if _, err := ParsePostings(twice, 9802); !format.IsCorrupt(err) {
		t.Errorf("a list twice: %v", err)
	}
	unknown := bytes.Clone(twice)
	unknown[3] = 4
	if _, err := ParsePostings(unknown, 9802); !format.IsCorrupt(err) {
		t.Errorf("something unknown before what is known: %v", err)
	}
	later := append(bytes.Clone(good), 4, 9, 3, 1, 2, 3)
	later[2]++
	p, err = ParsePostings(later, 9802)
	if err != nil {
		t.Fatalf("a list of something unknown: %v", err)
	}
	if again, err := p.Append(nil); err != nil || !bytes.Equal(again, good) {
		t.Errorf("with a list of something unknown, others are read as % x: %v", again, err)
	}
}

func FuzzPostings(f *testing.F) {
	for seed := range uint64(4) {
		p, plain := drawPostings(rand.New(rand.NewPCG(seed, 1)))
		b, err := p.Append(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint64(len(plain)))
	}
	f.Fuzz(func(t *testing.T, b []byte, count uint64) {
		p, err := ParsePostings(b, count)
		if err != nil {
			if !format.IsCorrupt(err) {
				t.Fatal(err)
			}
			return
		}
		again, err := p.Append(nil)
		if err != nil || !bytes.Equal(again, b) && len(again) >= len(b) { // lists of something unknown are left out
			t.Fatal("what was read is written in another way", err)
		}
		if same, err := ParsePostings(again, count); err != nil || same.Len() != p.Len() {
			t.Fatal("what was written is not read", err)
		}
		for what := range p.lists {
			for _, id := range p.lists[what].ids {
				thing := Posting{PostingWhat(what), id}
				if n, ok := p.Next(Query{{thing}}, p.First); !ok || n-p.First >= count {
					t.Fatalf("%v is in slice %d, %v", thing, n, ok)
				}
			}
		}
	})
}
