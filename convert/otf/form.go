package otf

import "github.com/pandotrace/pando/trace"

// what says what stands in a field.
type what uint8

const (
	number32 what = iota
	number64
	quoted  // a string
	numbers // a list of numbers, each with a comma behind it
)

// field is a part of a record: a keyword, unless it is the first part of some, and a value.
type field struct {
	what what
	// name is the long keyword; keys are all spellings: long, short, and of old versions.
	name string
	keys []uint64
	// dot says that a full stop stands before the value.
	dot      bool
	optional bool
	// source marks the source location, which is not among a record's words: it becomes an attribute.
	source bool
	// again marks a field that may stand twice; this one counts.
	again bool
	// fused are the keywords of an empty list with that of the next field right behind it.
	fused []uint64
	// slot is where the value goes, among those of the record.
	slot uint8
	// plain marks nothing but a number; bits is the width of numbers.
	plain bool
	bits  uint8
}

// matches reports whether a keyword is the field's.
func (f *field) matches(key uint64) bool {
	for _, k := range f.keys {
		if k == key {
			return true
		}
	}
	return false
}

// number is a field with a number of 32 bits.
func number(spellings ...string) field { return newField(number32, spellings) }

// large is a field with a number of 64 bits.
func large(spellings ...string) field { return newField(number64, spellings) }

// str is a field with a string.
func str(spellings ...string) field { return newField(quoted, spellings) }

// listOf is a field with a list of numbers.
func listOf(spellings ...string) field { return newField(numbers, spellings) }

func newField(w what, spellings []string) field {
	f := field{what: w}
	for i, s := range spellings {
		if i == 0 {
			f.name = s
		}
		f.keys = append(f.keys, keyOf(s))
	}
	return f
}

func optional(f field) field { f.optional = true; return f }
func again(f field) field    { f.again, f.optional = true, true; return f }
func dotted(f field) field   { f.dot = true; return f }
func position(f field) field { f.source, f.optional = true, true; return f }

// Fields that many records have.
var (
	tokenField   = number()
	instantField = large()

	nameField      = str("NAME", "NM", "N")
	groupField     = number("GROUP", "G")
	commField      = number("COMM", "C")
	tagField       = number("TAG", "T")
	rootField      = number("ROOT", "RT")
	handleField    = large("HANDLEID", "H")
	matchIDField   = large("MATCHID", "MI")
	operationField = number("OPERATION", "OP")
	transferField  = large("BYTES", "B")
	durationField  = large("DUR", "D")
	valueField     = large("VALUE", "V")
	originField    = large("OTIME", "O")
	sentField      = large("SENT", "S")
	receivedField  = large("RECVD", "R")
	numSentField   = large("NUMSENT", "NS")
	numRecvdField  = large("NUMRECVD", "NR")
	countField     = large("COUNT", "N", "C")
	exclusiveField = large("EXCL", "E")
	inclusiveField = large("INCL", "I")
	processField   = number("PROCESS", "P")
	sourceField    = number("SCL", "X", "S")
	membersField   = listOf("MEMBERS", "M")
	kindField      = number("TYPE", "Y", "T")
	positionField  = position(sourceField)
)

// form is a kind of record as it stands in a file.
type form struct {
	long, short string
	// kind is the kind that the record becomes, word by word; do makes of it what else it becomes.
	kind   trace.Kind
	do     func(r *reader, f *form)
	fields []field
	// snapshot marks records of snapshots, which may stand among events.
	snapshot bool
	spec     *trace.Spec // of kind
}

// grammar is what the records of one sort of file are.
type grammar struct {
	// slots is a hash table of all keywords, with linear probing.
	slots [1 << slotBits]slot
	// unknown is the kind of lines that are not known.
	unknown trace.Kind
	// definitions have the number of their stream before their own words.
	definitions bool
	// snapshots says that all records are those of snapshots.
	snapshots bool
}

// timed reports whether files have time stamps and processes.
func (g *grammar) timed() bool { return g.unknown != trace.KindUnknownDefinition }

const slotBits = 8

type slot struct {
	key     uint64
	keyword string
	form    *form
}

func newGrammar(unknown trace.Kind, lists ...[]form) *grammar {
	g := &grammar{unknown: unknown, snapshots: true}
	for _, forms := range lists {
		for i := range forms {
			f := &forms[i]
			f.spec = trace.Standard.Spec(f.kind)
			g.snapshots = g.snapshots && f.snapshot
			g.definitions = f.spec != nil && f.spec.Field("stream") == 0
			f.fuse()
			f.assign()
			g.add(f.long, f)
			g.add(f.short, f)
		}
	}
	return g
}

func (g *grammar) add(keyword string, f *form) {
	i := hash(keyOf(keyword))
	for g.slots[i].form != nil {
		i = (i + 1) % len(g.slots)
	}
	g.slots[i] = slot{keyOf(keyword), keyword, f}
}

// hash returns where in the slots a key belongs.
func hash(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> (64 - slotBits)) }

// form returns the form of a record's keyword, nil if it has none.
func (g *grammar) form(key uint64, keyword []byte) *form {
	for i := hash(key); g.slots[i].form != nil; i = (i + 1) % len(g.slots) {
		if s := &g.slots[i]; s.key == key && s.keyword == string(keyword) {
			return s.form
		}
	}
	return nil
}

// maxSlots is the number of values that the largest record has.
const maxSlots = 9

// assign gives fields their slots. A field that stands twice has one.
func (f *form) assign() {
	slots := map[string]uint8{}
	next := uint8(0)
	for i := range f.fields {
		fd := &f.fields[i]
		fd.plain = fd.what <= number64 && !fd.dot && !fd.source
		fd.bits = 32
		if fd.what == number64 {
			fd.bits = 64
		}
		switch {
		case fd.again:
			fd.slot = slots[fd.name]
		case !fd.source:
			fd.slot = next
			slots[fd.name] = next
			next++
		}
	}
}

// fuse notes how empty lists run into the keyword of the next field.
func (f *form) fuse() {
	for i := range f.fields {
		if l := &f.fields[i]; l.what == numbers && i+1 < len(f.fields) {
			l.fused = nil
			next := &f.fields[i+1]
			for _, first := range l.keys {
				for _, second := range next.keys {
					l.fused = append(l.fused, first<<(5*lettersIn(second))|second)
				}
			}
		}
	}
}

// lettersIn returns the number of letters of a key.
func lettersIn(key uint64) (n int) {
	for ; key > 0; key >>= 5 {
		n++
	}
	return n
}
