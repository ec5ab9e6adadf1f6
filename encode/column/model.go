package column

import (
	"github.com/pandotrace/pando/format"
)

// # Models
//
// A model assigns a table to each of its contexts, of which there are at most 2^16. There are at most 2^11 tables, numbered
// in the order in which contexts first use them; each is used. A model is made of five columns of numbers:
//
//	tables   for each context: 0 for a table that no context before has, else 1 + the number of its table
//	sizes    for each table: the number of its bins, less 1
//	digits   for each bin: its offset bits
//	gaps     for each bin: its begin, less the first number that the offsets of the table's bin before cannot reach (0 for the
//	         first bin), modulo 2^64, zigzag-coded
//	weights  for each bin: its weight
//
// and begins with
//
//	uvarint contexts
//	uvarint tables
//	uvarint 2·bins + form
//
// Form 0, for small models: the columns follow in a stream of bits, low ones first, the last byte filled with zeros. A
// number v takes, with n the number of its binary digits (0 has none): n zeros, a one, and all digits but the first, low
// ones first.
//
// Form 1: another model, the code, of form 0, for eleven contexts; a uvarint length and that many bytes; and the rest. The
// bytes and the rest are blocks of values, encoded with the code. In the first block, contexts 0 to 2 are the columns
// tables, sizes and digits. In the second, contexts 3 to 6 are the gaps, and 7 to 10 the weights, of the bins with 0,
// 1 to 3, 4 to 7, and more offset bits; contexts 0 to 2 are empty.
//
// Which form a writer takes, like the choice of tables and bins, is free; a reader keeps the form. But there are at least as many
// bytes behind these three numbers as an eighth of contexts + tables + 3·bins.

const (
	// MaxContexts is the greatest number of contexts of a model.
	MaxContexts  = 1 << 16
	maxTables    = 1 << 11 // bounds what parsing a model allocates
	modelSection = "model"
)

// Model holds the statistics of values in a number of contexts. It is safe for concurrent use.
type Model struct {
	tableOf []uint16
	tables  []table
	code    *Model // codes the model itself; nil: it is stored in form 0

	divisions []Division
	classes   []*classed // by context; nil if none is divided
}

// Contexts returns the number of contexts.
func (m *Model) Contexts() int { return len(m.tableOf) }

func (m *Model) table(context int) *table { return &m.tables[m.tableOf[context]] }

// Append appends the model's bytes to dst.
func (m *Model) Append(dst []byte) []byte {
	c := m.columns()
	if m.code == nil {
		return c.appendPlain(c.appendHead(dst, 0))
	}
	return c.appendCoded(m.code.Append(c.appendHead(dst, 1)), m.code)
}

func (c *columns) appendHead(dst []byte, form int) []byte {
	dst = format.AppendUvarint(dst, uint64(len(c.tables)))
	dst = format.AppendUvarint(dst, uint64(len(c.sizes)))
	return format.AppendUvarint(dst, uint64(2*len(c.digits)+form))
}

// ParseModel reads what Append wrote.
func ParseModel(src []byte) (*Model, error) {
	d := format.NewDecoder(modelSection, src)
	m := parseModel(d, true)
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return m, nil
}

// parseModel reads a model. May it be coded?
func parseModel(d *format.Decoder, coded bool) *Model {
	m := &Model{}
	contexts := d.Count(0, MaxContexts)
	tables := d.Count(0, min(contexts, maxTables))
	n := d.Count(0, 2*maxBins*tables+1)
	bins := n / 2
	var c columns
	switch {
	case format.TooDense(uint64(contexts+tables+format.BinThings*bins), d.Len()):
		d.Fail("a model of %d bins in %d bytes", bins, d.Len())
	case n&1 == 0:
		c = makeColumns(contexts, tables, bins)
		c.readPlain(d)
	case !coded:
		d.Fail("a model's code is coded")
	default:
		if m.code = parseModel(d, false); d.Err() == nil {
			c = makeColumns(contexts, tables, bins)
			c.readCoded(d, m.code)
		}
	}
	if d.Err() == nil {
		m.setColumns(d, &c)
	}
	if d.Err() == nil {
		prepare(m.tables)
	}
	return m
}

// columns returns the model as numbers.
func (m *Model) columns() columns {
	bins := 0
	for i := range m.tables {
		bins += len(m.tables[i].bins)
	}
	c := makeColumns(len(m.tableOf), len(m.tables), bins)
	next := 0
	for i, t := range m.tableOf {
		if int(t) == next {
			next++
		} else {
			c.tables[i] = 1 + uint64(t)
		}
	}
	at := 0
	for i := range m.tables {
		bs := m.tables[i].bins
		c.sizes[i] = uint64(len(bs) - 1)
		c.setBins(at, bs)
		at += len(bs)
	}
	return c
}

// setBins sets the columns of a table's bins, the first of which is bin `at` of the model.
func (c *columns) setBins(at int, bs []bin) {
	end := uint64(0)
	for i, b := range bs {
		c.digits[at+i], c.weights[at+i] = uint64(b.bits), uint64(b.weight)
		c.gaps[at+i] = format.Zigzag(int64(b.lo - end))
		end = b.lo + 1<<b.bits
	}
}

// setColumns makes the model from numbers.
func (m *Model) setColumns(d *format.Decoder, c *columns) {
	m.tableOf = make([]uint16, len(c.tables))
	m.tables = make([]table, len(c.sizes))
	next := uint64(0)
	for i, v := range c.tables {
		if v == 0 {
			next++
			v = next
		}
		if v > next || next > uint64(len(m.tables)) {
			d.Fail("context %d has no table", i)
			return
		}
		m.tableOf[i] = uint16(v - 1)
	}
	if next != uint64(len(m.tables)) {
		d.Fail("%d tables without context", uint64(len(m.tables))-next)
	}
	at := uint64(0)
	bs := make([]bin, len(c.digits))
	for i, size := range c.sizes {
		if size >= maxBins || size >= uint64(len(bs))-at {
			d.Fail("table %d has too many bins", i)
			return
		}
		m.tables[i].bins = bs[at : at+size+1 : at+size+1]
		c.readBins(d, int(at), m.tables[i].bins)
		at += size + 1
	}
	if at != uint64(len(bs)) {
		d.Fail("%d bins without table", uint64(len(bs))-at)
	}
}

// readBins is the inverse of setBins.
func (c *columns) readBins(d *format.Decoder, at int, bs []bin) {
	end := uint64(0)
	for i := range bs {
		digits, weight := c.digits[at+i], c.weights[at+i]
		lo := end + uint64(format.Unzigzag(c.gaps[at+i]))
		end = lo + 1<<(digits&63)
		if digits > maxBits || weight >= maxWeight || i > 0 && lo <= bs[i-1].lo || end-1 < lo {
			d.Fail("bin %d is out of range", at+i)
			return
		}
		bs[i] = bin{lo: lo, bits: uint8(digits), weight: uint32(weight)}
	}
}
