package report

import (
	"errors"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/analysis/waits"
)

// TooLarge reports whether an error says that an analysis takes more memory than it may.
func TooLarge(err error) bool {
	var memory *calltree.MemoryError
	var groups *cluster.MemoryError
	var underWay *waits.MemoryError
	return errors.As(err, &memory) || errors.As(err, &groups) || errors.As(err, &underWay) || errors.Is(err, fold.ErrMemory)
}
