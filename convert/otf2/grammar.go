package otf2

import "github.com/pandotrace/pando/trace"

// Ids of records that all chunked files share.
const (
	idEndOfChunk  = 0
	idEndOfBuffer = 1
	idEndOfFile   = 2
	idChunk       = 3
	firstID       = 4 // of what is no mark
	// idTime and idAttributes are ordinary records in files without time.
	idTime       = 5
	idAttributes = 6
)

// grammar is what the records of one sort of file are.
type grammar struct {
	layouts [256]*layout   // by record id
	ids     [lastKind]byte // by kind; 0 for those of other files
	unknown trace.Kind     // for records without a layout
	rest    trace.Kind     // for what a record has besides its fields
	// timed files have time stamps and attribute lists.
	timed bool
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
	// lastKind is behind all kinds of OTF2.
	lastKind = baseMarker + lastOther + 1
)

var (
	eventGrammar = newGrammar(trace.KindUnknownEvent, true).add(baseEvent, 10, lastEvent, true).addSingles()

	snapshotGrammar   = newGrammar(trace.KindUnknownSnapshot, true).add(baseSnapshot, 10, lastOther, false)
	definitionGrammar = newGrammar(trace.KindUnknownDefinition, false).add(baseDefinition, 5, lastOther, false)
	localGrammar      = newGrammar(trace.KindUnknownDefinition, false).
				add(baseLocal, 5, 9, false).add(baseDefinition, 10, lastOther, false)
	markerGrammar    = newGrammar(trace.KindUnknownDefinition, false).add(baseMarker, 5, 9, false)
	thumbnailGrammar = newGrammar(trace.KindUnknownDefinition, false).add(baseMarker, 10, lastOther, false)
)

func newGrammar(unknown trace.Kind, timed bool) *grammar {
	return &grammar{unknown: unknown, rest: unknown + 1, timed: timed}
}

// add gives layouts to the records of ids first to last, as far as the table has kinds for them.
func (g *grammar) add(base trace.Kind, first, last int, mapped bool) *grammar {
	for id := first; id <= last; id++ {
		if spec := trace.Standard.Spec(base + trace.Kind(id)); spec != nil {
			g.layouts[id] = newLayout(spec, quirks[spec.ID], mapped)
			g.ids[spec.ID] = byte(id)
		}
	}
	return g
}

// idOf returns the record id of a kind, 0 if such files have no records of it.
func (g *grammar) idOf(kind trace.Kind) byte {
	if kind >= lastKind {
		return 0
	}
	return g.ids[kind]
}

// isUnknown reports whether records of an id are such that nothing is known of them.
func (g *grammar) isUnknown(id uint64) bool {
	return id >= firstID && id <= 0xff && g.layouts[id] == nil && !(g.timed && (id == idTime || id == idAttributes))
}

func (g *grammar) addSingles() *grammar {
	for _, k := range singles {
		l := g.layouts[k-baseEvent]
		l.single = true
	}
	return g
}
