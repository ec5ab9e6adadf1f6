package store_test

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// checker compares one file with the model.
type checker struct {
	*testing.T
	*subject
	reader      *store.Reader
	rand        *rand.Rand
	sliceEvents int
	// unorderedInstants says that the writer closed slices inside of an instant before it knew all of the instant's events.
	// Which of them counts as the earlier one is then up to the order of pushing, and so may be which ends make a message.
	unorderedInstants bool
}

func newChecker(t *testing.T, s *subject, file []byte, opt store.Options) *checker {
	t.Helper()
	return &checker{T: t, subject: s, reader: read(t, file), rand: rand.New(rand.NewPCG(1, 2)), sliceEvents: opt.SliceEvents}
}

// everything checks the whole trace, and as many random windows.
func (c *checker) everything(windows int) {
	c.wholeTrace()
	c.info()
	if !c.unorderedInstants || !c.anyContinued() {
		c.channels()
	}
	c.stacks()
	c.window(c.allTime())
	for range windows {
		c.window(c.randomWindow())
	}
	c.parts(c.allTime())
	c.parts(c.randomWindow())
	c.abandoned()
	c.verified()
	// It takes as long as all else, and so does a deep check, which others get.
	if c.reader.Info().FileBytes%3 == 1 && len(c.events) < thrift.Of(20_000, math.MaxInt) {
		c.inSpans()
	}
}

// inSpans checks what a reader says that puts so little in order at once that slices are taken in spans.
func (c *checker) inSpans() {
	events := cmp.Or(c.sliceEvents, 16384)
	c.reader.AtOnce(1+events/32+c.rand.IntN(events/8+1), c.rand.IntN(events/8+1)+1, 1+events/16+c.rand.IntN(events/2+1), 1+c.rand.IntN(20))
	defer c.reader.AtOnce(math.MaxInt, math.MaxInt, math.MaxInt, 1)
	for _, w := range []model.Window{c.allTime(), c.randomWindow()} {
		c.window(w)
		c.parts(w)
	}
}

// same compares two lists, and reports the first element in which they differ.
func same[T any](t *testing.T, what string, want, got []T, equal func(a, b *T) bool) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if !equal(&want[i], &got[i]) {
			t.Errorf("%s: element %d is\n%+v\nwant\n%+v", what, i, got[i], want[i])
			return
		}
	}
	if n := min(len(want), len(got)); len(want) != len(got) {
		t.Errorf("%s: %d elements, want %d; the first in question is\n%+v", what, len(got), len(want),
			append(want[n:len(want):len(want)], got[n:]...)[0])
	}
}

func equals[T comparable](a, b *T) bool { return *a == *b }

func equalRecords(a, b *model.Record) bool {
	return a.Kind == b.Kind && a.Time == b.Time && a.Residual == b.Residual && slices.Equal(a.Words, b.Words) &&
		slices.Equal(a.Texts, b.Texts) && slices.Equal(a.Attrs, b.Attrs)
}

func equalEvents(a, b *model.Event) bool {
	return a.ID() == b.ID() && equalRecords(&a.Record, &b.Record)
}

// wholeTrace reads the file as a source: meta data, definitions, events and auxiliary records.
func (c *checker) wholeTrace() {
	c.Helper()
	got, err := model.Load(c.reader.Source())
	if err != nil {
		c.Fatal(err)
	}
	c.meta(got.Meta)
	c.definitions(got.Definitions)
	definitions, err := c.reader.Definitions()
	if err != nil {
		c.Fatal(err)
	}
	c.definitions(definitions)
	c.locations(got.Locations)
	same(c.T, "auxiliary streams", c.model.Auxiliary, got.Auxiliary, func(a, b *model.Stream) bool {
		return a.ID == b.ID && slices.EqualFunc(a.Records, b.Records, func(a, b model.Record) bool { return equalRecords(&a, &b) })
	})
}

func (c *checker) meta(got *trace.Meta) {
	want := c.model.Meta
	if got.Format != want.Format || got.Resolution != want.Resolution || got.Epoch != want.Epoch ||
		!slices.Equal(got.Properties, want.Properties) {
		c.Errorf("meta data %+v, want %+v", got, want)
	}
	for _, k := range c.kinds() {
		if diff := gocmp.Diff(want.Table().Spec(k), got.Table().Spec(k), gocmp.Transformer("enum", enumName)); diff != "" {
			c.Errorf("specification of kind %d (-want +got):\n%s", k, diff)
		}
	}
}

func enumName(e *trace.Enum) string {
	if e == nil {
		return ""
	}
	return e.Name
}

// kinds returns the event kinds that occur, by number.
func (c *checker) kinds() []trace.Kind {
	var all []trace.Kind
	for i := range c.events {
		all = append(all, c.events[i].Kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (c *checker) definitions(got *trace.Definitions) {
	c.Helper()
	records := func(d *trace.Definitions) (list []model.Record) {
		for i := range d.Log {
			list = append(list, model.DefinitionOf(&d.Log[i], trace.Standard))
		}
		return list
	}
	same(c.T, "definitions", records(c.model.Definitions), records(got), equalRecords)
}

func (c *checker) locations(got []model.Location) {
	c.Helper()
	if len(got) != len(c.model.Locations) {
		c.Fatalf("%d locations, want %d", len(got), len(c.model.Locations))
	}
	for i, want := range c.model.Locations {
		if got[i].ID != want.ID {
			c.Errorf("location %d is %d, want %d", i, got[i].ID, want.ID)
			continue
		}
		same(c.T, "events of a location", want.Events, got[i].Events, equalRecords)
	}
}

// stacks asks for stacks at random instants, at those of events, and next to them.
func (c *checker) stacks() {
	c.Helper()
	for range 10 {
		if len(c.model.Locations) == 0 {
			return
		}
		l := c.model.Locations[c.rand.IntN(len(c.model.Locations))]
		at := c.randomTime()
		if n := len(l.Events); n > 0 && c.rand.IntN(2) == 0 {
			at = l.Events[c.rand.IntN(n)].Time
		}
		got, err := c.reader.CallStack(l.ID, at)
		if err != nil {
			c.Errorf("stack of location %d at %d: %v", l.ID, at, err)
			continue
		}
		same(c.T, "stack", c.model.CallStack(l.ID, at), got, equals)
	}
}

// randomTime draws a time of an event or next to it, or any within the trace or just outside.
func (c *checker) randomTime() int64 {
	first, last, ok := c.model.Span()
	if !ok {
		return int64(c.rand.IntN(3)) - 1
	}
	if c.rand.IntN(3) == 0 {
		return first - 3 + c.rand.Int64N(last-first+7)
	}
	return c.events[c.rand.IntN(len(c.events))].Time + int64(c.rand.IntN(3)) - 1
}

// allTime returns the window of the whole trace, and more.
func (c *checker) allTime() model.Window { return model.Window{From: math.MinInt64, To: math.MaxInt64} }

func (c *checker) randomWindow() model.Window {
	w := model.Window{From: c.randomTime(), To: c.randomTime()}
	if w.From > w.To {
		w.From, w.To = w.To, w.From
	}
	switch first, last, ok := c.model.Span(); {
	case c.rand.IntN(3) == 0:
		w.To = w.From + c.rand.Int64N(3)
	case ok && c.rand.IntN(3) == 0: // it begins at the last instant, or beside it
		w.From = last + c.rand.Int64N(3) - 1
		w.To = w.From + choose(c.rand, 0, 1, 2, 1<<60)
	case ok && c.rand.IntN(4) == 0: // it ends at the first instant, or beside it
		w.To = first + c.rand.Int64N(3) - 1
		w.From = w.To - choose(c.rand, 0, 1, 2, 1<<60)
	}
	maybe := func() bool { return c.rand.IntN(4) == 0 }
	for maybe() && len(c.model.Locations) > 0 {
		w.Locations = append(w.Locations, c.model.Locations[c.rand.IntN(len(c.model.Locations))].ID)
	}
	if maybe() {
		w.Locations = append(w.Locations, 1<<60) // there is none
	}
	for maybe() && len(c.calls) > 0 {
		w.Regions = append(w.Regions, c.calls[c.rand.IntN(len(c.calls))].Region)
	}
	for maybe() && len(c.events) > 0 {
		w.Kinds = append(w.Kinds, c.events[c.rand.IntN(len(c.events))].Kind)
	}
	if maybe() && len(c.calls) > 0 {
		w.MinDuration = c.calls[c.rand.IntN(len(c.calls))].Duration() + c.rand.Int64N(2)
	}
	return w
}

func choose(r *rand.Rand, list ...int64) int64 { return list[r.IntN(len(list))] }

// ask returns the reader's window of the model's. Filters narrow: one that lets more pass than the one before changes nothing.
func (c *checker) ask(w model.Window) *store.Window {
	q := c.reader.Window(w.From, w.To)
	wider := c.rand.IntN(2) == 0
	if w.Locations != nil {
		if q = q.WithLocations(w.Locations...); wider {
			q = q.WithLocations(append(c.everyLocation(), w.Locations...)...)
		}
	}
	if w.Regions != nil {
		if q = q.WithRegions(w.Regions...); wider {
			q = q.WithRegions(append(c.everyRegion(), w.Regions...)...)
		}
	}
	if w.Kinds != nil {
		if q = q.WithKinds(w.Kinds...); wider {
			q = q.WithKinds(append(c.kinds(), w.Kinds...)...)
		}
	}
	if w.MinDuration != 0 {
		if q = q.WithMinDuration(w.MinDuration); wider {
			q = q.WithMinDuration(w.MinDuration / 2)
		}
	}
	return q
}

func (c *checker) everyLocation() (ids []uint64) {
	for _, l := range c.model.Locations {
		ids = append(ids, l.ID)
	}
	return ids
}

func (c *checker) everyRegion() (ids []uint64) {
	for i := range c.calls {
		ids = append(ids, c.calls[i].Region)
	}
	return ids
}

// window compares the answers to one window.
func (c *checker) window(w model.Window) {
	c.Helper()
	before := c.Failed()
	c.windowCalls(w)
	if !c.unorderedInstants || !c.anyContinued() {
		c.windowMessages(w)
		c.unmatched(w)
	}
	c.windowEvents(w)
	c.windowBatches(w)
	c.windowStructure(w)
	c.windowTimes(w)
	c.windowOpenCalls(w)
	c.windowSummary(w)
	c.windowMetricPixels(w)
	c.windowTimeline(w)
	c.windowCuts(w)
	c.navigation(w)
	if c.Failed() && !before {
		c.Logf("the window is %+v", w)
	}
}

func (c *checker) windowCalls(w model.Window) {
	c.Helper()
	var got []trace.Call
	for call, err := range c.ask(w).Calls() {
		if err != nil {
			c.Fatal(err)
		}
		got = append(got, call)
	}
	inOrder(c, "calls", got, func(x *trace.Call) (int64, uint64, uint64) { return x.Start, x.Location, x.Ordinal })
	same(c.T, "calls", w.Calls(c.calls), got, equals)
	c.windowCallBatches(w)
}

// windowCallBatches compares the calls of a window as columns, in order of start and by location.
func (c *checker) windowCallBatches(w model.Window) {
	c.Helper()
	var got, byLocation []trace.Call
	for b, err := range c.ask(w).CallBatches() {
		if err != nil {
			c.Fatal(err)
		}
		got = appendCalls(got, b)
	}
	c.someColumns(w, got)
	place := func(x *trace.Call) (int64, uint64, uint64) { return x.Start, x.Location, x.Ordinal }
	inOrder(c, "calls as columns", got, place)
	same(c.T, "calls as columns", w.Calls(c.calls), got, equals)
	for b, err := range c.ask(w).CallBatchesByLocation(trace.AllCallColumns) {
		if err != nil {
			c.Fatal(err)
		}
		from := len(byLocation)
		byLocation = appendCalls(byLocation, b)
		if !slices.IsSortedFunc(byLocation[from:], func(x, y trace.Call) int {
			return cmp.Or(cmp.Compare(c.index(x.Location), c.index(y.Location)), cmp.Compare(x.Ordinal, y.Ordinal))
		}) {
			c.Error("a batch by location is out of order")
		}
	}
	slices.SortStableFunc(byLocation, func(x, y trace.Call) int {
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(c.index(x.Location), c.index(y.Location)), cmp.Compare(x.Ordinal, y.Ordinal))
	})
	same(c.T, "calls by location", w.Calls(c.calls), byLocation, equals)
}

func appendCalls(list []trace.Call, b *trace.CallBatch) []trace.Call {
	for i := range b.Len() {
		list = append(list, b.Call(i))
	}
	return list
}

// someColumns asks for two columns of a window's calls: they are as ever, the others empty.
func (c *checker) someColumns(w model.Window, calls []trace.Call) {
	c.Helper()
	at := 0
	for b, err := range c.ask(w).CallBatches(trace.CallStarts, trace.CallExclusive) {
		if err != nil {
			c.Fatal(err)
		}
		if b.Len() > len(calls)-at || len(b.Starts) != b.Len() || len(b.Exclusive) != b.Len() || len(b.Ends)+len(b.Regions)+len(b.Flags) > 0 {
			c.Fatalf("a batch of %d calls has %d starts, %d exclusive times, %d ends", b.Len(), len(b.Starts), len(b.Exclusive), len(b.Ends))
		}
		for i := range b.Len() {
			if b.Starts[i] != calls[at].Start || b.Exclusive[i] != calls[at].Exclusive {
				c.Fatalf("call %d has another start or exclusive time", at)
			}
			at++
		}
	}
	if at != len(calls) {
		c.Errorf("%d calls in two columns, %d in all", at, len(calls))
	}
}

func (c *checker) windowEvents(w model.Window) {
	c.Helper()
	want := w.Events(c.subject.events)
	got := c.copied(c.ask(w).Events(), len(want))
	inOrder(c, "events", got, func(x *model.Event) (int64, uint64, uint64) { return x.Time, x.Location, x.Ordinal })
	same(c.T, "events", want, got, equalEvents)
}

// copied returns all events of an iteration, of which there should be as many as wanted.
func (c *checker) copied(all iter.Seq2[trace.Event, error], wanted int) []model.Event {
	c.Helper()
	list, table := make([]model.Event, 0, wanted), c.reader.Meta().Table()
	for e, err := range all {
		if err != nil {
			c.Fatal(err)
		}
		list = append(list, model.Event{Location: e.Batch.Location, Ordinal: e.Ordinal, Record: model.RecordOf(e.Batch, e.Index, table)})
	}
	return list
}

// windowBatches reads the window slice by slice; each location's events must come in order. Batches have all kinds.
func (c *checker) windowBatches(w model.Window) {
	c.Helper()
	w.Kinds = nil
	got, want := map[uint64][]model.Record{}, c.recordsOf(w)
	table := c.reader.Meta().Table()
	for b, err := range c.ask(w).Batches() {
		if err != nil {
			c.Fatal(err)
		}
		if err := b.Check(table); err != nil {
			c.Fatal(err)
		}
		list := slices.Grow(got[b.Location], b.Len())
		for i := range b.Len() {
			list = append(list, model.RecordOf(b, i, table))
		}
		got[b.Location] = list
	}
	for _, l := range c.model.Locations {
		same(c.T, "events of a location in batches", want[l.ID], got[l.ID], equalRecords)
		delete(got, l.ID)
	}
	if len(got) > 0 {
		c.Errorf("batches of locations that the trace does not have: %v", got)
	}
}

// recordsOf returns each location's events in the window of all kinds: as a location's events are in order of time, a piece of them.
func (c *checker) recordsOf(w model.Window) map[uint64][]model.Record {
	all := map[uint64][]model.Record{}
	for i := range c.model.Locations {
		l := &c.model.Locations[i]
		if w.Locations != nil && !slices.Contains(w.Locations, l.ID) {
			continue
		}
		byTime := func(r model.Record, at int64) int { return cmp.Compare(r.Time, at) }
		from, _ := slices.BinarySearchFunc(l.Events, w.From, byTime)
		to, _ := slices.BinarySearchFunc(l.Events, w.To, byTime)
		all[l.ID] = l.Events[from:max(from, to)]
	}
	return all
}

// inOrder checks the order of a list by time, location and ordinal, as far as it is promised, and completes it. Inside an
// instant that went over several slices only each location's own order is.
func inOrder[T any](c *checker, what string, list []T, place func(*T) (at int64, location, ordinal uint64)) {
	c.Helper()
	compare := func(a, b T) int {
		t, l, o := place(&a)
		u, m, p := place(&b)
		return cmp.Or(cmp.Compare(t, u), cmp.Compare(c.index(l), c.index(m)), cmp.Compare(o, p))
	}
	next := map[uint64]uint64{} // of each location, the least ordinal that may follow
	sorted := true
	for i := range list {
		at, location, ordinal := place(&list[i])
		if i > 0 {
			before, _, _ := place(&list[i-1])
			behind := at < before || at == before && compare(list[i-1], list[i]) > 0
			sorted = sorted && !behind
			if behind && (at < before || !c.continued(at)) {
				c.Errorf("%s out of order: %+v comes after %+v", what, list[i], list[i-1])
				break
			}
		}
		if ordinal < next[location] {
			c.Errorf("%s of location %d out of order: %+v", what, location, list[i])
			break
		}
		next[location] = ordinal + 1
	}
	if !sorted {
		slices.SortStableFunc(list, compare)
	}
}

// continued reports whether an instant has more events than go into one slice.
func (c *checker) continued(at int64) bool {
	limit := c.sliceEvents
	if limit == 0 {
		limit = 16384
	}
	return c.instants[at] > limit
}

func (c *checker) anyContinued() bool {
	for at := range c.instants {
		if c.continued(at) {
			return true
		}
	}
	return false
}

// index returns a location's place in the order of definitions.
func (c *checker) index(location uint64) int {
	return slices.IndexFunc(c.model.Locations, func(l model.Location) bool { return l.ID == location })
}

// windowMessages compares messages, which are ordered by their earlier end, and the location and ordinal of their send;
// inside an instant that went over several slices, in any way.
func (c *checker) windowMessages(w model.Window) {
	c.Helper()
	var got []trace.Message
	for m, err := range c.ask(w).Messages() {
		if err != nil {
			c.Fatal(err)
		}
		got = append(got, m)
	}
	compare := func(a, b trace.Message) int {
		t, _ := a.Span()
		u, _ := b.Span()
		return cmp.Or(cmp.Compare(t, u), cmp.Compare(c.index(a.SendLocation), c.index(b.SendLocation)), cmp.Compare(a.SendOrdinal, b.SendOrdinal))
	}
	for i := 1; i < len(got); i++ {
		before, _ := got[i-1].Span()
		at, _ := got[i].Span()
		if at < before || at == before && !c.continued(at) && compare(got[i-1], got[i]) > 0 {
			c.Errorf("messages out of order: %+v comes after %+v", got[i], got[i-1])
			break
		}
	}
	want := slices.Clone(w.Messages(c.matching.Messages))
	slices.SortFunc(want, compare)
	slices.SortFunc(got, compare)
	same(c.T, "messages", want, got, equals)
}

// abandoned leaves iterations early; the reader must go on working, and give all when they go to their ends.
func (c *checker) abandoned() {
	c.Helper()
	for range c.reader.All().Calls() {
		break
	}
	for range c.reader.All().Messages() {
		break
	}
	for range c.reader.All().Events() {
		break
	}
	for range c.reader.All().Batches() {
		break
	}
	w := c.allTime()
	c.windowCalls(w)
	if !c.unorderedInstants || !c.anyContinued() {
		c.windowMessages(w)
	}
	c.windowEvents(w)
	c.windowBatches(w)
}

func (c *checker) verified() {
	c.Helper()
	var opt store.VerifyOptions
	if c.reader.Info().FileBytes%3 == 0 { // it takes as long as all else
		opt.Level = store.VerifyDeep
	}
	report, err := c.reader.Verify(c.Context(), opt)
	if err != nil {
		c.Fatal(err)
	}
	for _, p := range report.Problems {
		c.Error(p)
	}
}
