package summary

import (
	"github.com/pandotrace/pando/store/internal/read"
)

// items returns the spanning calls of nodes that go on in the path and are in no vector, ordered by place and ordinal.
func (q *SummaryQuery) items(lane uint32, nodes []CoveredNode) (found []*read.SpanItem, err error) {
	for i := range nodes {
		n := &nodes[i]
		if found, err = q.AddItems(found, n.Node, lane, func(first, last uint64) bool {
			return first < q.path.End && last >= q.path.First && !n.Has(first, last)
		}); err != nil {
			return nil, err
		}
	}
	return found, nil
}
