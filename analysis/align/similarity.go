package align

// Similarity says how alike two calls are, from 0 to 1: the score of their alignment less the worst one, as a part of the range of scores
// (Weber 2016, section 4.1). Where the cost is not proven, it lies between Lowest and Highest.
type Similarity struct{ Lowest, Highest float64 }

// SimilarityOf returns the similarity of two sequences of events by the cost of their alignment.
func SimilarityOf(c Cost, eventsA, eventsB uint64) Similarity {
	return Similarity{Lowest: similarity(c.High, eventsA, eventsB), Highest: similarity(c.Low, eventsA, eventsB)}
}

// similarity maps the score, divided by that of the longer side with itself, from [-1/2, 1] to [0, 1]. Only alignments that leave many events
// without a partner score less; these are 0, too.
func similarity(cost, a, b uint64) float64 {
	longer := float64(max(a, b))
	if longer == 0 {
		return 1
	}
	ratio := (float64(a) + float64(b) - float64(cost)) / (2 * longer)
	return max(0, (ratio+0.5)/1.5)
}
