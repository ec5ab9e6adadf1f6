package main

import "testing"

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
