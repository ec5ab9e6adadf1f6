package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options of [Of]. The zero value of each field means its default.
type Options struct {
	// Only lists the rules to check (default all).
	Only []Rule
	// Limit is the number of findings of each code that are kept (default 10). All are counted.
	Limit int
	// MinLatency is the time that a message takes at least, in ticks: one that is received earlier counts as received before it was sent.
	MinLatency int64
	// Waiting is the number of receives, and of parts of collective operations, that may wait for others at once (default 4 Mi). Beyond it, a
	// receive that was posted and is not completed no longer holds up those behind it.
	Waiting int
	// Window, if not nil, leaves out findings at other times, and those about definitions. All events are read all the same: what is wrong at
	// one time may follow from what was before.
	Window *Window
	// Locations, if not nil, leaves out findings at other locations than those of these ids, and those about definitions.
	Locations []uint64
	// Progress counts events.
	Progress trace.Progress
}

// Window is the time From <= t < To, in ticks.
type Window struct{ From, To int64 }

const (
	defaultLimit   = 10
	defaultWaiting = 4 << 20
)

// Result is what was found.
type Result struct {
	// Findings are the first ones of each code, code by code, in the order of time.
	Findings []Finding
	// Counts are those of all findings, by code, severity and location.
	Counts []Count
	// Events is the number of events, Locations are the ids of their locations, First and Last the times of the earliest and the latest one.
	Events      uint64
	Locations   []uint64
	First, Last int64
	// Definitions are those of the trace, for names.
	Definitions *trace.Definitions
}

// Worst returns the greatest severity of all findings; ok is false if there are none.
func (r *Result) Worst() (s Severity, ok bool) {
	for _, c := range r.Counts {
		s, ok = max(s, c.Severity), true
	}
	return s, ok
}

// Of checks a trace. The work ends with the context; errors of the source end it, too.
func Of(ctx context.Context, src trace.Source, o Options) (*Result, error) {
	if o.Limit < 0 || o.Waiting < 0 || o.MinLatency < 0 {
		return nil, errors.New("limits and the least latency cannot be negative")
	}
	if o.Limit == 0 {
		o.Limit = defaultLimit
	}
	if o.Waiting == 0 {
		o.Waiting = defaultWaiting
	}
	c := &checker{ctx: ctx, src: src, opt: &o, ledger: newLedger(&o), table: src.Meta().Table(), recorded: map[process]bool{},
		pairs: map[process]openPairs{}, teams: map[process]*teams{}}
	if err := c.define(); err != nil {
		return nil, err
	}
	c.handlers = handlersOf(c.table)
	c.messages, c.collectives = newMatching(c), newCollectives(c)
	reads, err := c.choose()
	if err != nil {
		return nil, err
	}
	if kinds, ok := c.selection(); reads && ok {
		err = c.readSelected(src.(Counted).EventsOf(kinds...))
	} else if reads {
		err = c.read()
	}
	if err != nil {
		return nil, err
	}
	if err := c.checkClocks(); err != nil {
		return nil, err
	}
	c.checkDefinitions()
	r := c.ledger.result(c.cut)
	c.describe(r)
	return r, c.addStacks(r.Findings)
}

// checker checks a trace.
type checker struct {
	ctx    context.Context
	src    trace.Source
	opt    *Options
	ledger *ledger
	info   *store.Info // of a source that has counted its events
	// allDefined says that structure alone shows all references of events to be defined.
	allDefined bool
	table      *trace.Table
	defs       *trace.Definitions
	// known are the ids that are defined.
	known    *knownIDs
	handlers []handler
	lanes    []*lane
	joint    queue // of events that concern several locations
	messages *matching
	// collectives puts parts of operations together.
	collectives *collectives
	// recorded are the processes that have events. All are known before the first event is settled.
	recorded map[process]bool
	pairs    map[process]openPairs // of families that are paired in one process
	teams    map[process]*teams
	cut      bool // the trace was cut somewhere
	done     int64
}

// define takes up definitions that are new.
func (c *checker) define() error {
	if c.defs == nil {
		c.defs, c.known = trace.NewDefinitions(nil), newKnownIDs(c.table)
	}
	more, err := c.src.Definitions(len(c.defs.Log))
	if err != nil || len(more) == 0 {
		return err
	}
	c.defs.Add(more)
	c.known.add(more, c.ledger)
	return nil
}

// read reads all events once, in step.
func (c *checker) read() error {
	streams := c.src.Streams()
	total := int64(0)
	for _, s := range streams {
		if s.Class == trace.StreamEvents {
			c.lanes = append(c.lanes, newLane(c, s.Location))
			total += int64(s.Records)
		}
	}
	c.order()
	batch := instep.BatchSize(len(c.lanes))
	err := instep.Run(1, c.lanes, func(l *lane) (int64, error) {
		if err := c.ctx.Err(); err != nil {
			return 0, err
		}
		// No lane is further behind than this one: what is earlier than that is known of all.
		c.settle(l.covered)
		err := l.step(batch)
		c.opt.Progress.Report(c.done, max(total, c.done))
		return l.covered, err
	})
	for _, l := range c.lanes {
		err = errors.Join(err, l.close())
	}
	if err != nil {
		return err
	}
	c.settleAll()
	c.end()
	return nil
}

// end notes what is under way at the end.
func (c *checker) end() {
	for _, l := range c.lanes {
		l.end()
	}
	for _, open := range c.pairs {
		c.ledger.endPairs(open)
	}
	c.endTeams()
	c.messages.end()
	c.collectives.end()
}

// order numbers the lanes in the order in which a trace is merged.
func (c *checker) order() {
	for i, l := range c.lanes {
		if n, ok := c.defs.LocationIndex(l.location); ok {
			l.order = n
		} else {
			l.order = len(c.defs.Locations) + i
		}
	}
}

// settle gives the events before a time to what matches them.
func (c *checker) settle(before int64) {
	for len(c.joint) > 0 && c.joint[0].at.Time < before {
		c.take(c.joint.pop())
	}
}

func (c *checker) settleAll() {
	for len(c.joint) > 0 {
		c.take(c.joint.pop())
	}
}

// take gives an event to what matches it.
func (c *checker) take(e jointEvent) {
	switch e.kind {
	case partBegins, partCompletes, partEnds:
		c.collectives.take(&e)
	case pairs:
		c.pairOfProcess(&e)
	case forks, joins, works:
		c.takeTeam(&e)
	default:
		c.messages.add(&e)
	}
}

// describe says what was looked at.
func (c *checker) describe(r *Result) {
	r.Events, r.Definitions, r.First, r.Last = uint64(c.done), c.defs, math.MaxInt64, math.MinInt64
	for _, s := range c.src.Streams() {
		if s.Class == trace.StreamEvents {
			r.Locations = append(r.Locations, s.Location)
		}
	}
	if c.info != nil {
		r.Events, r.First, r.Last = c.info.Events, c.info.First, c.info.Last
	} else {
		for _, l := range c.lanes {
			if l.first > 0 {
				r.First, r.Last = min(r.First, l.begin), max(r.Last, l.last)
			}
		}
	}
	if r.First > r.Last {
		r.First, r.Last = 0, 0
	}
}

// addStacks reads the calls around some findings.
func (c *checker) addStacks(findings []Finding) error {
	of := map[uint64][]*Finding{}
	for i := range findings {
		if f := &findings[i]; f.HasEvent {
			of[f.At.Location] = append(of[f.At.Location], f)
		}
	}
	for _, l := range c.lanes {
		if list := of[l.location]; len(list) > 0 {
			slices.SortFunc(list, func(a, b *Finding) int { return a.At.compare(&b.At) })
			slices.SortStableFunc(list, func(a, b *Finding) int { return int(int64(a.At.Ordinal) - int64(b.At.Ordinal)) })
			if err := c.stacksOf(l.location, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// stacksOf reads the calls around the findings of a location, which are in order of events.
func (c *checker) stacksOf(location uint64, list []*Finding) error {
	s, err := c.src.Open(trace.StreamID{Class: trace.StreamEvents, Location: location})
	if err != nil {
		return fmt.Errorf("location %d: %w", location, err)
	}
	defer s.Close()
	var b trace.Batch
	var open CallStack
	for ordinal := uint64(0); len(list) > 0; {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := s.Next(&b, instep.MostBatch); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		for i := range b.Kinds {
			for ; len(list) > 0 && list[0].At.Ordinal == ordinal; list = list[1:] {
				list[0].Stack = open.Regions(c.defs)
			}
			if len(list) == 0 {
				return nil
			}
			open.Follow(b.Kinds[i], b.Fields(i))
			ordinal++
		}
	}
	return nil
}
