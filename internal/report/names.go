package report

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pandotrace/pando/trace"
)

// Names has the forms in which names of definitions are written, each made once. It is not for concurrent use.
type Names struct {
	defs      *trace.Definitions
	text      nameCache // quoted, or #id without a name
	shown     nameCache // for the cells of tables
	json      nameCache // as JSON: a string, or null without a name
	locations []uint64  // the trace's locations
	located   []trace.Place
	placed    map[uint64]*trace.Place
}

// newNames returns the names of a trace's definitions and locations.
func newNames(defs *trace.Definitions, locations []uint64) *Names {
	n := &Names{defs: defs, locations: locations}
	n.text.make = func(space trace.Space, id uint64) []byte {
		if name, ok := n.name(space, id); ok {
			return []byte(strconv.Quote(name))
		}
		return strconv.AppendUint([]byte{'#'}, id, 10)
	}
	n.shown.make = func(space trace.Space, id uint64) []byte { return []byte(n.Plain(space, id)) }
	n.json.make = func(space trace.Space, id uint64) []byte {
		if name, ok := n.name(space, id); ok {
			return jsonString(name)
		}
		return []byte("null")
	}
	return n
}

// NamesOf returns the names of definitions without a trace, and so without locations.
func NamesOf(d *trace.Definitions) *Names { return newNames(d, nil) }

// Definitions returns the definitions.
func (n *Names) Definitions() *trace.Definitions { return n.defs }

// name returns the name of a definition. Only strings can be defined to be empty.
func (n *Names) name(space trace.Space, id uint64) (name string, ok bool) {
	if space == trace.SpaceString {
		name, ok = n.defs.Strings[id]
		return name, ok
	}
	name = n.defs.Name(space, id)
	return name, name != ""
}

// Optional returns the name of a definition for JSON, nil if it has none. Bytes that are not UTF-8 become U+FFFD.
func (n *Names) Optional(space trace.Space, id uint64) *string {
	name, ok := n.name(space, id)
	if !ok {
		return nil
	}
	name = strings.ToValidUTF8(name, "\ufffd")
	return &name
}

// nameCache keeps what make makes, in tables for small ids and in a map for others.
type nameCache struct {
	make  func(trace.Space, uint64) []byte
	dense [int(trace.SpaceCategory) + 1][][]byte
	other map[spaceID][]byte
}

type spaceID struct {
	space trace.Space
	id    uint64
}

// denseIDs bounds the tables: ids from it on go into the map.
const denseIDs = 1 << 16

func (c *nameCache) get(space trace.Space, id uint64) []byte {
	if int(space) < len(c.dense) && id < uint64(len(c.dense[space])) {
		if name := c.dense[space][id]; name != nil {
			return name
		}
	}
	return c.add(space, id)
}

func (c *nameCache) add(space trace.Space, id uint64) []byte {
	key := spaceID{space, id}
	if name, ok := c.other[key]; ok {
		return name
	}
	name := c.make(space, id)
	if int(space) < len(c.dense) && id < denseIDs {
		for uint64(len(c.dense[space])) <= id {
			c.dense[space] = append(c.dense[space], nil)
		}
		c.dense[space][id] = name
		return name
	}
	if c.other == nil || len(c.other) >= denseIDs { // undefined ids of damaged traces must not fill the memory
		c.other = map[spaceID][]byte{}
	}
	c.other[key] = name
	return name
}

// Places returns the places of the trace's locations, whose labels differ and can be printed.
func (n *Names) Places() []trace.Place {
	n.Place(0)
	return n.located
}

// Place returns the place of a location, nil for one that the trace does not have.
func (n *Names) Place(id uint64) *trace.Place {
	if n.placed == nil {
		n.located = n.defs.Places(n.locations)
		n.placed = make(map[uint64]*trace.Place, len(n.located))
		for i := range n.located {
			p := &n.located[i]
			p.Label = Printable(p.Label)
			n.placed[p.Location] = p
		}
	}
	return n.placed[id]
}

// rank returns the rank and the thread of a location, nil where it has none.
func (n *Names) rank(location uint64) (rank, thread *int64) {
	p := n.Place(location)
	if p == nil {
		return nil, nil
	}
	if p.Rank >= 0 {
		rank = &p.Rank
	}
	if p.InProcess {
		thread = &p.Thread
	}
	return rank, thread
}

// Location returns the label of a location, by which text calls it.
func (n *Names) Location(id uint64) string {
	if p := n.Place(id); p != nil {
		return p.Label
	}
	return "location " + strconv.FormatUint(id, 10)
}

// Plain returns the name of a definition for tables, or #id without a name.
func (n *Names) Plain(space trace.Space, id uint64) string {
	if trace.IsUndefined(id) {
		return "-"
	}
	if name, ok := n.name(space, id); ok {
		return Printable(name)
	}
	return "#" + strconv.FormatUint(id, 10)
}

// Printable escapes the characters of a text that a terminal could take for commands, and bytes that are not UTF-8.
func Printable(s string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, odd) < 0 {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// jsonString returns a string as JSON; bytes that are no UTF-8 become U+FFFD.
func jsonString(s string) []byte { return AppendJSONString(nil, s) }

// AppendJSONString appends what jsonString returns.
func AppendJSONString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || strings.IndexByte(`"\\<>&`, c) >= 0 {
			b, _ := json.Marshal(s) // strings always can be marshalled
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

// places has the labels of locations for a column of a fixed width.
type places struct {
	names  *Names
	width  int
	padded map[uint64][]byte
	last   uint64 // the location asked for last, and its label
	found  []byte
}

// widestLabel is the width that long labels do not widen their column beyond.
const widestLabel = 32

func newPlaces(f *Trace) *places {
	p := &places{names: f.names, padded: map[uint64][]byte{}}
	for _, id := range f.ids {
		p.width = max(p.width, min(utf8.RuneCountInString(f.names.Location(id)), widestLabel))
	}
	for _, id := range f.ids {
		p.padded[id] = []byte(padRight(f.names.Location(id), p.width))
	}
	return p
}

// label returns the label of a location, padded.
func (p *places) label(location uint64) []byte {
	if location == p.last && p.found != nil {
		return p.found
	}
	label, ok := p.padded[location]
	if !ok {
		label = []byte(padRight(p.names.Location(location), p.width))
	}
	p.last, p.found = location, label
	return label
}

func padRight(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

// alignRight moves what dst holds from at on to the right, so that it ends width bytes after at.
func alignRight(dst []byte, at, width int) []byte {
	n := len(dst) - at
	if n >= width {
		return dst
	}
	for len(dst) < at+width {
		dst = append(dst, ' ')
	}
	copy(dst[at+width-n:], dst[at:at+n])
	for i := at; i < at+width-n; i++ {
		dst[i] = ' '
	}
	return dst
}
