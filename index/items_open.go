package index

import (
	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// open reads the head of a block, and the parts as far as they are among the first bytes.
func open[T any](t Tree, k *kind[T], src Source, limits format.Limits, layout func(d *format.Decoder, limit int) layout[T]) (*Block[T], error) {
	limit := min(limits.WithDefaults().NodeItems, format.Density*src.Size)
	bytes, err := headOf(k.section, &src)
	if err != nil {
		return nil, err
	}
	d := format.NewDecoder(k.section, bytes)
	o := &Block[T]{tree: t, kind: k, locations: src.Locations}
	o.Bytes = d.Int(len(bytes) + 1)
	o.Node, o.Lane, o.period = t.readNode(d), uint32(d.Int(1<<32)), readPeriod(d)
	o.layout = layout(d, limit)
	o.readParts(d, limit)
	o.readModel(d, d.Bytes())
	structure := d.Bytes()
	if d.Err() == nil {
		carrier{}.scatter(o.layout.structureCounts(), o.model, d, structure, o.layout.structure)
	}
	if d.Err() == nil {
		o.layout.check(d, src.Locations)
	}
	if d.Err() == nil && o.model.Contexts() != o.layout.contexts() {
		d.Fail("a model of %d contexts, not %d", o.model.Contexts(), o.layout.contexts())
	}
	if len(o.parts) > 1 {
		o.checkHead(d, bytes)
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return o, o.place(&src)
}

// headOf returns the head of a block, which it reads if it is longer than the first bytes.
func headOf(section string, src *Source) ([]byte, error) {
	d := format.NewDecoder(section, src.Bytes)
	n := d.Int(src.Size + 1)
	if err := d.Err(); err != nil {
		return nil, err
	}
	if more := n - len(src.Bytes); more > 0 {
		head := append(make([]byte, 0, n), src.Bytes...)[:n]
		if err := src.Read(head[len(src.Bytes):], int64(len(src.Bytes))); err != nil {
			return nil, err
		}
		src.Bytes = head
	}
	return src.Bytes[:n], nil
}

// checkHead holds the head against the checksum that it ends with.
func (b *Block[T]) checkHead(d *format.Decoder, head []byte) {
	at := len(head) - d.Len()
	if crc := d.Uint32(); d.Err() == nil && crc != format.Checksum(head[:at]) {
		d.Fail("the head has another checksum")
	}
}

// readNode reads which node a block belongs to. No node is higher than one that has all slices a file can have.
func (t Tree) readNode(d *format.Decoder) Node {
	n := Node{Level: d.Int(64), Index: d.Uvarint()}
	if n.Level < 1 || t.Width(n.Level-1) >= maxSlices || n.Index > (maxSlices-1)/t.Width(n.Level) {
		d.Fail("node %d of level %d", n.Index, n.Level)
		return Node{Level: 1}
	}
	return n
}

// maxPeriod is the greatest period.
const maxPeriod = 1 << 60

func readPeriod(d *format.Decoder) column.Period {
	p := d.Int(maxPeriod + 1)
	if p != 0 && p <= 1<<periodBits {
		d.Fail("a period of %d", p)
	}
	return column.Period(p)
}

func (b *Block[T]) readModel(d *format.Decoder, model []byte) {
	if d.Err() != nil {
		return
	}
	var err error
	if b.model, err = column.ParseModel(model); err != nil {
		d.Fail("%v", err)
	}
}

// readParts reads the list of parts.
func (b *Block[T]) readParts(d *format.Decoder, limit int) {
	heads := readParts(d, b.kind.grouped, limit, b.tree.Fanout+maxPlaces)
	b.parts = make([]part[T], len(heads))
	for i := range heads {
		b.parts[i].partHead = heads[i]
		b.Items += heads[i].size
		// No question would ask for such a part, so nobody would see what is in it.
		if _, _, _, ok := b.tree.cell(b.Node, heads[i].first); !ok {
			d.Fail("part %d begins with cell %d, which the node does not have", i, heads[i].first)
		}
	}
}

// place finds out where the parts stand, and takes those that have been read. Behind them are zeros, as many as it takes
// to have the least number of bytes for all things.
func (b *Block[T]) place(src *Source) error {
	d := format.NewDecoder(b.kind.section, src.Bytes[min(b.Bytes, len(src.Bytes)):])
	end := b.Bytes
	for i := range b.parts {
		p := &b.parts[i]
		p.at = end
		if end += p.length; end <= len(src.Bytes) {
			p.read, p.body = true, d.Take(p.length)
		}
	}
	least := format.LeastBytes(b.things())
	if src.Size != max(end, least) {
		d.Fail("%d things in %d bytes, of a head and parts of %d", b.things(), src.Size, end)
	}
	if len(src.Bytes) == src.Size && d.Err() == nil {
		return d.FinishFilled(max(least-b.Bytes, 0))
	}
	return d.Err()
}

// load reads parts that have not been read: those that follow each other in one go.
func (b *Block[T]) load(read ReadAt, parts []*part[T]) error {
	b.loading.Lock()
	defer b.loading.Unlock()
	for len(parts) > 0 {
		n, end := 0, parts[0].at
		for n < len(parts) && parts[n].at == end && !parts[n].read {
			end += parts[n].length
			n++
		}
		if n == 0 {
			parts = parts[1:]
			continue
		}
		bytes := make([]byte, end-parts[0].at)
		if err := read(bytes, int64(parts[0].at)); err != nil {
			return err
		}
		for _, p := range parts[:n] {
			p.read, p.body, bytes = true, bytes[:p.length:p.length], bytes[p.length:]
		}
		parts = parts[n:]
	}
	return nil
}
