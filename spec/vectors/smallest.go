package vectors

import (
	"fmt"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/spec"
	"github.com/pandotrace/pando/trace"
)

// SmallestWriter is the name of the vector that spec/v1/writer/smallest.py writes, and SmallestID the id that it is given.
const (
	SmallestWriter = "smallest-writer"
	SmallestID     = "766563746f7200000000000000000000"
)

// Smallest returns the file that the smallest writer makes: the committed one, unless a program that makes vectors anew sets it.
var Smallest = func() ([]byte, error) { return spec.Vectors.ReadFile("v1/vectors/" + SmallestWriter + ".pando") }

// smallest makes the vector of the smallest writer. What must be in it comes from a trace that is made here.
func smallest() ([]Vector, error) {
	file, err := Smallest()
	if err != nil {
		return nil, err
	}
	want, err := dumpOf(smallestTrace(), file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", SmallestWriter, err)
	}
	return []Vector{{SmallestWriter, file, want}}, nil
}

// smallestTrace is the example of the smallest writer.
func smallestTrace() trace.Source {
	src := tracegen.New(trace.Meta{Format: "example", Resolution: 1_000_000_000})
	regions := []string{"main", "compute", "exchange"}
	for _, name := range append([]string{"process"}, regions...) {
		src.String(name)
	}
	process := src.Process("process")
	const ranks, steps, none = 2, 4, 1<<32 - 1
	for rank := range uint64(ranks) {
		src.Define(trace.KindLocation, rank, 0, 1, 2+4*steps, process)
	}
	for i, name := range regions {
		src.Define(trace.KindRegion, uint64(i), src.String(name), none, none, 0, 0, src.String(name), 0, 0, 0)
	}
	for rank := range uint64(ranks) {
		b := src.Events(rank)
		t := 1000 + 7*int64(rank)
		b.Append(trace.KindEnter, t, 0)
		for step := range int64(steps) {
			b.Append(trace.KindEnter, t+5, 1)
			b.Append(trace.KindLeave, t+95+step, 1)
			b.Append(trace.KindEnter, t+99, 2)
			b.Append(trace.KindLeave, t+120, 2)
			t += 130
		}
		b.Append(trace.KindLeave, t, 0)
	}
	return src
}
