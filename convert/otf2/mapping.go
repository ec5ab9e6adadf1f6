package otf2

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// mappings are the tables of one location that translate its ids to global ones, by id space.
type mappings [trace.SpaceLocationGroup + 1]idMap

// noMappings translates nothing.
var noMappings mappings

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
	pairs []idPair // by local id, those not in dense

	shared map[uint64]uint64 // by global ids that several local ones stand for: the greatest of those; nil if there are none
	twins  []bool            // of the local ids in dense: whether there are others for the same global id
}

type idPair struct{ local, global uint64 }

func (m *idMap) global(id uint64) uint64 {
	if id < uint64(len(m.dense)) {
		return m.dense[id]
	}
	return m.search(id)
}

func (m *idMap) search(id uint64) uint64 {
	i, ok := slices.BinarySearchFunc(m.pairs, id, func(p idPair, id uint64) int {
		return cmp.Compare(p.local, id)
	})
	if !ok {
		return id
	}
	return m.pairs[i].global
}

// newIDMap makes a map of pairs, of which the first counts for each local id. Small ids become an array with at most
// twice as many entries as there are pairs (and 64), holes in it stand for themselves.
func newIDMap(pairs []idPair) idMap {
	slices.SortStableFunc(pairs, func(a, b idPair) int { return cmp.Compare(a.local, b.local) })
	pairs = slices.CompactFunc(pairs, func(a, b idPair) bool { return a.local == b.local })
	m := idMap{set: true}
	n := 0
	for n < len(pairs) && pairs[n].local < uint64(2*(n+1)+64) {
		for id := uint64(len(m.dense)); id < pairs[n].local; id++ {
			m.dense = append(m.dense, id)
		}
		m.dense = append(m.dense, pairs[n].global)
		n++
	}
	m.pairs = pairs[n:]
	return m
}

// add takes over a MappingTable record. Only the first one of its type counts; unknown types do not matter.
// All ids but those of locations have 32 bits.
func (m *mappings) add(words []uint64) (known bool) {
	const before = 3 // mappingType, mode, n
	space := words[0] + 1
	if space >= uint64(len(m)) || m[space].set {
		return false
	}
	mask := uint64(undefined32)
	if trace.Space(space) == trace.SpaceLocation {
		mask = trace.Undefined
	}
	pairs := make([]idPair, 0, words[2])
	for i := before; i < len(words); i += 2 {
		if words[i] <= mask { // no record can name any other, so none can be written
			pairs = append(pairs, idPair{words[i], words[i+1] & mask})
		}
	}
	m[space] = newIDMap(pairs)
	m[space].findTwins()
	return true
}

// Modes of mapping tables: a dense one has the global ids of the local ids 0, 1, 2 ..., a sparse one pairs.
const (
	mapDense  = 0
	mapSparse = 1
)

// mappingTable reads the payload of a MappingTable: type, number, mode, and ids as the mode says. The words have the
// mode before the number and always pairs.
func (d *decoder) mappingTable(b *trace.Batch) {
	mappingType, n, mode := d.byte(), d.compressed(8), d.byte()
	if mode != mapDense && mode != mapSparse {
		d.fail("a mapping table of unknown mode %d", mode)
		return
	}
	perEntry := 1 + int(mode)
	count := d.times(n, perEntry)
	b.Words = append(b.Words, mappingType, mode, uint64(count))
	for i := range uint64(count) {
		local := i
		if mode == mapSparse {
			local = d.compressed(8)
		}
		b.Words = append(b.Words, local, d.compressed(8))
	}
}

// mappingTableBound is the size of the payload of a MappingTable, in bytes.
func mappingTableBound(words []uint64) int {
	var e encoder
	e.mappingTable(words)
	return len(e.data)
}
