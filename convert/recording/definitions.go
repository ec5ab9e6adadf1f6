package recording

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// Kinds of definitions.
const (
	defineRegion   = 1
	defineMetric   = 2
	defineComm     = 3
	defineMembers  = 4
	defineLocation = 5
	defineObject   = 6
	defineWindow   = 7
	defineGroup    = 8
	defineInter    = 9
	defineCounter  = 10
	defineGrid     = 11
	defineOpened   = 12
	definePath     = 13
	defineClock    = 14
	defineMarker   = 15
	defineText     = 16
)

// definitions is the log of definitions in the making, and what numbers of files mean in it.
type definitions struct {
	log     []trace.Record
	strings map[string]uint64
	regions map[regionKey]uint32
	metrics map[metricKey]uint64
	comms   map[uint64]*comm
	order   []uint64 // of communicators
	windows map[uint64]window
	grids   map[uint64]grid // by communicator
	files   map[uint64]opened
	markers map[markerKey]uint64
	// markerList are the markers of the trace, by their numbers.
	markerList []markerKey
	groups     map[string]uint64 // ids of groups of ranks that are no communicator's, by their members
	taken      map[uint64]bool   // those ids
	// numbers are, for each file, the regions and metrics of the trace by those of the file.
	numbers []numbers
	mu      sync.Mutex // of regions that no file defines, which streams define when they meet one
}

type numbers struct {
	regions []uint32
	metrics []uint64
	names   map[uint32]string // of locations

	objects   []*object
	functions map[uint32]function // the regions that have an address, most in place of a name
	keys      map[uint32]regionKey
	groups    map[uint64][]uint64
	groupIDs  map[uint64]uint64 // of the trace
	paths     map[uint64]string
	files     map[uint64]uint64 // ids of the files of paths
}

type regionKey struct {
	name, file     string
	line           uint64
	role, paradigm byte
}

// metricKey is what a metric is known by; values of counters are those since the location began.
type metricKey struct {
	name, unit string
	counter    bool
}

type comm struct {
	name    string
	members []uint64
	// others are the members of the second group, of a communicator between two.
	others []uint64
	inter  bool
}

// window is memory that ranks of a communicator reach.
type window struct {
	name string
	comm uint64
}

const undefined = 0xffffffff

func (d *definitions) add(kind trace.Kind, words ...uint64) {
	d.log = append(d.log, trace.Record{Kind: kind, Words: words})
}

// text returns the id of a string.
func (d *definitions) text(s string) uint64 {
	if id, ok := d.strings[s]; ok {
		return id
	}
	id := uint64(len(d.strings))
	d.strings[s] = id
	r := trace.Record{Kind: trace.KindString}
	r.Words = []uint64{id, r.PutText(s)}
	d.log = append(d.log, r)
	return id
}

// define makes the log of definitions.
func (a *Archive) define() error {
	d := &a.defs
	d.strings, d.regions, d.metrics, d.comms = map[string]uint64{}, map[regionKey]uint32{}, map[metricKey]uint64{}, map[uint64]*comm{}
	d.windows, d.groups, d.taken = map[uint64]window{}, map[string]uint64{}, map[uint64]bool{}
	d.grids, d.files, d.markers = map[uint64]grid{}, map[uint64]opened{}, map[markerKey]uint64{}
	d.numbers = make([]numbers, len(a.files))
	d.add(trace.KindClockProperties, a.clock()...)
	d.text("")
	for _, f := range a.files {
		n := &a.defs.numbers[f.index]
		n.names, n.functions, n.keys, n.groups, n.groupIDs = map[uint32]string{}, map[uint32]function{}, map[uint32]regionKey{}, map[uint64][]uint64{}, map[uint64]uint64{}
		n.paths, n.files = map[uint64]string{}, map[uint64]uint64{}
		if err := a.readDefinitions(f); err != nil {
			return err
		}
	}
	a.nameFunctions()
	a.defineLocations()
	a.defineComms()
	d.defineGrids(&a.warnings)
	d.defineFiles()
	return nil
}

// clock returns resolution, begin, length and time of day of the begin. The length of a recording that was not closed is unknown, and 0 says so.
func (a *Archive) clock() []uint64 {
	var length int64
	real, closed := uint64(a.files[0].start.real), true
	for _, f := range a.files {
		real = min(real, uint64(f.start.real))
		closed = closed && f.until != 0
		length = max(length, a.time(f, f.until))
	}
	if !closed {
		length = 0
	}
	return []uint64{a.meta.Resolution, a.meta.Epoch, uint64(length), real}
}

func (a *Archive) readDefinitions(f *file) error {
	return eachDefinition(f, func(kind byte, r *reader) { a.defs.read(f, kind, r) })
}

// eachDefinition goes over the definitions of a file.
func eachDefinition(f *file, take func(kind byte, r *reader)) error {
	buf := make([]byte, f.bin)
	for i := range f.bins {
		b := &f.bins[i]
		if b.kind != binDefinitions {
			continue
		}
		ok, err := f.load(b, buf)
		if err != nil {
			return err
		}
		const header = 8
		for at := binHeader; ok && at+header < len(buf) && buf[at] == 1; {
			n := le.Uint32(buf[at+4:])
			if uint64(n) > uint64(len(buf)-at-header) {
				f.lost(*b, "a definition of %d bytes", n)
				break
			}
			r := reader{p: buf[at+header:][:n]}
			take(buf[at+1], &r)
			if r.bad {
				f.warnings.Add("definition that cannot be read", "%s, byte %d: kind %d", f.path, b.at+int64(at), buf[at+1])
			}
			at += header + int(n)
		}
	}
	return nil
}

// reader takes numbers and strings from a definition.
type reader struct {
	p   []byte
	bad bool
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.p)
	if n <= 0 {
		r.bad, r.p = true, nil
		return 0
	}
	r.p = r.p[n:]
	return v
}

func (r *reader) byte() byte {
	if len(r.p) == 0 {
		r.bad = true
		return 0
	}
	b := r.p[0]
	r.p = r.p[1:]
	return b
}

func (r *reader) text() string {
	n := r.number()
	if n > uint64(len(r.p)) {
		r.bad = true
		return ""
	}
	s := string(r.p[:n])
	r.p = r.p[n:]
	return s
}

// numbers appends as many numbers as the first one says.
func (r *reader) numbers(list []uint64) []uint64 {
	for range r.number() {
		v := r.number()
		if r.bad {
			break
		}
		list = append(list, v)
	}
	return list
}

// read takes one definition.
func (d *definitions) read(f *file, kind byte, r *reader) {
	n := &d.numbers[f.index]
	id := r.number()
	switch kind {
	case defineRegion:
		k := regionKey{role: r.byte(), paradigm: r.byte(), line: r.number()}
		address := r.number()
		k.name, k.file = r.text(), r.text()
		switch {
		case id != uint64(len(n.regions)) || r.bad:
			r.bad = true
		case address != 0:
			n.functions[uint32(id)], n.keys[uint32(id)] = n.locate(address), k
			n.regions = append(n.regions, undefined)
		default:
			n.regions = append(n.regions, d.region(k))
		}
	case defineMetric, defineCounter:
		k := metricKey{r.text(), r.text(), kind == defineCounter}
		if id == uint64(len(n.metrics)) && !r.bad {
			n.metrics = append(n.metrics, d.metric(k))
		} else {
			r.bad = true
		}
	case defineMarker, defineText:
		d.readMark(&f.marks, kind, id, r)
	case defineComm:
		c := d.comm(id)
		c.name, c.members = r.text(), nil
	case defineMembers:
		c := d.comm(id)
		c.members = r.numbers(c.members)
	case defineGroup:
		n.groups[id] = r.numbers(n.groups[id])
	case defineWindow:
		if w := (window{comm: r.number(), name: r.text()}); !r.bad {
			d.windows[id] = w
		}
	case defineInter:
		a, b, name := r.number(), r.number(), r.text()
		if c := d.comm(id); !r.bad {
			*c = comm{name, n.groups[a], n.groups[b], true}
		}
	case defineGrid:
		if g := readGrid(r); !r.bad {
			d.grids[id] = g
		}
	case defineOpened:
		if o := (opened{comm: r.number(), path: r.text()}); !r.bad {
			d.files[id] = o
		}
	case definePath:
		if path := r.text(); !r.bad {
			n.paths[id] = path
		}
	case defineClock: // which was read before
		r.moment()
	case defineLocation:
		n.names[uint32(id)] = r.text()
	case defineObject:
		if o := (&object{begin: id, size: r.number(), bias: r.number(), path: r.text(), buildID: r.text()}); !r.bad {
			n.objects = append(n.objects, o)
		}
	default:
		r.bad = true
	}
}

func (d *definitions) comm(id uint64) *comm {
	c := d.comms[id]
	if c == nil {
		c = &comm{}
		d.comms[id], d.order = c, append(d.order, id)
	}
	return c
}

// region returns the number of a region, which it defines if it is new.
func (d *definitions) region(k regionKey) uint32 {
	id, ok := d.regions[k]
	if !ok {
		id = uint32(len(d.regions))
		d.regions[k] = id
		name := d.text(k.name)
		line := min(k.line, undefined)
		d.add(trace.KindRegion, uint64(id), name, d.text(""), d.text(k.file), line, line, name, uint64(k.role), uint64(k.paradigm), 0)
	}
	return id
}

// region returns the trace's number of a file's region.
func (a *Archive) region(f *file, region uint32) uint32 {
	n := &a.defs.numbers[f.index]
	if int(region) < len(n.regions) {
		return n.regions[region]
	}
	a.defs.mu.Lock()
	defer a.defs.mu.Unlock()
	return a.defs.region(regionKey{name: fmt.Sprintf("region %d of %s", region, f.path)})
}

func (d *definitions) metric(k metricKey) uint64 {
	const other, user, unsigned, decimal, asynchronous, unknown = 0, 3, 4, 1, 2, 0
	const absolutePoint, accumulatedStart = 17, 0
	id, ok := d.metrics[k]
	if !ok {
		id = uint64(len(d.metrics))
		d.metrics[k] = id
		class, mode := uint64(user), uint64(absolutePoint)
		if k.counter {
			class, mode = other, accumulatedStart
		}
		d.add(trace.KindMetricMember, id, d.text(k.name), d.text(""), class, mode, unsigned, decimal, 0, d.text(k.unit))
		d.add(trace.KindMetricClass, id, 1, id, asynchronous, unknown)
	}
	return id
}

// translate puts the trace's numbers into the words of an event.
func (n *numbers) translate(kind trace.Kind, words []uint64) []uint64 {
	switch kind {
	case trace.KindMetric:
		if words[0] < uint64(len(n.metrics)) {
			words[0] = n.metrics[words[0]]
		}
	case trace.KindRmaGroupSync:
		id, ok := n.groupIDs[words[2]]
		if !ok {
			id = undefined
		}
		words[2] = id
	case trace.KindIoDeleteFile:
		id, ok := n.files[words[1]]
		if !ok {
			id = undefined
		}
		words[1] = id
	}
	return words
}

func (a *Archive) defineLocations() {
	const process, thread = 1, 1
	d := &a.defs
	hosts := map[string]uint64{}
	next := 0
	for _, f := range a.files {
		node, ok := hosts[f.host]
		if !ok {
			node = uint64(len(hosts))
			hosts[f.host] = node
			d.add(trace.KindSystemTreeNode, node, d.text(f.host), d.text("node"), undefined)
		}
		name := fmt.Sprintf("process %d", f.process)
		if f.rank != noRank {
			name = fmt.Sprintf("MPI Rank %d", f.rank)
		}
		d.add(trace.KindLocationGroup, uint64(f.index), d.text(name), process, node, undefined)
		for ; next < len(a.locations) && a.locations[next].f == f; next++ {
			l := a.locations[next]
			name := d.numbers[f.index].names[l.number]
			if name == "" {
				name = fmt.Sprintf("location %d", l.number)
			}
			d.add(trace.KindLocation, l.id, d.text(name), thread, 0, uint64(f.index))
		}
	}
}

// first is the first location of a file.
func (a *Archive) first(f *file) *location {
	for _, l := range a.locations {
		if l.f == f {
			return l
		}
	}
	return nil
}
