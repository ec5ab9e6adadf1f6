package slog2

import (
	"math"

	"github.com/pandotrace/pando/convert/mpe"
)

// Topologies of categories.
const (
	topologyEvent = 0
	topologyState = 1
	topologyArrow = 2
)

// messageCategory is the category of messages, whose cargo is tag and size.
const messageCategory = 0

// category is a kind of drawables.
type category struct {
	index                int32
	name                 string
	topology             int32
	color                uint32 // ARGB
	modifiable, width    byte
	labels               []string
	letters              []byte
	methods              []int32
	inclusive, exclusive float64 // ratios
	count                int64
	listed               bool // it stands in the file
	layout               *mpe.Layout
	isState, isMark      bool // there are states of it, there are arrows or events of it
	crosses, numbered    bool // its states are no calls; nor intervals, but arrows from a line to itself
}

// isMessage reports whether arrows of the category are messages, whose cargo is tag and size.
func (c *category) isMessage() bool { return c.index == messageCategory && string(c.letters) == "dd" }

// Sizes of what repeats, at least, in bytes.
const (
	leastCategory = 4 + 2 + 4 + 4 + 1 + 1 + 2 + 2 + 2 + 4 + 4 + 8
	leastMap      = 2 + 4 + 4 + 2
)

// readCategories reads the block of categories.
func (in *input) readCategories(p pointer) ([]*category, error) {
	w := in.section(p.at, int64(p.size))
	list := make([]*category, w.count32(leastCategory))
	for i := range list {
		c := &category{index: w.int32(), name: w.text(), topology: w.int32(), color: uint32(w.int32()), modifiable: w.byte(), width: w.byte(), listed: true}
		for range w.count16(2) {
			c.labels = append(c.labels, w.text())
		}
		c.letters = append(c.letters, w.take(w.count16(1))...)
		for range w.count16(4) {
			c.methods = append(c.methods, w.int32())
		}
		c.inclusive, c.exclusive, c.count = w.float32(), w.float32(), w.int64()
		list[i] = c
	}
	if w.err == nil && w.left() > 0 {
		w.fail("%d bytes behind the categories", w.left())
	}
	return list, w.err
}

// lineMap is a view: what stands in some columns for each line.
type lineMap struct {
	title   string
	columns []string
	lines   []int32
	values  []int32 // of the columns, line by line
	methods []int32
}

// readLineMaps reads the block of line maps.
func (in *input) readLineMaps(p pointer) ([]lineMap, error) {
	w := in.section(p.at, int64(p.size))
	maps := make([]lineMap, w.count32(leastMap))
	for i := range maps {
		m := &maps[i]
		m.title = w.text()
		columns := w.count32(2)
		for range columns {
			m.columns = append(m.columns, w.text())
		}
		rows := w.count32(4 + 4*int64(columns))
		for range rows {
			m.lines = append(m.lines, w.int32())
			for range columns {
				m.values = append(m.values, w.int32())
			}
		}
		for range w.count16(4) {
			m.methods = append(m.methods, w.int32())
		}
	}
	if w.err == nil && w.left() > 0 {
		w.fail("%d bytes behind the line maps", w.left())
	}
	return maps, w.err
}

// column returns the number of a column, -1 if the view does not have it.
func (m *lineMap) column(label string) int {
	for i, c := range m.columns {
		if c == label {
			return i
		}
	}
	return -1
}

// value returns what stands in a column of a row; math.MinInt32 if there is no such column.
func (m *lineMap) value(row, column int) int32 {
	if column < 0 {
		return math.MinInt32
	}
	return m.values[row*len(m.columns)+column]
}

// numbers gives the numbers of a file indices.
type numbers struct {
	dense  []int32 // index + 1, by number
	sparse map[int32]int32
}

// denseNumbers bounds the table: other numbers go into the map.
const denseNumbers = 1 << 16

func (n *numbers) get(number int32) (index int32, ok bool) {
	if uint32(number) < uint32(len(n.dense)) {
		i := n.dense[number] - 1
		return i, i >= 0
	}
	index, ok = n.sparse[number]
	return index, ok
}

func (n *numbers) put(number, index int32) {
	if uint32(number) >= denseNumbers {
		if n.sparse == nil {
			n.sparse = map[int32]int32{}
		}
		n.sparse[number] = index
		return
	}
	for int(number) >= len(n.dense) {
		n.dense = append(n.dense, 0)
	}
	n.dense[number] = index + 1
}
