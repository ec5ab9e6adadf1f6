package spec

import (
	"bytes"
	"hash/crc32"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// plainFile is a file with its directory read.
type plainFile struct {
	b                                   []byte
	id                                  []byte
	fanout, groupSlices, nSlices, lanes uint64
	nEvents                             uint64
	epochs                              []uint64            // first groups
	blocks                              map[plainKey][]byte // payloads by directory entry
	definitions                         [][]byte            // payloads in the order of the root
	defines                             [][]uint64          // their kinds
	slices                              [][2]uint64         // start and end
	kinds                               map[uint64]*plainKind
	locations                           []plainLocation
	sha256                              []byte
}

type plainKey struct {
	kind         format.BlockKind
	level        byte
	lane, number uint64
}

type plainLocation struct{ id, lane, events uint64 }

// plainKind is the specification of a kind.
type plainKind struct {
	group  int // of values
	name   string
	fields []plainField
}

type plainField struct {
	typ                      byte
	value, key, repeat, peer bool
}

func checksum(parts ...[]byte) uint64 {
	return uint64(crc32.Checksum(bytes.Join(parts, nil), crc32.MakeTable(crc32.Castagnoli)))
}

func readPlainFile(b []byte) *plainFile {
	f := &plainFile{b: b, id: b[32:48], blocks: map[plainKey][]byte{}, kinds: map[uint64]*plainKind{}}
	footer := plain{b[len(b)-72:]}
	if !bytes.Equal(b[:8], []byte{0x89, 'P', 'N', 'D', 13, 10, 26, 10}) || checksum(footer.b[:60]) != (&plain{footer.b[60:]}).fixed(4) {
		panic("magic or checksum")
	}
	offset := footer.fixed(8)
	footer.take(40)
	f.root(f.payload(offset, footer.fixed(4), footer.fixed(4)))
	f.readKinds(f.blocks[plainKey{kind: 15}])
	f.readKinds(records.AppendKinds(nil, trace.Standard.All())) // the registry's, whatever the file says of them
	f.totals(f.blocks[plainKey{kind: 10}])
	return f
}

// payload returns the decompressed payload of a block.
func (f *plainFile) payload(offset, length, crc uint64) []byte {
	block := f.b[offset : offset+length]
	p := plain{block}
	p.take(5)
	codec := p.byte()
	p.take(2)
	stored, raw := p.fixed(4), p.fixed(4)
	p.take(4)
	if head := block[:20]; checksum(head) != p.fixed(4) || p.fixed(4) != crc || checksum(head, block[28:], f.id) != crc || stored != length-28 {
		panic("checksum")
	}
	if codec == 0 {
		return p.b
	}
	out := plainCompressed([]byte{0, 1, 3}[codec], p.b, nil)
	if uint64(len(out)) != raw {
		panic("another length")
	}
	return out
}

func (f *plainFile) root(b []byte) {
	p := plain{b}
	f.fanout, f.groupSlices, f.nEvents, f.nSlices, f.lanes = p.uvarint(), p.uvarint(), p.uvarint(), p.uvarint(), p.uvarint()
	for i := range p.uvarint() {
		first := uint64(0)
		if i > 0 {
			first = f.epochs[i-1] + 1 + p.uvarint()
		}
		f.epochs = append(f.epochs, first)
	}
	var pages [][]byte
	end := uint64(0)
	place := func() {
		offset := end + p.varint()
		length := p.uvarint()
		pages = append(pages, f.payload(offset, length, p.fixed(4)))
		end = offset + length
	}
	for range p.uvarint() {
		p.uvarint()
		p.varint()
		p.uvarint()
		place()
		lane := uint64(0)
		for range p.uvarint() {
			lane += p.uvarint()
			place()
			met["page of lanes"]++
			if own := (&plain{pages[len(pages)-1]}).lane(); own != lane {
				panic("a page of other lanes")
			}
		}
	}
	f.entries(&p)
	for range f.definitions {
		kinds := make([]uint64, p.uvarint())
		for i := range kinds {
			kinds[i] = p.uvarint()
			if i > 0 {
				kinds[i] += kinds[i-1]
			}
		}
		if len(kinds) == 1 {
			p.uvarint()
			p.uvarint()
		}
		f.defines = append(f.defines, kinds)
	}
	for k := range f.blocks {
		if k.kind == 18 {
			for range 4 { // least id, greatest id, least lane, greatest lane
				p.uvarint()
			}
		}
	}
	p.end()
	for _, page := range pages {
		f.page(page)
	}
}

func (f *plainFile) page(b []byte) {
	p := plain{b}
	first, lane := p.uvarint(), p.uvarint()
	if lane == 0 && first > uint64(len(f.slices)) || lane > 0 && first >= uint64(len(f.slices)) {
		panic("slices are missing")
	}
	end := uint64(0)
	for range p.uvarint() {
		start := end + p.varint()
		end = start + p.uvarint()
		p.uvarint()
		f.slices = append(f.slices, [2]uint64{start, end})
	}
	f.entries(&p)
	p.end()
}

// lane returns the first lane of a page.
func (p *plain) lane() uint64 {
	p.uvarint()
	return p.uvarint()
}

func (f *plainFile) entries(p *plain) {
	number, end := uint64(0), uint64(0)
	for range p.uvarint() {
		k := plainKey{kind: format.BlockKind(p.byte()), level: p.byte(), lane: p.uvarint()}
		number += p.varint()
		k.number = number
		offset := end + p.varint()
		length := p.uvarint()
		end = offset + length
		b := f.payload(offset, length, p.fixed(4))
		f.blocks[k] = b
		if k.kind == 2 {
			f.definitions = append(f.definitions, b)
		}
	}
}

func (f *plainFile) readKinds(b []byte) {
	p := plain{b}
	for range p.uvarint() {
		id := p.uvarint()
		k := &plainKind{name: string(p.bytes())}
		for range p.uvarint() {
			p.bytes()
			field := plainField{typ: p.byte()}
			p.take(2)
			flags := p.byte()
			field.value, field.key, field.repeat, field.peer = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
			k.fields = append(k.fields, field)
		}
		if k.group = 3; id == 31 {
			k.group = 2
		}
		for range p.uvarint() {
			if family := p.byte() % 128; family > 0 && family <= 6 {
				k.group = 1
			}
			p.byte()
			for range p.uvarint() {
				p.bytes()
			}
		}
		f.kinds[id] = k
	}
	p.end()
}

func (f *plainFile) totals(b []byte) {
	p := plain{b}
	for range 14 {
		p.uvarint()
	}
	f.locations = make([]plainLocation, p.uvarint())
	p.varint()
	p.uvarint()
	for range p.uvarint() {
		p.uvarint()
		p.uvarint()
	}
	for range p.uvarint() {
		p.byte()
		p.uvarint()
		p.uvarint()
	}
	f.sha256 = p.take(32)
	if each := p.uvarint(); each > 0 {
		f.locationPages(18, each)
		f.locationPages(19, each)
		p.extensions()
		return
	}
	f.idsAndLanes(&p, f.locations)
	f.totalsOf(&p, f.locations)
	p.extensions()
}

// locationPages reads the pages of locations of a kind.
func (f *plainFile) locationPages(kind format.BlockKind, each uint64) {
	for first := uint64(0); first < uint64(len(f.locations)); first += each {
		p := plain{f.blocks[plainKey{kind: kind, number: first / each}]}
		some := f.locations[first:min(first+each, uint64(len(f.locations)))]
		if p.uvarint() != first || p.uvarint() != uint64(len(some)) {
			panic("a page of other locations")
		}
		if kind == 18 {
			f.idsAndLanes(&p, some)
		} else {
			f.totalsOf(&p, some)
		}
		p.end()
		met["page of locations"]++
	}
}

func (f *plainFile) idsAndLanes(p *plain, some []plainLocation) {
	ids, lanes := p.numbers(uint64(len(some))), p.numbers(uint64(len(some)))
	for i := range some {
		some[i].id, some[i].lane = ids[i].word, lanes[i].word
	}
}

func (f *plainFile) totalsOf(p *plain, some []plainLocation) {
	events := p.numbers(uint64(len(some)))
	for range 4 { // calls, depth, first, last - first
		p.numbers(uint64(len(some)))
	}
	for i := range some {
		some[i].events = events[i].word
	}
}

// epoch returns the epoch of a group, and its first group.
func (f *plainFile) epoch(group uint64) (epoch, first uint64) {
	for i, e := range f.epochs {
		if e <= group {
			epoch, first = uint64(i), e
		}
	}
	return epoch, first
}
