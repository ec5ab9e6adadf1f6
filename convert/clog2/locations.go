package clog2

import (
	"github.com/pandotrace/pando/convert/mpe"
)

// ticksPerSecond is the resolution of the trace: ticks are nanoseconds.
const ticksPerSecond = 1_000_000_000

// location is a thread of a process.
type location struct {
	*mpe.Location
	file   *file
	first  int32 // pieces of the file that it has records in
	last   int32
	fit    *mpe.SecondsFit
	clock  *mpe.SecondsClock
	before float64 // the time of the record before, while the file is read the second time
}

// fileKey is a line of a file, by the number of the file.
type fileKey struct {
	lineKey
	file int
}

// fileLine is a line of a file with its lines in the trace: one for events, one for records about communicators.
type fileLine struct {
	events, comms *mpe.Line
	peer          int32 // the communicator that the peers of messages are in where they do not say
}

// resolve finds the locations of all lines of all files.
func (a *Archive) resolve() {
	lines := map[fileKey]*mpe.Line{}
	var all []*mpe.Line
	world, threads := int64(1), int64(1)
	for _, f := range a.files {
		world, threads = max(world, f.worldSize), max(threads, f.threads)
	}
	for n, f := range a.files {
		f.inter = f.intercommunicators()
		a.comms.learn(f, &a.warnings)
		f.located = make([]fileLine, len(f.lines.keys))
		get := func(k lineKey, comm int32) *mpe.Line {
			k.comm = f.id(comm)
			l := lines[fileKey{k, n}]
			if l == nil {
				number := int64(k.comm)*world*threads + int64(k.rank)*threads + int64(k.thread)
				l = &mpe.Line{Number: uint64(number), Comm: k.comm, Rank: k.rank, Thread: k.thread, Process: mpe.NoProcess}
				lines[fileKey{k, n}], all = l, append(all, l)
			}
			return l
		}
		for i, k := range f.lines.keys {
			own := groups{k.comm, k.comm}
			if g, ok := f.inter[k.comm]; ok && !f.finished {
				own = g
			}
			at := fileLine{events: get(k, own.local), comms: get(k, k.comm), peer: f.id(own.remote)}
			at.events.Records += f.lines.counts[i]
			f.located[i] = at
		}
	}
	a.findProcesses()
	a.places = mpe.Locate(all, threads, &a.warnings)
	a.locations = make([]location, len(a.places))
	for i := range a.places {
		a.locations[i].Location = &a.places[i]
	}
	a.assignFiles()
}

// findProcesses says of which process each line is.
func (a *Archive) findProcesses() {
	for _, f := range a.files {
		process, _, ok := f.world()
		for _, at := range f.located {
			for _, l := range []*mpe.Line{at.events, at.comms} {
				p, known := a.comms.Processes[mpe.Member{Comm: l.Comm, Rank: l.Rank}]
				if !f.finished {
					p, known = process, ok
				}
				if known && p >= 0 {
					l.Process = p
				}
			}
		}
	}
}

// assignFiles says which file each location is in.
func (a *Archive) assignFiles() {
	for _, f := range a.files {
		for _, l := range f.located {
			a.locations[l.events.Location].file = f
			a.locations[l.comms.Location].file = f
		}
	}
}
