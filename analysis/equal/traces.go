package equal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/trace"
)

// Traces compares two traces as they are: definitions and events by their ids, times by the clocks of their sources. Memory does not
// depend on their length, the definitions apart. An error is one of reading. progress, which may be nil, is called now and then with the
// number of records of a that were compared.
func Traces(ctx context.Context, a, b trace.Source, progress trace.Progress) (*Report, error) {
	c := newComparison(ctx, a, b, progress)
	c.zero = [2]uint64{-a.Meta().Epoch, -b.Meta().Epoch}
	c.clocks()
	return c.run(c.events, c.auxiliary, c.definitions)
}

// Runs compares two traces like Traces, but times relative to the start of each, in a common unit, and definitions by what they say. That
// starts, clocks, or the ids of definitions are not the same is a difference, told once each; so the traces are equal just if they are for
// Traces. Events of a location that are the same in both traces except for their times are counted as moved.
func Runs(ctx context.Context, a, b trace.Source, progress trace.Progress) (*Report, error) {
	c := newComparison(ctx, a, b, progress)
	return c.run(c.begin, c.number, c.events, c.auxiliary, c.matchedDefinitions)
}

func newComparison(ctx context.Context, a, b trace.Source, progress trace.Progress) *comparison {
	r := &Report{Meta: metaChanges(a.Meta(), b.Meta()), Parts: []Part{}}
	return &comparison{ctx: ctx, a: a, b: b, report: r, rules: newRules(), progress: progress}
}

func (c *comparison) run(parts ...func() error) (*Report, error) {
	for _, part := range parts {
		if err := part(); err != nil {
			return nil, err
		}
	}
	r := c.report
	r.Equal = r.Start == nil && len(r.Meta) == 0 && len(r.Parts) == 0 && (r.Tolerance == nil || r.Tolerance.Reversed == 0)
	return r, nil
}

// clocks compares the resolutions and epochs.
func (c *comparison) clocks() {
	a, b := c.a.Meta(), c.b.Meta()
	if a.Resolution != b.Resolution {
		c.report.Meta = append(c.report.Meta, Change{"resolution", fmt.Sprint(a.Resolution), fmt.Sprint(b.Resolution)})
	}
	if a.Epoch != b.Epoch {
		c.report.Meta = append(c.report.Meta, Change{"epoch", fmt.Sprint(a.Epoch), fmt.Sprint(b.Epoch)})
	}
}

// metaChanges compares what two traces are as wholes.
func metaChanges(a, b *trace.Meta) []Change {
	list := []Change{}
	add := func(name, x, y string) {
		if x != y {
			list = append(list, Change{name, x, y})
		}
	}
	a, b = withoutNotes(a), withoutNotes(b)
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

// withoutNotes returns a trace's description without what people have noted.
func withoutNotes(m *trace.Meta) *trace.Meta {
	c := *m
	c.Annotations = nil
	c.Properties = slices.DeleteFunc(slices.Clone(m.Properties), func(p trace.Property) bool { return strings.HasPrefix(p.Name, trace.NotePrefix) })
	return &c
}

// comparison is one that is under way.
type comparison struct {
	ctx    context.Context
	a, b   trace.Source
	report *Report
	rules  *rules
	zero   [2]uint64 // what times of A and B count from, in ticks since their epochs

	matching  *matching         // of definitions, if they are compared by what they say
	locations map[uint64]uint64 // the ids of A's locations in B, if the ids of definitions are not the same

	progress trace.Progress
	done     uint64 // records of a that were compared
}

// pair is a stream of both traces.
type pair struct {
	part    Part
	rules   *rules
	aligned bool // by time
	a, b    cursor
	covered int64 // time of A up to which they were compared, in ticks
	batch   int   // records to be read at once
}

// events compares the event streams, group by group.
func (c *comparison) events() error { return c.streams(c.eventGroups()) }

// auxiliary compares all other streams: some sources know these only when the events are read.
func (c *comparison) auxiliary() error { return c.streams(c.auxiliaryGroups()) }

// streams compares streams, those of a group in step, and one group after the other.
func (c *comparison) streams(groups [][]*place) error {
	before := len(c.report.Parts)
	for _, g := range groups {
		if err := c.group(g); err != nil {
			return err
		}
	}
	slices.SortFunc(c.report.Parts[before:], func(x, y Part) int { return byID(x.Stream, y.Stream) })
	return nil
}

func (c *comparison) group(places []*place) error {
	var pairs []*pair
	defer func() {
		for _, p := range pairs {
			p.close()
		}
	}()
	for _, of := range places {
		p, err := c.open(of)
		pairs = append(pairs, p)
		if err != nil {
			return err
		}
		p.batch = instep.BatchSize(len(places))
	}
	err := instep.Run(1, pairs, c.step)
	if err == nil && c.rules.relative {
		err = c.findMoved(places, pairs)
	}
	for _, p := range pairs {
		if len(p.part.Kinds) > 0 {
			c.report.Parts = append(c.report.Parts, p.part)
		}
	}
	return err
}

// step compares the next records of a pair of streams.
func (c *comparison) step(p *pair) (covered int64, err error) {
	before := p.a.index()
	finished, err := p.step()
	if err := errors.Join(err, c.ctx.Err()); err != nil {
		return 0, err
	}
	c.done += p.a.index() - before
	c.progress.Report(int64(c.done), 0)
	if !finished {
		return p.covered, nil
	}
	c.report.Records += max(p.a.before, p.b.before)
	return 0, io.EOF
}

// partNames are those of the classes of streams.
var partNames = map[trace.StreamClass]string{
	trace.StreamEvents: "events", trace.StreamLocalDefinitions: "local definitions", trace.StreamSnapshots: "snapshots",
	trace.StreamMarkers: "markers", trace.StreamThumbnails: "thumbnails", trace.StreamStatistics: "statistics",
}

// open opens a stream, in the traces that have it.
func (c *comparison) open(of *place) (p *pair, err error) {
	id := of.id()
	p = &pair{part: Part{Name: partNames[id.Class], Stream: id, Location: &id.Location}, rules: c.rules,
		aligned: id.Class == trace.StreamEvents}
	if p.a, err = newCursor(c.a, c.zero[0], of.a, of.inA); err == nil {
		p.b, err = newCursor(c.b, c.zero[1], of.b, of.inB)
	}
	return p, err
}

// newCursor opens a stream of a source; one that it does not have is empty.
func newCursor(src trace.Source, zero uint64, id trace.StreamID, has bool) (c cursor, err error) {
	c = cursor{table: src.Meta().Table(), epoch: src.Meta().Epoch, zero: zero, timed: timed(id.Class)}
	if has {
		c.stream, err = src.Open(id)
	}
	return c, err
}

// timed reports whether the records of a class of streams have times.
func timed(class trace.StreamClass) bool {
	return class == trace.StreamEvents || class == trace.StreamSnapshots || class == trace.StreamStatistics
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
	if n := p.rules.sameRun(a, b); n > 0 {
		a.at, b.at = a.at+n, b.at+n
		p.covered = a.batch.Times[a.at-1]
	}
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
	case p.rules.same(a, b):
	case p.aligned && p.rules.order(a.time(), b.time()) < 0:
		p.part.differ(a, b, true, false)
		a.at++
		return
	case p.aligned && p.rules.order(a.time(), b.time()) > 0:
		p.part.differ(a, b, false, true)
		b.at++
		return
	default:
		p.part.differ(a, b, true, true)
	}
	a.at++
	b.at++
}
