package shape

// BareCall is a call of a region with nothing inside, enter and leave without attributes: the numbers of their leaves, and of the leave's
// and the enter's time columns, see LeafInfo.
type BareCall struct {
	Enter, Leave        uint32
	call                uint32 // the shape of a call with nothing inside + 1, if it has one
	Number, EnterNumber uint16
	known               bool
}

// Bare returns the bare call of a region if the dictionary has both leaves, and they have no values; else nil. What it points to is
// valid until the next call.
func (d *Dictionary) Bare(region uint64) *BareCall {
	if region < uint64(len(d.bare)) && d.bare[region].known {
		return &d.bare[region]
	}
	return d.newBare(region)
}

func (d *Dictionary) newBare(region uint64) *BareCall {
	enters, leaves := d.quick[0], d.quick[1]
	if region >= uint64(len(enters)) || region >= uint64(len(leaves)) || enters[region] == 0 || leaves[region] == 0 {
		return nil
	}
	e, l := d.LeafNumber(enters[region]-1), d.LeafNumber(leaves[region]-1)
	if d.Info()[e].Layout > 0 || d.Info()[l].Layout > 0 {
		return nil
	}
	for uint64(len(d.bare)) <= region {
		d.bare = append(d.bare, BareCall{})
	}
	d.bare[region] = BareCall{Enter: e, Leave: l, Number: d.Info()[l].Number, EnterNumber: d.Info()[e].Number, known: true}
	return &d.bare[region]
}

// Call adds an enter, and the leave that closes it.
func (f *Folder) Call(c *BareCall) {
	f.fold()
	if c.call == 0 {
		c.call = 1 + f.dictionary.Composite([]Token{{f.dictionary.leafShapes[c.Enter], 1}, {f.dictionary.leafShapes[c.Leave], 1}})
	}
	f.append(Token{c.call - 1, 1})
}

// aroundCall is the shape of a call that an event stood in alone.
type aroundCall struct {
	enter, shape uint32 // the enter's number; shape is 0 if there is none: the first shape is no call
}

// CallAround adds an enter, an event that is neither enter nor leave, and the leave that closes the call.
func (f *Folder) CallAround(c *BareCall, inside uint32) {
	f.fold()
	f.append(Token{f.dictionary.around(c, inside), 1})
}

// around returns the shape of a call with one event inside.
func (d *Dictionary) around(c *BareCall, inside uint32) uint32 {
	if uint32(len(d.arounds)) <= inside {
		d.arounds = append(d.arounds, make([]aroundCall, len(d.shapes)-len(d.arounds))...)
	}
	a := &d.arounds[inside]
	if a.shape == 0 || a.enter != c.Enter {
		*a = aroundCall{c.Enter, d.Composite([]Token{{d.leafShapes[c.Enter], 1}, {inside, 1}, {d.leafShapes[c.Leave], 1}})}
	}
	return a.shape
}
