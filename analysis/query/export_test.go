package query

// FewEvents is that number, as programs have it.
const FewEvents = usualFew

// RowsOf sets the number of events up to which the rows of a window are read in place of sums, and returns what it was.
func RowsOf(events uint64) (before uint64) {
	before, fewEvents = fewEvents, events
	return before
}
