package trace

import "testing"

func text2(kind Kind, self uint64, s string) Record {
	r := Record{Kind: kind}
	r.Words = []uint64{self, r.PutText(s)}
	return r
}

// world is a log of 6 locations on 3 processes, 2 threads each, their group of ranks, and communicators: 1 of all, 2 of
// the processes 2 and 0 in this order, 3 between {0} and {1, 2}, 4 of each process alone.
func world() []Record {
	log := []Record{text2(KindString, 1, "first"), text2(KindString, 1, "second")}
	for l := range uint64(6) {
		log = append(log, Record{Kind: KindLocation, Words: []uint64{100 + l, 1, 1, 0, l / 2}})
	}
	group := func(id, kind uint64, members ...uint64) Record {
		words := append([]uint64{id, 1, uint64(len(members))}, members...)
		return Record{Kind: KindGroup, Words: append(words, kind, 4, 0)}
	}
	return append(log,
		group(0, groupCommLocations, 100, 102, 104),
		group(1, 5, 0, 1, 2), group(2, 5, 2, 0), group(3, 5, 0), group(4, 5, 1, 2), group(5, groupCommSelf),
		Record{Kind: KindComm, Words: []uint64{1, 1, 1, Undefined, 0}},
		Record{Kind: KindComm, Words: []uint64{2, 1, 2, 1, 0}},
		Record{Kind: KindInterComm, Words: []uint64{3, 1, 3, 4, 1, 0}},
		Record{Kind: KindComm, Words: []uint64{4, 1, 5, 1, 0}},
	)
}

func TestRanks(t *testing.T) {
	d := NewDefinitions(world())
	for _, c := range []struct {
		comm, rank, from uint64
		want             uint64
		ok               bool
	}{
		{1, 2, 100, 104, true},
		{1, 3, 100, 0, false},
		{2, 0, 100, 104, true},
		{2, 1, 105, 100, true},
		{3, 1, 101, 104, true}, // from the first group: a rank of the second
		{3, 0, 104, 100, true}, // and back
		{3, 1, 104, 0, false},  // the first group has one member
		{4, 0, 103, 103, true}, // alone
		{9, 0, 100, 0, false},  // no such communicator
	} {
		got, ok := d.RankLocation(c.comm, c.rank, c.from)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("rank %d of communicator %d from %d is %d, %v, want %d, %v", c.rank, c.comm, c.from, got, ok, c.want, c.ok)
		}
	}
}

// The own rank is the one that others would use to reach the location's process.
func TestOwnRank(t *testing.T) {
	d := NewDefinitions(world())
	for _, comm := range []uint64{1, 2} {
		for l := uint64(100); l < 106; l++ {
			rank, size, ok := d.OwnRank(comm, l)
			if comm == 2 && l/2 == 51 {
				if ok {
					t.Errorf("location %d has a rank in communicator 2", l)
				}
				continue
			}
			peer, found := d.RankLocation(comm, rank, l)
			mine, _ := d.Process(l)
			theirs, _ := d.Process(peer)
			if !ok || !found || mine != theirs || rank >= size {
				t.Errorf("location %d: rank %d of %d in communicator %d is location %d", l, rank, size, comm, peer)
			}
		}
	}
	if _, _, ok := d.OwnRank(3, 100); ok {
		t.Error("a rank of its own in an inter-communicator")
	}
}

func TestFirstDefinitionCounts(t *testing.T) {
	d := NewDefinitions(world())
	if d.Strings[1] != "first" || len(d.Log) != len(world()) {
		t.Errorf("string 1 is %q, %d records", d.Strings[1], len(d.Log))
	}
	d.Add([]Record{{Kind: KindRegion, Words: []uint64{5}}, {Kind: 0x7777}})
	if len(d.Regions()) != 0 {
		t.Error("a record with too few words made a region")
	}
	if _, ok := d.Process(999); ok {
		t.Error("a location that is not defined has a process")
	}
}

// A calling context that is not defined has no region.
func TestContextRegion(t *testing.T) {
	d := NewDefinitions([]Record{{Kind: KindCallingContext, Words: []uint64{5, 7, Undefined >> 32, Undefined >> 32}}})
	for context, want := range map[uint64]uint64{5: 7, 7: Undefined, Undefined: Undefined} {
		if got := d.ContextRegion(context); got != want {
			t.Errorf("the region of calling context %d is %d, want %d", context, got, want)
		}
	}
}

// Regions are compared by their canonical names, else by their names, else by their ids.
func TestRegionName(t *testing.T) {
	var log []Record
	for id, text := range []string{"", "name", "canonical"} {
		log = append(log, Record{Kind: KindString, Words: []uint64{uint64(id), uint64(len(text))}, Text: []byte(text)})
	}
	for id, names := range [][2]uint64{{1, 2}, {1, 0}, {1, Undefined >> 32}, {0, 9}} {
		log = append(log, Record{Kind: KindRegion, Words: []uint64{uint64(id), names[0], 0, 0, 0, 0, names[1], 0, 0, 0}})
	}
	d := NewDefinitions(log)
	for id, want := range map[uint64]string{0: "canonical", 1: "name", 2: "name", 3: "#3", 4: "#4", Undefined: NoRegion, Undefined >> 32: NoRegion} {
		if got := d.RegionName(id); got != want {
			t.Errorf("region %d is %q, want %q", id, got, want)
		}
	}
}
