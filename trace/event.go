package trace

// Event is one event of an iteration; it is valid until the next step.
type Event struct {
	// Batch holds the event's fields, Index is its place in it.
	Batch *Batch
	Index int
	// Ordinal is the event's number among those of its location.
	Ordinal uint64
}
