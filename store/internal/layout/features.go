package layout

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Features are the optional features of a trace's file.
func Features(meta *trace.Meta) uint64 {
	if meta.Loss == nil {
		return 0
	}
	return format.OptionalLoss
}
