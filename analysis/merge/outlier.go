package merge

// OutlierOptions say when a member is far from the others. The zero value of each field means its default.
type OutlierOptions struct {
	// Score is the least distance from the median of a node, in robust standard deviations (default 5; Iglewicz and Hoaglin 1993 have 3.5 for
	// a single set of values, but nodes are many).
	Score float64
	// Share is the least distance, as a share of the median time of members in calls (default 0.005).
	Share float64
	// Members is the least number of members of a node (default 4): among fewer, none is an outlier.
	Members int
}

const (
	defaultScore = 5
	defaultShare = 0.005
)

// OutlierMembers is the default of [OutlierOptions].Members.
const OutlierMembers = 4

// Outlier is a member whose exclusive time at a node is far from the median of all members that have it.
type Outlier struct {
	Node, Member int
	// Ticks is its time, Excess by how much that is more than the median, in units of the tree.
	Ticks, Excess int64
	// Score is the excess in robust standard deviations: 1.4826 times the median deviation from the median. Where that is 0, the
	// mean deviation takes its place.
	Score float64
}

// Factors that make a median deviation, and a mean deviation, the standard deviation of a normal distribution.
const (
	ofMedianDeviation = 1.4826
	ofMeanDeviation   = 1.253314
)

// findOutliers adds the outliers of a node, of which the times were gathered.
func (s *statistics) findOutliers(f *following, node int) {
	opt, t := &f.opt.Outliers, &f.Nodes[node].Exclusive
	if len(s.members) < opt.Members {
		return
	}
	deviation := ofMedianDeviation * float64(t.MedianDeviation)
	if t.MedianDeviation == 0 {
		sum := 0.0
		for _, v := range s.values {
			sum += float64(max(v, t.Median) - min(v, t.Median))
		}
		deviation = ofMeanDeviation * sum / float64(len(s.values))
	}
	for i, v := range s.values {
		d := v - t.Median
		if far := max(d, -d); far > 0 && float64(far) >= opt.Score*deviation && float64(far) >= f.least {
			s.outliers = append(s.outliers, Outlier{node, s.members[i], v, d, float64(d) / deviation})
		}
	}
}
