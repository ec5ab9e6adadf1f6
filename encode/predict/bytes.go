package predict

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
)

// Flags of predictions, besides the source.
const (
	sharingFlag = 4 << iota
	unitFlag
	doubleFlag
	unsignedFlag
	periodFlag
	predictionFlags
)

// Append appends
//
//	uvarint  number of predictions
//	each     uvarint column - the one before (the first: column),
//	         byte source + 4 if it shares the memory of another column + 8 if it has a unit + 16 if values are doubles + 32 if
//	         departures are unsigned + 64 if it has a period,
//	         varint rate for the sources 2 and 3, uvarint column - other column for source 3 and if it shares,
//	         uvarint unit - 2 if it has one, uvarint divisor - 1 if values are doubles, uvarint period - 2^41 if it has one
func Append(dst []byte, all []Prediction) []byte {
	dst = format.AppendUvarint(dst, uint64(len(all)))
	before := uint32(0)
	for i := range all {
		p := &all[i]
		dst = format.AppendUvarint(dst, uint64(p.Column-before))
		before = p.Column
		dst = append(dst, p.form())
		if p.Source >= FromTime {
			dst = format.AppendVarint(dst, p.Rate)
		}
		if p.Source == FromColumn || p.Sharing() {
			dst = format.AppendUvarint(dst, uint64(p.Column-p.Other))
		}
		if p.Unit > 1 {
			dst = format.AppendUvarint(dst, p.Unit-2)
		}
		if p.Divisor > 0 {
			dst = format.AppendUvarint(dst, p.Divisor-1)
		}
		if p.Period > 0 {
			dst = format.AppendUvarint(dst, uint64(p.Period-minPeriod))
		}
	}
	return dst
}

func (p *Prediction) form() byte {
	return byte(p.Source) + bitio.FromBool(p.Sharing())*sharingFlag + bitio.FromBool(p.Unit > 1)*unitFlag + bitio.FromBool(p.Divisor > 0)*doubleFlag + bitio.FromBool(p.Unsigned)*unsignedFlag +
		bitio.FromBool(p.Period > 0)*periodFlag
}

// Read reads what Append wrote.
func Read(r *format.Decoder) []Prediction {
	all := make([]Prediction, r.Count(2, shape.SharedTimes))
	before := uint64(0)
	for i := range all {
		step := r.Uvarint()
		before += step
		if step >= shape.SharedTimes || before >= shape.SharedTimes || i > 0 && step == 0 {
			r.Fail("bad column of a prediction")
			return nil
		}
		all[i] = readPrediction(r, uint32(before))
	}
	checkSharing(r, all)
	return all
}

func readPrediction(r *format.Decoder, column uint32) Prediction {
	form := r.Byte()
	p := Prediction{Column: column, Source: Source(form & 3), Other: column, Unit: 1, Unsigned: form&unsignedFlag != 0}
	if form == 0 || form >= predictionFlags {
		r.Fail("form %#x of a prediction", form)
	}
	if p.Source >= FromTime {
		p.Rate = r.Varint()
	}
	if p.Source == FromColumn || form&sharingFlag != 0 {
		step := r.Int(int(column))
		p.Other = column - uint32(step)
		if step == 0 || p.Other == shape.ResidualColumn {
			r.Fail("a prediction from column %d", p.Other)
		}
	}
	if form&sharingFlag != 0 && p.Source != FromBefore {
		r.Fail("a memory is shared for source %d", p.Source)
	}
	if form&unitFlag != 0 {
		p.Unit = uint64(r.Int(1<<62)) + 2
	}
	if form&doubleFlag != 0 {
		p.Divisor = uint64(r.Int(maxDivisor-1)) + 1
	}
	if form&periodFlag != 0 {
		p.Period = readPeriod(r, &p, form)
	}
	return p
}

// readPeriod reads the period of a prediction, and refuses one of a form that has none.
func readPeriod(r *format.Decoder, p *Prediction, form byte) column.Period {
	period := column.Period(r.Int(int(column.MaxPeriod-minPeriod)+1)) + minPeriod
	if form&(sharingFlag|unitFlag|doubleFlag|unsignedFlag) != 0 || p.Source == FromNothing {
		r.Fail("a period with form %#x of a prediction", form)
	}
	return period
}

// checkSharing refuses the memory of a column that is not predicted from its value before, has none itself, or is on a lattice; and as a clock,
// a column that has no memory itself.
func checkSharing(r *format.Decoder, all []Prediction) {
	for i := range all {
		p := &all[i]
		at, ok := slices.BinarySearchFunc(all[:i], p.Other, func(q Prediction, column uint32) int { return cmp.Compare(q.Column, column) })
		switch {
		case !ok:
		case p.Sharing() && (all[at].Source != FromBefore || all[at].Sharing() || all[at].Period > 0):
			r.Fail("column %d shares the memory of column %d", p.Column, p.Other)
		case p.Source == FromColumn && all[at].Sharing():
			r.Fail("column %d is predicted from column %d, which has no memory of its own", p.Column, p.Other)
		}
	}
}

// Check returns what is wrong with predictions, "" if nothing is: all, and what they predict from, are of columns that are predicted, and
// none needs values of a group that is read later. Columns with one memory are of one group, others are predicted from columns of their
// own group or of one before.
func (s *Set) Check(infos []shape.ColumnInfo) string {
	predicted := func(column uint32) bool { return int(column) < len(infos) && infos[column].Mode == shape.Predicted }
	for i := range s.All {
		q := &s.All[i]
		if !predicted(q.Column) || !predicted(q.Other) {
			return "a prediction of a column that has none"
		}
		group, other := infos[q.Column].Group, infos[q.Other].Group
		if other > group || q.Sharing() && other < group {
			return "a prediction that needs another group of values"
		}
	}
	return ""
}
