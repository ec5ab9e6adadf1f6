package format

// AppendExtension appends something that a later program adds behind a layout. Tags rise.
//
//	uvarint  tag: even ones may be ignored, odd ones must be understood
//	bytes    what the tag says
func AppendExtension(dst []byte, tag uint64, b []byte) []byte {
	return AppendBytes(AppendUvarint(dst, tag), b)
}

// Extension returns what the extension of a tag says. The extensions are some that FinishExtended has returned.
func Extension(extensions []byte, tag uint64) (b []byte, ok bool) {
	for d := NewDecoder("extensions", extensions); d.err == nil && d.Len() > 0; {
		t := d.Uvarint()
		if b = d.Bytes(); t == tag && d.err == nil {
			return b, true
		}
	}
	return nil, false
}

// FinishExtended is Finish where extensions may follow, whose bytes it returns. Those with even tags are ignored,
// one with an odd tag is an ErrUnsupported.
func (d *Decoder) FinishExtended() (extensions []byte, err error) {
	extensions = d.Rest()
	for before := int64(-1); d.err == nil && d.Len() > 0; {
		tag := d.Uvarint()
		d.Bytes()
		if d.err == nil && (tag >= 1<<32 || int64(tag) <= before) {
			d.Fail("extension %d follows on %d", tag, before)
		}
		if d.err == nil && tag%2 == 1 {
			d.Fail("extension %d must be understood, and this program does not know it", tag)
			d.err.(*CorruptError).Kind = ErrUnsupported
		}
		before = int64(tag)
	}
	return extensions, d.err
}

// Extensions reads extensions in the middle of a layout: one at least, as bytes.
func (d *Decoder) Extensions() {
	b := d.Bytes()
	if len(b) == 0 {
		d.Fail("no extension where there should be some")
		return
	}
	inner := &Decoder{section: d.section, data: d.data[:d.pos], pos: d.pos - len(b)}
	if _, err := inner.FinishExtended(); err != nil {
		d.err, d.pos = err, len(d.data)
	}
}
