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
)

// definitions is the log of definitions in the making, and what numbers of files mean in it.
type definitions struct {
	log     []trace.Record
	strings map[string]uint64
	regions map[regionKey]uint32
	metrics map[metricKey]uint64
	comms   map[uint64]*comm
	order   []uint64 // of communicators
	// numbers are, for each file, the regions and metrics of the trace by those of the file.
	numbers []numbers
	mu      sync.Mutex // of regions that no file defines, which streams define when they meet one
}

type numbers struct {
	regions []uint32
	metrics []uint64
	names   map[uint32]string // of locations

	objects   []*object
	functions map[uint32]function // the regions that have an address in place of a name
	keys      map[uint32]regionKey
}

type regionKey struct {
	name, file     string
	line           uint64
	role, paradigm byte
}

type metricKey struct{ name, unit string }

type comm struct {
	name    string
	members []uint64
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
	d.numbers = make([]numbers, len(a.files))
	d.add(trace.KindClockProperties, a.clock()...)
	d.text("")
	for _, f := range a.files {
		n := &a.defs.numbers[f.index]
		n.names, n.functions, n.keys = map[uint32]string{}, map[uint32]function{}, map[uint32]regionKey{}
		if err := a.readDefinitions(f); err != nil {
			return err
		}
	}
	a.nameFunctions()
	a.defineLocations()
	a.defineComms()
	return nil
}

// clock returns resolution, begin, length and time of day of the begin. Events of other hosts may lie outside.
func (a *Archive) clock() []uint64 {
	var length int64
	var real uint64
	for i, f := range a.files {
		if i == 0 || uint64(f.start.real) < real {
			real = uint64(f.start.real)
		}
		end := max(f.start.ticks, f.last.ticks)
		if f.until != 0 {
			end = f.until
		}
		length = max(length, a.time(f, end))
	}
	return []uint64{a.meta.Resolution, a.meta.Epoch, uint64(length), real}
}

func (a *Archive) readDefinitions(f *file) error {
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
			a.defs.read(f, buf[at+1], &r)
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
		case k.name == "" && address != 0:
			n.functions[uint32(id)], n.keys[uint32(id)] = n.locate(address), k
			n.regions = append(n.regions, undefined)
		default:
			n.regions = append(n.regions, d.region(k))
		}
	case defineMetric:
		k := metricKey{r.text(), r.text()}
		if id == uint64(len(n.metrics)) && !r.bad {
			n.metrics = append(n.metrics, d.metric(k))
		} else {
			r.bad = true
		}
	case defineComm:
		c := d.comm(id)
		c.name, c.members = r.text(), nil
	case defineMembers:
		c := d.comm(id)
		for range r.number() {
			if m := r.number(); !r.bad {
				c.members = append(c.members, m)
			} else {
				break
			}
		}
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
	const user, unsigned, decimal, asynchronous, unknown = 3, 4, 1, 2, 0
	const absolutePoint = 17
	id, ok := d.metrics[k]
	if !ok {
		id = uint64(len(d.metrics))
		d.metrics[k] = id
		d.add(trace.KindMetricMember, id, d.text(k.name), d.text(""), user, absolutePoint, unsigned, decimal, 0, d.text(k.unit))
		d.add(trace.KindMetricClass, id, 1, id, asynchronous, unknown)
	}
	return id
}

// translate puts the trace's numbers into the words of an event.
func (a *Archive) translate(l *location, kind trace.Kind, words []uint64) []uint64 {
	if kind == trace.KindMetric {
		if n := a.defs.numbers[l.f.index].metrics; words[0] < uint64(len(n)) {
			words[0] = n[words[0]]
		}
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

// defineComms defines the communicators. World has the first location of each rank.
func (a *Archive) defineComms() {
	const locations, group, mpi = 4, 5, 4
	d := &a.defs
	var ranks []uint64
	for _, l := range a.locations {
		if f := l.f; f.rank != noRank && f.rank < 1<<24 && (len(ranks) == 0 || l == a.first(f)) {
			for uint32(len(ranks)) <= f.rank && len(ranks) < len(a.files)*4+1024 {
				ranks = append(ranks, trace.Undefined)
			}
			if int(f.rank) < len(ranks) {
				ranks[f.rank] = l.id
			}
		}
	}
	if len(ranks) == 0 && len(d.order) == 0 {
		return
	}
	add := func(id uint64, name string, members []uint64, kind uint64) {
		words := append([]uint64{id, d.text(name), uint64(len(members))}, members...)
		d.add(trace.KindGroup, append(words, kind, mpi, 0)...)
	}
	add(0, "", ranks, locations)
	world := make([]uint64, len(ranks))
	for i := range world {
		world[i] = uint64(i)
	}
	add(1, "", world, group)
	d.add(trace.KindComm, 0, d.text("MPI_COMM_WORLD"), 1, undefined, 0)
	for _, id := range d.order {
		if id == 0 || id >= undefined-1 {
			continue
		}
		add(id+1, "", d.comms[id].members, group)
		d.add(trace.KindComm, id, d.text(d.comms[id].name), id+1, undefined, 0)
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
