package encode

import (
	"math/bits"

	"github.com/pandotrace/pando/format"
)

// # Models
//
// A model assigns a table to each of its contexts:
//
//	uvarint contexts, uvarint tables
//	for each context:  uvarint number of its table
//	for each table:    uvarint bins, and for each bin
//	                   uvarint begin less the earliest it could be, byte offset bits, uvarint weight
//
// There is at least one table, and a table has at least one bin.

const (
	maxContexts = 1 << 16
	maxTables   = 1 << 16
)

// Model holds the statistics of values in a number of contexts. It is safe for concurrent use.
type Model struct {
	tableOf []uint16
	tables  []table
}

// Contexts returns the number of contexts.
func (m *Model) Contexts() int { return len(m.tableOf) }

func (m *Model) table(context int) *table { return &m.tables[m.tableOf[context]] }

// Append appends the model's serialised form to dst.
func (m *Model) Append(dst []byte) []byte {
	dst = format.AppendUvarint(dst, uint64(len(m.tableOf)))
	dst = format.AppendUvarint(dst, uint64(len(m.tables)))
	for _, t := range m.tableOf {
		dst = format.AppendUvarint(dst, uint64(t))
	}
	for i := range m.tables {
		dst = m.tables[i].append(dst)
	}
	return dst
}

func (t *table) append(dst []byte) []byte {
	dst = format.AppendUvarint(dst, uint64(len(t.bins)))
	least := uint64(0)
	for _, b := range t.bins {
		dst = format.AppendUvarint(dst, b.lo-least)
		dst = append(dst, b.bits)
		dst = format.AppendUvarint(dst, uint64(b.weight))
		least = b.lo + 1
	}
	return dst
}

// ParseModel reads what Append wrote.
func ParseModel(src []byte) (*Model, error) {
	d := format.NewDecoder("model", src)
	m := &Model{tableOf: make([]uint16, d.Count(1, maxContexts)), tables: make([]table, d.Count(4, maxTables))}
	if len(m.tables) == 0 {
		d.Fail("no tables")
	}
	for c := range m.tableOf {
		m.tableOf[c] = uint16(d.Int(len(m.tables)))
	}
	for i := range m.tables {
		m.tables[i].parse(d)
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return m, nil
}

func (t *table) parse(d *format.Decoder) {
	t.bins = make([]bin, d.Count(3, maxBins))
	if len(t.bins) == 0 {
		d.Fail("a table without bins")
	}
	least := uint64(0)
	for i := range t.bins {
		lo, carry := bits.Add64(least, d.Uvarint(), 0)
		b := bin{lo: lo, bits: d.Byte(), weight: uint32(d.Int(maxWeight))}
		if carry > 0 || b.bits > maxBits || i > 0 && lo == 0 {
			d.Fail("a bin begins or ends too late")
		}
		t.bins[i], least = b, lo+1
	}
}
