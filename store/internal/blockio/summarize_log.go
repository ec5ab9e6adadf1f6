package blockio

import (
	"github.com/pandotrace/pando/index/tables"
)

// RowSpace is memory for rows that all end at once.
type RowSpace struct{ Rows []tables.Row }
