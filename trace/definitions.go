package trace

import (
	"strconv"
	"sync"
)

// Definitions are typed tables made from a log of definitions. Where an id is defined twice, the first definition
// counts (the log keeps both). Ids are those of the source, dense or sparse.
type Definitions struct {
	// Log is the log the tables were made from.
	Log []Record

	Strings     map[uint64]string
	Locations   []Location // in the order of their definitions
	Groups      map[uint64]LocationGroup
	Metrics     map[uint64]Metric
	Members     map[uint64]MetricMember
	Comms       map[uint64]Comm
	GroupLists  map[uint64]Group
	Attributes  map[uint64]Attribute
	Contexts    map[uint64]CallingContext
	Parameters  map[uint64]uint64 // id -> name, a string id
	RmaWindows  map[uint64]RmaWindow
	TreeNodes   map[uint64]SystemTreeNode
	Clock       ClockProperties
	regions     places
	locations   Numbers             // places in Locations
	names       [256]names          // by space
	commMembers map[uint64][]uint64 // by paradigm: the members of its COMM_LOCATIONS group

	mu    sync.Mutex
	ranks map[uint64]map[process]int // by group: the first place of each process; made when first needed
}

// process is a location group, or a location that no group is known of.
type process struct {
	id      uint64
	unknown bool
}

// places tells where in the log definitions stand.
type places struct {
	Numbers
	log []uint32 // by number: index in the log
	ids []uint64 // by number
}

// names are those of the definitions of a space.
type names struct {
	Numbers
	strings []uint64 // by number: the string's id
}

// Location is a process, thread or accelerator stream that records events in time order.
type Location struct {
	ID, Name, Type, Events, Group uint64
}

// LocationGroup is a process (or an accelerator context): a group of locations that share an address space.
type LocationGroup struct {
	ID, Name, Type, Parent, Creator uint64
}

// SystemTreeNode is a machine, a node, a socket: a place in the hierarchy that location groups belong to.
type SystemTreeNode struct {
	ID, Name, Class, Parent uint64
}

// Region is a function or code block.
type Region struct {
	ID, Name, CanonicalName, Description, Role, Paradigm, Flags, SourceFile, BeginLine, EndLine uint64
}

// Metric is a class of metric members, or an instance of such a class recorded by one location for some scope.
type Metric struct {
	ID uint64
	// Class is the id of the metric class: the metric's own, or the one that an instance is made of.
	Class uint64
	// Members are the ids of the metric members of a class; nil for an instance.
	Members []uint64
	// Recorder, ScopeKind and Scope are those of an instance.
	Recorder, ScopeKind, Scope uint64
}

// MetricMember is one counter.
type MetricMember struct {
	ID, Name, Description, Unit, Type, Mode, ValueType, Base uint64
	Exponent                                                 int64
}

// Comm is a communicator; an inter-communicator has two groups.
type Comm struct {
	ID, Name, Group, Parent uint64
	// Inter marks inter-communicators: Group is the first group, Group2 the second, Parent the common communicator.
	Inter  bool
	Group2 uint64
}

// Group is a list of members: locations, regions, ranks.
type Group struct {
	ID, Name, Type, Paradigm, Flags uint64
	Members                         []uint64
}

// Attribute names what an entry of an attribute list means.
type Attribute struct {
	ID, Name, Description uint64
	Type                  ValueType
}

// CallingContext is a node of the tree of call paths.
type CallingContext struct {
	ID, Region, SourceCodeLocation, Parent uint64
}

// RmaWindow is a window of one-sided communication.
type RmaWindow struct{ ID, Name, Comm uint64 }

// ClockProperties are those of the last ClockProperties definition.
type ClockProperties struct {
	Resolution, GlobalOffset, Length uint64
	// Realtime is the time of GlobalOffset in nanoseconds since the Unix epoch, Undefined if not known.
	Realtime uint64
}

// Values of the groupType and groupFlags fields that the tables depend on.
const (
	groupCommLocations = 4
	groupCommSelf      = 6
	groupGlobalMembers = 1
)

// NewDefinitions makes the typed tables of a log, which they keep. Records whose words do not fit the table are left out of them.
func NewDefinitions(log []Record) *Definitions {
	n := map[Kind]int{}
	for i := range log {
		n[log[i].Kind]++
	}
	d := &Definitions{
		Strings: make(map[uint64]string, n[KindString]), Groups: make(map[uint64]LocationGroup, n[KindLocationGroup]),
		Metrics: map[uint64]Metric{}, Members: map[uint64]MetricMember{}, Comms: map[uint64]Comm{},
		GroupLists: map[uint64]Group{}, Attributes: map[uint64]Attribute{}, Contexts: make(map[uint64]CallingContext, n[KindCallingContext]),
		Parameters: map[uint64]uint64{}, RmaWindows: map[uint64]RmaWindow{}, TreeNodes: map[uint64]SystemTreeNode{},
		commMembers: map[uint64][]uint64{}, Locations: make([]Location, 0, n[KindLocation]),
	}
	d.Log = log[:len(log):len(log)]
	d.tell(0)
	return d
}

// Add extends the tables by further records of the log.
func (d *Definitions) Add(log []Record) {
	from := len(d.Log)
	d.Log = append(d.Log, log...)
	d.tell(from)
}

// tell extends the tables by the log from an index on.
func (d *Definitions) tell(from int) {
	d.ranks = nil // members may be known now that were not before
	for i := from; i < len(d.Log); i++ {
		r := &d.Log[i]
		spec := Standard.Spec(r.Kind)
		if spec == nil {
			continue
		}
		if _, ok := spec.Count(r.Words); ok {
			d.addName(spec, r)
			d.add(r)
			if r.Kind == KindRegion {
				d.regions.add(r.Words[0], i)
			}
		}
	}
}

// add notes where a definition stands, unless one of the same id stands before.
func (p *places) add(id uint64, at int) {
	if _, ok := p.Of(id); !ok {
		p.Add(id)
		p.log, p.ids = append(p.log, uint32(at)), append(p.ids, id)
	}
}

// Region returns the definition of a region.
func (d *Definitions) Region(id uint64) (r Region, ok bool) {
	n, ok := d.regions.Of(id)
	if !ok {
		return r, false
	}
	w := d.Log[d.regions.log[n]].Words
	return Region{ID: w[0], Name: w[1], Description: w[2], SourceFile: w[3], BeginLine: w[4],
		EndLine: w[5], CanonicalName: w[6], Role: w[7], Paradigm: w[8], Flags: w[9]}, true
}

// Regions returns the ids of the regions that are defined, in the order of their definitions. They must not be changed.
func (d *Definitions) Regions() []uint64 { return d.regions.ids }

// AddLinks extends only the tables that tell locations, their processes, communicators and calling contexts: all that a writer needs of
// the definitions that pass through it. Log, strings, names and the other tables stay as they are, so that they take no memory.
func (d *Definitions) AddLinks(log []Record) {
	for i := range log {
		r := &log[i]
		switch r.Kind {
		case KindLocation, KindGroup, KindComm, KindInterComm, KindCallingContext:
			if _, ok := Standard.Spec(r.Kind).Count(r.Words); ok {
				d.ranks = nil // members may be known now that were not before
				d.add(r)
			}
		}
	}
}

// addName notes the name of everything that has an id and a field "name".
func (d *Definitions) addName(spec *Spec, r *Record) {
	self, name := spec.Field("self"), spec.Field("name")
	if before, _, _ := spec.Shape(); self < 0 || name < 0 || max(self, name) >= before {
		return
	}
	n := &d.names[spec.Fields[self].Ref]
	if _, ok := n.Of(r.Words[self]); !ok {
		n.Add(r.Words[self])
		n.strings = append(n.strings, r.Words[name])
	}
}

func first[K comparable, V any](m map[K]V, k K, v V) {
	if _, ok := m[k]; !ok {
		m[k] = v
	}
}

func (d *Definitions) add(r *Record) {
	w := r.Words
	switch r.Kind {
	case KindClockProperties:
		d.Clock = ClockProperties{w[0], w[1], w[2], w[3]}
	case KindString:
		first(d.Strings, w[0], r.TextOf(w[1]))
	case KindLocation:
		if _, ok := d.locations.Of(w[0]); !ok {
			d.locations.Add(w[0])
			d.Locations = append(d.Locations, Location{w[0], w[1], w[2], w[3], w[4]})
		}
	case KindLocationGroup:
		first(d.Groups, w[0], LocationGroup{w[0], w[1], w[2], w[3], w[4]})
	case KindSystemTreeNode:
		first(d.TreeNodes, w[0], SystemTreeNode{w[0], w[1], w[2], w[3]})
	case KindAttribute:
		first(d.Attributes, w[0], Attribute{ID: w[0], Name: w[1], Type: ValueType(w[2]), Description: w[3]})
	case KindCallingContext:
		first(d.Contexts, w[0], CallingContext{w[0], w[1], w[2], w[3]})
	case KindParameter:
		first(d.Parameters, w[0], w[1])
	case KindRmaWin:
		first(d.RmaWindows, w[0], RmaWindow{w[0], w[1], w[2]})
	case KindComm:
		first(d.Comms, w[0], Comm{ID: w[0], Name: w[1], Group: w[2], Parent: w[3]})
	case KindInterComm:
		first(d.Comms, w[0], Comm{ID: w[0], Name: w[1], Group: w[2], Group2: w[3], Parent: w[4], Inter: true})
	case KindGroup:
		d.addGroup(w)
	case KindMetricMember:
		first(d.Members, w[0], MetricMember{ID: w[0], Name: w[1], Description: w[2], Type: w[3], Mode: w[4],
			ValueType: w[5], Base: w[6], Exponent: int64(w[7]), Unit: w[8]})
	case KindMetricClass:
		first(d.Metrics, w[0], Metric{ID: w[0], Class: w[0], Members: w[2 : 2+w[1]]})
	case KindMetricInstance:
		first(d.Metrics, w[0], Metric{ID: w[0], Class: w[1], Recorder: w[2], ScopeKind: w[3], Scope: w[4]})
	}
}

func (d *Definitions) addGroup(w []uint64) {
	n := w[2]
	g := Group{ID: w[0], Name: w[1], Members: w[3 : 3+n], Type: w[3+n], Paradigm: w[4+n], Flags: w[5+n]}
	first(d.GroupLists, g.ID, g)
	if g.Type == groupCommLocations {
		first(d.commMembers, g.Paradigm, g.Members)
	}
}

// LocationIndex returns the index of a location in Locations.
func (d *Definitions) LocationIndex(id uint64) (int, bool) {
	i, ok := d.locations.Of(id)
	return int(i), ok
}

// Name returns the name of a definition, "" if it has none.
func (d *Definitions) Name(space Space, id uint64) string {
	if space == SpaceString {
		return d.Strings[id]
	}
	names := &d.names[space]
	if n, ok := names.Of(id); ok {
		return d.Strings[names.strings[n]]
	}
	switch space {
	case SpaceCallingContext:
		if c, ok := d.Contexts[id]; ok {
			return d.Name(SpaceRegion, c.Region)
		}
	case SpaceMetric:
		if m, ok := d.Metrics[id]; ok && m.Class != id {
			return d.Name(SpaceMetric, m.Class)
		}
	}
	return ""
}

// ContextRegion returns the region of a calling context, [Undefined] for one that is not defined.
func (d *Definitions) ContextRegion(context uint64) uint64 {
	if c, ok := d.Contexts[context]; ok {
		return c.Region
	}
	return Undefined
}

// NoRegion is the name of the region of calls that have none: those of a calling context that is not defined.
const NoRegion = "no region"

// RegionName returns the name by which regions of different traces are compared: the canonical name, else the name, else the id as #id.
func (d *Definitions) RegionName(id uint64) string {
	if IsUndefined(id) {
		return NoRegion
	}
	if r, ok := d.Region(id); ok {
		for _, text := range []uint64{r.CanonicalName, r.Name} {
			if name := d.Strings[text]; name != "" {
				return name
			}
		}
	}
	return RegionNumber(id)
}

// RegionNumber returns the name of a region that has none: its id as #id.
func RegionNumber(id uint64) string { return "#" + strconv.FormatUint(id, 10) }

// MetricMembers returns the ids of the members of a metric class or of the class of a metric instance.
func (d *Definitions) MetricMembers(metric uint64) []uint64 {
	m, ok := d.Metrics[metric]
	if ok && m.Members == nil {
		m = d.Metrics[m.Class]
	}
	return m.Members
}

// Process returns the id of the location group that a location belongs to. A location that is not defined is taken
// for a process of its own: ok is false and the location's id is returned.
func (d *Definitions) Process(location uint64) (id uint64, ok bool) {
	i, ok := d.locations.Of(location)
	if !ok {
		return location, false
	}
	return d.Locations[i].Group, true
}

// RankLocation returns the location of a rank of a communicator as seen by the location `from`: on an
// inter-communicator a rank is one of the other group.
func (d *Definitions) RankLocation(comm, rank, from uint64) (location uint64, ok bool) {
	c, ok := d.Comms[comm]
	if !ok {
		return 0, false
	}
	group := c.Group
	if c.Inter && d.memberIndex(c.Group, from) >= 0 {
		group = c.Group2
	}
	g, ok := d.GroupLists[group]
	if !ok {
		return 0, false
	}
	if g.Type == groupCommSelf {
		return from, rank == 0
	}
	return d.member(g, rank)
}

// OwnRank returns the rank of a location's process in a communicator, and the number of ranks; ok is false for inter-communicators,
// and where the location is not a member.
func (d *Definitions) OwnRank(comm, location uint64) (rank, size uint64, ok bool) {
	c, ok := d.Comms[comm]
	if !ok || c.Inter {
		return 0, 0, false
	}
	i := d.memberIndex(c.Group, location)
	if i < 0 {
		return 0, 0, false
	}
	g := d.GroupLists[c.Group]
	if g.Flags&groupGlobalMembers != 0 && g.Type != groupCommLocations {
		return g.Members[i], uint64(len(d.commMembers[g.Paradigm])), true
	}
	return uint64(i), uint64(len(g.Members)), true
}

// member returns the location of a rank of a group.
func (d *Definitions) member(g Group, rank uint64) (location uint64, ok bool) {
	all := d.commMembers[g.Paradigm]
	if g.Type == groupCommLocations {
		all = g.Members
	} else if g.Flags&groupGlobalMembers == 0 {
		if rank >= uint64(len(g.Members)) {
			return 0, false
		}
		rank = g.Members[rank]
	}
	if rank >= uint64(len(all)) {
		return 0, false
	}
	return all[rank], true
}

// memberIndex returns the place that a location's process has in a group, -1 if it is not in it.
func (d *Definitions) memberIndex(group, location uint64) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	places, ok := d.ranks[group]
	if !ok {
		places = d.places(d.GroupLists[group])
		if d.ranks == nil {
			d.ranks = map[uint64]map[process]int{}
		}
		d.ranks[group] = places
	}
	if i, ok := places[d.processOf(location)]; ok {
		return i
	}
	return -1
}

// places returns the first place of each process in a group.
func (d *Definitions) places(g Group) map[process]int {
	places := make(map[process]int, len(g.Members))
	for i := range g.Members {
		rank := uint64(i)
		if g.Flags&groupGlobalMembers != 0 {
			rank = g.Members[i]
		}
		if l, ok := d.member(g, rank); ok {
			first(places, d.processOf(l), i)
		}
	}
	return places
}

func (d *Definitions) processOf(location uint64) process {
	id, ok := d.Process(location)
	return process{id, !ok}
}
