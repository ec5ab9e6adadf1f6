package slice

import (
	"slices"

	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/shape"
)

// choosePredictions chooses predictions for the columns of the drafts of a group, and codes the raw values accordingly. Columns that are best
// coded as differences to the value before are not listed.
func choosePredictions(group []*Draft, columns int, infos []shape.ColumnInfo) []predict.Prediction {
	all := sampleValues(group, infos).Choose()
	for {
		failed := code(group, predict.NewSet(columns, all))
		if len(failed) == 0 {
			return all
		}
		all = slices.DeleteFunc(all, func(p predict.Prediction) bool { return failed[p.Column] || failed[p.Other] })
	}
}

// sampleValues gives the raw values of drafts to a chooser.
func sampleValues(group []*Draft, infos []shape.ColumnInfo) *predict.Chooser {
	totals := make([]int, len(infos))
	for _, d := range group {
		for i := range d.raw {
			if c := d.raw[i].column; int(c) < len(infos) {
				totals[c]++
			}
		}
	}
	c := predict.NewChooser(totals, infos, len(group))
	for _, d := range group {
		c.NextSlice()
		run := 0
		for i := range d.raw {
			for run < len(d.begins) && d.begins[run].raw <= i {
				run++
			}
			r := &d.raw[i]
			c.Add(r.column, r.value, r.time, uint32(run), uint32(i))
		}
	}
	return c
}

// code codes raw values. It returns the columns that have values that their predictions do not allow.
func code(group []*Draft, of predict.Set) (failed map[uint32]bool) {
	var p predict.Predictor
	for _, d := range group {
		d.work()
		d.codes = slices.Grow(d.codes[:0], len(d.raw))
		p.Reset(of)
		run := 0
		for i := range d.raw {
			for ; run < len(d.begins) && d.begins[run].raw <= i; run++ {
				p.NextRun()
			}
			r := &d.raw[i]
			code, ok := r.value, true
			if r.mode == shape.Predicted {
				code, ok = p.Code(r.column, r.value, r.time)
			}
			if !ok {
				if failed == nil {
					failed = map[uint32]bool{}
				}
				failed[r.column] = true
			}
			d.codes = append(d.codes, code)
		}
	}
	return failed
}
