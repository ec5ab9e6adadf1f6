package encode

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// sliced is one slice made of parts of batches.
type sliced struct {
	slice  Slice
	events [][]model.Record // by run
}

// cutter takes batches apart as the engine does.
type cutter struct {
	dictionary *Dictionary
	kinds      *trace.Table
	columns    Columns
	periods    []LocationPeriod // of the locations whose times are coded as tick counts
}

// learn draws ranks and clocks for some of the locations.
func (c *cutter) learn(r *rand.Rand, locations int) {
	for i := range uint32(locations) {
		for comm := range uint64(4) {
			if size := 1 + r.Uint64N(9); r.IntN(2) == 0 {
				c.dictionary.AddRank(OwnRank{Location: 7 * i, Communicator: comm, Rank: r.Uint64N(size), Size: size})
			}
		}
		if r.IntN(2) == 0 {
			c.periods = append(c.periods, LocationPeriod{7 * i, latticeUnit + Period(r.Uint64N(5*latticeUnit))})
		}
	}
}

// ticks finds the tick counts of a location's times, with as many phases as it takes; nil if it has no period.
func (c *cutter) ticks(run *Run, times []int64, start int64) []uint64 {
	for _, p := range c.periods {
		if p.Location == run.Location {
			ticks := make([]uint64, len(times))
			run.Period, run.Phases = p.Period, p.Period.Ticks(ticks, nil, times, start, len(times))
			return ticks
		}
	}
	return nil
}

// cut makes a slice of batches' events from[i] to to[i]. The open calls of each location are not known to it: all
// leaves that find no enter in the slice are points.
func (c *cutter) cut(t testing.TB, number uint64, batches []*trace.Batch, from, to []int) *sliced {
	t.Helper()
	s := &sliced{slice: Slice{Number: number, Lane: 3, Epoch: 2, Start: math.MaxInt64, End: math.MinInt64}}
	for i, b := range batches {
		if from[i] < to[i] {
			s.slice.Start = min(s.slice.Start, b.Times[from[i]]-int64(number%3))
			s.slice.End = max(s.slice.End, b.Times[to[i]-1]+1)
		}
	}
	c.columns.Reset(c.dictionary)
	for i, b := range batches {
		if from[i] == to[i] {
			continue
		}
		var records []model.Record
		for j := from[i]; j < to[i]; j++ {
			records = append(records, model.RecordOf(b, j, c.kinds))
		}
		s.events = append(s.events, records)
		s.slice.Runs = append(s.slice.Runs, c.run(t, s, b, uint32(7*i), from[i], to[i]))
	}
	for _, values := range c.columns.Values {
		s.slice.Columns = append(s.slice.Columns, slices.Clone(values))
	}
	for _, befores := range c.columns.Befores {
		s.slice.Befores = append(s.slice.Befores, slices.Clone(befores))
	}
	for _, spans := range c.columns.Spans {
		s.slice.Spans = append(s.slice.Spans, slices.Clone(spans))
	}
	s.slice.Text = bytes.Clone(c.columns.Text)
	return s
}

func (c *cutter) run(t testing.TB, s *sliced, b *trace.Batch, location uint32, from, to int) Run {
	t.Helper()
	run := Run{Location: location, First: uint64(from), Events: to - from}
	for _, r := range s.events[len(s.events)-1] {
		run.Residuals = run.Residuals || r.Residual != 0
	}
	c.columns.BeginRun()
	st := newStacker(c.dictionary)
	st.location = location
	before, number := s.slice.Start, uint16(0)
	ticks := c.ticks(&run, b.Times[from:to], before)
	for i := from; i < to; i++ {
		st.event(t, b.Kinds[i], b.Fields(i), b.AttrsOf(i))
		l := c.dictionary.Leaf(st.leaves[len(st.leaves)-1])
		if ticks != nil {
			c.columns.Time(l.TimeColumn+1, number, int64(ticks[i-from]))
		} else {
			c.columns.Time(l.TimeColumn, number, b.Times[i]-before)
		}
		before = b.Times[i]
		if len(l.Slots) > 0 {
			c.columns.Event(l, number, b, i)
		}
		if run.Residuals {
			c.columns.Residual(b.Residual(i))
		}
		number = c.dictionary.Info()[st.leaves[len(st.leaves)-1]].Number
	}
	run.Tokens = slices.Clone(st.folder.Tokens())
	return run
}

// cutAll divides a trace into slices, some events of each location to each.
func cutAll(t testing.TB, r *rand.Rand, src trace.Source) (*cutter, []*sliced) {
	t.Helper()
	c := &cutter{dictionary: NewDictionary(src.Meta().Table()), kinds: src.Meta().Table()}
	batches := batchesOf(t, src)
	c.learn(r, len(batches))
	from, to := make([]int, len(batches)), make([]int, len(batches))
	var all []*sliced
	for n := uint64(0); ; n++ {
		done := true
		for i, b := range batches {
			from[i] = to[i]
			to[i] = min(b.Len(), to[i]+r.IntN(60))
			done = done && from[i] == b.Len()
		}
		if done {
			c.dictionary.Prepare()
			return c, all
		}
		if s := c.cut(t, n, batches, from, to); len(s.slice.Runs) > 0 {
			s.slice.Pairs = drawPairs(r)
			all = append(all, s)
		}
	}
}

func drawPairs(r *rand.Rand) []PairMark {
	var marks []PairMark
	for at := uint32(r.IntN(3)); at < 20; at += 1 + uint32(r.IntN(9)) {
		marks = append(marks, PairMark{Endpoint: at, Skip: []uint32{Unpaired, 1, 2, Unpaired - 1}[r.IntN(4)]})
	}
	return marks
}

// statistics builds the statistics that slices share: their models are those of the first n.
func (c *cutter) statistics(n int, all ...*sliced) *Statistics {
	c.dictionary.Prepare()
	var group []*Slice
	for _, s := range all {
		group = append(group, &s.slice)
	}
	counters := FitCounters(group)
	b := NewStatisticsBuilder(c.dictionary.Columns(), FitPairs(group[:n], c.dictionary.Columns()))
	for _, s := range group[:n] {
		b.Add(s)
	}
	stats := b.Build()
	stats.Periods, stats.Counters = c.periods, counters
	return stats
}

// statisticsOf builds the statistics of one slice without tick counts.
func statisticsOf(d *Dictionary, s *sliced) *Statistics {
	return (&cutter{dictionary: d}).statistics(1, s)
}

// columnsOf takes decoded values apart again.
func columnsOf(e *Events) [][]uint64 {
	columns := make([][]uint64, len(e.starts)-1)
	for c := range columns {
		columns[c] = e.values[e.starts[c]:e.starts[c+1]]
	}
	return columns
}

func noLocation(uint32) uint64 { return 0 }

// checkSlice decodes a block and compares all that is in it with what went in.
func checkSlice(t *testing.T, b []byte, d *Dictionary, stats *Statistics, want *sliced) {
	t.Helper()
	e, err := DecodeSlice(b, d, stats, format.Limits{}, func(l uint32) uint64 { return 1000 + uint64(l) })
	if err != nil {
		t.Fatal(err)
	}
	got := e.Slice
	got.Columns = columnsOf(e)
	plain := *stats
	plain.contexts = newContexts(stats.contexts.all, nil) // values stand in the order of contexts already
	if again := AppendSlice(nil, &got, &plain); !bytes.Equal(b, again) {
		t.Fatal("what was read is written in another way")
	}
	if len(got.Runs) != len(want.events) {
		t.Fatalf("%d runs, want %d", len(got.Runs), len(want.events))
	}
	for i, events := range want.events {
		batch, err := e.Batch(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := batch.Check(d.kinds); err != nil {
			t.Fatal(err)
		}
		if batch.Len() != len(events) || batch.Location != 1000+uint64(got.Runs[i].Location) {
			t.Fatalf("run %d: %d events of location %d, want %d", i, batch.Len(), batch.Location, len(events))
		}
		at, _ := e.Span(i)
		for j, r := range events {
			if got := model.RecordOf(batch, j, d.kinds); !reflect.DeepEqual(got, r) {
				t.Fatalf("run %d, event %d is\n%+v, want\n%+v", i, j, got, r)
			}
			if e.Times[at+j] != r.Time {
				t.Fatalf("run %d, event %d: time %d, want %d", i, j, e.Times[at+j], r.Time)
			}
		}
	}
	want.slice.Columns, want.slice.Befores, want.slice.Spans, got.Columns = nil, nil, nil, nil
	if len(got.Text) == 0 {
		got.Text, want.slice.Text = nil, nil
	}
	if len(got.Pairs) == 0 {
		got.Pairs, want.slice.Pairs = nil, nil
	}
	if !reflect.DeepEqual(got, want.slice) {
		t.Fatalf("slice\n%+v, want\n%+v", got, want.slice)
	}
}

func TestSlicesComeBack(t *testing.T) {
	attributes, residuals, texts, ticking, relative := 0, 0, 0, 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		c, all := cutAll(t, r, randomTrace(seed))
		d, built := c.dictionary, c.statistics(len(all), all...)
		stats, err := ParseStatistics(built.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		for shape := range uint32(d.Len()) {
			if l := d.Leaf(shape); l != nil && l.Relative {
				relative++
			}
		}
		for _, s := range all {
			for i := range s.events {
				for _, e := range s.events[i] {
					attributes, texts = attributes+len(e.Attrs), texts+len(e.Texts)
				}
				if s.slice.Runs[i].Residuals {
					residuals++
				}
				if len(s.slice.Runs[i].Phases) > 0 {
					ticking++
				}
			}
			checkSlice(t, AppendSlice(nil, &s.slice, built), d, stats, s)
		}
	}
	if min(attributes, residuals, texts, ticking, relative) < 50 {
		t.Errorf("%d attributes, %d runs with residuals, %d texts, %d runs of ticks, %d relative ranks: this tests little",
			attributes, residuals, texts, ticking, relative)
	}
}

// Statistics need not come from the slices that they code: whatever they are, slices come back.
func TestSlicesWithForeignStatistics(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		c, all := cutAll(t, r, randomTrace(seed))
		stats := c.statistics(1, all...)
		for _, s := range all {
			checkSlice(t, AppendSlice(nil, &s.slice, stats), c.dictionary, stats, s)
		}
	}
}

// Every column may be shared: times and values find theirs when columns have run out.
func TestSlicesWithoutColumnsLeft(t *testing.T) {
	d := NewDictionary(trace.Standard)
	for i := range uint64(maxContexts/2 + 10) {
		if _, err := d.Event(0, trace.KindParameterInt, []uint64{1<<20 + i, 0}, nil); err != nil {
			t.Fatal(err)
		}
	}
	c := cutter{dictionary: d, kinds: trace.Standard}
	batches := batchesOf(t, randomTrace(1))
	from, to := make([]int, len(batches)), make([]int, len(batches))
	for i, b := range batches {
		to[i] = b.Len()
	}
	s := c.cut(t, 0, batches, from, to)
	if len(s.slice.Columns[sharedTimes]) < 100 || len(s.slice.Columns[sharedValues]) < 100 {
		t.Fatalf("only %d times and %d values in the shared columns", len(s.slice.Columns[sharedTimes]), len(s.slice.Columns[sharedValues]))
	}
	stats := c.statistics(1, s)
	checkSlice(t, AppendSlice(nil, &s.slice, stats), d, stats, s)
}

// Counters of one metric may change their type from event to event, and overflow.
func TestSlicesWithOddCounters(t *testing.T) {
	fitted := 0
	for _, types := range [][]trace.ValueType{
		{trace.ValueUint64}, {trace.ValueUint64, trace.ValueDouble}, {trace.ValueInt32, trace.ValueUint64, trace.ValueNone},
	} {
		for name, next := range map[string]func(before uint64, i int) uint64{
			"steady":   func(before uint64, i int) uint64 { return before + 1000 + uint64(i%3)*10 },
			"overflow": func(before uint64, i int) uint64 { return before + 1<<63 - 8 + uint64(i%3)*10 },
			"falls": func(before uint64, i int) uint64 {
				if i%50 == 49 {
					return before - (1<<63 - 8) // like 1000, a multiple of 200
				}
				return before + 1000
			},
		} {
			c := cutter{dictionary: NewDictionary(trace.Standard), kinds: trace.Standard}
			var b trace.Batch
			v := uint64(0)
			for i := range 400 {
				v = next(v, i)
				b.Append(trace.KindMetric, int64(100*i), 0, 1, uint64(types[i%len(types)]), v)
			}
			s := c.cut(t, 0, []*trace.Batch{&b}, []int{0}, []int{400})
			stats := c.statistics(1, s)
			t.Logf("%s, types %v: %v", name, types, stats.Counters)
			checkSlice(t, AppendSlice(nil, &s.slice, stats), c.dictionary, stats, s)
			fitted += len(stats.Counters)
		}
	}
	if fitted < 5 {
		t.Errorf("only %d columns of counters: this tests little", fitted)
	}
}

// small makes a slice by hand: region 5 entered on two locations, a BufferFlush with its stop time, and an unknown event with
// a text.
func small(t testing.TB) (*Dictionary, *sliced) {
	t.Helper()
	c := cutter{dictionary: NewDictionary(trace.Standard), kinds: trace.Standard}
	var a, b trace.Batch
	a.Append(trace.KindEnter, 100, 5)
	a.Append(trace.KindBufferFlush, 110, 115)
	a.Append(trace.KindLeave, 120, 5)
	b.Append(trace.KindEnter, 105, 5)
	b.Append(trace.KindUnknownEvent, 130, 1, 0, b.PutText("text"))
	return c.dictionary, c.cut(t, 6, []*trace.Batch{&a, &b}, []int{0, 0}, []int{3, 2})
}

func TestSlicesRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(s *Slice)
		want  string
	}{
		"the same location twice":      {func(s *Slice) { s.Runs[1].Location = s.Runs[0].Location }, "location"},
		"a location over the limit":    {func(s *Slice) { s.Runs[1].Location = 1 << 24 }, "out of range"},
		"an event behind the end":      {func(s *Slice) { s.End = 130 }, "outside"},
		"times that wrap round":        {func(s *Slice) { s.Columns[1][1] = 1<<64 - 3 }, "outside"},
		"a shape that is not there":    {func(s *Slice) { s.Runs[0].Tokens[0].Shape = 99 }, "out of range"},
		"a run without events":         {func(s *Slice) { s.Runs[0].Tokens = nil }, "0 events"},
		"a mark that says nothing":     {func(s *Slice) { s.Pairs = []PairMark{{0, 0}} }, "says nothing"},
		"the same endpoint twice":      {func(s *Slice) { s.Pairs = []PairMark{{1, Unpaired}, {1, Unpaired}} }, "out of range"},
		"an endpoint over the limit":   {func(s *Slice) { s.Pairs = []PairMark{{1 << 24, Unpaired}} }, "out of range"},
		"more values than events need": {func(s *Slice) { s.Columns[1] = append(s.Columns[1], 0) }, ""},
		"fewer values":                 {func(s *Slice) { s.Columns[1] = s.Columns[1][1:] }, ""},
		"an end before the begin":      {func(s *Slice) { s.End = s.Start - 1 }, "out of range"},
		"text that is not used":        {func(s *Slice) { s.Text = append(s.Text, 'x') }, "1 bytes of text too many"},
		"text that ends early":         {func(s *Slice) { s.Text = s.Text[1:] }, "text is shorter"},
	} {
		d, s := small(t)
		stats := statisticsOf(d, s)
		d.Prepare()
		checkSlice(t, AppendSlice(nil, &s.slice, stats), d, stats, s)
		d, s = small(t)
		c.spoil(&s.slice)
		d.Prepare()
		e, err := DecodeSlice(AppendSlice(nil, &s.slice, stats), d, stats, format.Limits{}, noLocation)
		if err == nil {
			_, err = e.Batch(1)
		}
		if !format.IsCorrupt(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestTruncatedSlices(t *testing.T) {
	d, s := small(t)
	stats := statisticsOf(d, s)
	d.Prepare()
	b := AppendSlice(nil, &s.slice, stats)
	for n := range b {
		if _, err := DecodeSlice(b[:n], d, stats, format.Limits{}, noLocation); !format.IsCorrupt(err) {
			t.Errorf("%d of %d bytes: %v", n, len(b), err)
		}
	}
	if _, err := DecodeSlice(append(b, 0), d, stats, format.Limits{}, noLocation); !format.IsCorrupt(err) {
		t.Errorf("a byte too many: %v", err)
	}
}

// Limits hold before anything is expanded.
func TestSliceLimits(t *testing.T) {
	d, s := small(t)
	stats := statisticsOf(d, s)
	d.Prepare()
	b := AppendSlice(nil, &s.slice, stats)
	for limits, ok := range map[format.Limits]bool{
		{SliceEvents: 5}:  true,
		{SliceEvents: 4}:  false,
		{SliceValues: 12}: true, // 5 times, 3 regions, a stop time, and 3 words of the unknown event
		{SliceValues: 11}: false,
		{Locations: 8}:    true,
		{Locations: 7}:    false,
	} {
		if _, err := DecodeSlice(b, d, stats, limits, noLocation); (err == nil) != ok || err != nil && !format.IsCorrupt(err) {
			t.Errorf("limits %+v: %v", limits, err)
		}
	}
}

// Shapes that stand for more events than there are atoms are refused by arithmetic.
func TestExpansionBombs(t *testing.T) {
	for _, levels := range []int{25, 60, 64, 100, 3000} {
		d := doubling(levels)
		bomb := &sliced{slice: Slice{Start: 0, End: 1, Runs: []Run{{Events: 1, Tokens: []Token{{uint32(levels), 1}}}}, Columns: make([][]uint64, d.Columns())}}
		stats := statisticsOf(d, bomb)
		b := AppendSlice(nil, &bomb.slice, stats)
		if len(b) > 100 {
			t.Fatalf("%d bytes", len(b))
		}
		spent := testing.AllocsPerRun(1, func() {
			if _, err := DecodeSlice(b, d, stats, format.Limits{}, noLocation); !format.IsCorrupt(err) {
				t.Errorf("2^%d events: %v", levels, err)
			}
		})
		if spent > 100 {
			t.Errorf("2^%d events: %v allocations", levels, spent)
		}
	}
	// A leaf with many words, repeated: few events, many values.
	d := NewDictionary(trace.Standard)
	words := make([]uint64, 2+1<<16)
	words[1] = 1 << 16
	shape, err := d.Event(0, trace.KindProgramBegin, words, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Prepare()
	many := &sliced{slice: Slice{Start: 0, End: 1, Runs: []Run{{Events: 1, Tokens: []Token{{shape, 1 << 20}}}}, Columns: make([][]uint64, d.Columns())}}
	stats := statisticsOf(d, many)
	if _, err := DecodeSlice(AppendSlice(nil, &many.slice, stats), d, stats, format.Limits{}, noLocation); err == nil || !strings.Contains(err.Error(), "words") {
		t.Errorf("2^36 words: %v", err)
	}
}

// Pairs of contexts may be many, and their numbers large: they take no more room than they should.
func TestManyPairs(t *testing.T) {
	const n = maxContexts / 2
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{Column: uint32(i), Before: math.MaxUint16}
	}
	b := NewStatisticsBuilder(n, pairs).Build().Append(nil)
	before := allocated()
	stats, err := ParseStatistics(b)
	if err != nil {
		t.Fatal(err)
	}
	if spent := allocated() - before; spent > 32<<20 {
		t.Errorf("%d bytes took %d", len(b), spent)
	}
	for i := range uint32(n) {
		if got := stats.contexts.of(i, math.MaxUint16); got != n+i {
			t.Fatalf("pair %d has context %d", i, got)
		}
		if got := stats.contexts.of(i, uint16(i)); got != i {
			t.Fatalf("column %d alone has context %d", i, got)
		}
	}
	if !bytes.Equal(stats.Append(nil), b) {
		t.Error("what was read is written in another way")
	}
}

func TestPairsRefuse(t *testing.T) {
	for name, b := range map[string][]byte{
		"more pairs than bytes":         page(9, 0, 0),
		"a column over 16 bits":         page(2, 1<<15, 0, 1<<15, 0, 0),
		"an event over 16 bits":         page(2, 0, 1<<16-1, 0, 0, 0),
		"a column that the model lacks": append(page(1, 3, 0, 0, 0), NewStatisticsBuilder(3, nil).Build().Append(nil)[3:]...),
	} {
		if _, err := ParseStatistics(b); !format.IsCorrupt(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Statistics that do not belong to the dictionary are noticed.
func TestSlicesNeedTheirColumns(t *testing.T) {
	d, s := small(t)
	d.Prepare()
	for columns, ok := range map[int]bool{d.Columns() - 1: false, d.Columns(): true, d.Columns() + 1: false} {
		b := NewStatisticsBuilder(max(columns, d.Columns()), nil)
		b.Add(&s.slice)
		stats := b.Build()
		block := AppendSlice(nil, &s.slice, stats)
		if columns < d.Columns() {
			stats.Values = NewBuilder(columns).Build()
		}
		if _, err := DecodeSlice(block, d, stats, format.Limits{}, noLocation); (err == nil) != ok || err != nil && !format.IsCorrupt(err) {
			t.Errorf("%d columns of statistics for %d: %v", columns, d.Columns(), err)
		}
	}
	stats := statisticsOf(d, s)
	stats.Structure = NewBuilder(structureContexts + 1).Build()
	if _, err := ParseStatistics(stats.Append(nil)); !format.IsCorrupt(err) {
		t.Errorf("a structure model with a context too many: %v", err)
	}
}
