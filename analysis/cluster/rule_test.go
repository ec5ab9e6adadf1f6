package cluster_test

import (
	"testing"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// program makes traces of ranks that call other regions, by which they are clustered.
type program struct {
	*tracegen.Trace
	locations []uint64
	threads   int // of each rank
}

// newProgram makes a program of ranks; region says what each thread of them calls.
func newProgram(ranks, threads int, region func(rank, thread int) string) *program {
	p := &program{tracegen.New(trace.Meta{Resolution: 1000}), nil, threads}
	known := map[string]uint64{}
	for rank := range ranks {
		process := p.Process("process")
		for thread := range threads {
			id := uint64(rank*threads + thread)
			b := p.Location(id, process)
			if thread == 0 {
				p.locations = append(p.locations, id)
			}
			name := region(rank, thread)
			if _, ok := known[name]; !ok {
				known[name] = p.Region(name)
			}
			b.Append(trace.KindEnter, 1, known[name])
			b.Append(trace.KindLeave, 2, known[name])
		}
	}
	p.CommLocations(p.locations...)
	return p
}

// grid adds a Cartesian topology, whose ranks are laid out column by column.
func (p *program) grid(name string, sizes []uint64, periodic []uint64) {
	var members []uint64
	for i := range p.locations {
		members = append(members, uint64(i))
	}
	comm := p.Comm(p.CommGroup(members...))
	topology := []uint64{0, p.String(name), comm, uint64(len(sizes))}
	for i, n := range sizes {
		p.Define(trace.KindCartDimension, uint64(i), p.String("xyz"[i:i+1]), n, periodic[i])
		topology = append(topology, uint64(i))
	}
	p.Define(trace.KindCartTopology, topology...)
	for rank := range p.locations {
		at, rest := []uint64{0, uint64(rank), uint64(len(sizes))}, uint64(rank)
		for _, n := range sizes {
			at = append(at, rest%n)
			rest /= n
		}
		p.Define(trace.KindCartCoordinate, at...)
	}
}

// either returns one of two names.
func either(is bool) string {
	if is {
		return "a"
	}
	return "b"
}

// Groups have names that a person understands.
func TestNamesOfGroups(t *testing.T) {
	ends := func(at, size int) int {
		if at == 0 || at == size-1 {
			return 1
		}
		return 0
	}
	letters := func(n int) string { return "abcdef"[n : n+1] }
	for _, c := range []struct {
		what           string
		ranks, threads int
		region         func(rank, thread int) string
		sizes          []uint64
		periodic       []uint64
		want           string
	}{
		{"all", 4, 1, func(int, int) string { return "a" }, nil, nil, "all ranks"},
		{"one", 8, 1, func(r, _ int) string { return either(r == 0) }, nil, nil, "ranks 1-7 | rank 0"},
		{"the last", 8, 1, func(r, _ int) string { return either(r == 7) }, nil, nil, "ranks 0-6 | rank 7, the last"},
		{"one in the middle", 8, 1, func(r, _ int) string { return either(r == 5) }, nil, nil, "all ranks but 5 | rank 5"},
		{"every fourth", 16, 1, func(r, _ int) string { return either(r%4 == 0) }, nil, nil, "all ranks but every 4th rank | every 4th rank"},
		{"every third from 1 on", 12, 1, func(r, _ int) string { return letters(r % 3) }, nil, nil, "every 3rd rank | every 3rd rank from rank 1 on | every 3rd rank from rank 2 on"},
		{"odd and even", 6, 1, func(r, _ int) string { return either(r%2 == 0) }, nil, nil, "even ranks | odd ranks"},
		{"both ends", 8, 1, func(r, _ int) string { return either(r == 0 || r == 7) }, nil, nil, "ranks 1-6 | the first and the last rank"},
		{"a grid", 16, 1, func(r, _ int) string { return letters(ends(r%4, 4) + ends(r/4, 4)) }, []uint64{4, 4}, []uint64{0, 0},
			"edge ranks of the 4 × 4 grid halo | corner ranks of the 4 × 4 grid halo | inner ranks of the 4 × 4 grid halo"},
		{"the boundary", 20, 1, func(r, _ int) string { return either(ends(r%4, 4)+ends(r/4, 5) > 0) }, []uint64{4, 5}, []uint64{0, 0},
			"boundary ranks of the 4 × 5 grid halo | inner ranks of the 4 × 5 grid halo"},
		{"a line of a grid", 16, 1, func(r, _ int) string { return letters(min(1, r%4%3) + r/4%2*2) }, []uint64{4, 2, 2}, []uint64{0, 0, 0},
			"ranks 0, 3, 8, 11 | ranks 1-2, 9-10 | ranks 4, 7, 12, 15 | ranks 5-6, 13-14"},
		{"a column of a grid", 15, 1, func(r, _ int) string { return either(r/3%5 == 2 || r < 0) }, []uint64{3, 5}, []uint64{1, 0},
			"all ranks but 6-8 | ranks 6-8"},
		{"a grid that is a ring one way", 12, 1, func(r, _ int) string { return letters(ends(r/4, 3)) }, []uint64{4, 3}, []uint64{1, 0},
			"boundary ranks of the 4 × 3 grid halo | ranks 4-7"},
		{"a plane of a grid", 27, 1, func(r, _ int) string { return either(r/3%3 == 1) }, []uint64{3, 3, 3}, []uint64{0, 0, 0},
			"all ranks but those with y = 1 of the 3 × 3 × 3 grid halo | ranks with y = 1 of the 3 × 3 × 3 grid halo"},
		{"no topology", 12, 1, func(r, _ int) string { return either(ends(r%4, 4)+ends(r/4, 3) == 2) }, nil, nil,
			"ranks 1-2, 4-7, 9-10 | corner ranks if laid out 3 × 4"},
		{"threads", 4, 4, func(_, thread int) string { return either(thread == 0) }, nil, nil, "worker threads | master threads"},
		{"some threads", 4, 4, func(_, thread int) string { return either(thread < 2) }, nil, nil, "threads 0-1 | threads 2-3"},
		{"threads of some ranks", 6, 2, func(r, thread int) string { return letters(r%2 + 2*thread) }, nil, nil,
			"master threads of even ranks | worker threads of even ranks | master threads of odd ranks | worker threads of odd ranks"},
		{"no product", 4, 2, func(r, thread int) string { return either(r == 0 || thread == 1) }, nil, nil,
			"master threads of rank 0; worker threads | master threads of ranks 1-3"},
	} {
		p := newProgram(c.ranks, c.threads, c.region)
		if c.sizes != nil {
			p.grid("halo", c.sizes, c.periodic)
		}
		r := stored.Source(t, p, store.Options{})
		clusters := find(t, r, r.All(), cluster.Options{})
		mustAgree(t, clusters, describe(t, r, 0, 10))
		if got := names(clusters); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// Groups of several files say in which.
func TestNamesOfFiles(t *testing.T) {
	a := stored.Source(t, newProgram(4, 1, func(r, _ int) string { return either(r == 0) }), store.Options{})
	b := stored.Source(t, newProgram(4, 1, func(r, _ int) string { return either(r == 1) }), store.Options{})
	c, err := cluster.Find(t.Context(), []cluster.Side{{"x", a, a.All()}, {"y", b, b.All()}}, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(c), "ranks 1-3 in x; all ranks but 1 in y | rank 0 in x; rank 1 in y"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
