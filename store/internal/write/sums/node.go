package sums

import (
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/write/nodes"
)

// nodeSummary makes the tables of one lane of a node.
type nodeSummary struct {
	logs     *blockio.Logs
	tree     index.Tree
	node     index.Node
	own      *nodes.Totals
	children []child // in their order; those that are missing hold nothing
	count    int     // of children
	space    *summarySpace
	total    totals
	fifths   uint64 // what tables may take, of what they take usually
}

// summarySpace is memory for what the node adds, for the vectors of runs of some length, and for those of the next.
type summarySpace struct{ own, now, later blockio.RowSpace }

// sections makes the tables, and adds up the total of the node.
func (m *nodeSummary) sections() (sections [tables.Parts][]byte, err error) {
	for i := range m.children {
		c := &m.children[i]
		m.total.slices += c.slices
		for part := range m.total.tables {
			m.total.tables[part] += c.tables[part]
			m.total.bad[part] = m.total.bad[part] || c.bad[part]
		}
	}
	for part, bad := range m.own.Bad {
		m.total.bad[part] = m.total.bad[part] || bad
	}
	for part := range tables.Metrics {
		if sections[part], err = m.table(part); err != nil {
			return sections, err
		}
	}
	sections[tables.Metrics], err = m.metricTable()
	for part, table := range sections {
		m.total.tables[part] += uint64(len(table))
	}
	return sections, err
}

// Bound of the bytes of the tables of a part, in thousandths of the bytes of the slices below the node, those of nodes further down
// included. If there are none of those, the vectors of single children, of which there are few, may take more.
var (
	shares      = [tables.Parts]uint64{tables.Calls: 50, tables.Messages: 12, tables.Collectives: 8, tables.Metrics: 30}
	firstShares = [tables.Parts]uint64{tables.Calls: 80, tables.Messages: 20, tables.Collectives: 12, tables.Metrics: 80}
)

// fits reports whether a table is small enough.
func (m *nodeSummary) fits(part tables.Part, power, bytes int) bool {
	share := shares[part]
	if m.node.Level > 1 && power == 0 && m.total.tables[part] == 0 {
		share = firstShares[part]
	}
	return (m.total.tables[part]+uint64(bytes))*1000 <= m.total.slices*share*m.fifths/5
}

// table makes the table of a part with the shortest runs with which it is small enough, nil if there are none.
func (m *nodeSummary) table(part tables.Part) (table []byte, err error) {
	own, err := m.takeOwn(part)
	if err != nil {
		return nil, err
	}
	packed, err := m.childVectors(part)
	if err != nil {
		return nil, err
	}
	if sum, many := m.tooMany(part, own, packed); many {
		m.keepSum(part, sum)
		return nil, nil
	}
	vectors := make([]tables.Vector, len(packed))
	for i := range packed {
		vectors[i] = packed[i].Unpack()
	}
	m.space.now.Empty()
	good := !m.total.bad[part]
	for power := 0; good; power++ {
		good = m.addOwn(own, power, vectors)
		if good && table == nil && (power == 0 || len(vectors) > 1) {
			table = m.encode(part, power, vectors)
		}
		if good && len(vectors) == 1 {
			m.total.vectors[part] = m.logs.Keep(vectors[0].Pack())
			return table, nil
		}
		if good {
			vectors, good = m.halve(vectors)
		}
	}
	m.total.bad[part] = true
	return nil, nil
}

// childVectors takes what the children came to.
func (m *nodeSummary) childVectors(part tables.Part) ([]tables.PackedVector, error) {
	vectors := make([]tables.PackedVector, m.count)
	for i := range m.children {
		packed, err := m.logs.Take(m.children[i].vectors[part])
		if err != nil {
			return nil, err
		}
		vectors[m.children[i].number] = packed
	}
	return vectors, nil
}

// Rows are added up in packed form first where they take at least manyPackedBytes, of which a row takes rowBytes, about: unpacked, they
// take six times as much for each of the steps in which runs are joined.
const (
	manyPackedBytes = 1 << 20
	rowBytes        = 8
)

// tooMany reports whether there are too many rows for any table of the node, and returns what they add up to if so, nil if that is too
// large: however long the runs are, they have no fewer rows than the sum of all. It puts own rows in order.
func (m *nodeSummary) tooMany(part tables.Part, own [][]tables.Row, packed []tables.PackedVector) (sum tables.PackedVector, many bool) {
	bytes := 0
	for _, v := range packed {
		bytes += len(v)
	}
	for _, rows := range own {
		bytes += rowBytes * len(rows)
	}
	if bytes < manyPackedBytes || m.total.bad[part] {
		return nil, false
	}
	all := slices.Clone(packed)
	for place, rows := range own {
		v, ok := tables.SortVector(rows)
		if !ok {
			return nil, true
		}
		own[place] = v
		all = append(all, v.Pack())
	}
	sum, ok := tables.AddPacked(all)
	if !ok {
		return nil, true
	}
	return sum, !m.fits(part, 0, sum.Rows())
}

// keepSum keeps what all that is contained in the node adds up to; nil if that is too large.
func (m *nodeSummary) keepSum(part tables.Part, sum tables.PackedVector) {
	if m.total.bad[part] = sum == nil; sum != nil {
		m.total.vectors[part] = m.logs.Keep(slices.Clone(sum))
	}
}

// takeOwn takes what lies in runs of children, by their places.
func (m *nodeSummary) takeOwn(part tables.Part) ([][]tables.Row, error) {
	m.space.own.Empty()
	return m.own.TakeRows(part, &m.space.own)
}

// addOwn adds what lies in runs of 2^power children but in no shorter ones. It reports false if sums get too large.
func (m *nodeSummary) addOwn(own [][]tables.Row, power int, vectors []tables.Vector) bool {
	for i := range vectors {
		place := nodes.Run{Power: power, Number: i}.Place()
		if place >= len(own) {
			break
		}
		rows, ok := tables.SortVector(own[place])
		switch {
		case !ok:
			return false
		case len(vectors[i]) == 0:
			vectors[i] = rows
		case len(rows) > 0:
			if vectors[i], ok = tables.AddVectors(m.space.now.Take(len(vectors[i])+len(rows)), vectors[i], rows); !ok {
				return false
			}
		}
	}
	return true
}

// halve adds up pairs of vectors.
func (m *nodeSummary) halve(vectors []tables.Vector) (half []tables.Vector, ok bool) {
	rows := 0
	for _, v := range vectors {
		rows += len(v)
	}
	m.space.later.Reserve(rows)
	ok = true
	for i := 0; i < len(vectors) && ok; i += 2 {
		var second tables.Vector
		if i+1 < len(vectors) {
			second = vectors[i+1]
		}
		vectors[i/2], ok = tables.AddVectors(m.space.later.Take(len(vectors[i])+len(second)), vectors[i], second)
	}
	m.space.now, m.space.later = m.space.later, m.space.now
	return vectors[:(len(vectors)+1)/2], ok
}

// encode makes a table of runs of 2^power children, nil if it is too large.
func (m *nodeSummary) encode(part tables.Part, power int, vectors []tables.Vector) []byte {
	rows := 0
	for _, v := range vectors {
		rows += len(v)
	}
	if rows > 0 && !m.fits(part, power, rows) { // a row takes more than a byte
		return nil
	}
	t, ok := tables.NewTable(part, 1<<power, vectors)
	if !ok {
		return nil
	}
	d := t.Draft()
	if rows > 0 && !m.fits(part, power, d.Least()) {
		return nil
	}
	if b := d.Encode(); rows == 0 && m.total.slices > 0 || m.fits(part, power, len(b)) {
		return b
	}
	return nil
}

// metricTable does for metrics what table does for other parts.
func (m *nodeSummary) metricTable() (table []byte, err error) {
	vectors := make([]tables.MetricVector, m.count)
	for i := range m.children {
		vectors[m.children[i].number] = m.children[i].metrics
	}
	if err := m.own.TakeSamples(func(slice uint64, r tables.MetricRow) {
		v := &vectors[m.tree.Child(m.node.Level, m.node.Index, slice)]
		*v = append(*v, r)
	}); err != nil {
		return nil, err
	}
	for i := range vectors {
		vectors[i] = tables.JoinVectors(vectors[i])
	}
	for power := 0; ; power++ {
		if table == nil && (power == 0 || len(vectors) > 1) {
			table = m.encodeMetrics(power, vectors)
		}
		if len(vectors) == 1 {
			m.total.metrics = vectors[0]
			return table, nil
		}
		for i := 0; i < len(vectors); i += 2 {
			vectors[i/2] = tables.JoinVectors(vectors[i:min(i+2, len(vectors))]...)
		}
		vectors = vectors[:(len(vectors)+1)/2]
	}
}

func (m *nodeSummary) encodeMetrics(power int, vectors []tables.MetricVector) []byte {
	rows := 0
	for _, v := range vectors {
		rows += len(v)
	}
	if rows > 0 && !m.fits(tables.Metrics, power, 4*rows) { // a row takes more than four bytes
		return nil
	}
	if b := tables.NewMetricTable(1<<power, vectors).Encode(); rows == 0 && m.total.slices > 0 || m.fits(tables.Metrics, power, len(b)) {
		return b
	}
	return nil
}
