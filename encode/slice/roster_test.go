package slice

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// drawGroup makes slices that have runs and nothing in them. Each location has its own rate.
func drawGroup(r *rand.Rand) []*Draft {
	first, locations := r.Uint64N(1000), 1+r.IntN(30)
	ordinals, ids := make([]uint64, locations), make([]uint64, locations)
	for l := range ordinals {
		if ordinals[l] = r.Uint64N(1 << 30); r.IntN(2) == 0 {
			ordinals[l], ids[l] = 0, r.Uint64()>>r.IntN(64)
		}
	}
	var group []*Draft
	for number := first; number < first+20; number++ {
		s := &Draft{Block: Block{Number: number}}
		for l := range ordinals {
			if r.IntN(locations+4) > l {
				n := 1 + r.IntN(100*(1+l))
				s.Runs = append(s.Runs, Run{Location: uint32(3 * l), ID: ids[l], First: ordinals[l], Events: n})
				ordinals[l] += uint64(n)
				ids[l] = 0
			}
		}
		if len(s.Runs) > 0 {
			group = append(group, s)
		}
	}
	return group
}

func TestRostersComeBack(t *testing.T) {
	slices, gaps := 0, 0
	for seed := range uint64(200) {
		group := drawGroup(rand.New(rand.NewPCG(seed, 1)))
		stats, err := ParseStatistics(buildStatistics(group, 1, nil, column.InOrder).Append(nil), format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		next := group[0].Number
		for _, s := range group {
			for ; next < s.Number; next++ {
				gaps++
				if shares := stats.Roster.of(next); len(shares) > 0 {
					t.Fatalf("slice %d has the shares %v", next, shares)
				}
			}
			next++
			shares := stats.Roster.of(s.Number)
			if len(shares) != len(s.Runs) {
				t.Fatalf("slice %d has %d shares, want %d", s.Number, len(shares), len(s.Runs))
			}
			for i, run := range s.Runs {
				if want := (Share{run.Location, run.ID, uint32(run.Events), run.First}); shares[i] != want {
					t.Fatalf("slice %d has the share %v, want %v", s.Number, shares[i], want)
				}
			}
			slices++
		}
		if len(stats.Roster.of(next)) > 0 || len(stats.Roster.of(group[0].Number-1)) > 0 {
			t.Fatal("shares of a slice beyond the group")
		}
	}
	if slices < 1000 || gaps < 20 {
		t.Errorf("%d slices, %d gaps: this tests little", slices, gaps)
	}
}

func TestRostersRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(r *Roster)
		want  string
	}{
		"the same location twice":    {func(r *Roster) { r.Slices[0][1].Location = r.Slices[0][0].Location }, "out of range"},
		"a location over the limit":  {func(r *Roster) { r.Slices[0][1].Location = 1 << 24 }, "out of range"},
		"more events than the limit": {func(r *Roster) { r.Slices[0][1].Events = 1<<24 + 1 }, "out of range"},
		"no events":                  {func(r *Roster) { r.Slices[0][1].Events = 0 }, "out of range"},
		"an empty slice at the end":  {func(r *Roster) { r.Slices = append(r.Slices, nil) }, "without shares"},
		"an empty slice at first":    {func(r *Roster) { r.Slices = append([][]Share{nil}, r.Slices...) }, "without shares"},
		"ordinals that wrap round":   {func(r *Roster) { r.Slices[0][0].First = 1<<64 - 1 }, "ordinals"},
	} {
		r := func() Roster {
			return Roster{First: 6, Slices: [][]Share{{{2, 99, 7, 0}, {5, 0, 3, 10}}, {{5, 0, 4, 13}}}}
		}
		build := func(r Roster) []byte {
			stats := buildStatistics(nil, 1, nil, column.InOrder)
			b := column.NewBuilder(stats.structureContexts())
			var f flattener
			b.Add(r.flatten(&f, stats.base()))
			stats.Structure, stats.Roster = b.Build(), r
			return stats.Append(nil)
		}
		if stats, err := ParseStatistics(build(r()), format.Limits{}); err != nil || !reflect.DeepEqual(stats.Roster, r()) {
			t.Fatalf("%v %v", stats.Roster, err)
		}
		spoilt := r()
		c.spoil(&spoilt)
		if _, err := ParseStatistics(build(spoilt), format.Limits{}); !format.IsCorrupt(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A few bytes cannot say that there are many shares: what is always the same takes no bits, but there are zeros in their place.
func TestRostersAreFilled(t *testing.T) {
	r := Roster{First: 1, Slices: make([][]Share, 10_000)}
	for i := range r.Slices {
		r.Slices[i] = []Share{{Location: 3, Events: 1, First: 7 + uint64(i)}}
	}
	stats := buildStatistics(nil, 1, nil, column.InOrder)
	b := column.NewBuilder(stats.structureContexts())
	var f flattener
	b.Add(r.flatten(&f, stats.base()))
	m := b.Build()
	filled := r.append(nil, m, stats.base())
	if want := 20_000 / format.Density; len(filled) != want {
		t.Fatalf("%d bytes, not %d", len(filled), want)
	}
	for name, c := range map[string]struct {
		bytes []byte
		ok    bool
	}{
		"as they are":  {filled, true},
		"one too few":  {filled[:len(filled)-1], false},
		"one too many": {append(slices.Clone(filled), 0), false},
		"none":         {bytes.TrimRight(filled, "\x00"), false},
		"no zero":      {append(slices.Clone(filled[:len(filled)-1]), 1), false},
	} {
		d := format.NewDecoder("model block", c.bytes)
		got := readRoster(d, m, stats.base(), format.Limits{}.WithDefaults())
		if ok := d.Err() == nil; ok != c.ok || ok && !reflect.DeepEqual(got, r) || !ok && !format.IsCorrupt(d.Err()) {
			t.Errorf("zeros, %s: %v", name, d.Err())
		}
	}
}
