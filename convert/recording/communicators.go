package recording

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// defineComms defines the communicators. World has the first location of each rank.
func (a *Archive) defineComms() {
	const locations = 4
	d := &a.defs
	var ranks []uint64
	for _, l := range a.locations {
		if f := l.f; f.rank != noRank && f.rank < 1<<24 && (len(ranks) == 0 || l == a.first(f)) {
			for uint32(len(ranks)) <= f.rank && len(ranks) < len(a.files)*4+1024 {
				ranks = append(ranks, trace.Undefined)
			}
			if int(f.rank) < len(ranks) {
				ranks[f.rank] = l.id
			}
		}
	}
	if len(ranks) == 0 && len(d.order) == 0 && len(d.windows) == 0 {
		return
	}
	d.group(0, ranks, locations)
	world := make([]uint64, len(ranks))
	for i := range world {
		world[i] = uint64(i)
	}
	d.group(1, world, ranksOfGroup)
	d.add(trace.KindComm, 0, d.text("MPI_COMM_WORLD"), 1, undefined, 0)
	for _, id := range d.order {
		switch c := d.comms[id]; {
		case id == 0 || id >= undefined-1:
		case c.inter:
			d.add(trace.KindInterComm, id, d.text(c.name), d.groupOf(c.members), d.groupOf(c.others), undefined, 0)
		default:
			d.group(id+1, c.members, ranksOfGroup)
			d.add(trace.KindComm, id, d.text(c.name), id+1, undefined, 0)
		}
	}
	d.defineWindows()
}

// ranksOfGroup is the type of groups of ranks.
const ranksOfGroup = 5

func (d *definitions) group(id uint64, members []uint64, kind uint64) {
	const mpi = 4
	words := append([]uint64{id, d.text(""), uint64(len(members))}, members...)
	d.add(trace.KindGroup, append(words, kind, mpi, 0)...)
}

// groupOf defines a group that is no communicator's, once. A communicator's group has the id behind its own, so this one gets an id behind none.
func (d *definitions) groupOf(members []uint64) uint64 {
	key := fmt.Sprint(members)
	id, ok := d.groups[key]
	if !ok {
		for id = 1<<31 + uint64(len(d.groups)); d.comms[id-1] != nil || d.taken[id]; id++ {
		}
		d.groups[key] = id
		d.taken[id] = true
		d.group(id, members, ranksOfGroup)
	}
	return id
}

// defineWindows defines windows, and groups of ranks that synchronise them.
func (d *definitions) defineWindows() {
	const created = 1 // events tell begin and end
	for _, id := range slices.Sorted(maps.Keys(d.windows)) {
		w := d.windows[id]
		d.add(trace.KindRmaWin, id, d.text(w.name), w.comm, created)
	}
	for i := range d.numbers {
		n := &d.numbers[i]
		for _, id := range slices.Sorted(maps.Keys(n.groups)) {
			n.groupIDs[id] = d.groupOf(n.groups[id])
		}
	}
}
