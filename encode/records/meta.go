package records

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// AppendMeta appends what a trace is as a whole:
//
//	bytes    format the trace came from
//	uvarint  ticks per second
//	uvarint  epoch, in ticks
//	uvarint  number of properties
//	each     bytes name, bytes value
//	kinds    the private kinds, laid out like a kinds block
//	uvarint  number of conversions
//	each     bytes program, bytes options, bytes note, uvarint number of files,
//	         files: bytes name, uvarint count, uvarint size, varint oldest, uvarint newest - oldest, in seconds since 1970
//	rest     extensions
func AppendMeta(dst []byte, m *trace.Meta) []byte {
	dst = format.AppendBytes(dst, m.Format)
	dst = format.AppendUvarint(dst, m.Resolution)
	dst = format.AppendUvarint(dst, m.Epoch)
	dst = format.AppendUvarint(dst, uint64(len(m.Properties)))
	for _, p := range m.Properties {
		dst = format.AppendBytes(dst, p.Name)
		dst = format.AppendBytes(dst, p.Value)
	}
	var private []*trace.Spec
	for _, s := range m.Table().All() {
		if s.ID >= trace.FirstPrivateKind {
			private = append(private, s)
		}
	}
	dst = appendHistory(AppendKinds(dst, private), m.History)
	if m.Loss != nil {
		dst = format.AppendExtension(dst, ExtensionLoss, appendLoss(nil, m.Loss))
	}
	return dst
}

func appendHistory(dst []byte, history []trace.Conversion) []byte {
	dst = format.AppendUvarint(dst, uint64(len(history)))
	for _, s := range history {
		for _, text := range []string{s.Program, s.Options, s.Note} {
			dst = format.AppendBytes(dst, text)
		}
		dst = format.AppendUvarint(dst, uint64(len(s.Files)))
		for _, f := range s.Files {
			dst = format.AppendBytes(dst, f.Name)
			dst = format.AppendUvarint(dst, f.Count)
			dst = format.AppendUvarint(dst, f.Bytes)
			dst = format.AppendVarint(dst, f.Oldest)
			dst = format.AppendUvarint(dst, uint64(f.Newest-f.Oldest))
		}
	}
	return dst
}

func readHistory(d *format.Decoder) []trace.Conversion {
	var history []trace.Conversion
	for range d.Count(4, 1<<20) {
		s := trace.Conversion{Program: string(d.Bytes()), Options: string(d.Bytes()), Note: string(d.Bytes())}
		for range d.Count(5, 1<<20) {
			f := trace.Files{Name: string(d.Bytes()), Count: d.Uvarint(), Bytes: d.Uvarint(), Oldest: d.Varint()}
			f.Newest = f.Oldest + int64(d.Uvarint())
			s.Files = append(s.Files, f)
		}
		history = append(history, s)
	}
	return history
}

// ReadMeta reads what AppendMeta wrote, and returns the bytes of all extensions. The table of kinds is the standard one with the private kinds added.
func ReadMeta(b []byte) (*trace.Meta, []byte, error) {
	d := format.NewDecoder("meta block", b)
	m := &trace.Meta{Format: string(d.Bytes()), Resolution: d.Uvarint(), Epoch: d.Uvarint(), Kinds: &trace.Table{}}
	m.Properties = make([]trace.Property, d.Count(2, 1<<20))
	for i := range m.Properties {
		m.Properties[i] = trace.Property{Name: string(d.Bytes()), Value: string(d.Bytes())}
	}
	for _, s := range trace.Standard.All() {
		if err := m.Kinds.Add(s); err != nil {
			return nil, nil, err
		}
	}
	for _, s := range readKinds(d) {
		if s.ID < trace.FirstPrivateKind {
			d.Fail("kind %d is not private", uint16(s.ID))
		} else if err := m.Kinds.Add(s); err != nil {
			d.Fail("%v", err)
		}
	}
	m.History = readHistory(d)
	extensions, err := d.FinishExtended()
	if loss, ok := format.Extension(extensions, ExtensionLoss); ok && err == nil {
		m.Loss, err = readLoss(loss)
	}
	return m, extensions, err
}

// AppendKinds appends specifications of kinds, so that a reader can print kinds it has never heard of:
//
//	uvarint  number of kinds, which follow in the order of their ids
//	each     uvarint id, bytes name, uvarint number of fields,
//	         fields: bytes name, byte type, byte bits, byte id space, byte role (bit 0), key (bit 1), repeat (bit 2), peer (bit 3),
//	         bytes extensions (if bit 4 of the role is set),
//	         uvarint number of pairs,
//	         pairs: byte family (bit 7: closes), byte rule, uvarint number of keys,
//	         keys: bytes name of a field
//	rest     extensions; not of the private kinds in a meta block
func AppendKinds(dst []byte, specs []*trace.Spec) []byte {
	dst = format.AppendUvarint(dst, uint64(len(specs)))
	for _, s := range specs {
		dst = format.AppendUvarint(dst, uint64(s.ID))
		dst = format.AppendBytes(dst, s.Name)
		dst = format.AppendUvarint(dst, uint64(len(s.Fields)))
		for _, f := range s.Fields {
			dst = format.AppendBytes(dst, f.Name)
			dst = append(dst, byte(f.Type), f.Bits, byte(f.Ref), byte(f.Role)|flag(f.Key)<<1|flag(f.Repeat)<<2|flag(f.Peer)<<3)
		}
		dst = format.AppendUvarint(dst, uint64(len(s.Pairs)))
		for _, p := range s.Pairs {
			dst = append(dst, byte(p.Family)|flag(p.Closes)<<7, byte(p.Rule))
			dst = format.AppendUvarint(dst, uint64(len(p.Keys)))
			for _, k := range p.Keys {
				dst = format.AppendBytes(dst, k)
			}
		}
	}
	return dst
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// ReadKinds reads what AppendKinds wrote.
func ReadKinds(b []byte) ([]*trace.Spec, error) {
	d := format.NewDecoder("kinds block", b)
	specs := readKinds(d)
	_, err := d.FinishExtended()
	return specs, err
}

func readKinds(d *format.Decoder) []*trace.Spec {
	specs := make([]*trace.Spec, d.Count(4, 1<<16))
	for i := range specs {
		s := &trace.Spec{ID: trace.Kind(d.Int(1 << 16)), Name: string(d.Bytes())}
		if i > 0 && s.ID <= specs[i-1].ID {
			d.Fail("kinds are out of order")
		}
		for range d.Count(5, 1<<16) {
			s.Fields = append(s.Fields, readField(d))
		}
		for range d.Count(3, 1<<8) {
			s.Pairs = append(s.Pairs, readPair(d))
		}
		if err := s.CheckPeer(); err != nil {
			d.Fail("%v", err)
		}
		specs[i] = s
	}
	return specs
}

func readPair(d *format.Decoder) trace.Pair {
	family := d.Byte()
	p := trace.Pair{Family: trace.PairFamily(family & 0x7f), Closes: family&0x80 != 0, Rule: trace.PairRule(d.Byte())}
	for range d.Count(1, 1<<8) {
		p.Keys = append(p.Keys, string(d.Bytes()))
	}
	return p
}

func readField(d *format.Decoder) trace.Field {
	f := trace.Field{Name: string(d.Bytes()), Type: trace.Type(d.Byte()), Bits: d.Byte(), Ref: trace.Space(d.Byte())}
	flags := d.Byte()
	if flags&16 != 0 {
		d.Extensions()
	}
	if flags > 31 || f.Bits > 64 {
		d.Fail("field %s: bad flags or width", f.Name)
	}
	f.Role, f.Key, f.Repeat, f.Peer = trace.Role(flags&1), flags&2 != 0, flags&4 != 0, flags&8 != 0
	return f
}
