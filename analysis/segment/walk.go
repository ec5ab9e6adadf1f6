package segment

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/store"
)

// walk follows the enters and leaves of all locations of a window, and adds up what the candidates cover. Calls of which more is wanted are
// recorded.
type walk struct {
	regions *regions
	groups  []group
	sums    []sums  // by group
	ofGroup []int32 // by group: its record, or none
	records []*record
	room    int   // entries of all records
	share   int   // of a location, if all have equally many
	from    int64 // the window's begin
	lines   map[uint64]*line
	// expect returns about how many segments a location has that begin with calls of a name, at most a number.
	expect func(location uint64, name calltree.Name, most int) int
}

// newWalk returns a walk that records some candidates.
func newWalk(s *structure, regions *regions, wanted []want, most int) *walk {
	w := &walk{
		regions: regions, groups: s.groups, sums: make([]sums, len(s.groups)), ofGroup: make([]int32, len(s.groups)),
		room: most, share: most/max(len(s.locations), 1) + 1, lines: map[uint64]*line{}, expect: s.expect,
	}
	for i := range w.ofGroup {
		w.ofGroup[i] = none
	}
	for i, c := range wanted {
		w.records = append(w.records, &record{want: c, stride: 1})
		if c.group == none {
			regions.list[c.name].record = int32(i)
		} else {
			w.ofGroup[c.group] = int32(i)
		}
	}
	regions.nest(s.forest)
	regions.arrange(s.groups)
	return w
}

// line returns that of a location.
func (w *walk) line(id uint64) *line {
	l := w.lines[id]
	if l == nil {
		l = &line{
			id: id, waiting: true, since: w.from, nested: make([]int32, w.regions.nested), outer: make([]uint32, w.regions.nested), begun: make([]int64, len(w.records)), kept: make([]*series, len(w.records)),
			groups: make([]*repeating, len(w.groups)),
		}
		w.lines[id] = l
	}
	return l
}

// add records a segment that has ended.
func (w *walk) add(l *line, to int32, start, duration, own int64) {
	r := w.records[to]
	if l.kept[to] == nil {
		l.kept[to] = newSeries(l.id, w.expect(l.id, r.name, w.share))
		r.lines = append(r.lines, l.kept[to])
	}
	r.add(l.kept[to], l.begun[to]-1, start, duration, own)
}

// entries returns how many entries all records have.
func (w *walk) entries() (n int) {
	for _, r := range w.records {
		n += r.entries
	}
	return n
}

// shrink makes room, where records have more entries than they may: the largest one gives it.
func (w *walk) shrink() {
	for w.entries() > w.room {
		largest := slices.MaxFunc(w.records, func(a, b *record) int { return cmp.Compare(a.entries, b.entries) })
		if before := largest.entries; before > 0 {
			largest.halve()
			if largest.entries == before { // an entry on each line
				return
			}
		}
	}
}

// close ends the walk. If no more events can come, so do the segments of groups of outermost calls.
func (w *walk) close(complete bool) {
	for _, l := range w.lines {
		for i := range l.stack {
			if f := &l.stack[i]; f.flags&cut == 0 {
				l.lose(f.name)
			}
		}
		if !complete {
			continue
		}
		for g := range l.groups {
			if q := l.group(int32(g), 0); q != nil && len(l.stack) == 0 {
				w.endGroup(l, int32(g), q.last, q.lastOwn)
			}
		}
	}
}

// trimmed returns the records without incomplete entries.
func (w *walk) trimmed() []*record {
	for _, r := range w.records {
		for _, s := range r.lines {
			s.trim(r.stride)
		}
	}
	return w.records
}

// follow follows the events of a run.
func (w *walk) follow(l *line, events []calltree.Event, r *store.TimeRun) {
	when := r.Times[:len(r.Leaves)]
	sums := w.regions.sums
	for i, leaf := range r.Leaves {
		switch e := &events[leaf]; e.Class {
		case calltree.Enter:
			now := when[i]
			if len(l.stack) == 0 {
				l.set(false, now)
			}
			l.stack = append(l.stack, frame{own: l.ownAt(now), start: now, key: e.Key, name: e.Name})
			if sums[e.Name].special {
				w.begin(l, now)
			}
		case calltree.Leave:
			if n := len(l.stack) - 1; n >= 0 && l.stack[n].key == e.Key {
				w.leave(l, when[i])
			} else {
				w.leaveKey(l, e.Key, when[i])
			}
		}
	}
}

// leave ends the innermost call.
func (w *walk) leave(l *line, now int64) {
	n := len(l.stack) - 1
	f := &l.stack[n]
	p := &w.regions.sums[f.name]
	own := l.ownAt(now)
	if p.special {
		w.end(l, &w.regions.list[f.name], f, now, own)
	}
	took := own - f.own
	if f.flags&(cut|inner) == 0 {
		p.covered.Add(uint64(took))
		p.calls++
	}
	if l.stack = l.stack[:n]; n > 0 {
		l.stack[n-1].inside += took
	} else {
		l.inside += took
		l.set(true, now)
	}
}

// leaveKey ends the nearest call of a key and those further in. A leave of no call does nothing.
func (w *walk) leaveKey(l *line, key uint32, now int64) {
	n := len(l.stack) - 1
	for n >= 0 && l.stack[n].key != key {
		n--
	}
	for n >= 0 && len(l.stack) > n {
		w.leave(l, now)
	}
}

// begin does what the begin of the innermost call asks for besides.
func (w *walk) begin(l *line, now int64) {
	n := len(l.stack) - 1
	f := &l.stack[n]
	p := &w.regions.list[f.name]
	if p.nested != none {
		if l.nested[p.nested]++; l.nested[p.nested] > 1 {
			f.flags |= inner
		}
	}
	for _, g := range p.within {
		if q := l.group(g, n); q != nil { // what the calls around have done since the last call of the body
			q.covered += f.own - q.lastOwn - (l.insideOf(n) - q.inside)
		}
	}
	if f.flags&cut == 0 {
		for _, g := range p.begins {
			w.beginGroup(l, g, n, f)
		}
	}
	if p.record != none && f.flags&(cut|inner) == 0 {
		l.begun[p.record]++
	}
	if l.waiting {
		f.flags |= waited
	}
	if p.waits {
		l.set(true, now)
	} else if p.works {
		l.set(false, now)
	}
}

// end does what the end of the innermost call asks for besides.
func (w *walk) end(l *line, p *region, f *frame, now, own int64) {
	for _, g := range p.around {
		if q := l.group(g, len(l.stack)); q != nil {
			w.endGroup(l, g, q.last, q.lastOwn)
		}
	}
	for _, g := range p.within {
		if q := l.group(g, len(l.stack)-1); q != nil {
			q.last, q.lastOwn = now, own
			q.covered += own - f.own
			q.inside = l.insideOf(q.at) + own - f.own
		}
	}
	if p.record != none && f.flags&(cut|inner) == 0 {
		w.add(l, p.record, f.start, now-f.start, own-f.own)
	}
	if p.nested != none {
		if l.nested[p.nested]--; f.flags&(cut|inner) == 0 {
			l.outer[p.nested]++
		}
	}
	if p.waits || p.works {
		l.set(f.flags&waited != 0, now)
	}
}

// beginGroup begins a segment of a group, if a call inside of n others is the first one of it.
func (w *walk) beginGroup(l *line, g int32, n int, f *frame) {
	around := w.groups[g].around
	if n == 0 {
		if around != 0 {
			return
		}
	} else if top := &l.stack[n-1]; top.name != around || top.flags&inner != 0 {
		return
	}
	q := l.groups[g]
	if q == nil {
		q = &repeating{}
		l.groups[g] = q
	}
	if q.active {
		w.endGroup(l, g, f.start, f.own)
	}
	*q = repeating{
		active: true, at: n, start: f.start, own: f.own, last: f.start, lastOwn: f.own, inside: l.insideOf(n), segments: q.segments,
	}
	if to := w.ofGroup[g]; to != none {
		l.begun[to]++
	}
}

// endGroup ends a segment of a group.
func (w *walk) endGroup(l *line, g int32, now, own int64) {
	q := l.groups[g]
	q.active = false
	q.segments++
	w.sums[g].add(q.covered)
	if to := w.ofGroup[g]; to != none {
		w.add(l, to, q.start, now-q.start, own-q.own)
	}
}

// enter begins a call that was open before.
func (w *walk) enter(l *line, e *calltree.Event, now int64, flags frameFlags) {
	if len(l.stack) == 0 {
		l.set(false, now)
	}
	l.lose(e.Name)
	l.stack = append(l.stack, frame{own: l.ownAt(now), start: now, key: e.Key, name: e.Name, flags: flags})
	if w.regions.sums[e.Name].special {
		w.begin(l, now)
	}
}
