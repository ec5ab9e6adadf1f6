package main

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// print writes the overview for people.
func (o *overview) print(w io.Writer, f *opened) {
	fmt.Fprintf(w, "%s\n", o.File)
	l := facts{w, 12}
	o.printTrace(&l, f)
	o.printContent(&l)
	o.printFile(&l)
	o.printKinds(w)
	o.printProperties(w)
	if o.Regions != nil {
		o.printRegions(w, &f.clock)
	}
	if o.LocationList != nil {
		o.printLocations(w, &f.clock)
	}
}

func (o *overview) printTrace(l *facts, f *opened) {
	from := ""
	if o.Format != "" {
		from = ", from " + o.Format
	}
	l.line("trace", "%s, %s%s", plural(o.Locations, "location", "locations"), f.clock.human(o.DurationTicks), from)
	if t := began(f); t != "" {
		l.line("begin", "%s", t)
	}
	l.line("clock", "%s ticks/s; first event at tick %d, last at %d", grouped(o.Resolution), o.FirstAbsolute, o.LastAbsolute)
}

func (o *overview) printContent(l *facts) {
	l.line("events", "%s", grouped(o.Events))
	l.line("calls", "%s, at most %d deep%s", grouped(o.Calls), o.MaxDepth, notes(
		note{o.OpenCalls, "never left"}, note{o.CutCalls, "ended by a leave further out"}, note{o.OrphanLeaves, "leaves without a call"}))
	l.line("messages", "%s, %s%s", grouped(o.Messages), size(o.MessageBytes), notes(
		note{o.UnmatchedSends, "sends without a receive"}, note{o.UnmatchedReceives, "receives without a send"},
		note{o.CancelledSends, "cancelled sends"}, note{o.SuspiciousMessages, "received longer than sent"}))
	l.line("definitions", "%s", grouped(o.Definitions))
	if n := len(o.AuxStreams); n > 0 {
		l.line("auxiliary", "%s in %s", plural(o.auxRecords(), "record", "records"), plural(n, "stream", "streams"))
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

func (o *overview) auxRecords() (n uint64) {
	for _, s := range o.AuxStreams {
		n += s.Records
	}
	return n
}

func (o *overview) printFile(l *facts) {
	perEvent := ""
	if o.Events > 0 {
		perEvent = fmt.Sprintf(", %.2f bits per event", 8*float64(o.Bytes)/float64(o.Events))
	}
	l.line("file", "%s%s", size(o.Bytes), perEvent)
	l.line("format", "version %s, file id %s", o.FormatVersion, o.FileID)
	l.line("shape", "%s in %s, %s, %s of %s",
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
	return humanSeconds(v / float64(c.resolution))
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
