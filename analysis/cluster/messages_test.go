package cluster_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// scattered is a trace of some ranks of a program that send to others at ever new distances: even ranks at the same ones, and odd ranks.
func scattered(ranks, all, rounds int) *tracegen.Trace {
	t := tracegen.New(trace.Meta{Resolution: 1000})
	step, send := t.Region("step"), t.Region("MPI_Send")
	var locations []uint64
	for rank := range uint64(all) {
		if locations = append(locations, rank); rank < uint64(ranks) {
			t.Location(rank, t.Process("process"))
		}
	}
	world := t.Comm(t.CommLocations(locations...))
	for rank := range uint64(ranks) {
		b, distances := t.Events(rank), rand.New(rand.NewPCG(7, rank%2))
		for i := range int64(rounds) {
			b.Append(trace.KindEnter, 10*i, step)
			for j := range int64(3) {
				b.Append(trace.KindEnter, 10*i+3*j, send)
				b.Append(trace.KindMpiSend, 10*i+3*j, (rank+distances.Uint64N(uint64(all)))%uint64(all), world, 0, 8)
				b.Append(trace.KindLeave, 10*i+3*j+1, send)
			}
			b.Append(trace.KindLeave, 10*i+9, step)
		}
	}
	return t
}

// Peers that are values in some epochs, since they differ at each message, count as others do.
func TestScatteredMessages(t *testing.T) {
	r := stored.Source(t, scattered(6, 20_000, 400), store.Options{SliceEvents: 1200, Fanout: 2, EpochSlices: 4})
	values, others := 0, 0
	for s, err := range r.All().Structure() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Shapes.Leaves() {
			leaf, _ := s.Shapes.Leaf(s.Shapes.LeafID(uint32(i)))
			switch {
			case leaf.Class != shape.Send:
			case slices.ContainsFunc(leaf.Slots, func(s shape.Slot) bool { return s.Word == 0 }):
				values++
			default:
				others++
			}
		}
	}
	if values == 0 || others == 0 {
		t.Fatalf("peers are values in %d leaves, and in %d others they are not: this tests nothing", values, others)
	}
	done := int64(0)
	c := find(t, r, r.All(), cluster.Options{By: cluster.Messages, Progress: func(n, _ int64) { done = n }})
	if done != int64(r.Info().Events) {
		t.Errorf("progress comes to %d of %d events", done, r.Info().Events)
	}
	if names(c) != "even ranks | odd ranks" {
		t.Errorf("%s", names(c))
	}
	mustAgree(t, c, describe(t, r, 0, 10_000))
}
