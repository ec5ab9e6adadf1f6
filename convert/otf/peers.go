package otf

import "github.com/pandotrace/pando/trace"

// noRank is the undefined rank.
const noRank = 1<<32 - 1

// communicator is a group of processes that send each other messages.
type communicator struct {
	id uint64
	// ranks are the places of its members.
	ranks *lookup
}

// commCache is the communicator that a process used last.
type commCache struct {
	token  uint64
	comm   *communicator // nil if it is not defined
	member bool          // the process itself is a member
	valid  bool
}

// rank finds the place of a process among the members of a communicator, by itself or by the process whose thread it is. In
// the latter case the process becomes an attribute, too.
func (r *reader) rank(c *communicator, process uint64) (rank uint64, ok bool) {
	if rank, ok := c.ranks.find(uint32(process)); ok {
		return uint64(rank), true
	}
	if rank, ok := c.ranks.find(r.scope.master(process)); ok {
		r.addProcess(process)
		return uint64(rank), true
	}
	return noRank, false
}

func (r *reader) addProcess(process uint64) {
	r.extra = append(r.extra, trace.Attr{ID: r.special.process, Type: trace.ValueLocation, Value: process})
}

// peer finds communicator and rank of the other end of a message. If one of the two processes is not a member of the
// communicator, that is the rank among all processes, and the communicator becomes an attribute.
func (r *reader) peer(token, process uint64) (comm, rank uint64) {
	if c := r.comm(r.cur, token); c.comm != nil && c.member {
		if rank, ok := r.rank(c.comm, process); ok {
			return c.comm.id, rank
		}
	}
	all := r.scope.all
	if id := r.scope.ids[trace.SpaceComm].of(token); id != all.id {
		r.warnings.Add("message between processes that are not members of its communicator", "%s", r.where())
		r.extra = append(r.extra, trace.Attr{ID: r.special.communicator, Type: trace.ValueComm, Value: id})
	}
	rank, ok := r.rank(all, process)
	if !ok {
		r.warnings.Add("process that is not defined", "%s", r.where())
		r.addProcess(process)
	}
	return all.id, rank
}

// root finds the rank of the root of a collective operation. If it is not a member, it becomes an attribute.
func (r *reader) root(s *sink, token, process uint64) (rank uint64) {
	if process == 0 {
		return noRank // the operation has none
	}
	if c := r.comm(s, token); c.comm != nil {
		if rank, ok := r.rank(c.comm, process); ok {
			return rank
		}
	}
	r.addProcess(process)
	return noRank
}

// comm returns a communicator, and whether a process is a member, by itself or by the process whose thread it is.
func (r *reader) comm(s *sink, token uint64) *commCache {
	c := &s.comms
	if c.valid && c.token == token {
		return c
	}
	*c = commCache{token: token, comm: r.scope.communicators[uint32(token)], valid: true}
	if c.comm != nil {
		_, c.member = c.comm.ranks.find(uint32(s.location))
		if !c.member {
			_, c.member = c.comm.ranks.find(r.scope.master(s.location))
		}
	}
	return c
}
