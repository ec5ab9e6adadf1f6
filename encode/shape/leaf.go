package shape

import (
	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/trace"
)

// Class says what an event means to the call stack.
type Class uint8

const (
	// Point is an event that neither enters nor leaves a call.
	Point Class = iota
	// Enter and Leave are those of regions.
	Enter
	// Leave closes the nearest open call of its region.
	Leave
	// ContextEnter and ContextLeave are those of calling contexts.
	ContextEnter
	// ContextLeave closes the nearest open call of its calling context.
	ContextLeave
	// Send is the sending end of a message, Receive the receiving one.
	Send
	// Receive is the receiving end of a message.
	Receive
)

func classOf(k trace.Kind) Class {
	switch k {
	case trace.KindEnter:
		return Enter
	case trace.KindLeave:
		return Leave
	case trace.KindCallingContextEnter:
		return ContextEnter
	case trace.KindCallingContextLeave:
		return ContextLeave
	case trace.KindMpiSend, trace.KindMpiIsend:
		return Send
	case trace.KindMpiRecv, trace.KindMpiIrecv:
		return Receive
	}
	return Point
}

// Leaf is a shape without children: everything about an event that does not vary.
type Leaf struct {
	Kind  trace.Kind
	Class Class
	// Key is the region or calling context of enters and leaves, the first key field of other events, 0 if none.
	Key uint64
	// Relative says that the first word, a peer's rank, stands relative to the location's own; see OwnRank.
	Relative bool
	// Words are the event's words; those of value fields are 0.
	Words []uint64
	// Attrs are the event's attributes with Value 0.
	Attrs []trace.Attr
	// TimeColumn is the value column of the time differences; the one after it is that of differences in ticks of a
	// clock's lattice.
	TimeColumn uint32
	// Slots are the event's other values, in order.
	Slots []Slot
}

// Slot is one varying value of a leaf.
type Slot struct {
	// Word is the index among the event's words; those of the attributes follow on.
	Word   uint32
	Column uint32
	Mode   SlotMode
}

// SlotMode says how a value is coded.
type SlotMode uint8

const (
	// Predicted values are coded as what they depart from a prediction.
	Predicted SlotMode = iota
	// Time values are coded as the zigzag difference to the event's own time.
	Time
	// Text values are lengths; the bytes follow each other in the slice's text.
	Text
)

// ResidualColumn is the column of source-time residuals; every dictionary has it.
const ResidualColumn = 0

// A dictionary has as many columns as a model has contexts, at most. The last three are shared by all leaves that need a column when
// the others are given out: two by times, one by other values.
const (
	// SharedTimes is the shared column of time differences; the next one is that of tick counts.
	SharedTimes = column.MaxContexts - 3
	// SharedValues is the shared column of other values.
	SharedValues = column.MaxContexts - 1
)

// columnKey identifies a value column. Columns are numbered in the order in which leaves first need them.
type columnKey struct {
	kind  trace.Kind
	field int16           // index of the field; TimeField, attrField
	typed trace.ValueType // of attributes, and of values whose type stands before them
	elem  uint32          // repetition of the repeated group
	key   uint64          // key field, or the attribute's id
}

// ColumnInfo is what is known of a value column.
type ColumnInfo struct {
	Kind   trace.Kind // of the events
	Field  int        // index of the field; TimeField for times, another negative number for attributes
	Key    uint64     // key field of the events, or the attribute's id
	Name   string     // of the field; empty for attributes
	Mode   SlotMode
	Double bool // values are the bits of doubles
	Group  trace.ColumnGroup
}

// GroupOf returns the group of a column, of which there may be no information as it is shared.
func GroupOf(infos []ColumnInfo, column uint32) trace.ColumnGroup {
	switch {
	case int(column) < len(infos):
		return infos[column].Group
	case column == SharedTimes || column == SharedTimes+1:
		return trace.ColumnTimes
	}
	return trace.ColumnOthers
}

// TimeField takes the place of a field's index for columns of times.
const TimeField = -1

const attrField = -2

// plan says for one kind which words are structural.
type plan struct {
	spec                 *trace.Spec
	before, group, after int
	keyWord              int // index of the first key field, -1 if none
	countWord            int // index of the field that counts the repeated group, -1 if none
	structural           []bool
	allStructural        bool
	values               trace.ColumnGroup
}

func newPlan(spec *trace.Spec) *plan {
	p := &plan{spec: spec, keyWord: -1, countWord: -1, allStructural: true, values: spec.ColumnGroup()}
	p.before, p.group, p.after = spec.Shape()
	for i, f := range spec.Fields {
		s := f.Role == trace.Structural && !f.Type.InText()
		p.structural = append(p.structural, s)
		p.allStructural = p.allStructural && s
		if f.Key && p.keyWord < 0 && i < p.before {
			p.keyWord = i
		}
		if f.Type == trace.TypeCount && p.countWord < 0 && i < p.before {
			p.countWord = i
		}
	}
	return p
}

// hasPeer reports whether the first word is a rank that may be relative to the location's own: it is none any more if it is demoted.
func (p *plan) hasPeer() bool { return p.spec.HasPeer() && p.structural[0] }

// fits reports whether words make a record of the kind.
func (p *plan) fits(words []uint64) bool {
	rest := len(words) - p.before - p.after
	if p.group == 0 {
		return rest == 0
	}
	return rest >= 0 && rest%p.group == 0 && p.countWord >= 0 && words[p.countWord] == uint64(rest/p.group)
}

// field returns the index of the field that word w of a record of n words belongs to, and its repetition.
func (p *plan) field(w, n int) (field, elem int) {
	switch {
	case w < p.before || p.group == 0:
		return w, 0
	case w >= n-p.after:
		return len(p.structural) - (n - w), 0
	}
	return p.before + (w-p.before)%p.group, (w - p.before) / p.group
}

// template appends the record's words with 0 in place of values.
func (p *plan) template(dst, words []uint64) []uint64 {
	if p.allStructural {
		return append(dst, words...)
	}
	for w, v := range words {
		if f, _ := p.field(w, len(words)); !p.structural[f] {
			v = 0
		}
		dst = append(dst, v)
	}
	return dst
}

func (p *plan) key(words []uint64) uint64 {
	if p.keyWord < 0 {
		return 0
	}
	return words[p.keyWord]
}
