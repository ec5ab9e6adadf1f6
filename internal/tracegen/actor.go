package tracegen

import "github.com/pandotrace/pando/trace"

// actor writes the events of one location.
type actor struct {
	*program
	location uint64
	thread   int
	out      *trace.Batch
	now      int64
	frozen   bool // time stands still
	open     []frame
	sends    []letter // still to be sent
	receives []letter // still to be posted
	posted   []request
	sent     []uint64 // request ids of non-blocking sends
}

// frame is an open call.
type frame struct {
	context bool
	id      uint64
}

// request is a posted receive.
type request struct {
	letter
	id uint64
}

// perform writes all events of the location.
func (a *actor) perform() {
	if a.IdleThreads && a.thread > 0 || a.Length == 0 {
		return
	}
	n := a.IntN(2*a.Length + 1)
	a.now = a.Start
	if a.chance(0.5) {
		a.now += a.lattice(a.Int64N(1 + a.Step*int64(a.Length)))
	}
	for a.out.Len() < n/2 {
		a.act()
	}
	a.burst()
	for a.out.Len() < n {
		a.act()
	}
}

// burst writes many events into the instant that all locations share.
func (a *actor) burst() {
	instant := a.Start + a.lattice(a.Step*int64(a.Length))
	if a.now > instant {
		return
	}
	a.now, a.frozen = instant, true
	for end := a.out.Len() + a.Burst; a.out.Len() < end; {
		a.act()
	}
	a.frozen = false
}

func (a *actor) lattice(ticks int64) int64 { return ticks / a.Lattice * a.Lattice }

// tick lets time pass.
func (a *actor) tick() {
	switch {
	case a.frozen || a.chance(a.SameTime):
	case a.chance(a.Leaps):
		a.now += a.Int64N(1 << (1 + a.IntN(50)))
	default:
		a.now += a.lattice(a.Lattice + a.Int64N(a.Step))
	}
}

// act writes one thing that a program does: mostly one event.
func (a *actor) act() {
	if a.chance(a.Any) {
		a.write(func(at int64) { a.event(a.out, at, choose(a.dice, a.program.events)) })
		return
	}
	if a.chance(a.Talk) {
		a.communicate()
		return
	}
	switch a.IntN(10) {
	case 0, 1, 2, 3:
		a.enter(a.anyFrame())
	case 4, 5, 6, 7:
		a.leave()
	case 8:
		a.counters()
	case 9:
		a.repeat()
	}
}

// write writes one event with all that may come along with it.
func (a *actor) write(event func(at int64)) {
	a.tick()
	event(a.now)
	if a.chance(a.Attributes) {
		a.out.SetAttrs(a.attributes())
	}
	if a.chance(a.Residuals) {
		a.out.SetResidual(int64(a.number(64)))
	}
}

func (a *actor) put(kind trace.Kind, words ...uint64) {
	a.write(func(at int64) { a.out.Append(kind, at, words...) })
}

func (a *actor) anyFrame() frame {
	if len(a.contexts) > 0 && a.chance(0.5) {
		return frame{true, choose(a.dice, a.contexts)}
	}
	return frame{false, choose(a.dice, a.regions)}
}

func (a *actor) enter(f frame) {
	a.open = append(a.open, f)
	if f.context {
		a.put(trace.KindCallingContextEnter, f.id, uint64(a.IntN(3)))
	} else {
		a.put(trace.KindEnter, f.id)
	}
}

// leave leaves the innermost call, or one further out, or one that is not open.
func (a *actor) leave() {
	at := len(a.open) - 1
	f := a.anyFrame()
	if a.chance(a.Mismatch) {
		at = a.IntN(len(a.open)+2) - 2
	} else if at < 0 {
		return
	}
	if at >= 0 {
		f = a.open[at]
		a.open = a.open[:at]
	}
	if f.context {
		a.put(trace.KindCallingContextLeave, f.id)
	} else {
		a.put(trace.KindLeave, f.id)
	}
}

// counters writes counter values and parameters, most of them near those before.
func (a *actor) counters() {
	at := uint64(a.now)
	switch a.IntN(4) {
	case 0:
		a.put(trace.KindMetric, 0, 1, uint64(trace.ValueUint64), at+uint64(a.IntN(5)))
	case 1:
		a.put(trace.KindMetric, 1, 2, uint64(trace.ValueDouble), doubleBits(a.Float64()), uint64(trace.ValueInt64), -at)
	case 2:
		a.put(trace.KindParameterInt, 0, uint64(a.Int64N(100))-50)
	case 3:
		a.put(trace.KindUnknownEvent, 200, 0, a.out.PutText(a.text()))
	}
}

// repeat plays a motif several times, or goes down a recursion and some of the way back.
func (a *actor) repeat() {
	if a.Recursion > 0 && a.chance(0.3) {
		f := a.anyFrame()
		for range a.IntN(a.Recursion) {
			a.enter(f)
		}
		for range a.IntN(a.Recursion) {
			a.leave()
		}
		return
	}
	m := choose(a.dice, a.motifs)
	for range a.IntN(a.Repeat + 1) {
		for i := range m.Len() {
			a.tick()
			a.out.AppendFrom(m, i, a.meta.Table())
			a.out.Times[a.out.Len()-1] = a.now
		}
	}
}
