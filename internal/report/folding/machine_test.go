package folding_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/trace"
)

// cluster makes a trace of processes on nodes, every other one with an accelerator of two streams, and says which locations belong to which node
// and device.
func cluster(seed uint64) (src *tracegen.Trace, nodes, devices map[string][]uint64) {
	const none = trace.Undefined >> 32
	src, nodes, devices = tracegen.New(trace.Meta{Resolution: 1000}), map[string][]uint64{}, map[string][]uint64{}
	dice := rand.New(rand.NewPCG(seed, 1))
	define := func(kind trace.Kind, id uint64, name string, words ...uint64) {
		src.Define(kind, slices.Concat([]uint64{id, src.String(name)}, words)...)
	}
	regions := []uint64{src.Region("solve"), src.Region("kernel"), src.Region("copy")}
	define(trace.KindSystemTreeNode, 0, "machine", src.String("machine"), none)
	for n := range uint64(3) {
		define(trace.KindSystemTreeNode, 1+2*n, fmt.Sprint("host ", n), src.String("node"), 0)
		define(trace.KindSystemTreeNode, 2+2*n, "socket", src.String("socket"), 1+2*n)
	}
	groups := uint64(0)
	for process := range uint64(7) {
		n, owner := process%3, groups
		host := fmt.Sprint("host ", n)
		define(trace.KindLocationGroup, groups, fmt.Sprint("process ", process), 1, 2+2*n, none)
		groups++
		streams := [][3]uint64{{1000 - process, 1, owner}, {2000 + process, 1, owner}} // id, type, group
		if process%2 == 0 {
			define(trace.KindLocationGroup, groups, fmt.Sprint("GPU ", process), 2, 2+2*n, owner)
			streams = append(streams, [3]uint64{10 + process, 2, groups}, [3]uint64{30 + process, 2, groups})
			devices[fmt.Sprint("gpu ", process)] = []uint64{10 + process, 30 + process}
			groups++
		}
		for _, l := range streams {
			define(trace.KindLocation, l[0], fmt.Sprint("stream ", l[0]), l[1], 0, l[2])
			nodes[host] = append(nodes[host], l[0])
			acts(dice, src.Events(l[0]), regions)
		}
	}
	return src, nodes, devices
}

// acts makes calls at random.
func acts(dice *rand.Rand, b *trace.Batch, regions []uint64) {
	var open []uint64
	at := dice.Int64N(20)
	for range 60 {
		at += dice.Int64N(15)
		if n := len(open); n > 0 && dice.IntN(5) > 1 {
			b.Append(trace.KindLeave, at, open[n-1])
			open = open[:n-1]
			continue
		}
		open = append(open, regions[dice.IntN(len(regions))])
		b.Append(trace.KindEnter, at, open[len(open)-1])
	}
	for ; len(open) > 0; open = open[:len(open)-1] {
		b.Append(trace.KindLeave, at+1, open[len(open)-1])
	}
}

// TestMachine: rows by node and by device, of an archive, are what the model says of the locations that were put there.
func TestMachine(t *testing.T) {
	for seed := range uint64(6) {
		src, nodes, devices := cluster(seed)
		anchor := filepath.Join(t.TempDir(), "run.otf2")
		if _, err := otf2.Write(t.Context(), src, anchor, otf2.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		r := stored.Trace(t, anchor)
		first, last, _ := m.Span()
		w, calls := model.Window{From: first, To: last + 1}, m.Calls()
		for by, want := range map[string]map[string][]uint64{"node": nodes, "device": devices} {
			a := jsonOf(t, question(t, r, by, fold.Options{Select: fold.Idle, Pixels: 9, Exact: true}))
			if len(a.Rows) != len(want) {
				t.Fatalf("by %s: %d rows, want %d", by, len(a.Rows), len(want))
			}
			for _, row := range a.Rows {
				members := want[row.Group]
				if got := slices.Sorted(slices.Values(row.Locations)); !slices.Equal(got, slices.Sorted(slices.Values(members))) {
					t.Fatalf("%s: %v, want %v", row.Group, got, members)
				}
				for p, f := range m.Fold(&w, calls, members, 9) {
					sum := uint64(0)
					for _, busy := range f.Busy {
						sum += uint64(busy)
					}
					if row.UtilisationLow[p] != uint64(f.Union) || row.UtilisationHigh[p] != uint64(f.Union) || row.BusySum[p] != sum {
						t.Errorf("seed %d, %s, pixel %d: %d to %d ticks with a call, %d busy, want %d and %d", seed, row.Group, p, row.UtilisationLow[p], row.UtilisationHigh[p], row.BusySum[p], f.Union, sum)
					}
					if state, ok := f.Shown("idle"); ok != (row.Ticks[p] > 0) || ok && state.Called != (row.Shown[p] != nil) || ok && state.Called && *row.Shown[p] != state.Region {
						t.Errorf("seed %d, %s, pixel %d: shows %v, want %v", seed, row.Group, p, row.Shown[p], state)
					}
				}
			}
		}
	}
}
