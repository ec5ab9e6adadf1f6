package record

import "encoding/binary"

// Region is a region of a recorder, as Recorder.Region returns it.
type Region uint32

// Metric is the number of a metric of a recorder.
type Metric uint32

// Comm is the number of a communicator. World is that of all processes of the run.
type Comm uint32

// World is the communicator of all processes, whose members are their ranks.
const World Comm = 0

// RegionOption says more of a region than its name.
type RegionOption func(*regionSpec)

// Role is what a region is for; the numbers are those of OTF2.
type Role uint8

// Roles of regions.
const (
	Function     Role = 1
	Loop         Role = 3
	Code         Role = 4
	Barrier      Role = 15
	CollOneToAll Role = 23
	CollAllToOne Role = 24
	CollAllToAll Role = 25
	FileIO       Role = 27
	PointToPoint Role = 28
)

type regionSpec struct {
	name, file string
	line       uint32
	role       Role
	paradigm   uint8
}

// Paradigms of regions; the numbers are those of OTF2.
const paradigmUser = 1

// At says where the region's source is.
func At(file string, line int) RegionOption {
	return func(s *regionSpec) { s.file, s.line = file, uint32(line) }
}

// As says what the region is for.
func As(role Role) RegionOption { return func(s *regionSpec) { s.role = role } }

// maxName is how much of a name is kept, in bytes.
const maxName = 2048

// definitions writes what events refer to.
type definitions struct {
	regions map[regionSpec]Region
	metrics map[metricSpec]Metric
	markers map[markerSpec]Marker
	texts   texts
	bin     int32
	used    int
	bins    uint32
}

type metricSpec struct {
	name, unit string
	kind       byte // of its definition
}

// Region returns the number of a region, which it defines if it is new. It takes a lock: call it once for each region. There may be four million; calls of others are counted as lost.
func (r *Recorder) Region(name string, options ...RegionOption) Region {
	s := regionSpec{name: name, role: Function, paradigm: paradigmUser}
	for _, o := range options {
		o(&s)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, ok := r.defs.regions[s]; ok || r.closed {
		return id
	}
	if r.defs.regions == nil {
		r.defs.regions = map[regionSpec]Region{}
	}
	if len(r.defs.regions) >= maxRegions {
		return maxRegions
	}
	handle := r.control.handle(name) | Region(r.order.classOf(&s))<<classAt | r.phases.phaseOf(name)<<phaseAt
	r.defs.regions[s] = handle
	p := binary.AppendUvarint(nil, uint64(handle&regionMask))
	p = append(p, byte(s.role), s.paradigm)
	p = binary.AppendUvarint(p, uint64(s.line))
	p = binary.AppendUvarint(p, 0) // no address
	r.define(defineRegion, appendText(appendText(p, s.name), s.file))
	return handle
}

// Metric returns the number of a metric, which it defines if it is new.
func (r *Recorder) Metric(name, unit string) Metric {
	return r.metric(metricSpec{name, unit, defineMetric})
}

func (r *Recorder) metric(s metricSpec) Metric {
	return numberOf(r, &r.defs.metrics, s, s.kind, func(p []byte) []byte { return appendText(appendText(p, s.name), s.unit) })
}

// numberOf returns the number of a thing, which it defines if it is new: by the number, and what is appended.
func numberOf[T comparable, N ~uint32](r *Recorder, numbers *map[T]N, of T, kind byte, rest func(p []byte) []byte) N {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id, ok := (*numbers)[of]; ok || r.closed {
		return id
	}
	if *numbers == nil {
		*numbers = map[T]N{}
	}
	id := N(len(*numbers))
	(*numbers)[of] = id
	r.define(kind, rest(binary.AppendUvarint(nil, uint64(id))))
	return id
}

// Comm defines a communicator by the ranks of its members in World, in the order of their ranks in it. All processes of the run must give
// it the same number, which is not 0.
func (r *Recorder) Comm(number Comm, name string, members []int) Comm {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return number
	}
	r.define(defineComm, appendText(binary.AppendUvarint(nil, uint64(number)), name))
	const atOnce = 256
	for len(members) > 0 {
		n := min(atOnce, len(members))
		p := binary.AppendUvarint(nil, uint64(number))
		p = binary.AppendUvarint(p, uint64(n))
		for _, m := range members[:n] {
			p = binary.AppendUvarint(p, uint64(m))
		}
		r.define(defineMembers, p)
		members = members[n:]
	}
	return number
}

func appendText(p []byte, s string) []byte {
	s = s[:min(len(s), maxName)]
	return append(binary.AppendUvarint(p, uint64(len(s))), s...)
}

// definitionHead is the size of a definition without its content.
const definitionHead = 8

// define writes a definition: kind, two bytes of zero, length, content; and, last, the tag in front. It reports whether there was room: readers call what is not defined by its number. The recorder's lock must be held.
func (r *Recorder) define(kind byte, content []byte) bool {
	d := &r.defs
	if d.bins == 0 || d.used+definitionHead+len(content) > r.bin {
		bin := r.pool.take(binDefinitions, 0, d.bins, uint64(d.bins))
		if bin == none {
			return false
		}
		d.bin, d.used, d.bins = bin, binHeader, d.bins+1
	}
	b := r.pool.at(d.bin)[d.used:]
	b[1] = kind
	binary.LittleEndian.PutUint32(b[4:], uint32(len(content)))
	copy(b[definitionHead:], content)
	b[0] = 1
	d.used += definitionHead + len(content)
	return true
}
