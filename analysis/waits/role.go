package waits

import (
	"strings"

	"github.com/pandotrace/pando/trace"
)

// role is what a region is in communication.
type role uint8

const (
	// communicates is set for all regions that a wait may lie in.
	communicates role = 1 << iota
	// synchronous sends end when their receive has begun.
	synchronous
	// buffered sends do not wait for their receive, nor do those that only begin to send.
	buffered
	// completing calls end what another call began: a receive was posted before.
	completing
)

// roleOf returns the role of a region. Operations on files are none, whatever library does them.
func roleOf(defs *trace.Definitions, region uint64) role {
	if a := defs.RegionClass(region).Activity; a != trace.ActivityMPI && a != trace.ActivityPGAS {
		return 0
	}
	return communicates | roleOfName(defs.RegionName(region))
}

// roleOfName returns what the name of an MPI function tells: MPI_Ssend, PMPI_Ssend, mpi_ssend_.
func roleOfName(name string) role {
	name = strings.TrimRight(strings.ToLower(name), "_() ")
	name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "p"), "mpi_"), "_c")
	switch name {
	case "ssend":
		return synchronous
	case "bsend", "isend", "ibsend", "issend", "irsend", "start", "startall":
		return buffered
	}
	if strings.HasPrefix(name, "wait") || strings.HasPrefix(name, "test") {
		return completing
	}
	return 0
}

// roles are the roles of the regions that were asked for.
type roles struct {
	defs *trace.Definitions
	of   map[uint64]role
}

func (r *roles) role(region uint64) role {
	known, ok := r.of[region]
	if !ok {
		known = roleOf(r.defs, region)
		r.of[region] = known
	}
	return known
}
