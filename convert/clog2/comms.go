package clog2

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// communicators is what the records say of communicators.
type communicators struct {
	*mpe.Communicators
	ids   map[gid]int32    // in the trace, used where files of single processes are put together
	next  int32            // the next free id, there
	hosts map[int32]string // by process
}

func newCommunicators() *communicators {
	return &communicators{Communicators: mpe.NewCommunicators(), ids: map[gid]int32{}, hosts: map[int32]string{}}
}

// world returns the process whose file this is, and the name of its MPI_COMM_WORLD; ok is false if the file does not say.
func (f *file) world() (process int32, name gid, ok bool) {
	for i := range f.comms {
		if c := &f.comms[i]; c.op == commWorld {
			return c.worldRank, c.gid, true
		}
	}
	return 0, gid{}, false
}

// arrange puts the files of single processes in the order of their processes, and finds ids for their communicators. They
// must belong to one run.
func (c *communicators) arrange(files []*file) error {
	for i, f := range files {
		_, name, ok := f.world()
		_, first, _ := files[0].world()
		switch {
		case f.finished && len(files) > 1:
			return mpe.Unsupported(f.path, 0, "a finished log is no part of another one")
		case !ok && len(files) > 1:
			return mpe.Corrupt(f.path, 0, "the log does not say which process it is of")
		case i > 0 && name != first:
			return mpe.Unsupported(f.path, 0, "belongs to another run than %s", files[0].path)
		}
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		p, _, _ := a.world()
		q, _, _ := b.world()
		return cmp.Compare(p, q)
	})
	for i, f := range files {
		if i > 0 {
			p, _, _ := f.world()
			if q, _, _ := files[i-1].world(); p == q {
				return mpe.Unsupported(f.path, 0, "is of process %d, and so is %s", p, files[i-1].path)
			}
		}
		if !f.finished {
			c.identify(f, i == 0)
		}
	}
	return nil
}

// identify gives the communicators of a file the ids that they have in the trace. Those of the first file keep theirs; others
// are known by their names.
func (c *communicators) identify(f *file, first bool) {
	f.commIDs = map[int32]int32{}
	note := func(local int32, name gid) {
		id, known := c.ids[name]
		switch {
		case known:
		case first:
			id = local
			c.next = max(c.next, local+1)
		default:
			id = c.next
			c.next++
		}
		c.ids[name] = id
		if _, ok := f.commIDs[local]; !ok {
			f.commIDs[local] = id
		}
	}
	for _, e := range f.entries {
		note(e.comm, e.gid)
	}
	for i := range f.comms {
		if e := &f.comms[i]; e.op != commFree {
			note(e.created, e.gid)
		}
	}
	if first {
		c.next = max(c.next, int32(len(f.entries))) // new ones are added to the table
	}
}

// id returns the id in the trace of a communicator of a file.
func (f *file) id(comm int32) int32 {
	if id, ok := f.commIDs[comm]; ok {
		return id
	}
	return comm
}

// groups are the two groups of an intercommunicator as one process sees it, by their ids in the file.
type groups struct{ local, remote int32 }

// intercommunicators returns those that a file's records and table tell of, by their ids in the file.
func (f *file) intercommunicators() map[int32]groups {
	found := map[int32]groups{}
	for i, e := range f.entries {
		if e.kind == kindInter && i+2 < len(f.entries) && f.entries[i+1].kind == kindLocal && f.entries[i+2].kind == kindRemote {
			found[e.comm] = groups{f.entries[i+1].comm, f.entries[i+2].comm}
		}
	}
	open := map[int32]groups{} // by process; local is the intercommunicator itself first
	whole := map[int32]int32{} // by process: the intercommunicator whose groups come next
	for i := range f.comms {
		e := &f.comms[i]
		switch e.op {
		case commInter:
			whole[e.worldRank] = e.created
		case commInterLocal:
			open[e.worldRank] = groups{local: e.created}
		case commInterRemote:
			g, ok := open[e.worldRank]
			if id, also := whole[e.worldRank]; ok && also {
				g.remote = e.created
				found[id] = g
			}
			delete(open, e.worldRank)
			delete(whole, e.worldRank)
		}
	}
	return found
}

// learn takes in what a file says of communicators.
func (c *communicators) learn(f *file, warnings *trace.Warnings) {
	for i := range f.comms {
		e := &f.comms[i]
		if e.op == commFree || e.op == commInterRemote {
			continue
		}
		id := f.id(e.created)
		switch e.op {
		case commWorld:
			c.Names[id] = "MPI_COMM_WORLD"
		case commSelf:
			c.Names[id] = "MPI_COMM_SELF"
			c.hosts[e.worldRank] = e.gid.host
		}
		m := mpe.Member{Comm: id, Rank: e.rank}
		if p, ok := c.Processes[m]; ok && p != e.worldRank {
			warnings.Add("rank of two processes", "rank %d of communicator %d is process %d and %d", m.Rank, m.Comm, p, e.worldRank)
			continue
		}
		c.Processes[m] = e.worldRank
	}
	for comm, g := range f.inter {
		s := mpe.SidesOf(f.id(g.local), f.id(g.remote))
		if id, ok := c.Between[s]; !ok || f.id(comm) < id {
			c.Between[s] = f.id(comm)
		}
		c.Inter[f.id(comm)] = s
	}
}
