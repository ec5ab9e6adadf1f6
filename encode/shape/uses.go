package shape

import (
	"github.com/pandotrace/pando/trace"
)

// UseOf says what the values of a column are.
type UseOf uint8

const (
	// UseShared is what the columns hold that are shared when all others are given out; or nothing.
	UseShared UseOf = iota
	// UseTime is the time of events of a kind.
	UseTime
	// UseField is a field of events of a kind.
	UseField
	// UseAttribute is the values of attributes.
	UseAttribute
	// UseResidual is the residuals of source times.
	UseResidual
)

// ColumnUse says what a column is for. Kind and Field, the field's index, are 0 where they mean nothing.
type ColumnUse struct {
	Of    UseOf
	Kind  trace.Kind
	Field int
}

// Uses returns what each column is for.
func (d *Dictionary) Uses() []ColumnUse {
	uses := make([]ColumnUse, d.Columns())
	uses[ResidualColumn] = ColumnUse{Of: UseResidual}
	for i := range d.leaves.len() {
		l := d.leaves.leaf(uint32(i))
		uses[l.TimeColumn] = ColumnUse{Of: UseTime, Kind: l.Kind}
		uses[l.TimeColumn+1] = uses[l.TimeColumn]
		for _, s := range l.Slots {
			uses[s.Column] = d.useOf(&l, s)
		}
	}
	for c := SharedTimes; c < len(uses); c++ {
		uses[c] = ColumnUse{Of: UseShared}
	}
	return uses
}

func (d *Dictionary) useOf(l *Leaf, s Slot) ColumnUse {
	if int(s.Word) >= len(l.Words) {
		return ColumnUse{Of: UseAttribute}
	}
	field, _ := d.plans[l.Kind].field(int(s.Word), len(l.Words))
	return ColumnUse{Of: UseField, Kind: l.Kind, Field: field}
}
