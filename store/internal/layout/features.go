package layout

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
)

// CheckMeta returns an error if a trace's description says what no file may say.
func CheckMeta(meta *trace.Meta) error {
	if meta.Loss != nil {
		if err := meta.Loss.Check(); err != nil {
			return Invalidf("store: %w", err)
		}
	}
	if err := annotation.Check(meta.Annotations); err != nil {
		return Invalidf("store: %w", err)
	}
	return nil
}

// Features are the optional features of a trace's file.
func Features(meta *trace.Meta) (optional uint64) {
	if meta.Loss != nil {
		optional |= format.OptionalLoss
	}
	if len(meta.Annotations) > 0 {
		optional |= format.OptionalAnnotations
	}
	return optional
}
