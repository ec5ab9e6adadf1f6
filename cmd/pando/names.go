package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// names gives definitions the names they are shown by, made once for each. It is not for concurrent use.
type names struct {
	defs   *trace.Definitions
	text   nameCache // quoted, or #id without a name
	shown  nameCache // as tables show it
	json   nameCache // as JSON: a string, or null without a name
	labels map[uint64]string
}

func newNames(r *store.Reader) (*names, error) {
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	return namesOf(defs, r.Info().Locations), nil
}

// namesOf returns the names of a trace's definitions; locations are those that labels tell apart.
func namesOf(defs *trace.Definitions, locations []store.LocationInfo) *names {
	n := &names{defs: defs}
	n.text.make = func(space trace.Space, id uint64) []byte {
		if name, ok := n.name(space, id); ok {
			return []byte(strconv.Quote(name))
		}
		return strconv.AppendUint([]byte{'#'}, id, 10)
	}
	n.shown.make = func(space trace.Space, id uint64) []byte { return []byte(n.plain(space, id)) }
	n.json.make = func(space trace.Space, id uint64) []byte {
		if name, ok := n.name(space, id); ok {
			return jsonString(name)
		}
		return []byte("null")
	}
	n.labels = labels(defs, locations)
	return n
}

// name returns the name of a definition. Only strings can be defined to be empty.
func (n *names) name(space trace.Space, id uint64) (name string, ok bool) {
	if space == trace.SpaceString {
		name, ok = n.defs.Strings[id]
		return name, ok
	}
	name = n.defs.Name(space, id)
	return name, name != ""
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

// labels names locations so that all differ: by their name, by process and name, or by name and id.
func labels(defs *trace.Definitions, locations []store.LocationInfo) map[uint64]string {
	long := func(id uint64) string {
		if i, ok := defs.LocationIndex(id); ok {
			return defs.Name(trace.SpaceLocationGroup, defs.Locations[i].Group) + "/" + defs.Name(trace.SpaceLocation, id)
		}
		return ""
	}
	short := func(id uint64) string { return defs.Name(trace.SpaceLocation, id) }
	shorts, longs := map[string]int{}, map[string]int{}
	for _, l := range locations {
		shorts[short(l.ID)]++
		longs[long(l.ID)]++
	}
	labels := make(map[uint64]string, len(locations))
	for _, l := range locations {
		label := short(l.ID)
		switch {
		case label == "":
			label = "location " + strconv.FormatUint(l.ID, 10)
		case shorts[label] > 1 && longs[long(l.ID)] == 1:
			label = long(l.ID)
		case shorts[label] > 1:
			label += " #" + strconv.FormatUint(l.ID, 10)
		}
		labels[l.ID] = printable(label)
	}
	return labels
}

// location returns the label of a location.
func (n *names) location(id uint64) string {
	if label, ok := n.labels[id]; ok {
		return label
	}
	return "location " + strconv.FormatUint(id, 10)
}

// plain returns the name of a definition for tables: as it is, or #id without a name.
func (n *names) plain(space trace.Space, id uint64) string {
	if undefined(id) {
		return "-"
	}
	if name, ok := n.name(space, id); ok {
		return printable(name)
	}
	return "#" + strconv.FormatUint(id, 10)
}

// undefined reports whether an id is the undefined reference of fields of 32 or 64 bits.
func undefined(id uint64) bool { return id == trace.Undefined || id == trace.Undefined>>32 }

// printable escapes what a name could harm a terminal with.
func printable(s string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, odd) < 0 {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// jsonString returns a string as JSON; bytes that are no UTF-8 become U+FFFD.
func jsonString(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`) // strings always can be marshalled
	}
	return b
}
