package slog2

import (
	"math"

	"github.com/pandotrace/pando/convert/mpe"
)

// Labels of columns of line maps.
const (
	columnProcess = "world_rank"
	columnThread  = "thread"
	columnComm    = "commID"
	columnRank    = "comm_rank"
)

// maxNumber bounds processes and communicators.
const maxNumber = 1 << 30

// locate finds process, thread and communicator of each line, and groups the lines into locations.
func (a *Archive) locate() {
	threads := int32(1)
	for i := range a.maps {
		m := &a.maps[i]
		process, thread, comm, rank := m.column(columnProcess), m.column(columnThread), m.column(columnComm), m.column(columnRank)
		for row, number := range m.lines {
			index, ok := a.byLine.get(number)
			if !ok {
				continue // nothing is on it
			}
			l := a.lines[index]
			if p := m.value(row, process); p >= 0 && p < maxNumber {
				l.Process = p
			}
			if t := m.value(row, thread); t != math.MinInt32 {
				l.Thread = t
				threads = max(threads, min(t, maxLines)+1)
			}
			if c, r := m.value(row, comm), m.value(row, rank); c >= 0 && c < maxNumber && r != math.MinInt32 {
				l.Comm, l.Rank = c, r
			}
		}
	}
	a.join()
	a.places = mpe.Locate(append([]*mpe.Line(nil), a.lines...), int64(threads), &a.warnings)
	a.locations = make([]location, len(a.places))
	for i := range a.places {
		a.locations[i].Location = &a.places[i]
	}
}

// join makes the communicators of the lines' ranks. Lines of which the file does not say the process are processes of their own,
// and if it does not tell any ranks, all are in one communicator.
func (a *Archive) join() {
	a.comms = mpe.NewCommunicators()
	a.comms.Names[0] = "MPI_COMM_WORLD"
	known, next := false, int32(0)
	for _, l := range a.lines {
		known = known || l.Comm >= 0
		next = max(next, l.Process+1)
	}
	for _, l := range a.lines {
		if l.Process == mpe.NoProcess && !known {
			l.Process = next
			next++
		}
		if !known {
			l.Comm, l.Rank = 0, l.Process
		}
		if l.Process != mpe.NoProcess && l.Comm >= 0 {
			a.comms.Processes[mpe.Member{Comm: l.Comm, Rank: l.Rank}] = l.Process
		}
	}
}
