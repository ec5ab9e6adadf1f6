package topology

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// torus is the definitions of two threads on each of six ranks, which have their places on a torus of 3 x 2 as MPI would number them, from the
// last rank to the first.
func torus(t *testing.T) (*trace.Definitions, *Topology) {
	t.Helper()
	src := tracegen.New(trace.Meta{Resolution: 1})
	var masters []uint64
	for rank := range uint64(6) {
		p := src.Process("p")
		src.Location(100+rank, p)
		src.Location(200+rank, p)
		masters = append(masters, 100+rank)
	}
	src.Location(300, src.Process("other"))
	world := src.Comm(src.CommLocations(masters...))
	of := &Topology{Name: "halo", Communicator: world, Dimensions: []Dimension{{"x", 3, true}, {"", 2, false}}}
	for i := range int64(6) {
		of.Members = append(of.Members, Member{Rank: uint64(5 - i), Location: uint64(105 - i), Known: true, At: []int64{i / 2, i % 2}})
	}
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	records, id := Define(trace.NewDefinitions(log), of)
	of.ID, of.Dimensions[1].Name = id, "dimension 1"
	return trace.NewDefinitions(append(log, records...)), of
}

// TestDefined: what is defined is read again, and a second topology takes other ids.
func TestDefined(t *testing.T) {
	defs, of := torus(t)
	if diff := cmp.Diff([]Topology{*of}, Of(defs)); diff != "" {
		t.Error(diff)
	}
	other := *of
	other.Name, other.Members = "bare", nil
	more, id := Define(defs, &other)
	if list := Of(trace.NewDefinitions(append(slices.Clip(defs.Log), more...))); len(list) != 2 || id == of.ID || list[1].Name != "bare" || list[0].Name != "halo" {
		t.Errorf("%+v", list)
	}
}

// TestPlaces: threads are where their process is, locations of no rank nowhere, and order is that of coordinates.
func TestPlaces(t *testing.T) {
	defs, of := torus(t)
	p := Of(defs)[0].Places(defs)
	for _, m := range of.Members {
		for _, location := range []uint64{m.Location, m.Location + 100} {
			if at, ok := p.At(location); !ok || !slices.Equal(at, m.At) {
				t.Errorf("location %d is at %v, want %v", location, at, m.At)
			}
		}
	}
	if at, ok := p.At(300); ok {
		t.Errorf("a location of no rank is at %v", at)
	}
	list := []uint64{300, 100, 101, 102, 103, 104, 105}
	slices.SortStableFunc(list, p.Compare)
	if want := []uint64{105, 104, 103, 102, 101, 100, 300}; !slices.Equal(list, want) {
		t.Errorf("order %v, want %v", list, want)
	}
}

// TestStep: where ends meet, the shorter way counts.
func TestStep(t *testing.T) {
	of := &Topology{Dimensions: []Dimension{{Size: 5, Periodic: true}, {Size: 4, Periodic: true}, {Size: 5}}}
	for a := range int64(5) {
		for b := range int64(5) {
			x, y := a%4, b%4
			got := of.Step([]int64{a, x, a}, []int64{b, y, b})
			for d, size := range []int64{5, 4} { // the least number of single steps that lead there
				least := size
				for n := range size {
					if at := [][2]int64{{a, b}, {x, y}}[d]; (at[0]+n)%size == at[1] || (at[0]-n+size)%size == at[1] {
						least = min(least, n)
					}
				}
				if abs(got[d]) != least {
					t.Errorf("from %d to %d of %d: %d steps, want %d", a, b, size, got[d], least)
				}
			}
			if got[2] != b-a {
				t.Errorf("without ends that meet: %d, want %d", got[2], b-a)
			}
		}
	}
}

func abs(n int64) int64 { return max(n, -n) }

// TestChoose: the one with most members is the usual one, and a name that does not exist is an error that tells those that do.
func TestChoose(t *testing.T) {
	defs, of := torus(t)
	if got, err := Choose(defs, ""); err != nil || got.ID != of.ID || got.Title() != "3 x 2 grid halo" {
		t.Errorf("%v, %v", got, err)
	}
	_, err := Choose(defs, "mesh")
	if e := (*ChoiceError)(nil); !errors.As(err, &e) || err.Error() != `no topology is called "mesh"; there are "halo"` {
		t.Errorf("%v", err)
	}
	if _, err = Choose(trace.NewDefinitions(nil), ""); err == nil || err.Error() != "the trace has no topology with places of ranks" {
		t.Errorf("%v", err)
	}
	if p, err := Ordered(defs, "topology=halo"); err != nil || p.Topology.ID != of.ID {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := Ordered(defs, ""); err != nil || p != nil {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := Ordered(defs, "rank"); err == nil || err.Error() != "rank is neither topology nor topology=NAME" {
		t.Errorf("%v", err)
	}
	if got := Inferred([]trace.Property{InferredProperty(map[uint64]bool{12: true, 9: true})}); len(got) != 2 || !got[9] || !got[12] {
		t.Errorf("inferred %v", got)
	}
	if got := Inferred([]trace.Property{{Name: "other", Value: "1"}, {Name: InferredName, Value: "3,x,5"}}); len(got) != 2 || !got[3] || !got[5] {
		t.Errorf("inferred %v", got)
	}
}
