package read

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// ident is a pid or a tid: a number, a text, or nothing.
type ident struct {
	kind  identKind
	Value int64 // the number, its bits, or that of the text
}

// identKind is a whole word, so that places have no gaps: the tables of places hash them in one go.
type identKind uint64

const (
	noIdent identKind = iota
	isNumber
	isUnsigned // a number from 2⁶³ on
	isText
)

// place is a thread of a process.
type place struct{ pid, Tid ident }

// location is a thread that events were recorded on, or that has a name.
type location struct {
	place
	id      uint64 // its number in the order of definition
	process uint32
	name    uint32 // none if it has none
	sort    int64
	records uint64
	first   scan.Instant // of the records, if there are any
	stream  bool         // it is a stream of a GPU
}

// count counts records of a time.
func (l *location) count(records uint64, at scan.Instant) {
	if l.records == 0 || at.Before(l.first) {
		l.first = at
	}
	l.records += records
}

// process is a process.
type process struct {
	pid   ident
	id    uint64
	name  uint32
	label uint32 // "GPU 1", none if it is no accelerator
	isCPU bool   // it is labelled so
	sort  int64
	notes []note
}

// note is a piece of metadata: what it is called, and its text.
type note struct{ name, value uint32 }

// maxNotes bounds the metadata of a process or thread.
const maxNotes = 64

// locations are those of a file in the order in which they came up.
type locations struct {
	byPlace   table
	List      []location
	byPid     map[ident]uint32
	processes []process
	notes     map[uint32][]note       // of the locations in the list, few of which have any
	recent    [recentLocations]uint32 // some that were looked up lately
	Order     []uint32
}

func newLocations() locations {
	return locations{byPid: map[ident]uint32{}, notes: map[uint32][]note{}}
}

func (l *locations) get(p place) uint32 {
	recent := &l.recent[uint64(p.pid.Value+5*p.Tid.Value)%recentLocations]
	if int(*recent) < len(l.List) && l.List[*recent].place == p {
		return *recent
	}
	i, ok := l.find(p)
	if !ok {
		i = l.add(p)
	}
	*recent = i
	return i
}

const recentLocations = 1 << 8

func (l *locations) find(p place) (i uint32, ok bool) {
	t := &l.byPlace
	if t.used == 0 {
		return 0, false
	}
	for slot := t.start(maphash.Comparable(t.seed, p)); t.slots[slot] != 0; slot = t.next(slot) {
		if i := t.slots[slot] - 1; l.List[i].place == p {
			return i, true
		}
	}
	return 0, false
}

// add adds a place that is new.
func (l *locations) add(p place) uint32 {
	if l.byPlace.crowded() {
		l.byPlace.grow()
		for i := range l.List {
			l.byPlace.put(maphash.Comparable(l.byPlace.seed, l.List[i].place), uint32(i))
		}
	}
	i := uint32(len(l.List))
	l.List = append(l.List, location{place: p, process: l.processOf(p.pid), name: none})
	l.byPlace.put(maphash.Comparable(l.byPlace.seed, p), i)
	return i
}

func (l *locations) processOf(pid ident) uint32 {
	i, ok := l.byPid[pid]
	if !ok {
		i = uint32(len(l.processes))
		l.processes = append(l.processes, process{pid: pid, name: none, label: none})
		l.byPid[pid] = i
	}
	return i
}

// arrange puts processes and threads in order: as their sort indices say, then by number.
func (l *locations) arrange() {
	processes := make([]uint32, len(l.processes))
	for i := range processes {
		processes[i] = uint32(i)
	}
	slices.SortStableFunc(processes, func(a, b uint32) int {
		x, y := &l.processes[a], &l.processes[b]
		return cmp.Or(cmp.Compare(x.sort, y.sort), x.pid.compare(y.pid))
	})
	for id, i := range processes {
		l.processes[i].id = uint64(id)
	}
	l.Order = make([]uint32, len(l.List))
	for i := range l.Order {
		l.Order[i] = uint32(i)
	}
	slices.SortStableFunc(l.Order, func(a, b uint32) int {
		x, y := &l.List[a], &l.List[b]
		return cmp.Or(cmp.Compare(l.processes[x.process].id, l.processes[y.process].id), cmp.Compare(x.sort, y.sort), x.Tid.compare(y.Tid))
	})
	for id, i := range l.Order {
		l.List[i].id = uint64(id)
	}
}

func (i ident) compare(o ident) int {
	return cmp.Or(cmp.Compare(i.kind, o.kind), cmp.Compare(i.Value, o.Value))
}

// property returns the pid or tid as the value of a property, "" if there is none.
func (i ident) property(strings *dictionary) string {
	if i.kind == isText {
		return form.IdentText(i.text(strings))
	}
	return i.text(strings)
}

// text returns the pid or tid as it stands in the file, "" if there is none.
func (i ident) text(strings *dictionary) string {
	switch i.kind {
	case isNumber:
		return strconv.FormatInt(i.Value, 10)
	case isUnsigned:
		return strconv.FormatUint(uint64(i.Value), 10)
	case isText:
		return string(strings.at(uint32(i.Value)))
	}
	return ""
}
