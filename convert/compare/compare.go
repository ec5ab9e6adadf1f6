package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Traces compares two traces. Memory does not depend on their length, the definitions apart. An error is one of reading.
// progress, which may be nil, is called now and then with the number of records of a that were compared.
func Traces(ctx context.Context, a, b trace.Source, progress func(records uint64)) (*Report, error) {
	r := &Report{Meta: metaChanges(a.Meta(), b.Meta()), Parts: []Part{}}
	c := &comparison{ctx: ctx, a: a, b: b, report: r, progress: progress}
	for _, part := range []func() error{c.events, c.auxiliary, c.definitions} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	r.Equal = len(r.Meta) == 0 && len(r.Parts) == 0
	return r, nil
}

// metaChanges compares what two traces are as wholes.
func metaChanges(a, b *trace.Meta) []Change {
	list := []Change{}
	add := func(name, x, y string) {
		if x != y {
			list = append(list, Change{name, x, y})
		}
	}
	add("resolution", fmt.Sprint(a.Resolution), fmt.Sprint(b.Resolution))
	add("properties", fmt.Sprint(len(a.Properties)), fmt.Sprint(len(b.Properties)))
	for i := range min(len(a.Properties), len(b.Properties)) {
		p, q := a.Properties[i], b.Properties[i]
		add("property name", p.Name, q.Name)
		if p.Name == q.Name {
			add(p.Name, p.Value, q.Value)
		}
	}
	return list
}

// comparison is one that is under way.
type comparison struct {
	ctx    context.Context
	a, b   trace.Source
	report *Report

	progress func(uint64)
	done     uint64 // records of a that were compared
}

// pair is a stream of both traces.
type pair struct {
	part    Part
	timed   bool
	a, b    cursor
	covered int64 // time of A up to which they were compared, in ticks
	batch   int   // records to be read at once
}

// events compares the event streams, group by group.
func (c *comparison) events() error { return c.streams(groupsOf(c.a, c.b)) }

// auxiliary compares all other streams: some sources know these only when the events are read.
func (c *comparison) auxiliary() error {
	var groups [][]trace.StreamID
	for _, id := range union(idsOf(c.a), idsOf(c.b)) {
		if id.Class != trace.StreamEvents {
			groups = append(groups, []trace.StreamID{id})
		}
	}
	return c.streams(groups)
}

// groupsOf returns the event streams of two sources by the groups of the one that has fewer: what it keeps together is read in step.
func groupsOf(a, b trace.Source) (groups [][]trace.StreamID) {
	few, others := trace.EventGroups(a.Streams()), trace.EventGroups(b.Streams())
	if len(others) < len(few) {
		few, others = others, few
	}
	known := map[trace.StreamID]bool{}
	for _, g := range slices.Concat(few, others) {
		var ids []trace.StreamID
		for _, s := range g {
			if !known[s.StreamID] {
				known[s.StreamID] = true
				ids = append(ids, s.StreamID)
			}
		}
		if len(ids) > 0 {
			groups = append(groups, ids)
		}
	}
	return groups
}

// streams compares streams, those of a group in step, and one group after the other.
func (c *comparison) streams(groups [][]trace.StreamID) error {
	a, b, before := idsOf(c.a), idsOf(c.b), len(c.report.Parts)
	for _, ids := range groups {
		if err := c.group(ids, a, b); err != nil {
			return err
		}
	}
	slices.SortFunc(c.report.Parts[before:], func(x, y Part) int { return byID(x.Stream, y.Stream) })
	return nil
}

func (c *comparison) group(ids []trace.StreamID, a, b map[trace.StreamID]bool) error {
	var pairs []*pair
	defer func() {
		for _, p := range pairs {
			p.close()
		}
	}()
	for _, id := range ids {
		p, err := c.open(id, a[id], b[id])
		pairs = append(pairs, p)
		if err != nil {
			return err
		}
		p.batch = trace.BatchInStep(len(ids))
	}
	return trace.InStep(1, pairs, c.step)
}

// step compares the next records of a pair of streams.
func (c *comparison) step(p *pair) (covered int64, err error) {
	before := p.a.index()
	finished, err := p.step()
	if err := errors.Join(err, c.ctx.Err()); err != nil {
		return 0, err
	}
	if c.done += p.a.index() - before; c.progress != nil {
		c.progress(c.done)
	}
	if !finished {
		return p.covered, nil
	}
	c.report.Records += max(p.a.before, p.b.before)
	if len(p.part.Kinds) > 0 {
		c.report.Parts = append(c.report.Parts, p.part)
	}
	return 0, io.EOF
}

func byID(x, y trace.StreamID) int {
	return cmp.Or(cmp.Compare(x.Class, y.Class), cmp.Compare(x.Location, y.Location))
}

// idsOf returns the set of a source's streams.
func idsOf(src trace.Source) map[trace.StreamID]bool {
	ids := map[trace.StreamID]bool{}
	for _, s := range src.Streams() {
		ids[s.StreamID] = true
	}
	return ids
}

// union returns the streams of two sets, in order.
func union(a, b map[trace.StreamID]bool) []trace.StreamID {
	ids := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.SortFunc(ids, byID)
	return slices.Compact(ids)
}

// partNames are those of the classes of streams.
var partNames = map[trace.StreamClass]string{
	trace.StreamEvents: "events", trace.StreamLocalDefinitions: "local definitions", trace.StreamSnapshots: "snapshots",
	trace.StreamMarkers: "markers", trace.StreamThumbnails: "thumbnails", trace.StreamStatistics: "statistics",
}

// open opens a stream, in the traces that have it.
func (c *comparison) open(id trace.StreamID, hasA, hasB bool) (p *pair, err error) {
	p = &pair{part: Part{Name: partNames[id.Class], Stream: id, Location: &id.Location},
		timed: id.Class == trace.StreamEvents}
	if p.a, err = newCursor(c.a, id, hasA); err == nil {
		p.b, err = newCursor(c.b, id, hasB)
	}
	return p, err
}

// newCursor opens a stream of a source; one that it does not have is empty.
func newCursor(src trace.Source, id trace.StreamID, has bool) (c cursor, err error) {
	c = cursor{table: src.Meta().Table(), epoch: src.Meta().Epoch}
	if has {
		c.stream, err = src.Open(id)
	}
	return c, err
}

func (p *pair) close() {
	for _, s := range []trace.Stream{p.a.stream, p.b.stream} {
		if s != nil {
			s.Close()
		}
	}
}

// step compares records until one of the batches at hand is used up.
func (p *pair) step() (finished bool, err error) {
	if err := errors.Join(p.a.fill(p.batch), p.b.fill(p.batch)); err != nil {
		return false, err
	}
	a, b := &p.a, &p.b
	for a.has() && b.has() {
		p.one()
	}
	for ; a.has() && b.stream == nil; a.at++ {
		p.part.differ(a, b, true, false)
	}
	for ; b.has() && a.stream == nil; b.at++ {
		p.part.differ(a, b, false, true)
	}
	return a.stream == nil && b.stream == nil, nil
}

// one compares the records at hand, and passes over them, or over the earlier one.
func (p *pair) one() {
	a, b := &p.a, &p.b
	p.covered = a.batch.Times[a.at]
	switch {
	case same(a, b):
	case p.timed && earlier(a.time(), b.time()):
		p.part.differ(a, b, true, false)
		a.at++
		return
	case p.timed && earlier(b.time(), a.time()):
		p.part.differ(a, b, false, true)
		b.at++
		return
	default:
		p.part.differ(a, b, true, true)
	}
	a.at++
	b.at++
}
