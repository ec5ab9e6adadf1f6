package trace

// Summary is what a window adds up to, exactly. Lines are ordered by location (in the order of definition), then by the other
// ids that name them. There are none for what does not occur in the window.
type Summary struct {
	Calls       []CallTotals
	Messages    []MessageTotals
	Collectives []CollectiveTotals
	Metrics     []MetricTotals
}
