package query

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
	parts := min(uint64(n), end-first)
	var cuts []int64
	last := w.From
	for i := range parts {
		s, err := w.Reader.Slice(first + (end-first)*i/parts)
		if err != nil {
			return nil, err
		}
		// The first slice has no part before it, even where the window begins before the trace does.
		if i > 0 && s.Start > last && s.Start < w.To {
			cuts = append(cuts, s.Start)
		}
		last = max(last, s.Start)
	}
	return cuts, nil
}
