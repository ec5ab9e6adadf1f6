package read

import (
	"hash/maphash"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
	"github.com/pandotrace/pando/trace"
)

// Bounds of what is remembered of a file, however large it is.
const (
	maxNames      = 1 << 22   // names of events, attributes and counters
	maxNameBytes  = 128 << 20 // of all names together
	maxTexts      = 1 << 18   // different strings in arguments; others are kept as bytes
	maxTextBytes  = 1 << 10   // of one of them
	defBytes      = 256 << 10 // of strings of all arguments that are defined, whether they repeat or not
	freshBytes    = 4 << 10   // of different strings of one argument, before they may count as ones that hardly repeat
	maxLocations  = sorting.MaxThreads
	maxAttributes = 1 << 16
	maxMembers    = 255 // values of a counter event
)

// none is the undefined reference of 32 bits.
const none = 0xffffffff

// dictionary gives strings numbers. Its memory has no pointers: for a name, its bytes and about 12 more.
type dictionary struct {
	table
	bytes []byte   // of all strings, one behind the other
	ends  []uint32 // by number: the end of its bytes
	texts int      // strings that came from arguments
	extra int      // their bytes
}

func (d *dictionary) len() int { return len(d.ends) }

// at returns the bytes of a string, which must not be changed.
func (d *dictionary) at(id uint32) []byte {
	from := uint32(0)
	if id > 0 {
		from = d.ends[id-1]
	}
	return d.bytes[from:d.ends[id]]
}

func (d *dictionary) find(s []byte) (id uint32, ok bool) {
	if d.used == 0 {
		return 0, false
	}
	for slot := d.start(maphash.Bytes(d.seed, s)); d.slots[slot] != 0; slot = d.next(slot) {
		if id := d.slots[slot] - 1; string(d.at(id)) == string(s) {
			return id, true
		}
	}
	return 0, false
}

func (d *dictionary) id(s []byte) uint32 {
	if id, ok := d.find(s); ok {
		return id
	}
	if d.crowded() {
		d.grow()
		for id := range uint32(len(d.ends)) {
			d.put(maphash.Bytes(d.seed, d.at(id)), id)
		}
	}
	id := uint32(len(d.ends))
	d.bytes = append(d.bytes, s...)
	d.ends = append(d.ends, uint32(len(d.bytes)))
	d.put(maphash.Bytes(d.seed, s), id)
	return id
}

// habit tells whether the texts of an attribute repeat.
type habit struct{ all, fresh int } // bytes of all texts, and of those that were not defined before

// repeats reports whether a definition of a text saves bytes, going by those before: it stands once, but then in definitions, while a text of
// an event is compressed with others like it.
func (h *habit) repeats() bool { return h.fresh < freshBytes || 2*h.fresh < h.all }

// text returns the number of a string among arguments; ok is false if it is too long, there are too many, or the attribute's texts hardly repeat.
func (d *dictionary) text(s []byte, h *habit) (id uint32, ok bool) {
	h.all += len(s)
	if id, ok := d.find(s); ok {
		return id, true
	}
	h.fresh += len(s)
	if len(s) > maxTextBytes || d.texts >= maxTexts || d.extra > defBytes && !h.repeats() {
		return 0, false
	}
	d.extra += len(s)
	d.texts++
	return d.id(s), true
}

func (d *dictionary) full() bool { return d.len()-d.texts > maxNames || len(d.bytes) > maxNameBytes }

// pair is two numbers that make up a thing.
type pair struct{ a, b uint32 }

// pairs gives pairs numbers.
type pairs struct {
	table
	list []pair
}

func (p *pairs) id(a, b uint32) uint32 {
	k := pair{a, b}
	if p.used > 0 {
		for slot := p.start(maphash.Comparable(p.seed, k)); p.slots[slot] != 0; slot = p.next(slot) {
			if id := p.slots[slot] - 1; p.list[id] == k {
				return id
			}
		}
	}
	if p.crowded() {
		p.grow()
		for id, other := range p.list {
			p.put(maphash.Comparable(p.seed, other), uint32(id))
		}
	}
	id := uint32(len(p.list))
	p.list = append(p.list, k)
	p.put(maphash.Comparable(p.seed, k), id)
	return id
}

// attributeName is what makes an attribute: its name, where it stands, and what it is.
type attributeName struct {
	name  uint32
	place form.AttributePlace
	typ   trace.ValueType
}

// counter is a class of metrics: the counters of one event.
type counter struct {
	name    uint32
	members []uint32 // metric members
}

// member is one counter.
type member struct {
	name, cat uint32
	typ       trace.ValueType
}

// names is what all events of a file are called.
type names struct {
	strings    dictionary
	regions    pairs // name and category
	categories pairs
	comms      pairs // names of communicators; those of flows are behind the one of flows without
	attributes map[attributeName]uint32
	habits     map[attributeName]*habit // of attributes that are strings
	attrList   []attributeName
	counters   map[string]uint32
	classes    []counter
	members    map[uint32]uint32 // by name
	memberList []member
}

func newNames() names {
	return names{attributes: map[attributeName]uint32{}, habits: map[attributeName]*habit{}, counters: map[string]uint32{}, members: map[uint32]uint32{}}
}

func (n *names) attribute(name uint32, place form.AttributePlace, typ trace.ValueType) (id uint64, ok bool) {
	k := attributeName{name, place, typ}
	if id, ok := n.attributes[k]; ok {
		return uint64(id), true
	}
	if len(n.attrList) == maxAttributes {
		return 0, false
	}
	n.attributes[k] = uint32(len(n.attrList))
	n.attrList = append(n.attrList, k)
	return uint64(len(n.attrList) - 1), true
}

// habit returns what is known of an attribute's texts.
func (n *names) habit(name uint32, place form.AttributePlace) *habit {
	k := attributeName{name, place, trace.ValueString}
	h := n.habits[k]
	if h == nil {
		h = &habit{}
		if len(n.habits) < maxAttributes {
			n.habits[k] = h
		}
	}
	return h
}

// member returns the counter of a name. The first value says what type its values have.
func (n *names) member(name, cat uint32, typ trace.ValueType) uint32 {
	if id, ok := n.members[name]; ok {
		return id
	}
	id := uint32(len(n.memberList))
	n.members[name] = id
	n.memberList = append(n.memberList, member{name, cat, typ})
	return id
}

// class returns the class of a key, which tells the event's name and those of its members.
func (n *names) class(key []byte, name uint32, members []uint32) uint32 {
	if id, ok := n.counters[string(key)]; ok {
		return id
	}
	id := uint32(len(n.classes))
	n.counters[string(key)] = id
	n.classes = append(n.classes, counter{name, append([]uint32(nil), members...)})
	return id
}

func (n *names) full() bool {
	return n.strings.full() || len(n.regions.list)+len(n.categories.list)+len(n.comms.list)+len(n.classes)+len(n.memberList) > maxNames
}

// regionName returns the name of a region.
func (n *names) regionName(region uint32) string {
	if region == none {
		return "an end without a name"
	}
	return string(n.strings.at(n.regions.list[region].a))
}

// sameName reports whether two regions have the same name, whatever their categories.
func (n *names) sameName(a, b uint32) bool {
	return n.regions.list[a].a == n.regions.list[b].a
}
