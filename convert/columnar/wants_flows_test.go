package columnar

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// enclosing returns the innermost call around an event.
func (w *wants) enclosing(location, ordinal uint64) (found *trace.Call) {
	all := w.Calls()
	for i := range all {
		c := &all[i]
		if c.Location == location && c.Ordinal <= ordinal && ordinal <= c.EndOrdinal && (found == nil || c.Ordinal > found.Ordinal) {
			found = c
		}
	}
	return found
}

func (w *wants) parameters() (rows []map[string]string) {
	for _, e := range w.Events() {
		if e.Kind < trace.KindParameterString || e.Kind > trace.KindParameterUnsignedInt {
			continue
		}
		cells := maps.Clone(w.places[e.Location])
		cells["event"] = w.event(e.Location, e.Ordinal)
		w.instant(cells, "", e.Time)
		cells["parameter"], cells["name"] = integer(e.Words[0]), w.name(trace.SpaceParameter, e.Words[0])
		cells["value"], cells["value_int"] = integer(e.Words[1]), integer(e.Words[1])
		switch e.Kind {
		case trace.KindParameterString:
			cells["value"], cells["value_int"] = null, null
			if s, ok := w.Definitions.Strings[e.Words[1]]; ok {
				cells["value"] = valid(s)
			}
		case trace.KindParameterUnsignedInt:
			cells["value"] = strconv.FormatUint(e.Words[1], 10)
		}
		cells["call"], cells["region_name"] = null, null
		if c := w.enclosing(e.Location, e.Ordinal); c != nil {
			cells["call"], cells["region_name"] = w.event(c.Location, c.Ordinal), w.name(trace.SpaceRegion, c.Region)
		}
		rows = append(rows, cells)
	}
	return rows
}

// gathered is a collective operation: the ends of its parts, and the begins of those that have one.
type gathered struct {
	communicator uint64
	number       int
	blocking     bool
	size         uint64
	ends         []model.Event
	begins       []*model.Event
}

// gather puts parts together, in the order of their first ends.
func (w *wants) gather() (list []*gathered) {
	begins := map[string]*model.Event{}
	find := map[string]*gathered{}
	numbers := w.OperationNumbers()
	for _, e := range w.Events() {
		var begin, of string
		switch e.Kind {
		case trace.KindMpiCollectiveBegin:
			begins[fmt.Sprint(e.Location)] = &e
			continue
		case trace.KindMpiCollectiveEnd:
			begin, of = fmt.Sprint(e.Location), fmt.Sprint(e.Words[1])
		case trace.KindNonBlockingCollectiveRequest:
			begins[fmt.Sprint(e.Location, "request", e.Words[0])] = &e
			continue
		case trace.KindNonBlockingCollectiveComplete:
			begin, of = fmt.Sprint(e.Location, "request", e.Words[5]), fmt.Sprint(e.Words[1], "begun")
		default:
			continue
		}
		number := int(numbers[e.ID()])
		id := fmt.Sprint(of, "number", number, "operation", e.Words[0])
		if find[id] == nil {
			find[id] = &gathered{
				communicator: e.Words[1], number: number, size: w.size(e.Words[1]), blocking: e.Kind == trace.KindMpiCollectiveEnd,
			}
			list = append(list, find[id])
		}
		find[id].ends, find[id].begins = append(find[id].ends, e), append(find[id].begins, begins[begin])
		begins[begin] = nil
	}
	return list
}

// size returns how many ranks a communicator with one group has.
func (w *wants) size(comm uint64) uint64 {
	for _, l := range w.Locations {
		if _, n, ok := w.Definitions.OwnRank(comm, l.ID); ok {
			return n
		}
	}
	return 0
}

// operation are the cells that say which operation a row is about.
func (w *wants) operation(g *gathered, e *model.Event) map[string]string {
	cells := map[string]string{
		"communicator": integer(g.communicator), "communicator_name": w.name(trace.SpaceComm, g.communicator), "number": strconv.Itoa(g.number),
		"blocking":  strconv.FormatBool(g.blocking),
		"operation": trace.EnumCollectiveOp.Format(e.Words[0]), "root": id(e.Words[2]),
	}
	if _, err := strconv.Atoi(cells["operation"]); err == nil {
		cells["operation"] = null
	}
	return cells
}

func (g *gathered) lastBegin() (last int64, ok bool) {
	for _, b := range g.begins {
		if b != nil && (!ok || b.Time > last) {
			last, ok = b.Time, true
		}
	}
	return last, ok
}

func (w *wants) collectiveRanks() (rows []map[string]string) {
	for _, g := range w.gather() {
		for i, e := range g.ends {
			cells := w.operation(g, w.firstPart(g))
			maps.Copy(cells, w.places[e.Location])
			cells["communicator_rank"] = null
			if rank, _, ok := w.Definitions.OwnRank(g.communicator, e.Location); ok {
				cells["communicator_rank"] = integer(rank)
			}
			cells["begin_event"], cells["end_event"] = null, w.event(e.Location, e.Ordinal)
			for _, c := range []string{"begin_ns", "begin_ticks", "duration_ns", "duration_ticks", "wait_ns", "wait_ticks"} {
				cells[c] = null
			}
			if b := g.begins[i]; b != nil {
				last, _ := g.lastBegin()
				cells["begin_event"] = w.event(b.Location, b.Ordinal)
				w.instant(cells, "begin_", b.Time)
				w.span(cells, "duration_", e.Time-b.Time)
				w.span(cells, "wait_", max(min(last, e.Time)-b.Time, 0))
			}
			w.instant(cells, "end_", e.Time)
			cells["sent_bytes"], cells["received_bytes"] = integer(e.Words[3]), integer(e.Words[4])
			// what the operation is, its first rank says
			cells["operation"], cells["root"] = w.operation(g, &e)["operation"], w.operation(g, &e)["root"]
			rows = append(rows, cells)
		}
	}
	return rows
}

// firstPart returns the end of the lowest rank.
func (w *wants) firstPart(g *gathered) *model.Event {
	best := &g.ends[0]
	rank := func(e *model.Event) uint64 { r, _, _ := w.Definitions.OwnRank(g.communicator, e.Location); return r }
	for i := range g.ends {
		if e := &g.ends[i]; rank(e) < rank(best) || rank(e) == rank(best) && e.Location < best.Location {
			best = e
		}
	}
	return best
}

func (w *wants) collectives() (rows []map[string]string) {
	for _, g := range w.gather() {
		cells := w.operation(g, w.firstPart(g))
		cells["ranks"], cells["size"] = strconv.Itoa(len(g.ends)), null
		if g.size > 0 {
			cells["size"] = integer(g.size)
		}
		cells["complete"] = strconv.FormatBool(g.size > 0 && len(g.ends) == int(g.size))
		for _, c := range []string{"first_begin_", "last_begin_", "duration_", "spread_", "wait_"} {
			cells[c+"ns"], cells[c+"ticks"] = null, null
		}
		w.instant(cells, "first_end_", g.ends[0].Time)
		w.instant(cells, "last_end_", g.ends[len(g.ends)-1].Time)
		cells["last_rank"] = null
		var sent, received uint64
		for i := range g.ends {
			sent, received = sent+g.ends[i].Words[3], received+g.ends[i].Words[4]
		}
		cells["sent_bytes"], cells["received_bytes"] = integer(sent), integer(received)
		if last, ok := g.lastBegin(); ok {
			w.begun(cells, g, last)
		}
		rows = append(rows, cells)
	}
	return rows
}

// begun adds the cells of an operation of which begins are known.
func (w *wants) begun(cells map[string]string, g *gathered, last int64) {
	first, wait := last, int64(0)
	latest := -1
	for i, b := range g.begins {
		if b == nil {
			continue
		}
		first = min(first, b.Time)
		wait += max(min(last, g.ends[i].Time)-b.Time, 0)
		if rank, _, ok := w.Definitions.OwnRank(g.communicator, b.Location); ok && b.Time == last && (latest < 0 || int(rank) < latest) {
			latest = int(rank)
		}
	}
	if latest >= 0 {
		cells["last_rank"] = strconv.Itoa(latest)
	}
	w.instant(cells, "first_begin_", first)
	w.instant(cells, "last_begin_", last)
	w.span(cells, "duration_", g.ends[len(g.ends)-1].Time-first)
	w.span(cells, "spread_", last-first)
	w.span(cells, "wait_", wait)
}

// pipit are the rows in Pipit's layout.
func (w *wants) pipit() (rows []map[string]string) {
	calls := map[model.EventID]*trace.Call{}
	all := w.Calls()
	for i := range all {
		c := &all[i]
		calls[model.EventID{Location: c.Location, Ordinal: c.Ordinal}] = c
		if c.Flags == 0 {
			calls[model.EventID{Location: c.Location, Ordinal: c.EndOrdinal}] = c
		}
	}
	for _, e := range w.Events() {
		cells := map[string]string{"event": w.event(e.Location, e.Ordinal), "Event Type": "Instant", "Attributes": null}
		for _, c := range []string{"_matching_event", "_matching_timestamp", "_depth", "_parent", "time.inc", "time.exc", "Name"} {
			cells[c] = null
		}
		scratch := map[string]string{}
		w.instant(scratch, "", e.Time)
		cells["Timestamp (ns)"] = scratch["ns"]
		cells["Process"], cells["Thread"] = w.places[e.Location]["rank"], w.places[e.Location]["thread"]
		if cells["Process"] == null {
			cells["Process"] = w.places[e.Location]["process"]
		}
		w.pipitEvent(cells, &e, calls[e.ID()])
		rows = append(rows, cells)
	}
	return rows
}

func (w *wants) pipitEvent(cells map[string]string, e *model.Event, c *trace.Call) {
	spec := w.Meta.Table().Spec(e.Kind)
	typed := map[string]string{}
	w.typed(typed, spec, e)
	scratch := map[string]string{}
	switch e.Kind {
	case trace.KindEnter, trace.KindCallingContextEnter:
		cells["Event Type"], cells["Name"] = "Enter", typed["region_name"]
		w.span(scratch, "inc_", c.Duration())
		w.span(scratch, "exc_", c.Exclusive)
		cells["time.inc"], cells["time.exc"], cells["_depth"] = scratch["inc_ns"], scratch["exc_ns"], strconv.Itoa(c.Depth)
		if c.Parent != trace.Undefined {
			cells["_parent"] = w.event(c.Location, c.Parent)
		}
		if c.Flags == 0 {
			w.instant(scratch, "", c.End)
			cells["_matching_event"], cells["_matching_timestamp"] = w.event(c.Location, c.EndOrdinal), scratch["ns"]
		}
	case trace.KindLeave, trace.KindCallingContextLeave:
		cells["Event Type"], cells["Name"] = "Leave", typed["region_name"]
		if c != nil {
			w.instant(scratch, "", c.Start)
			cells["_matching_event"], cells["_matching_timestamp"] = w.event(c.Location, c.Ordinal), scratch["ns"]
		}
	default:
		cells["Name"], cells["Attributes"] = spec.Name, canonical(w.fields(spec, e))
	}
}
