package calltree

import "github.com/pandotrace/pando/trace"

// Names numbers the names of regions: those of equal names have one [Name]. It is not safe for concurrent use.
type Names struct {
	defs        *trace.Definitions
	numbers     map[string]Name
	ofRegion    map[uint64]Name
	list        []namedRegion
	transparent map[string]bool
	ofMessage   map[Message]Name
}

// namedRegion is a name with the first region that had it, or that of a message.
type namedRegion struct {
	text        string
	region      uint64 // trace.Undefined for calls of no region
	transparent bool
	message     bool
}

// NoRegion is the name of calls of no region: those of a calling context that is not defined.
const NoRegion = trace.NoRegion

// NewNames returns the names of the regions of a trace.
func NewNames(defs *trace.Definitions) *Names {
	return &Names{defs: defs, numbers: map[string]Name{}, ofRegion: map[uint64]Name{}, transparent: map[string]bool{}, ofMessage: map[Message]Name{}}
}

// Hide makes the regions of a name transparent. It comes before the names are used.
func (n *Names) Hide(name string) { n.transparent[name] = true }

// Of returns the number of a region's name: its canonical name, else its name, else its id as #id.
func (n *Names) Of(region uint64) Name {
	if number, ok := n.ofRegion[region]; ok {
		return number
	}
	text := n.defs.RegionName(region)
	number, ok := n.numbers[text]
	if !ok {
		number = Name(len(n.list))
		n.numbers[text] = number
		n.list = append(n.list, namedRegion{text: text, region: region, transparent: n.transparent[text]})
	}
	n.ofRegion[region] = number
	return number
}

// ofEnd returns the number of a message, which is not that of a region of the same name.
func (n *Names) ofEnd(m Message) Name {
	number, ok := n.ofMessage[m]
	if !ok {
		number = Name(len(n.list))
		n.ofMessage[m] = number
		n.list = append(n.list, namedRegion{text: m.String(), region: trace.Undefined, message: true})
	}
	return number
}

// Text returns the name of a number.
func (n *Names) Text(name Name) string { return n.list[name].text }

// Region returns the first region that had a name, [trace.Undefined] for [NoRegion].
func (n *Names) Region(name Name) uint64 { return n.list[name].region }

// Len returns how many names have a number.
func (n *Names) Len() int { return len(n.list) }
