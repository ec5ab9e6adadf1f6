package form

import (
	"github.com/pandotrace/pando/trace"
)

// Ids of records that all chunked files share.
const (
	IdEndOfChunk  = 0
	IdEndOfBuffer = 1
	IdEndOfFile   = 2
	IdChunk       = 3
	firstID       = 4 // of what is no mark
	// IdTime and idAttributes are ordinary records in files without time.
	IdTime       = 5
	IdAttributes = 6
)

// Grammar is what the records of one sort of file are.
type Grammar struct {
	Layouts [256]*Layout   // by record id
	ids     [LastKind]byte // by kind; 0 for those of other files
	Unknown trace.Kind     // for records without a layout
	Rest    trace.Kind     // for what a record has besides its fields
	// Timed files have time stamps and attribute lists.
	Timed bool
}

// The kinds of package trace have the record id plus a base that tells the sort of file; ids that are not OTF2's are those of
// other kinds.
const (
	baseEvent      = trace.KindEnter - 12
	baseDefinition = trace.KindString - 10
	baseLocal      = trace.KindMappingTable - 5
	baseSnapshot   = trace.KindSnapshotStart - 10
	baseMarker     = trace.KindDefMarker - 5

	lastEvent = 95
	lastOther = 63
	// LastKind is behind all kinds of OTF2.
	LastKind = baseMarker + lastOther + 1
)

var (
	EventGrammar = newGrammar(trace.KindUnknownEvent, true).add(baseEvent, 10, lastEvent, true).addSingles()

	SnapshotGrammar   = newGrammar(trace.KindUnknownSnapshot, true).add(baseSnapshot, 10, lastOther, false)
	DefinitionGrammar = newGrammar(trace.KindUnknownDefinition, false).add(baseDefinition, 5, lastOther, false)
	LocalGrammar      = newGrammar(trace.KindUnknownDefinition, false).
				add(baseLocal, 5, 9, false).add(baseDefinition, 10, lastOther, false)
	MarkerGrammar    = newGrammar(trace.KindUnknownDefinition, false).add(baseMarker, 5, 9, false)
	ThumbnailGrammar = newGrammar(trace.KindUnknownDefinition, false).add(baseMarker, 10, lastOther, false)
)

func newGrammar(unknown trace.Kind, timed bool) *Grammar {
	return &Grammar{Unknown: unknown, Rest: unknown + 1, Timed: timed}
}

// add gives layouts to the records of ids first to last whose kinds are in the table.
func (g *Grammar) add(base trace.Kind, first, last int, mapped bool) *Grammar {
	for id := first; id <= last; id++ {
		if spec := trace.Standard.Spec(base + trace.Kind(id)); spec != nil {
			g.Layouts[id] = newLayout(spec, quirks[spec.ID], mapped)
			g.ids[spec.ID] = byte(id)
		}
	}
	return g
}

// IdOf returns the record id of a kind, 0 if such files have no records of it.
func (g *Grammar) IdOf(kind trace.Kind) byte {
	if kind >= LastKind {
		return 0
	}
	return g.ids[kind]
}

// IsUnknown reports whether records of an id are such that nothing is known of them.
func (g *Grammar) IsUnknown(id uint64) bool {
	return id >= firstID && id <= 0xff && g.Layouts[id] == nil && !(g.Timed && (id == IdTime || id == IdAttributes))
}

func (g *Grammar) addSingles() *Grammar {
	for _, k := range singles {
		l := g.Layouts[k-baseEvent]
		l.Single = true
	}
	return g
}
