package patterns

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/analysis/phase"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Question is a window whose messages are looked at.
type Question struct {
	Trace  *report.Trace
	Window *store.Window
	// Period is the length of the parts that the window is divided into, in ticks; 0 for one part.
	Period int64
	// Loops divides the window into loops, and what is between them. There are no periods then.
	Loops bool
	// Memory bounds the memory, in bytes; 0 means what is usual.
	Memory int64
	// Limit is the number of templates of each part that the report lists, 0 for all.
	Limit    int
	Progress trace.Progress
}

// bounds returns the part of the window in which the trace has events.
func (q *Question) bounds() (from, to int64) {
	from, to = q.Window.Bounds()
	return max(from, q.Trace.Info().First), min(to, q.Trace.Info().Last+1)
}

// mostPeriods is the largest number of parts.
const mostPeriods = 10_000

// PeriodsError says that the periods of a question are too many.
type PeriodsError struct{ Periods int64 }

// Error says how many there are, and how many there may be.
func (e *PeriodsError) Error() string {
	return fmt.Sprintf("%d periods are more than %d: choose longer ones", e.Periods, mostPeriods)
}

// Report says which patterns there are. Instants are since the trace's first event.
type Report struct {
	Trace          string `json:"trace"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	// Ranks is the number of ranks of MPI_COMM_WORLD.
	Ranks int `json:"ranks"`
	// Loops says that phases are loops of the program and what is between them, and not periods: each rank begins a phase when it is there itself.
	Loops  bool    `json:"loops"`
	Phases []Phase `json:"phases"`

	first int64             // time of the trace's first event
	found []*pattern.Result // of phases
}

// Phase is a part of the window: from when the first location begins it to when the last one ends it.
type Phase struct {
	// Loop is what repeats in the phase; null before, between and behind loops.
	Loop      *Loop `json:"loop"`
	FromNs    int64 `json:"from_ns"`
	FromTicks int64 `json:"from_ticks"`
	ToNs      int64 `json:"to_ns"`
	ToTicks   int64 `json:"to_ticks"`
	// Messages and Bytes are sums; Unranked are messages that are left out, since an end is no rank of MPI.
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
	Unranked uint64 `json:"unranked_messages"`
	// Pairs is the number of pairs of ranks of which the first sends to the second. Partners is the mean number of ranks that a rank has messages with.
	Pairs    int     `json:"pairs"`
	Partners float64 `json:"partners"`
	Pattern  Pattern `json:"pattern"`
	// TemplateCount is the number of templates, of which those with most messages are listed.
	TemplateCount int        `json:"template_count"`
	Templates     []Template `json:"templates"`
}

// Loop is calls that repeat.
type Loop struct {
	// Title says what repeats: "iterate", "the loop from a in b". Body are the names of the calls of one repetition, in order.
	// Counts are how many of each follow each other in most repetitions, 0 where that is not known.
	Title  string   `json:"title"`
	Body   []string `json:"body"`
	Counts []uint64 `json:"counts"`
	// Fingerprint is equal for loops of equal titles and bodies in all traces.
	Fingerprint string `json:"fingerprint"`
	// Least and Most are how often they occur on the locations that have them. Locations is the number of these.
	Least     int64 `json:"least"`
	Most      int64 `json:"most"`
	Locations int   `json:"locations"`
	// Share is the time of all of them, as a share of that of all locations in the window, from 0 to 1.
	Share float64 `json:"share"`

	of *phase.Loop
}

// Pattern is a class and its parameters.
type Pattern struct {
	// Name says all in words: "4 x 2 grid, wavefront".
	Name  string `json:"name"`
	Class string `json:"class"`
	// Sizes are those of the dimensions of a grid or torus, the one first along which ranks follow each other; Wraps says of which the ends meet.
	Sizes   []int  `json:"sizes"`
	Wraps   []bool `json:"wraps"`
	Corners bool   `json:"corners"`
	Wave    bool   `json:"wavefront"`
	// Root is the rank in the middle of a star, Arity the number of children in a tree, 0 for a binomial one.
	Root  *int `json:"root"`
	Arity *int `json:"arity"`
	// Topology is the id of the Cartesian topology that a grid or torus lies on; null where it is one of the numbers of ranks.
	Topology     *uint64 `json:"topology"`
	TopologyName string  `json:"topology_name"`
	// Messages and Bytes are the shares that the pattern explains, from 0 to 1.
	Messages float64 `json:"messages_explained"`
	Bytes    float64 `json:"bytes_explained"`
}

// Template is messages that are alike but for the rank that sends them.
type Template struct {
	// Shift is the rank that receives, less the one that sends. It is null, and Step is how far the one is from the other along each dimension, if the trace has a Cartesian
	// topology with all ranks.
	Shift          *int    `json:"shift"`
	Step           []int64 `json:"step"`
	Communicator   string  `json:"communicator_name"`
	CommunicatorID uint64  `json:"communicator"`
	// Tag and Length are null for those that were too many to be told apart.
	Tag      *uint64 `json:"tag"`
	Length   *uint64 `json:"length"`
	Messages uint64  `json:"messages"`
	Bytes    uint64  `json:"bytes"`
	// Senders is the number of ranks that send such messages.
	Senders int `json:"senders"`
}

// Find finds the patterns.
func Find(ctx context.Context, q *Question) (*Report, error) {
	r := &Report{first: q.Trace.Info().First, Trace: q.Trace.Path, TicksPerSecond: q.Trace.Meta().Resolution, Loops: q.Loops, Phases: []Phase{}}
	finder, err := pattern.NewFinder(q.Trace.Reader)
	if err != nil {
		return nil, err
	}
	if q.Loops {
		return r, r.addLoops(ctx, q, finder)
	}
	return r, r.addPeriods(ctx, q, finder)
}

// addPeriods adds the patterns of periods.
func (r *Report) addPeriods(ctx context.Context, q *Question, finder *pattern.Finder) error {
	from, to := q.bounds()
	step := q.Period
	if step <= 0 {
		step = max(to-from, 1)
	}
	if n := (to - from) / step; n > mostPeriods {
		return &PeriodsError{n}
	}
	for begin := from; begin < to; begin += step {
		end := min(begin+step, to)
		w := q.Window
		if q.Period > 0 {
			w = w.Within(begin, end)
		}
		x, err := finder.Find(ctx, w, pattern.Options{Begun: begin > from, Memory: q.Memory, Progress: q.Progress})
		if err != nil {
			return err
		}
		r.add(q, x, begin, end)
	}
	return nil
}

// addLoops adds the patterns of loops, and of what is between them.
func (r *Report) addLoops(ctx context.Context, q *Question, finder *pattern.Finder) error {
	phases, err := phase.Find(ctx, q.Trace.Reader, q.Window, phase.Options{Memory: q.Memory})
	if err != nil {
		return err
	}
	found, err := finder.FindIn(ctx, q.Window, phases, pattern.Options{Memory: q.Memory, Progress: q.Progress})
	if err != nil {
		return err
	}
	from, to := q.bounds()
	whole := float64(to-from) * float64(len(phases.Locations))
	for i, x := range found {
		begin, end := phases.Bounds(i, to)
		r.add(q, x, begin, end)
		if l := phases.List[i].Loop; l != nil {
			r.Phases[i].Loop = loopOf(l, whole)
		}
	}
	return nil
}

func (r *Report) add(q *Question, x *pattern.Result, from, to int64) {
	p := Phase{FromTicks: from - q.Trace.Info().First, ToTicks: to - q.Trace.Info().First, Unranked: x.Unranked, Pairs: len(x.Traffic.Pairs),
		Partners: x.Degree, Pattern: patternOf(&x.Pattern), TemplateCount: len(x.Templates), Templates: []Template{}}
	p.FromNs, p.ToNs = trace.Nanoseconds(p.FromTicks, r.TicksPerSecond), trace.Nanoseconds(p.ToTicks, r.TicksPerSecond)
	p.Messages, p.Bytes = x.Traffic.Total()
	for i := range x.Templates {
		if q.Limit > 0 && i == q.Limit {
			break
		}
		p.Templates = append(p.Templates, templateOf(&x.Templates[i], x.Definitions))
	}
	r.Ranks = max(r.Ranks, x.Traffic.Ranks)
	r.Phases, r.found = append(r.Phases, p), append(r.found, x)
}

// loopOf says what is known of a loop. whole is the time of all locations, in ticks.
func loopOf(l *phase.Loop, whole float64) *Loop {
	o := &Loop{of: l, Title: l.Title, Body: l.Body, Counts: l.Counts, Fingerprint: fmt.Sprintf("%016x", l.Fingerprint()), Least: l.Least, Most: l.Most, Locations: len(l.Locations), Share: l.Ticks.Float() / max(whole, 1)}
	if o.Body == nil {
		o.Body, o.Counts = []string{}, []uint64{}
	}
	return o
}

func templateOf(t *pattern.Template, d *trace.Definitions) Template {
	o := Template{Shift: &t.Shift, Step: t.Step, CommunicatorID: t.Communicator, Messages: t.Messages, Bytes: t.Bytes, Senders: t.Senders}
	if o.Communicator = d.Name(trace.SpaceComm, t.Communicator); o.Communicator == "" {
		o.Communicator = fmt.Sprintf("#%d", t.Communicator)
	}
	if t.Step != nil {
		o.Shift = nil
	}
	if !t.Others {
		o.Tag, o.Length = &t.Tag, &t.Length
	}
	return o
}

func patternOf(p *pattern.Pattern) Pattern {
	o := Pattern{Name: nameOf(p), Class: p.Class.String(), Sizes: p.Sizes, Wraps: p.Wraps, Corners: p.Corners, Wave: p.Wave, Messages: p.Messages, Bytes: p.Bytes}
	if o.Sizes == nil {
		o.Sizes, o.Wraps = []int{}, []bool{}
	}
	if p.Topology != nil {
		o.Topology, o.TopologyName = &p.Topology.ID, p.Topology.Name
	}
	switch p.Class {
	case pattern.Star:
		o.Root = &p.Root
	case pattern.Tree:
		o.Arity = &p.Arity
	}
	return o
}

// Write writes the report as text or JSON.
func (r *Report) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	return r.writeText(w)
}
