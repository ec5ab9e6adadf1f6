package waits_test

import (
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// functions are the regions of random programs.
var functions = []string{
	"main", "work", "MPI_Send", "MPI_Ssend", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Testall", "MPI_Sendrecv", "MPI_Barrier", "PMPI_Recv", "MPI_Ibarrier",
}

const undefined = trace.Undefined >> 32

// program is a random program of MPI, with clocks that disagree, and with mistakes.
type program struct {
	t       *rapid.T
	trace   *tracegen.Trace
	regions map[string]uint64
	comms   []uint64
	ranks   int
	wild    bool // calls are not left, requests are forgotten
	alone   bool // no collective operations
}

// drawProgram draws a trace of a few locations. A wild one has mistakes; one alone has no collective operations. Clocks never agree.
func drawProgram(t *rapid.T, wild, alone bool) trace.Source {
	p := &program{t: t, trace: tracegen.New(trace.Meta{Resolution: 1000}), regions: map[string]uint64{}, wild: wild, alone: alone}
	for i, name := range functions {
		text, paradigm := p.trace.String(name), uint64(1)
		if i > 1 {
			paradigm = 4 // MPI
		}
		p.trace.Define(trace.KindRegion, uint64(i), text, undefined, undefined, 0, 0, text, 1, paradigm, 0)
		p.regions[name] = uint64(i)
	}
	work := p.trace.String("work")
	p.trace.Define(trace.KindRegion, 99, work, undefined, undefined, 0, 0, work, 1, 1, 0) // another region of the same name
	p.regions["again"] = 99
	p.ranks = rapid.IntRange(1, 4).Draw(t, "ranks")
	var all, ids []uint64
	var actors []*actor
	for rank := range p.ranks {
		process := p.trace.Process("process")
		for thread := range rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "threads") {
			id := uint64(10*rank + thread)
			actors = append(actors, &actor{program: p, batch: p.trace.Location(id, process), now: int64(rapid.IntRange(0, 9).Draw(t, "begin"))})
			if thread == 0 {
				all, ids = append(all, uint64(rank)), append(ids, id)
			}
		}
	}
	p.trace.CommLocations(ids...)
	p.comms = []uint64{p.trace.Comm(p.trace.CommGroup(all...)), p.trace.Comm(p.trace.CommGroup(all[:1]...))}
	for _, a := range actors {
		a.run()
	}
	return p.trace
}

// actor is a location of a random program.
type actor struct {
	*program
	batch    *trace.Batch
	now      int64
	requests []uint64
}

func (a *actor) draw(n int) int { return rapid.IntRange(0, n-1).Draw(a.t, "n") }

// put adds an event, some time after the last one.
func (a *actor) put(kind trace.Kind, words ...uint64) {
	most := 4
	if a.wild {
		most = 9
	}
	a.now += int64(a.draw(most))
	a.batch.Append(kind, a.now, words...)
}

func (a *actor) call(name string, inside func()) {
	a.put(trace.KindEnter, a.regions[name])
	inside()
	if !a.wild || a.draw(20) > 0 {
		a.put(trace.KindLeave, a.regions[name])
	}
}

func (a *actor) run() {
	a.call("main", func() {
		for range rapid.IntRange(0, 14).Draw(a.t, "actions") {
			a.act()
		}
	})
}

func (a *actor) message() []uint64 {
	return []uint64{uint64(a.draw(a.ranks)), a.comms[0], uint64(a.draw(2)), 8}
}

func (a *actor) request() uint64 {
	if n := len(a.requests); n > 0 {
		at := a.draw(n)
		r := a.requests[at]
		a.requests = append(a.requests[:at], a.requests[at+1:]...)
		return r
	}
	return uint64(a.draw(5))
}

func (a *actor) act() {
	send := func() { a.put(trace.KindMpiSend, a.message()...) }
	receive := func() { a.put(trace.KindMpiRecv, a.message()...) }
	switch a.draw(16) {
	case 0:
		a.call([]string{"work", "again"}[a.draw(2)], func() {
			for range a.draw(3) {
				a.act()
			}
		})
	case 1, 2:
		a.call([]string{"MPI_Send", "MPI_Send", "MPI_Ssend", "MPI_Isend"}[a.draw(4)], send)
	case 3, 4:
		a.call("MPI_Recv", receive)
	case 5:
		a.call("MPI_Sendrecv", func() { send(); receive() })
	case 6:
		a.call("MPI_Recv", func() { a.call("PMPI_Recv", receive) })
	case 7, 8:
		a.call("MPI_Isend", func() { a.put(trace.KindMpiIsend, append(a.message(), a.begun())...) })
	case 9, 10:
		a.call("MPI_Irecv", func() { a.put(trace.KindMpiIrecvRequest, a.begun()) })
	case 11, 12:
		a.call([]string{"MPI_Wait", "MPI_Testall"}[a.draw(2)], a.completions)
	case 13, 14:
		if !a.alone {
			a.collective()
		}
	default:
		if a.wild {
			a.odd()
		}
	}
}

// begun returns a new request.
func (a *actor) begun() uint64 {
	r := uint64(len(a.batch.Kinds))
	if a.wild && a.draw(10) == 0 {
		r = uint64(a.draw(5))
	}
	a.requests = append(a.requests, r)
	return r
}

func (a *actor) completions() {
	for range 1 + a.draw(3) {
		switch r := a.request(); a.draw(4) {
		case 0:
			a.put(trace.KindMpiIsendComplete, r)
		case 1:
			a.put(trace.KindMpiRecv, a.message()...)
		case 2:
			if a.alone {
				continue
			}
			a.put(trace.KindNonBlockingCollectiveComplete, uint64(a.draw(2)), a.comms[0], uint64(a.draw(a.ranks)), 0, 0, r)
		default:
			a.put(trace.KindMpiIrecv, append(a.message(), r)...)
		}
	}
}

func (a *actor) collective() {
	if a.draw(4) == 0 {
		a.call("MPI_Ibarrier", func() { a.put(trace.KindNonBlockingCollectiveRequest, a.begun()) })
		return
	}
	operation, root := rapid.SampledFrom([]int{0, 1, 2, 11, 14, 17, 12}).Draw(a.t, "operation"), 0
	if a.wild && a.draw(4) == 0 {
		root = a.draw(a.ranks + 1)
	}
	a.call("MPI_Barrier", func() {
		a.put(trace.KindMpiCollectiveBegin)
		a.put(trace.KindMpiCollectiveEnd, uint64(operation), a.comms[a.draw(8)/7], uint64(root), 0, 0)
	})
}

// odd does what no program should.
func (a *actor) odd() {
	switch a.draw(4) {
	case 0:
		a.put(trace.KindLeave, a.regions[functions[a.draw(len(functions))]])
	case 1:
		a.put(trace.KindMpiRecv, a.message()...)
	case 2:
		a.put(trace.KindMpiSend, a.message()...)
	default:
		a.put(trace.KindMpiRequestCancelled, a.request())
	}
}
