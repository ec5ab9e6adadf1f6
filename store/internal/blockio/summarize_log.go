package blockio

import (
	"github.com/pandotrace/pando/index"
)

// RowSpace is memory for rows that all end at once.
type RowSpace struct{ Rows []index.Row }
