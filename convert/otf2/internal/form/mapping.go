package form

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Mappings are the tables of one location that translate its ids to global ones, by id space.
type Mappings [trace.SpaceLocationGroup + 1]idMap

// NoMappings translates nothing.
var NoMappings Mappings

// mappingTypes are the spaces that have a mapping type. Its number is one less than the space's.
var mappingTypes = map[trace.Space]bool{
	trace.SpaceString: true, trace.SpaceAttribute: true, trace.SpaceLocation: true, trace.SpaceRegion: true,
	trace.SpaceGroup: true, trace.SpaceMetric: true, trace.SpaceComm: true, trace.SpaceParameter: true,
	trace.SpaceRmaWin: true, trace.SpaceSourceCodeLocation: true, trace.SpaceCallingContext: true,
	trace.SpaceInterruptGenerator: true, trace.SpaceIoFile: true, trace.SpaceIoHandle: true,
	trace.SpaceLocationGroup: true,
}

// idMap translates the local ids of one space. Ids that it does not have are global already.
type idMap struct {
	set   bool     // there is a table
	dense []uint64 // by local id
	pairs []IDPair // by local id, those not in dense

	Shared map[uint64]uint64 // by global id with several local ids: the greatest of these; nil if there are none
	Twins  []bool            // of the local ids in dense: whether there are others for the same global id
}

type IDPair struct{ Local, Global uint64 }

func (m *idMap) Global(id uint64) uint64 {
	if id < uint64(len(m.dense)) {
		return m.dense[id]
	}
	return m.search(id)
}

func (m *idMap) search(id uint64) uint64 {
	i, ok := slices.BinarySearchFunc(m.pairs, id, func(p IDPair, id uint64) int {
		return cmp.Compare(p.Local, id)
	})
	if !ok {
		return id
	}
	return m.pairs[i].Global
}

// NewIDMap makes a map of pairs, of which the first counts for each local id. Small ids become an array with at most
// 64 entries more than twice the number of pairs; a hole in it maps an id to itself.
func NewIDMap(pairs []IDPair) idMap {
	slices.SortStableFunc(pairs, func(a, b IDPair) int { return cmp.Compare(a.Local, b.Local) })
	pairs = slices.CompactFunc(pairs, func(a, b IDPair) bool { return a.Local == b.Local })
	m := idMap{set: true}
	n := 0
	for n < len(pairs) && pairs[n].Local < uint64(2*(n+1)+64) {
		for id := uint64(len(m.dense)); id < pairs[n].Local; id++ {
			m.dense = append(m.dense, id)
		}
		m.dense = append(m.dense, pairs[n].Global)
		n++
	}
	m.pairs = pairs[n:]
	return m
}

// add takes over a MappingTable record. Only the first one of its type counts; unknown types do not matter.
// All ids but those of locations have 32 bits.
func (m *Mappings) add(words []uint64) (known bool) {
	const before = 3 // mappingType, mode, n
	space := words[0] + 1
	if space >= uint64(len(m)) || m[space].set {
		return false
	}
	mask := uint64(Undefined32)
	if trace.Space(space) == trace.SpaceLocation {
		mask = trace.Undefined
	}
	pairs := make([]IDPair, 0, words[2])
	for i := before; i < len(words); i += 2 {
		if words[i] <= mask { // no record can name any other, so none can be written
			pairs = append(pairs, IDPair{words[i], words[i+1] & mask})
		}
	}
	m[space] = NewIDMap(pairs)
	m[space].FindTwins()
	return true
}

// Modes of mapping tables: a dense one has the global ids of the local ids 0, 1, 2 ..., a sparse one pairs.
const (
	MapDense  = 0
	MapSparse = 1
)
