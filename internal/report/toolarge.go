package report

import (
	"errors"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/analysis/fold"
)

// TooLarge reports whether an error says that an analysis takes more memory than it may.
func TooLarge(err error) bool {
	var memory *calltree.MemoryError
	var groups *cluster.MemoryError
	return errors.As(err, &memory) || errors.As(err, &groups) || errors.Is(err, fold.ErrMemory)
}
