package chrome

import (
	"github.com/pandotrace/pando/trace"
)

// Values of enumerated fields of definitions.
const (
	groupProcess   = 1
	threadOfCPU    = 1
	commLocations  = 4
	paradigmUser   = 1
	roleCode       = 4
	metricUser     = 3
	absolutePoint  = 17
	baseDecimal    = 1
	occursAnywhere = 2 // asynchronous
)

// define makes the log of definitions.
func (a *Archive) define() {
	a.meta = &trace.Meta{Format: formatName, Resolution: a.scale.perSecond(), Properties: a.properties}
	d := definer{Archive: a}
	d.text("pid")
	d.places()
	d.code()
	d.counters()
	if a.messages > 0 {
		d.communicators()
	}
	first, last := a.scale.ticks(a.first), a.scale.ticks(a.last)
	clock := trace.Record{Kind: trace.KindClockProperties, Words: []uint64{a.meta.Resolution, uint64(max(first, 0)), uint64(last - first), trace.Undefined}}
	strings := make([]trace.Record, 0, len(a.names.strings.list)+1+len(d.log))
	for id, s := range a.names.strings.list {
		r := trace.Record{Kind: trace.KindString}
		r.Words = []uint64{uint64(id), r.PutText(s)}
		strings = append(strings, r)
	}
	a.log = append(append(append(a.log, clock), strings...), d.log...)
}

// definer makes definitions; strings that are new come before all.
type definer struct {
	*Archive
	log []trace.Record
}

func (d *definer) add(kind trace.Kind, words ...uint64) {
	d.log = append(d.log, trace.Record{Kind: kind, Words: words})
}

func (d *definer) text(s string) uint64 { return uint64(d.names.strings.id([]byte(s))) }

// places defines processes and threads.
func (d *definer) places() {
	processes := make([]*process, len(d.locations.processes))
	for i := range d.locations.processes {
		p := &d.locations.processes[i]
		processes[p.id] = p
	}
	for _, p := range processes {
		d.add(trace.KindLocationGroup, p.id, d.named(p.name, "process", p.pid), groupProcess, none, none)
	}
	for _, i := range d.locations.order {
		l := &d.locations.list[i]
		d.add(trace.KindLocation, l.id, d.named(l.name, "thread", l.tid), threadOfCPU, l.records, d.locations.processes[l.process].id)
	}
	for _, p := range processes {
		d.properties(trace.KindLocationGroupProperty, p.id, "pid", p.pid, p.notes)
	}
	for _, i := range d.locations.order {
		l := &d.locations.list[i]
		d.properties(trace.KindLocationProperty, l.id, "tid", l.tid, l.notes)
	}
}

// named returns the name of a process or thread: that it was given, or its number.
func (d *definer) named(name uint32, what string, id ident) uint64 {
	if name != none {
		return uint64(name)
	}
	if number := id.text(d.names.strings.list); number != "" {
		return d.text(what + " " + number)
	}
	return d.text(what)
}

// properties defines what the file says of a process or thread.
func (d *definer) properties(kind trace.Kind, of uint64, what string, id ident, notes []note) {
	if number := id.text(d.names.strings.list); number != "" {
		d.add(kind, of, d.text(propertyPrefix+what), uint64(trace.ValueString), d.text(number))
	}
	for _, n := range notes {
		name := propertyPrefix + d.names.strings.list[n.name]
		d.add(kind, of, d.text(name), uint64(trace.ValueString), uint64(n.value))
	}
}

// code defines what events are called. Categories of Chrome are the descriptions of regions.
func (d *definer) code() {
	d.add(trace.KindParadigm, paradigmUser, d.text("user code"), 0)
	for id, p := range d.names.regions.list {
		name := uint64(p.a)
		d.add(trace.KindRegion, uint64(id), name, uint64(p.b), none, 0, 0, name, roleCode, paradigmUser, 0)
	}
	for id, p := range d.names.categories.list {
		name := d.names.strings.list[p.a]
		if cat := d.names.strings.list[p.b]; cat != "" {
			name += " [" + cat + "]"
		}
		d.add(trace.KindCategory, uint64(id), d.text(name))
	}
	for id, n := range d.names.attrList {
		d.add(trace.KindAttribute, uint64(id), uint64(n.name), uint64(n.typ), d.text(descriptions[n.place]))
	}
}

// counters defines metrics.
func (d *definer) counters() {
	unit := d.text("")
	for id, m := range d.names.memberList {
		d.add(trace.KindMetricMember, uint64(id), uint64(m.name), uint64(m.cat), metricUser, absolutePoint, uint64(m.typ), baseDecimal, 0, unit)
	}
	for id, c := range d.names.classes {
		words := []uint64{uint64(id), uint64(len(c.members))}
		for _, m := range c.members {
			words = append(words, uint64(m))
		}
		d.add(trace.KindMetricClass, append(words, occursAnywhere, 0)...)
	}
}

// communicators defines those that messages go through: processes are their ranks.
func (d *definer) communicators() {
	members := make([]uint64, len(d.locations.processes))
	for i := range members {
		members[i] = trace.Undefined
	}
	for _, i := range d.locations.order {
		l := &d.locations.list[i]
		rank := d.locations.processes[l.process].id
		members[rank] = min(members[rank], l.id)
	}
	name := d.text("flows")
	words := append([]uint64{0, name, uint64(len(members))}, members...)
	d.add(trace.KindGroup, append(words, commLocations, paradigmUser, 0)...)
	d.add(trace.KindComm, 0, name, 0, none, 0)
	for i, c := range d.names.comms.list {
		d.add(trace.KindComm, uint64(i)+1, uint64(c.a), 0, none, 0)
	}
}
