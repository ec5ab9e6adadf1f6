package main

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// print writes the overview for people.
func (o *overview) print(w io.Writer, f *opened) {
	fmt.Fprintf(w, "%s\n", printable(o.File))
	l := facts{w, 12}
	o.printTrace(&l, f)
	o.printContent(&l, f.names.defs)
	o.printFile(&l)
	o.printKinds(w)
	o.printProperties(w)
	o.printHistory(w)
	if o.Regions != nil {
		o.printRegions(w, &f.clock)
	}
	if o.LocationList != nil {
		o.printLocations(w, &f.clock)
	}
	if o.ByteLines != nil {
		o.printBytes(w)
	}
	if o.Compaction != nil {
		o.Compaction.print(w)
	}
}

func (o *overview) printTrace(l *facts, f *opened) {
	of, from := "", ""
	if o.Processes > 0 {
		of = " of " + plural(o.Processes, "process", "processes")
	}
	if o.Format != "" {
		from = ", from " + printable(o.Format)
	}
	l.line("trace", "%s%s, %s%s", plural(o.Locations, "location", "locations"), of, f.clock.human(o.DurationTicks), from)
	if t := began(f); t != "" {
		l.line("begin", "%s", t)
	}
	l.line("clock", "%s ticks/s; first event at tick %d, last at %d", grouped(o.Resolution), o.FirstAbsolute, o.LastAbsolute)
}

func (o *overview) printContent(l *facts, defs *trace.Definitions) {
	l.line("events", "%s", grouped(o.Events))
	l.line("sha-256", "%s", o.SHA256)
	calls, messages := "none", "none"
	if o.Calls > 0 {
		calls = fmt.Sprintf("%s, at most %d deep", grouped(o.Calls), o.MaxDepth)
	}
	if o.Messages > 0 {
		messages = fmt.Sprintf("%s, %s", grouped(o.Messages), size(o.MessageBytes))
	}
	l.line("calls", "%s%s", calls, notes(
		note{o.OpenCalls, "never left"}, note{o.CutCalls, "ended by a leave further out"}, note{o.OrphanLeaves, "leaves without a call"}))
	l.line("messages", "%s%s", messages, notes(
		note{o.UnmatchedSends, "sends without a receive"}, note{o.UnmatchedReceives, "receives without a send"},
		note{o.CancelledSends, "cancelled sends"}, note{o.SuspiciousMessages, "received longer than sent"}))
	l.line("definitions", "%s%s", grouped(o.Definitions), notes(
		note{uint64(len(defs.Regions())), "regions"}, note{uint64(len(defs.Comms)), "communicators"},
		note{uint64(len(defs.Members)), "counters"}, note{uint64(len(defs.Attributes)), "attributes"}))
	if n := len(o.AuxStreams); n > 0 {
		classes, all := o.auxRecords()
		l.line("auxiliary", "%s in %s%s", plural(all, "record", "records"), plural(n, "stream", "streams"), notes(classes...))
	}
}

// note is a number of things worth mentioning if there are any.
type note struct {
	n    uint64
	text string
}

func notes(list ...note) string {
	text := ""
	for _, n := range list {
		if n.n > 0 {
			text += "; " + grouped(n.n) + " " + n.text
		}
	}
	return text
}

// auxRecords returns the numbers of auxiliary records, by the class of their streams.
func (o *overview) auxRecords() (classes []note, all uint64) {
	for _, s := range o.AuxStreams {
		at := slices.IndexFunc(classes, func(n note) bool { return n.text == s.Class })
		if at < 0 {
			at, classes = len(classes), append(classes, note{text: s.Class})
		}
		classes[at].n += s.Records
		all += s.Records
	}
	return classes, all
}

func (o *overview) printFile(l *facts) {
	perEvent := ""
	if o.Events > 0 {
		perEvent = fmt.Sprintf(", %.2f bits per event", 8*float64(o.Bytes)/float64(o.Events))
	}
	l.line("file", "%s%s", size(o.Bytes), perEvent)
	l.line("format", "version %s, file id %s", o.FormatVersion, o.FileID)
	l.line("layout", "%s in %s, %s, %s of %s",
		plural(o.Slices, "slice", "slices"), plural(o.Epochs, "epoch", "epochs"), plural(o.Lanes, "lane", "lanes"),
		plural(o.Nodes, "node", "nodes"), plural(o.Levels, "level", "levels"))
}

func (o *overview) printKinds(w io.Writer) {
	if len(o.Kinds) == 0 {
		return
	}
	t := newTable([]string{"count"}, "kind of event", "count")
	for _, k := range o.Kinds {
		t.AppendRow([]any{cell(k.name), grouped(k.count)})
	}
	fmt.Fprintf(w, "\n%s\n", t.Render())
}

func (o *overview) printProperties(w io.Writer) {
	if len(o.Properties) == 0 {
		return
	}
	t := newTable(nil, "property", "value")
	for _, p := range o.Properties {
		t.AppendRow([]any{cell(p.Name), cell(p.Value)})
	}
	fmt.Fprintf(w, "\n%s\n", t.Render())
}

// printRegions lists the regions that were called, those first that took most time themselves.
func (o *overview) printRegions(w io.Writer, c *clock) {
	regions := slices.DeleteFunc(slices.Clone(o.Regions), func(r regionTotal) bool { return r.Calls == 0 })
	slices.SortStableFunc(regions, func(a, b regionTotal) int { return b.Exclusive.Cmp(a.Exclusive) })
	all := new(big.Int)
	for _, r := range regions {
		all.Add(all, r.Exclusive)
	}
	t := newTable([]string{"calls", "exclusive", "share", "inclusive"}, "region", "calls", "exclusive", "share", "inclusive")
	for _, r := range regions {
		name := "no region"
		if r.ID != nil {
			name = cmp.Or(cell(r.Name), "#"+strconv.FormatUint(*r.ID, 10))
		}
		t.AppendRow([]any{name, grouped(r.Calls), bigSeconds(r.Exclusive, c), share(r.Exclusive, all), bigSeconds(r.Inclusive, c)})
	}
	fmt.Fprintf(w, "\n%s\n", t.Render())
}

func bigSeconds(ticks *big.Int, c *clock) string {
	v, _ := new(big.Float).SetInt(ticks).Float64()
	return humanSeconds(v / float64(c.Resolution))
}

func share(part, all *big.Int) string {
	if all.Sign() == 0 {
		return "-"
	}
	v, _ := new(big.Rat).SetFrac(part, all).Float64()
	return fmt.Sprintf("%.1f %%", 100*v)
}

func (o *overview) printLocations(w io.Writer, c *clock) {
	t := newTable([]string{"id", "events", "calls", "depth", "first [s]", "last [s]", "lane"},
		"id", "location", "process", "type", "events", "calls", "depth", "first [s]", "last [s]", "lane")
	for _, p := range o.LocationList {
		first, last := "-", "-"
		if p.Events > 0 {
			first, last = string(c.append(nil, p.First)), string(c.append(nil, p.Last))
		}
		t.AppendRow([]any{p.ID, cell(p.Name), cell(p.Group), strings.ToLower(p.Type), grouped(p.Events),
			grouped(p.Calls), p.MaxDepth, first, last, p.Lane})
	}
	fmt.Fprintf(w, "\n%s\n", t.Render())
}
