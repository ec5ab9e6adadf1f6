package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/internal/report/said"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

func (o *Info) writeText(w io.Writer) {
	c := &o.trace.clock
	fmt.Fprintf(w, "%s\n", Printable(o.trace.Path))
	l := facts{w, 12}
	if o.Unfinished {
		l.line("unfinished", "no end yet; this is what is whole of it")
	}
	o.printTrace(&l)
	o.printContent(&l, o.trace.names.defs)
	o.printFile(&l)
	o.printKinds(w)
	o.printProperties(w)
	printHistory(w, o.History)
	if o.Regions != nil {
		o.printRegions(w, c)
	}
	if o.LocationList != nil {
		o.printLocations(w, c)
	}
	if o.ByteLines != nil {
		o.printBytes(w)
	}
	if o.Compaction != nil {
		o.Compaction.print(w)
	}
}

func (o *Info) printTrace(l *facts) {
	of, from := "", ""
	if o.Processes > 0 {
		of = " of " + Plural(o.Processes, "process", "processes")
	}
	if o.Format != "" {
		from = ", from " + Printable(o.Format)
	}
	l.line("trace", "%s%s, %s%s", Plural(o.Locations, "location", "locations"), of, o.trace.clock.human(o.DurationTicks), from)
	if t := began(o.trace); t != "" {
		l.line("begin", "%s", t)
	}
	l.line("clock", "%s ticks/s; first event at tick %d, last at %d", Grouped(o.TicksPerSecond), o.FirstEventTicks, o.LastEventTicks)
}

func (o *Info) printContent(l *facts, defs *trace.Definitions) {
	l.line("events", "%s", Grouped(o.Events))
	l.line("sha-256", "%s", o.SHA256)
	name := "loss"
	for _, line := range o.Loss.Lines(Lost) {
		l.line(name, "%s", line)
		name = ""
	}
	calls, messages := "none", "none"
	if o.Calls > 0 {
		calls = fmt.Sprintf("%s, at most %d deep", Grouped(o.Calls), o.MaxDepth)
	}
	if o.Messages > 0 {
		messages = fmt.Sprintf("%s, %s", Grouped(o.Messages), Size(o.MessageBytes))
	}
	l.line("calls", "%s%s", calls, notes(
		note{o.OpenCalls, "never left", "never left"}, note{o.CutCalls, "ended by a leave further out", "ended by a leave further out"}, note{o.OrphanLeaves, "leave without a call", "leaves without a call"}))
	l.line("messages", "%s%s", messages, notes(
		note{o.UnmatchedSends, "send without a receive", "sends without a receive"}, note{o.UnmatchedReceives, "receive without a send", "receives without a send"},
		note{o.CancelledSends, "cancelled send", "cancelled sends"}))
	if text := o.Suspicious.text(o.trace.Path); text != "" {
		l.line("suspicious", "%s", text)
	}
	l.line("definitions", "%s%s", Grouped(o.Definitions), notes(
		note{uint64(len(defs.Regions())), "region", "regions"}, note{uint64(len(defs.Comms)), "communicator", "communicators"},
		note{uint64(len(defs.Members)), "counter", "counters"}, note{uint64(len(defs.Attributes)), "attribute", "attributes"},
		note{uint64(len(topology.Of(defs))), "topology", "topologies"}))
	var streams, records uint64
	var classes []note
	for _, s := range o.AuxStreams {
		streams, records, classes = streams+s.Streams, records+s.Records, append(classes, note{s.Records, s.Class + " record", s.Class + " records"})
	}
	if streams > 0 {
		l.line("auxiliary", "%s in %s%s", Plural(records, "record", "records"), Plural(streams, "stream", "streams"), notes(classes...))
	}
}

// note is a number of things worth mentioning if there are any.
type note struct {
	n         uint64
	one, many string
}

func notes(list ...note) string {
	text := ""
	for _, n := range list {
		if n.n > 0 {
			text += "; " + Plural(n.n, n.one, n.many)
		}
	}
	return text
}

func (o *Info) printFile(l *facts) {
	perEvent := ""
	if o.Events > 0 {
		perEvent = fmt.Sprintf(", %.2f bits per event", 8*float64(o.Bytes)/float64(o.Events))
	}
	l.line("file", "%s%s", Size(o.Bytes), perEvent)
	l.line("format", "version %s, file id %s", o.FormatVersion, o.FileID)
	l.line("layout", "%s in %s, %s, %s of %s",
		Plural(o.Slices, "slice", "slices"), Plural(o.Epochs, "epoch", "epochs"), Plural(o.Lanes, "lane", "lanes"),
		Plural(o.Nodes, "node", "nodes"), Plural(o.Levels, "level", "levels"))
}

func (o *Info) printKinds(w io.Writer) {
	if len(o.Kinds) == 0 {
		return
	}
	t := newTable([]string{"count"}, "kind of event", "count")
	for _, k := range o.Kinds {
		t.row(Cell(k.name), Grouped(k.count))
	}
	fmt.Fprintln(w)
	t.write(w)
}

// printProperties lists the properties, and what was said of the trace afterwards.
func (o *Info) printProperties(w io.Writer) {
	var rows [][]string
	for _, p := range o.Properties {
		rows = append(rows, []string{Cell(p.Name), Cell(p.Value)})
	}
	printRows(w, rows, "property", "value")
	printRows(w, said.Rows(o.Annotations, o.trace.clock.human, Cell), said.Heads...)
	io.WriteString(w, said.Routines(o.Annotations, Printable))
}

// printRows prints a table if there is something in it.
func printRows(w io.Writer, rows [][]string, heads ...string) {
	if len(rows) > 0 {
		fmt.Fprintln(w)
		WriteTable(w, heads, make([]bool, len(heads)), slices.Values(rows))
	}
}

// printRegions lists the regions with calls, by exclusive time, the longest first.
func (o *Info) printRegions(w io.Writer, c *clock) {
	regions := slices.DeleteFunc(slices.Clone(o.Regions), func(r RegionTime) bool { return r.Count == 0 })
	slices.SortStableFunc(regions, func(a, b RegionTime) int { return b.Exclusive.Cmp(a.Exclusive) })
	var all trace.Sum
	for _, r := range regions {
		all = all.Plus(r.Exclusive)
	}
	t := newTable([]string{"calls", "exclusive", "share", "inclusive"}, "region", "calls", "exclusive", "share", "inclusive")
	for _, r := range regions {
		name := "no region"
		if r.Region != nil {
			name = Cell(o.trace.names.Plain(trace.SpaceRegion, *r.Region))
		}
		t.row(name, Grouped(r.Count), sumSeconds(r.Exclusive, c), percentOf(r.Exclusive, all), sumSeconds(r.Inclusive, c))
	}
	fmt.Fprintln(w)
	t.write(w)
}

func sumSeconds(ticks trace.Sum, c *clock) string {
	return Duration(ticks.Float() / float64(c.Resolution()))
}

// percentOf returns a part of a whole in percent, "-" of nothing.
func percentOf(part, all trace.Sum) string {
	if all == (trace.Sum{}) {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*part.Float()/all.Float())
}

func (o *Info) printLocations(w io.Writer, c *clock) {
	t := newTable([]string{"id", "events", "calls", "depth", "first [s]", "last [s]", "lane"},
		"id", "location", "name", "process", "type", "events", "calls", "depth", "first [s]", "last [s]", "lane")
	time := func(ticks *int64) string {
		if ticks == nil {
			return "-"
		}
		return c.FormatTime(c.First() + *ticks)
	}
	defs := o.trace.names.defs
	for _, p := range o.LocationList {
		process := ""
		if p.Process != nil {
			process = defs.Name(trace.SpaceLocationGroup, *p.Process)
		}
		t.row(p.Location, Cell(o.trace.names.Location(p.Location)), Cell(defs.Name(trace.SpaceLocation, p.Location)), Cell(process), strings.ToLower(p.Type), Grouped(p.Events),
			Grouped(p.Calls), p.MaxDepth, time(p.FirstTicks), time(p.LastTicks), p.Lane)
	}
	fmt.Fprintln(w)
	t.write(w)
}

// state is the state of a file that grows, as a line of JSON.
type state struct {
	Name          string `json:"name"`
	Unfinished    bool   `json:"unfinished"`
	Bytes         int64  `json:"bytes"`
	Slices        uint64 `json:"slices"`
	Events        uint64 `json:"events"`
	Calls         uint64 `json:"calls"`
	Messages      uint64 `json:"messages"`
	Unmatched     uint64 `json:"unmatched"`
	OpenCalls     uint64 `json:"open_calls"`
	DurationNs    int64  `json:"duration_ns"`
	DurationTicks int64  `json:"duration_ticks"`
}

// WriteState writes one line that tells how far a file has grown.
func (o *Info) WriteState(w io.Writer, asJSON bool) error {
	if asJSON {
		line, err := json.Marshal(state{o.Name, o.Unfinished, o.Bytes, o.Slices, o.Events, o.Calls, o.Messages, o.Unmatched, o.OpenCalls, o.DurationNs, o.DurationTicks})
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	}
	end := ""
	if !o.Unfinished {
		end = ", finished"
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s, %s, %s%s\n", o.trace.clock.human(o.DurationTicks), Plural(o.Events, "event", "events"), Plural(o.Calls, "call", "calls"),
		Plural(o.Messages, "message", "messages"), Size(o.Bytes), end)
	return err
}
