package contrast

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// Counter is what the values of a counter add up to in calls, as times do: the exclusive value of a call is by how much the counter grew
// while the call was the innermost one. Ticks of the tallies are units of the counter.
type Counter struct {
	Name string
	// Member is its definition on side A, Unit the name of its unit.
	Member trace.MetricMember
	Unit   string
	Paths  []Path
}

// addCounters compares the counters of the options.
func (c *Comparison) addCounters(ctx context.Context) error {
	for _, name := range c.opt.Counters {
		var members [2]map[uint64]bool
		for side, s := range c.sources {
			if members[side] = s.membersNamed(name); len(members[side]) == 0 {
				both := "no counter"
				if names := c.CounterNames(); len(names) > 0 {
					both = strings.Join(names, ", ")
				}
				return &OptionError{"counter", name, fmt.Sprintf("%s has no such counter of whole numbers that adds up; both sides have %s", s.Name, both)}
			}
		}
		r, err := c.newRun()
		if err != nil {
			return err
		}
		r.lanes = r.all
		for side := range c.sources {
			if err := r.countSide(ctx, side, members[side]); err != nil {
				return err
			}
		}
		for _, p := range r.pairs {
			p.meet(true)
		}
		c.Counters = append(c.Counters, c.sources[0].counter(name, members[0], r.paths.list))
	}
	return nil
}

// modeOfPoint is the part of a metric's mode that says what values count from; those of accumulated ones grow from the begin of the trace.
const (
	modeOfPoint     = 15
	modeAccumulated = 0
)

// membersNamed returns the ids of the counters of a name whose values grow, and are whole numbers.
func (s *source) membersNamed(name string) map[uint64]bool {
	found := map[uint64]bool{}
	for id, m := range s.defs.Members {
		if s.defs.Strings[m.Name] == name && m.Mode&modeOfPoint == modeAccumulated && !trace.ValueType(m.ValueType).IsFloat() {
			found[id] = true
		}
	}
	return found
}

// counter returns a counter by the definition with the smallest id.
func (s *source) counter(name string, members map[uint64]bool, list []Path) Counter {
	m := s.defs.Members[slices.Min(slices.Collect(maps.Keys(members)))]
	return Counter{name, m, s.defs.Strings[m.Unit], list}
}

// CounterNames returns the names of the counters that can be compared, in order.
func (c *Comparison) CounterNames() (names []string) {
	for _, m := range c.sources[0].defs.Members {
		name := c.sources[0].defs.Strings[m.Name]
		both := len(c.sources[0].membersNamed(name)) > 0 && len(c.sources[1].membersNamed(name)) > 0
		if both && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// countSide follows the enters and leaves of a side by the values of a counter instead of times.
func (r *run) countSide(ctx context.Context, side int, members map[uint64]bool) error {
	if err := r.begin(side); err != nil {
		return err
	}
	src := r.sources[side]
	w := src.Window.WithContext(ctx).WithKinds(append(src.events.Kinds(), trace.KindMetric)...)
	read := counting{defs: src.defs, members: members, events: src.events, meters: map[uint64]*meter{}}
	for b, err := range w.Batches() {
		if err != nil {
			return err
		}
		l := r.lanes[side][b.Location]
		if l == nil {
			continue
		}
		before := l.memory()
		read.follow(l, b)
		if err := r.grew(l.memory() - before); err != nil {
			return err
		}
	}
	for _, l := range r.lanes[side] {
		l.closeTo(0, l.last)
	}
	return nil
}

// counting follows calls by the values of a counter.
type counting struct {
	defs    *trace.Definitions
	members map[uint64]bool
	events  *calltree.Events
	meters  map[uint64]*meter // by location
}

// meter is the last value of the counter on a location. Before the first one, nothing is counted.
type meter struct {
	value int64
	known bool
}

func (c *counting) follow(l *lane, b *trace.Batch) {
	m := c.meters[b.Location]
	if m == nil {
		m = &meter{value: l.last}
		c.meters[b.Location] = m
	}
	for i, kind := range b.Kinds {
		w := b.Fields(i)
		if kind != trace.KindMetric {
			e := c.events.OfEvent(b.Location, kind, w)
			l.event(&e, m.value)
			continue
		}
		if v, ok := c.valueOf(w); ok {
			if m.value = v; !m.known {
				m.known, l.last = true, v
			}
		}
	}
}

// valueOf returns the counter's value in the words of a metric event: class, number, and for each member its type and value.
func (c *counting) valueOf(w []uint64) (int64, bool) {
	for k, member := range c.defs.MetricMembers(w[0]) {
		if at := 3 + 2*k; c.members[member] && at < len(w) {
			return int64(w[at]), true
		}
	}
	return 0, false
}
