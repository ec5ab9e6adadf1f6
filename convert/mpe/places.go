package mpe

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// NoProcess marks lines that nothing says the process of.
const NoProcess = -1

// Line is a thread of a process as a member of a communicator: a line of a viewer's picture.
type Line struct {
	// Number is the number that viewers give the line.
	Number uint64
	// Comm is the communicator, by its id in the trace, and Rank the rank in it.
	Comm, Rank int32
	Thread     int32
	// Process is the rank in MPI_COMM_WORLD, or NoProcess.
	Process int32
	// Records counts what is on the line.
	Records uint64

	// Location is the index of the line's location.
	Location int32
	// Attrs are the attributes of the line's events that have no field for the communicator, Distinctive those of events that
	// have one. Both are empty if the location and that field tell the line.
	Attrs, Distinctive []trace.Attr
}

// Communicator returns the line's communicator as a word.
func (l *Line) Communicator() uint64 { return uint64(uint32(l.Comm)) }

// Location is a thread of a process.
type Location struct {
	ID              uint64
	Process, Thread int32
	// Lines has the one with most records first. Events without an attribute that says otherwise belong to it.
	Lines []*Line
	// Records is the number of the location's records.
	Records uint64
}

// First ids of locations and of processes that nothing says the process of.
const (
	unknownLocations = 1 << 62
	unknownProcesses = 1 << 31
)

// Locate groups lines into locations, in the order of processes and threads; lines without a process are locations
// of their own and come last. threads is the number of threads that processes have.
func Locate(lines []*Line, threads int64, warnings *trace.Warnings) []Location {
	slices.SortStableFunc(lines, func(x, y *Line) int {
		if x.Process == NoProcess || y.Process == NoProcess {
			return cmp.Compare(y.Process, x.Process) // those without a process behind
		}
		return cmp.Or(cmp.Compare(x.Process, y.Process), cmp.Compare(x.Thread, y.Thread))
	})
	var list []Location
	for _, l := range lines {
		n := len(list)
		known := l.Process != NoProcess && int64(uint32(l.Thread)) < threads
		if n == 0 || !known || list[n-1].Process != l.Process || list[n-1].Thread != l.Thread {
			id := uint64(int64(l.Process)*threads + int64(l.Thread))
			if !known {
				id = unknownLocations + uint64(n)
				warnings.Add("unknown process", "rank %d, thread %d of communicator %d", l.Rank, l.Thread, l.Comm)
			}
			list = append(list, Location{ID: id, Process: l.Process, Thread: l.Thread})
			n++
		}
		l.Location = int32(n - 1)
		list[n-1].Lines = append(list[n-1].Lines, l)
	}
	number(lines)
	for i := range list {
		list[i].distinguish()
	}
	return list
}

// number gives lines of equal numbers, which only odd ranks and threads have, others.
func number(lines []*Line) {
	taken := map[uint64]bool{}
	next := uint64(unknownLocations)
	for _, l := range lines {
		if taken[l.Number] {
			l.Number = next
			next++
		}
		taken[l.Number] = true
	}
}

// distinguish puts the line with most records first, and chooses what marks the events of the other lines.
func (l *Location) distinguish() {
	slices.SortStableFunc(l.Lines, func(x, y *Line) int {
		return cmp.Or(cmp.Compare(y.Records, x.Records), cmp.Compare(uint32(x.Comm), uint32(y.Comm)), cmp.Compare(x.Rank, y.Rank))
	})
	perComm := map[int32]int{}
	for _, x := range l.Lines {
		perComm[x.Comm]++
	}
	for i, x := range l.Lines {
		switch {
		case perComm[x.Comm] > 1:
			x.Attrs = []trace.Attr{{ID: AttrLine, Type: trace.ValueUint64, Value: x.Number}}
			x.Distinctive = x.Attrs
		case i > 0:
			x.Attrs = []trace.Attr{{ID: AttrCommunicator, Type: trace.ValueComm, Value: x.Communicator()}}
		}
	}
}

// Values of enumerated fields of definitions.
const (
	groupProcess = 1
	threadOfCPU  = 1
)

// DefineLocations defines hosts, processes, threads and their lines.
func DefineLocations(log *Log, list []Location, host func(process int32) string) {
	hosts := map[string]uint64{}
	group := uint64(0)
	for i := range list {
		l := &list[i]
		first := i == 0 || l.Process == NoProcess || list[i-1].Process != l.Process
		last := i+1 == len(list) || l.Process == NoProcess || list[i+1].Process != l.Process
		if first {
			name := host(l.Process)
			node, ok := hosts[name]
			if !ok {
				node = uint64(len(hosts))
				hosts[name] = node
				log.Add(trace.KindSystemTreeNode, node, log.String(name), log.String("node"), Undefined)
			}
			group = l.group()
			log.Add(trace.KindLocationGroup, group, log.String(l.processName()), groupProcess, node, Undefined)
		}
		log.Add(trace.KindLocation, l.ID, log.String(l.name(first && last)), threadOfCPU, l.Records, group)
	}
	for i := range list {
		for _, x := range list[i].Lines {
			log.Add(trace.KindMpeLine, x.Number, list[i].ID, x.Communicator(), uint64(int64(x.Rank)), uint64(int64(x.Thread)))
		}
	}
}

// group returns the id of the location's process.
func (l *Location) group() uint64 {
	if l.Process == NoProcess {
		return unknownProcesses + l.ID - unknownLocations
	}
	return uint64(l.Process)
}

func (l *Location) processName() string {
	if l.Process == NoProcess {
		return l.name(true)
	}
	return fmt.Sprintf("MPI rank %d", l.Process)
}

// name returns the location's name; single means that it is the only thread of its process.
func (l *Location) name(single bool) string {
	switch x := l.Lines[0]; {
	case l.Process == NoProcess && x.Comm < 0:
		return fmt.Sprintf("line %d", x.Number)
	case l.Process == NoProcess:
		return fmt.Sprintf("communicator %d rank %d thread %d", x.Comm, x.Rank, x.Thread)
	case single:
		return fmt.Sprintf("rank %d", l.Process)
	}
	return fmt.Sprintf("rank %d thread %d", l.Process, l.Thread)
}

// Paradigms and roles of regions.
const (
	paradigmUser = 1
	paradigmMPI  = 4
	paradigmMPE  = 6 // the measurement system

	roleFunction = 1
	roleCode     = 4
)

// DefineParadigms defines the paradigms of regions.
func DefineParadigms(log *Log) {
	log.Add(trace.KindParadigm, paradigmUser, log.String("user code"), 0)
	log.Add(trace.KindParadigm, paradigmMPI, log.String("MPI"), 0)
	log.Add(trace.KindParadigm, paradigmMPE, log.String("MPE"), 0)
}

// DefineRegion defines a state as a region. known says that it is one of MPE's own.
func DefineRegion(log *Log, id uint64, title, description string, known bool) {
	paradigm, role := uint64(paradigmUser), uint64(roleCode)
	switch isMPI := len(title) > 4 && title[:4] == "MPI_"; {
	case known && isMPI:
		paradigm, role = paradigmMPI, roleFunction
	case known:
		paradigm = paradigmMPE
	}
	name := log.String(title)
	log.Add(trace.KindRegion, id, name, log.String(description), Undefined, 0, 0, name, role, paradigm, 0)
}
