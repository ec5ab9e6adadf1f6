package records

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// ExtensionLoss is the tag of the extension of the meta block that says how much less the trace tells than the one it was made of.
const ExtensionLoss = 2

// appendLoss appends how much less a trace tells than its original:
//
//	uvarint  number of bounds, by class, metric and member
//	each     byte class (0: times, 1: member of a metric), uvarint metric, uvarint member, uvarint bound, uvarint cell, uvarint offset
//	bytes    fingerprint of the original; empty if it is not known
func appendLoss(dst []byte, l *trace.Loss) []byte {
	dst = format.AppendUvarint(dst, uint64(len(l.Bounds)))
	for _, b := range l.Bounds {
		dst = append(dst, byte(b.Class))
		for _, v := range []uint64{b.Metric, b.Member, b.Bound, b.Cell, b.Offset} {
			dst = format.AppendUvarint(dst, v)
		}
	}
	return format.AppendBytes(dst, l.Original)
}

func readLoss(b []byte) (*trace.Loss, error) {
	d := format.NewDecoder("meta block", b)
	l := &trace.Loss{Bounds: make([]trace.Bound, d.Count(6, 1<<20))}
	for i := range l.Bounds {
		l.Bounds[i] = trace.Bound{Class: trace.LossClass(d.Byte()), Metric: d.Uvarint(), Member: d.Uvarint(), Bound: d.Uvarint(), Cell: d.Uvarint(), Offset: d.Uvarint()}
	}
	l.Original = append(l.Original, d.Bytes()...)
	if err := d.Finish(); err != nil {
		return nil, err
	}
	if err := l.Check(); err != nil {
		return nil, format.Corruptf("meta block", -1, "loss: %v", err)
	}
	return l, nil
}
