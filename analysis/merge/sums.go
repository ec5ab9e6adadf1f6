package merge

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/analysis/order"
	"github.com/pandotrace/pando/trace"
)

// sums adds up the times of nodes.
func (f *following) sums(ctx context.Context) error {
	f.findLeast()
	err := f.eachNode(ctx, func(s *statistics, node int) {
		n := &f.Nodes[node]
		s.gather(f, node)
		n.Exclusive = s.times()
		s.findOutliers(f, node)
	})
	if err != nil {
		return err
	}
	for _, l := range f.lanes {
		l.addUp(f.Nodes)
		f.ticks = append(f.ticks, l.ticks)
	}
	err = f.eachNode(ctx, func(s *statistics, node int) {
		s.gather(f, node)
		f.Nodes[node].Inclusive = s.times()
	})
	t := f.Tree
	slices.SortStableFunc(t.Outliers, func(a, b Outlier) int { return cmp.Compare(b.Excess, a.Excess) })
	return err
}

// findLeast finds the least distance of outliers from the median.
func (f *following) findLeast() {
	totals := make([]int64, len(f.lanes))
	for i, l := range f.lanes {
		for _, page := range l.ticks {
			for _, own := range page {
				totals[i] += own
			}
		}
	}
	f.least = f.opt.Outliers.Share * float64(middle(totals))
}

// eachNode calls do for all nodes, on all processors. It keeps the outliers in the order of nodes.
func (f *following) eachNode(ctx context.Context, do func(s *statistics, node int)) error {
	work, ctx := errgroup.WithContext(ctx)
	parts := runtime.GOMAXPROCS(0)
	found := make([][]Outlier, parts)
	for part := range parts {
		work.Go(func() error {
			s := &statistics{}
			for node := part * len(f.Nodes) / parts; node < (part+1)*len(f.Nodes)/parts; node++ {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				do(s, node)
			}
			found[part] = s.outliers
			return nil
		})
	}
	err := work.Wait()
	f.Outliers = append(f.Outliers, slices.Concat(found...)...)
	return err
}

// addUp makes exclusive times inclusive ones.
func (l *lane) addUp(nodes []Node) {
	for page := len(l.ticks) - 1; page >= 0; page-- {
		if l.ticks[page] == nil {
			continue
		}
		for i := min(pageNodes, len(nodes)-page*pageNodes) - 1; i >= 0; i-- {
			if up, own := nodes[page*pageNodes+i].Parent, l.ticks[page][i]; up >= 0 && own != 0 {
				l.ticks.add(int32(up), own, len(nodes))
			}
		}
	}
}

// statistics is what finds the distribution of the times of a node.
type statistics struct {
	members  []int
	values   []int64 // by member
	ranked   []int64
	outliers []Outlier
}

// gather finds the times of the members of a node.
func (s *statistics) gather(f *following, node int) {
	s.members, s.values = s.members[:0], s.values[:0]
	for m := range f.MembersOf(node) {
		s.members, s.values = append(s.members, m), append(s.values, f.lanes[m].ticks.at(node))
	}
}

// times returns the distribution of what was gathered.
func (s *statistics) times() (t Times) {
	least, most := 0, 0
	for i, v := range s.values {
		t.Sum = t.Sum.Plus(trace.SumOf(v))
		if v < s.values[least] {
			least = i
		}
		if v > s.values[most] {
			most = i
		}
	}
	t.Least, t.LeastMember = s.values[least], s.members[least]
	t.Most, t.MostMember = s.values[most], s.members[most]
	s.ranked = append(s.ranked[:0], s.values...)
	t.Median = middle(s.ranked)
	for i, v := range s.values {
		s.ranked[i] = max(v, t.Median) - min(v, t.Median)
	}
	t.MedianDeviation = middle(s.ranked)
	return t
}

// middle returns the median of some values, which it puts in another order: of two in the middle, the mean, rounded down.
func middle(list []int64) int64 {
	n := len(list)
	high := order.Nth(list, n/2)
	if n%2 == 1 {
		return high
	}
	low := slices.Max(list[:n/2]) // those before it are not greater
	return low + (high-low)/2
}
