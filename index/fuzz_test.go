package index

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/internal/indextest"
	_ "github.com/pandotrace/pando/internal/lastwords"
)

func FuzzPage(f *testing.F) {
	indextest.AddSeeds(f, func(r *rand.Rand) { f.Add(drawPage(r).Append(nil)) })
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePage(b)
		if !indextest.Refused(t, err) {
			canonical(t, p, func(p *Page) []byte { return p.Append(nil) }, ParsePage, b)
		}
	})
}

// canonical checks that what was read of some bytes is written in the same way, but for extensions of entries, which are left out.
func canonical[T any](t *testing.T, read *T, write func(*T) []byte, parse func([]byte) (*T, error), b []byte) {
	again := write(read)
	if bytes.Equal(again, b) {
		return
	}
	same, err := parse(again)
	if err != nil || len(again) >= len(b) || !cmp.Equal(read, same, cmpopts.EquateEmpty()) {
		t.Fatalf("not canonical: %+v, %v", read, err)
	}
}

func FuzzRoot(f *testing.F) {
	indextest.AddSeeds(f, func(r *rand.Rand) { f.Add(drawRoot(r).Append(nil)) })
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, ok, err := ReadDivision(b); ok && err == nil && d.Check() != nil {
			t.Fatalf("%+v divides nothing", d)
		}
		root, err := ParseRoot(b)
		if !indextest.Refused(t, err) {
			canonical(t, root, func(r *Root) []byte { return r.Append(nil) }, ParseRoot, b)
		}
	})
}

// FuzzLocations reads bytes as pages of locations and of their totals, and as totals of a trace. What was read comes back, whatever form its columns had.
func FuzzLocations(f *testing.F) {
	indextest.AddSeeds(f, func(r *rand.Rand) {
		f.Add(drawLocations(r).Append(nil))
		f.Add(drawTotals(r).Append(nil))
		f.Add(drawWhole(r).Append(nil))
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := ParseLocationPage(b); !indextest.Refused(t, err) {
			if again, err := ParseLocationPage(p.Append(nil)); err != nil || !cmp.Equal(p, again, cmpopts.EquateEmpty()) {
				t.Fatalf("%+v became %+v, %v", p, again, err)
			}
		}
		if p, err := ReadTotals(b); !indextest.Refused(t, err) {
			if again, err := ReadTotals(p.Append(nil)); err != nil || !cmp.Equal(p, again, cmpopts.EquateEmpty()) {
				t.Fatalf("%+v became %+v, %v", p, again, err)
			}
		}
		if p, err := ParseLocationTotals(b); !indextest.Refused(t, err) {
			if again, err := ParseLocationTotals(p.Append(nil)); err != nil || !cmp.Equal(p, again, cmpopts.EquateEmpty()) {
				t.Fatalf("%+v became %+v, %v", p, again, err)
			}
		}
	})
}

// fuzzFanout makes any number a fanout that a root can have.
func fuzzFanout(n uint16) Tree { return Tree{Fanout: max(2, uint64(n))} }

func FuzzCalls(f *testing.F) {
	indextest.AddSeeds(f, func(r *rand.Rand) {
		tree := Tree{Fanout: 2 + r.Uint64N(20)}
		n := drawNode(r, tree)
		first, last := drawRange(r, tree, n)
		f.Add(encodeCalls(f, tree, n, 1, drawPeriod(r), drawCalls(r, tree, n)), uint16(tree.Fanout), first, last)
	})
	f.Fuzz(func(t *testing.T, b []byte, fanout uint16, first, last uint64) {
		block, err := fuzzFanout(fanout).OpenCalls(b, format.Limits{NodeItems: 1 << 10})
		if indextest.Refused(t, err) {
			return
		}
		some, err := block.Append(nil, first, last)
		indextest.Refused(t, err)
		if all, errAll := block.All(); !indextest.Refused(t, errAll) {
			same(t, all, some, func(c *Call) bool { return c.StartSlice <= last && c.EndSlice >= first })
			if !bytes.Equal(writeCalls(t, block), b) {
				t.Fatalf("not canonical: %+v", all)
			}
		}
	})
}

func FuzzMessages(f *testing.F) {
	indextest.AddSeeds(f, func(r *rand.Rand) {
		tree := Tree{Fanout: 2 + r.Uint64N(20)}
		n := drawNode(r, tree)
		first, last := drawRange(r, tree, n)
		f.Add(tree.EncodeMessages(n, 3, []uint32{1, 4}, drawPeriod(r), drawMessages(r, tree, n))[0], uint16(tree.Fanout), first, last)
	})
	f.Fuzz(func(t *testing.T, b []byte, fanout uint16, first, last uint64) {
		block, err := fuzzFanout(fanout).OpenMessages(b, format.Limits{NodeItems: 1 << 10})
		if indextest.Refused(t, err) {
			return
		}
		some, err := block.Append(nil, first, last)
		indextest.Refused(t, err)
		if all, errAll := block.All(); !indextest.Refused(t, errAll) {
			same(t, all, some, func(m *Message) bool {
				return min(m.Send.Slice, m.Receive.Slice) <= last && max(m.Send.Slice, m.Receive.Slice) >= first
			})
			if !bytes.Equal(writeMessages(t, block), b) {
				t.Fatalf("not canonical: %+v", all)
			}
		}
	})
}
