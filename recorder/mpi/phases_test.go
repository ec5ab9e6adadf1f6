package main

import (
	"slices"
	"testing"
)

// Ranks choose the same steps to stand for the others: messages, requests and operations in them have both their ends.
func TestPhases(t *testing.T) {
	t.Setenv("PANDO_PHASES", "step=every:50")
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpicc", "loop.c", "-D_GNU_SOURCE", "-rdynamic")
			r := record(t, m.name, lib, program, "", false)
			const steps, allreduce = 8, 11
			r.checkPairs(t)
			for rank := range uint64(ranks) {
				if n := len(r.sent[channel{0, rank, (rank + 1) % ranks, 1}]); n != steps {
					t.Errorf("rank %d sends %d messages", rank, n)
				}
				if n := r.calls[rank]["step"]; n != steps {
					t.Errorf("rank %d has %d steps", rank, n)
				}
				if n := len(r.bytes[rank][allreduce]); n != steps {
					t.Errorf("rank %d has %d operations", rank, n)
				}
			}
		})
	}
}

// Messages that reach from a step that is left out into one that is not, or the other way, are not there, and those within a step are.
func TestPhasesThatMessagesCross(t *testing.T) {
	t.Setenv("PANDO_PHASES", "step=every:50")
	for _, m := range implementations {
		t.Run(m.name, func(t *testing.T) {
			lib, program := library(t, m.name, "mpicc", "cross.c", "-D_GNU_SOURCE", "-rdynamic")
			r := record(t, m.name, lib, program, "", false)
			r.checkPairs(t)
			want := []uint64{1, 51, 101, 151, 201, 251, 301, 351}
			for rank := range uint64(ranks) {
				for tag, bytes := range map[uint64][]uint64{1: want, 2: nil, 3: nil, 4: want} {
					if got := r.sent[channel{0, rank, (rank + 1) % ranks, tag}]; !slices.Equal(got, bytes) {
						t.Errorf("rank %d sends %v with tag %d, not %v", rank, got, tag, bytes)
					}
				}
			}
			if r.warnings != "[]" {
				t.Errorf("warnings %s", r.warnings)
			}
		})
	}
}
