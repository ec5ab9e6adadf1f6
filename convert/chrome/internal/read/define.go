package read

import (
	"slices"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Values of enumerated fields of definitions.
const (
	groupProcess     = 1
	groupAccelerator = 2
	threadOfCPU      = 1
	streamOfGPU      = 2
	commLocations    = 4
	paradigmUser     = 1
	paradigmCUDA     = 5
	classAccelerator = 3
	roleFunction     = 1
	roleCode         = 4
	roleTransfer     = 30
	metricUser       = 3
	absolutePoint    = 17
	baseDecimal      = 1
	occursAnywhere   = 2 // asynchronous
)

// define lays out the log of definitions: the clock, all strings, then what refers to them. There may be millions, so records are made
// when the reader needs them. Those that may bring new strings are made once before.
func (a *Archive) define() {
	a.meta = &trace.Meta{Format: form.FormatName, Resolution: a.scale.PerSecond(), Properties: a.properties}
	d := &definer{Archive: a}
	d.text("pid")
	d.places()
	d.code()
	d.counters()
	if a.messages > 0 {
		d.communicators()
	}
	d.sections = append([]section{{1, d.clock}, {a.names.strings.len(), d.str}}, d.sections...)
	a.log = d
}

// section is some definitions of a kind.
type section struct {
	n      int
	record func(i int) trace.Record
}

// definer makes definitions; strings come before all others.
type definer struct {
	*Archive
	sections  []section
	processes []*process // by id
}

// some returns at most n records, from an index on.
func (d *definer) some(from, n int) (list []trace.Record) {
	for _, s := range d.sections {
		for ; from < s.n && len(list) < n; from++ {
			list = append(list, s.record(from))
		}
		from = max(0, from-s.n)
	}
	return list
}

// len returns the number of records.
func (d *definer) len() (n int) {
	for _, s := range d.sections {
		n += s.n
	}
	return n
}

func (d *definer) add(n int, record func(i int) trace.Record) {
	d.sections = append(d.sections, section{n, record})
}

// addTexts adds records that may bring new strings.
func (d *definer) addTexts(n int, record func(i int) trace.Record) {
	for i := range n {
		record(i)
	}
	d.add(n, record)
}

func record(kind trace.Kind, words ...uint64) trace.Record {
	return trace.Record{Kind: kind, Words: words}
}

func (d *definer) text(s string) uint64 { return uint64(d.names.strings.id([]byte(s))) }

func (d *definer) clock(int) trace.Record {
	first, last := d.scale.Ticks(d.first), d.scale.Ticks(d.last)
	return record(trace.KindClockProperties, d.meta.Resolution, uint64(max(first, 0)), uint64(last-first), trace.Undefined)
}

func (d *definer) str(id int) trace.Record {
	s := d.names.strings.at(uint32(id))
	return trace.Record{Kind: trace.KindString, Words: []uint64{uint64(id), uint64(len(s))}, Text: s[:len(s):len(s)]}
}

// places defines processes and threads.
func (d *definer) places() {
	d.processes = make([]*process, len(d.Locations.processes))
	gpu := make([]bool, len(d.Locations.processes)) // by id
	onGPU := d.Locations.accelerators()
	for i := range d.Locations.processes {
		p := &d.Locations.processes[i]
		d.processes[p.id], gpu[p.id] = p, onGPU[i]
	}
	host := d.Locations.host()
	d.nameGPUs()
	d.addTexts(len(d.processes), func(i int) trace.Record {
		p, kind, creator := d.processes[i], uint64(groupProcess), uint64(none)
		if gpu[i] {
			kind, creator = groupAccelerator, host
		}
		return record(trace.KindLocationGroup, p.id, d.named(p.name, form.ProcessName, p.pid), kind, none, creator)
	})
	d.addTexts(len(d.Locations.Order), func(i int) trace.Record {
		l, kind, what := d.thread(i), uint64(threadOfCPU), form.ThreadName
		if l.stream {
			kind, what = streamOfGPU, form.StreamName
		}
		return record(trace.KindLocation, l.id, d.named(l.name, what, l.Tid), kind, l.records, d.Locations.processes[l.process].id)
	})
	d.properties(trace.KindLocationGroupProperty, "pid", len(d.processes), func(i int) (uint64, ident, []note) {
		p := d.processes[i]
		return p.id, p.pid, p.notes
	})
	d.properties(trace.KindLocationProperty, "tid", len(d.Locations.Order), func(i int) (uint64, ident, []note) {
		l := d.thread(i)
		return l.id, l.Tid, d.Locations.notes[d.Locations.Order[i]]
	})
}

// thread returns a location in the order of definition.
func (d *definer) thread(i int) *location { return &d.Locations.List[d.Locations.Order[i]] }

// named returns the name of a process or thread: that it was given, or its number.
func (d *definer) named(name uint32, what string, id ident) uint64 {
	if name != none {
		return uint64(name)
	}
	if number := id.text(&d.names.strings); number != "" {
		return d.text(what + " " + number)
	}
	return d.text(what)
}

// properties defines what the file says of n processes or threads: their numbers, and their notes. They follow one another, so that
// ends says where those of each do.
func (d *definer) properties(kind trace.Kind, what string, n int, of func(i int) (id uint64, number ident, notes []note)) {
	ends := make([]uint32, n)
	end := 0
	for i := range n {
		_, number, notes := of(i)
		if end += len(notes); number.property(&d.names.strings) != "" {
			end++
		}
		ends[i] = uint32(end)
	}
	d.addTexts(end, func(at int) trace.Record {
		i, _ := slices.BinarySearch(ends, uint32(at+1))
		id, number, notes := of(i)
		fromEnd := int(ends[i]) - at
		if fromEnd > len(notes) {
			return record(kind, id, d.text(form.PropertyPrefix+what), uint64(trace.ValueString), d.text(number.property(&d.names.strings)))
		}
		note := notes[len(notes)-fromEnd]
		return record(kind, id, d.text(form.PropertyPrefix+string(d.names.strings.at(note.name))), uint64(trace.ValueString), uint64(note.value))
	})
}

// code defines what events are called. Categories of Chrome are the descriptions of regions.
func (d *definer) code() {
	d.addTexts(1, func(int) trace.Record { return record(trace.KindParadigm, paradigmUser, d.text("user code"), 0) })
	gpus := d.Locations.streams()
	if gpus {
		d.addTexts(1, func(int) trace.Record {
			return record(trace.KindParadigm, paradigmCUDA, d.text("CUDA"), classAccelerator)
		})
	}
	d.add(len(d.names.regions.list), func(id int) trace.Record {
		p := d.names.regions.list[id]
		name, c := uint64(p.a), categoryClass{roleCode, paradigmUser}
		if gpus {
			if of, ok := classesOfCategories[string(d.names.strings.at(p.b))]; ok {
				c = of
			}
		}
		return record(trace.KindRegion, uint64(id), name, uint64(p.b), none, 0, 0, name, c.role, c.paradigm, 0)
	})
	d.addTexts(len(d.names.categories.list), func(id int) trace.Record {
		p := d.names.categories.list[id]
		name := string(d.names.strings.at(p.a))
		if cat := d.names.strings.at(p.b); len(cat) > 0 {
			name += " [" + string(cat) + "]"
		}
		return record(trace.KindCategory, uint64(id), d.text(name))
	})
	d.addTexts(len(d.names.attrList), func(id int) trace.Record {
		n := &d.names.attrList[id]
		return record(trace.KindAttribute, uint64(id), uint64(n.name), uint64(n.typ), d.text(form.Descriptions[n.place]))
	})
}

// counters defines metrics.
func (d *definer) counters() {
	unit := d.text("")
	d.add(len(d.names.memberList), func(id int) trace.Record {
		m := &d.names.memberList[id]
		return record(trace.KindMetricMember, uint64(id), uint64(m.name), uint64(m.cat), metricUser, absolutePoint, uint64(m.typ), baseDecimal, 0, unit)
	})
	d.add(len(d.names.classes), func(id int) trace.Record {
		members := d.names.classes[id].members
		words := []uint64{uint64(id), uint64(len(members))}
		for _, m := range members {
			words = append(words, uint64(m))
		}
		return record(trace.KindMetricClass, append(words, occursAnywhere, 0)...)
	})
}

// communicators defines those that messages go through: processes are their ranks.
func (d *definer) communicators() {
	members := make([]uint64, len(d.Locations.processes))
	for i := range members {
		members[i] = trace.Undefined
	}
	for _, i := range d.Locations.Order {
		l := &d.Locations.List[i]
		rank := d.Locations.processes[l.process].id
		members[rank] = min(members[rank], l.id)
	}
	name := d.text(form.FlowsComm)
	d.add(1, func(int) trace.Record {
		words := append([]uint64{0, name, uint64(len(members))}, members...)
		return record(trace.KindGroup, append(words, commLocations, paradigmUser, 0)...)
	})
	d.add(1, func(int) trace.Record { return record(trace.KindComm, 0, name, 0, none, 0) })
	d.add(len(d.names.comms.list), func(i int) trace.Record {
		return record(trace.KindComm, uint64(i)+1, uint64(d.names.comms.list[i].a), 0, none, 0)
	})
}
