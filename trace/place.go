package trace

import (
	"strconv"
	"strings"
)

// Values of the fields of locations, groups and paradigms that places depend on.
const (
	locationAccelerator = 2
	locationMetric      = 3
	groupAccelerator    = 2
	groupsOfMPI         = 4
)

// Place says where in the program a location is: its rank, and its thread or stream.
type Place struct {
	// Location is the location's id.
	Location uint64
	// Process is the id of its location group, InProcess whether it has one.
	Process   uint64
	InProcess bool
	// Thread is its index among the locations of its process, from 0; -1 without a process.
	Thread int64
	// Rank is the MPI rank of its process, of an accelerator the rank of the process that it works for; -1 if there is none.
	Rank int64
	// Label is how people call the location, "rank 3 thread 1", see [Definitions.Places]. No two of a list are equal.
	Label string
	// RankLabel is "rank 3", also for a location that shares its rank with others; empty without a rank.
	RankLabel string
	// DeviceLabel is "rank 3 gpu 1" for a stream of an accelerator, without the rank if it has none; empty for other locations.
	DeviceLabel string
}

// Places returns the places of locations, in their order.
//
// The label of a location is "rank 3", or "rank 3 thread 1" if several threads have the rank, and "gpu 1 stream 7" for a stream of an
// accelerator, behind the rank if it has one. Numbers of accelerators and streams are those at the end of their names ("CUDA[1:7]",
// "stream 7"), or else their indices. Other locations are called by name, by the names of process and location, or by name and id:
// whichever first tells one from the others.
func (d *Definitions) Places(ids []uint64) []Place {
	list := make([]Place, len(ids))
	ranks, members := d.processRanks(), map[uint64]int64{}
	threads := map[uint64]int{} // by process: those that are threads
	for i, id := range ids {
		p := Place{Location: id, Thread: -1, Rank: -1}
		if process, ok := d.knownProcess(id); ok {
			p.Process, p.InProcess, p.Thread = process, true, members[process]
			members[process]++
			if rank, ok := d.rankOf(ranks, process); ok {
				p.Rank, p.RankLabel = rank, "rank "+strconv.FormatInt(rank, 10)
			}
			if d.locationType(id) < locationAccelerator {
				threads[process]++
			}
		}
		list[i] = p
	}
	l := labeller{d, threads, map[uint64]int{}, map[uint64]int{}}
	for i := range list {
		list[i].Label = l.label(&list[i])
	}
	d.tellApart(list)
	return list
}

// knownProcess returns the process of a location; ok is false for a location that is not defined, or defined without one.
func (d *Definitions) knownProcess(location uint64) (id uint64, ok bool) {
	id, ok = d.Process(location)
	return id, ok && !IsUndefined(id)
}

// rankOf returns the rank of a process, or of the process that an accelerator works for.
func (d *Definitions) rankOf(ranks map[uint64]int64, process uint64) (rank int64, ok bool) {
	rank, ok = ranks[process]
	if g := d.Groups[process]; !ok && g.Type == groupAccelerator {
		rank, ok = ranks[g.Creator]
	}
	return rank, ok
}

// processRanks returns the MPI rank of each process: its place in the group of all locations that take part in MPI.
func (d *Definitions) processRanks() map[uint64]int64 {
	ranks := map[uint64]int64{}
	for rank, location := range d.commMembers[groupsOfMPI] {
		if process, ok := d.knownProcess(location); ok {
			ranks[process] = int64(rank)
		}
	}
	return ranks
}

func (d *Definitions) locationType(id uint64) uint64 {
	if i, ok := d.LocationIndex(id); ok {
		return d.Locations[i].Type
	}
	return 0
}

// labeller makes labels. Accelerators and streams that have no number of their own are counted.
type labeller struct {
	*Definitions
	threads          map[uint64]int // by process
	devices, streams map[uint64]int // accelerators by process: index; streams that came before
}

// label returns what a location is called if no other one is called so, "" for its name.
func (l *labeller) label(p *Place) string {
	switch kind := l.locationType(p.Location); {
	case kind == locationAccelerator && p.InProcess:
		gpu, stream := l.stream(p)
		p.DeviceLabel = "gpu " + gpu
		if p.Rank >= 0 {
			p.DeviceLabel = p.RankLabel + " " + p.DeviceLabel
		}
		return p.DeviceLabel + " stream " + stream
	case p.Rank < 0:
		return ""
	case kind == locationMetric:
		return p.RankLabel + " " + l.Name(SpaceLocation, p.Location)
	case l.threads[p.Process] > 1:
		return p.RankLabel + " thread " + strconv.FormatInt(p.Thread, 10)
	}
	return p.RankLabel
}

// stream returns the numbers of an accelerator and its stream.
func (l *labeller) stream(p *Place) (gpu, stream string) {
	device, ok := l.devices[p.Process]
	if !ok {
		device = len(l.devices)
		l.devices[p.Process] = device
	}
	gpu, stream = strconv.Itoa(device), strconv.Itoa(l.streams[p.Process])
	l.streams[p.Process]++
	rest := l.Name(SpaceLocation, p.Location)
	if number, before, ok := endNumber(rest); ok {
		stream, rest = number, before
	}
	if l.Groups[p.Process].Type == groupAccelerator {
		rest = l.Name(SpaceLocationGroup, p.Process)
	}
	if number, _, ok := endNumber(rest); ok {
		gpu = number
	}
	return gpu, stream
}

// endNumber returns the number at the end of a name, before a bracket that closes, and what is before the number. A number that is part of
// a word ("A100") counts for nothing.
func endNumber(name string) (number, before string, ok bool) {
	name = strings.TrimRight(name, "])} :")
	before = strings.TrimRight(name, "0123456789")
	number = name[len(before):]
	if number == "" || len(number) > 9 {
		return "", "", false
	}
	if before != "" {
		c := before[len(before)-1] | 0x20
		ok = !('a' <= c && c <= 'z' || c >= 0x80)
	}
	return number, before, ok || before == ""
}

// tellApart gives all labels that are missing or equal another one: names that tell the locations apart.
func (d *Definitions) tellApart(list []Place) {
	count := map[string]int{}
	for i := range list {
		count[list[i].Label]++
	}
	if len(count) == len(list) && count[""] == 0 {
		return
	}
	short := func(p *Place) string { return d.Name(SpaceLocation, p.Location) }
	long := func(p *Place) string {
		if _, ok := d.LocationIndex(p.Location); !ok {
			return ""
		}
		return d.Name(SpaceLocationGroup, p.Process) + "/" + short(p)
	}
	shorts, longs := map[string]int{}, map[string]int{}
	for i := range list {
		shorts[short(&list[i])]++
		longs[long(&list[i])]++
	}
	for i := range list {
		p := &list[i]
		if p.Label != "" && count[p.Label] == 1 {
			continue
		}
		switch name := short(p); {
		case name == "":
			p.Label = "location " + strconv.FormatUint(p.Location, 10)
		case shorts[name] == 1 && count[name] == 0:
			p.Label = name
		case longs[long(p)] == 1:
			p.Label = long(p)
		default:
			p.Label = name + " #" + strconv.FormatUint(p.Location, 10)
		}
	}
}
