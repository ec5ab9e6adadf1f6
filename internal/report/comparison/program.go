package comparison

import (
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Program returns the part of a trace between the start and the end of MPI: from just before the first process leaves MPI_Init until just behind
// the last one enters MPI_Finalize, so that both are open on all of them. It is what pictures show: MPI's start takes seconds more or less
// from run to run. Of a trace without these calls it is the whole.
func Program(r *store.Reader, w *store.Window) (*store.Window, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	var starts, ends []uint64
	for _, id := range d.Regions() {
		switch d.Name(trace.SpaceRegion, id) {
		case "MPI_Init", "MPI_Init_thread":
			starts = append(starts, id)
		case "MPI_Finalize":
			ends = append(ends, id)
		}
	}
	from, to := w.Bounds()
	first, last := max(from, r.Info().First), min(to, r.Info().Last)
	begin, end := last, first
	for c, err := range w.WithRegions(slices.Concat(starts, ends)...).Calls() {
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(ends, c.Region):
			end = max(end, c.Start+1)
		default:
			begin = min(begin, c.End-1)
		}
	}
	if len(starts) == 0 || begin >= last {
		begin = from
	}
	if len(ends) == 0 || end <= begin || end <= first {
		end = to
	}
	return w.Within(begin, end), nil
}
