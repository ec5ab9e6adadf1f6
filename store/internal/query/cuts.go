package query

import "slices"

// Cuts returns up to n-1 times, rising, at which slices of the window begin: they divide it into parts of about equally many slices.
// Sums of a window between two cuts come from tables of nodes, as far as these are fine enough, and no slice is decoded for them.
func (w *Window) Cuts(n int) ([]int64, error) {
	if n < 2 || w.From >= w.To || w.Reader.Root().Slices == 0 {
		return nil, nil
	}
	first, end, err := w.Reader.Slices(w.From, w.To)
	if err != nil {
		return nil, err
	}
	var cuts []int64
	for i := range min(uint64(n), end-first) {
		s, err := w.Reader.Slice(first + (end-first)*i/min(uint64(n), end-first))
		if err != nil {
			return nil, err
		}
		if s.Start > w.From && s.Start < w.To {
			cuts = append(cuts, s.Start)
		}
	}
	return slices.Compact(cuts), nil
}
