package report

import (
	"errors"

	"github.com/pandotrace/pando/analysis/calltree"
)

// TooLarge reports whether an error says that an analysis takes more memory than it may.
func TooLarge(err error) bool {
	var memory *calltree.MemoryError
	return errors.As(err, &memory)
}
