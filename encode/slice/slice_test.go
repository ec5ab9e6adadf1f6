package slice

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/text"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// sliced is one slice made of parts of batches.
type sliced struct {
	kinds  *trace.Table
	draft  Draft
	events [][]model.Record // by run
}

// cutter takes batches apart as the engine does.
type cutter struct {
	dictionary *shape.Dictionary
	kinds      *trace.Table
	periods    []column.LocationPeriod // of the locations whose times are coded as tick counts
}

// learn draws fields that are demoted, and ranks and clocks for some of the locations.
func (c *cutter) learn(r *rand.Rand, locations int) {
	encodetest.SomeFields(r, c.kinds, func(k trace.Kind, field uint16) { c.dictionary.Demote(shape.FieldRef{Kind: k, Field: field}) })
	for i := range uint32(locations) {
		for comm := range uint64(4) {
			if size := 1 + r.Uint64N(9); r.IntN(2) == 0 {
				c.dictionary.AddRank(shape.OwnRank{Location: 7 * i, Communicator: comm, Rank: r.Uint64N(size), Size: size})
			}
		}
		if r.IntN(2) == 0 {
			c.periods = append(c.periods, column.LocationPeriod{Location: 7 * i, Period: column.LatticeUnit + column.Period(r.Uint64N(5*column.LatticeUnit))})
		}
	}
}

// cut makes a slice of batches' events from[i] to to[i]. The open calls of each location are not known to it: all
// leaves that find no enter in the slice are points.
func (c *cutter) cut(t testing.TB, number uint64, batches []*trace.Batch, from, to []int) *sliced {
	t.Helper()
	s := &sliced{kinds: c.kinds}
	s.draft.Reset(Block{Number: number, Lane: 3, Epoch: 2, Start: math.MaxInt64, End: math.MinInt64})
	for i, b := range batches {
		if from[i] < to[i] {
			s.draft.Start = min(s.draft.Start, b.Times[from[i]]-int64(number%3))
			s.draft.End = max(s.draft.End, b.Times[to[i]-1]+1)
		}
	}
	for i, b := range batches {
		if from[i] == to[i] {
			continue
		}
		var records []model.Record
		for j := from[i]; j < to[i]; j++ {
			records = append(records, model.RecordOf(b, j, c.kinds))
		}
		s.events = append(s.events, records)
		c.run(t, s, b, uint32(7*i), from[i], to[i])
	}
	return s
}

// run adds a location's part to a slice; its times become ticks if it has a period, whatever phases that takes.
func (c *cutter) run(t testing.TB, s *sliced, b *trace.Batch, location uint32, from, to int) {
	t.Helper()
	d, run := &s.draft, Run{Location: location, First: uint64(from), Events: to - from}
	d.BeginRun()
	leaves := d.Events(b.Times[from:to])
	if len(b.Residuals) > 0 {
		d.Residuals(b.Residuals[from:to])
	}
	var stack encodetest.Stack
	var folder shape.Folder
	folder.Reset(c.dictionary)
	number := uint16(0)
	for i := from; i < to; i++ {
		shape, err := c.dictionary.Event(location, b.Kinds[i], b.Fields(i), b.AttrsOf(i))
		if err != nil {
			t.Fatal(err)
		}
		stack.Add(&folder, shape, b.Kinds[i], b.Fields(i))
		leaf := c.dictionary.LeafNumber(shape)
		leaves[i-from] = leaf
		if slots := c.dictionary.Slots(leaf); len(slots) > 0 {
			d.Values(slots, number, b, i)
		}
		number = c.dictionary.Info()[leaf].Number
	}
	run.Tokens = slices.Clone(folder.Tokens())
	d.EndRun(run)
	for _, p := range c.periods {
		if p.Location == location && !d.Tick(len(d.Runs)-1, p.Period, to-from, to-from) {
			t.Fatal("more phases than events")
		}
	}
}

// block encodes a slice with statistics, which need not be its own.
func (s *sliced) block(d *shape.Dictionary, stats *Statistics) []byte {
	s.arrange(d, stats)
	return AppendBlock(nil, &s.draft, stats, d.ColumnInfos())
}

func (s *sliced) arrange(d *shape.Dictionary, stats *Statistics) {
	s.draft.Count(d.Info())
	code([]*Draft{&s.draft}, predict.NewSet(d.Columns(), stats.Predictions))
	s.draft.arrange(stats.contexts)
	if s.draft.packed.Len() != len(s.draft.Text) { // it is of another group
		s.draft.packed = text.Plain(s.draft.Text)
	}
}

// cutAll divides a trace into slices, some events of each location to each.
func cutAll(t testing.TB, r *rand.Rand, src trace.Source) (*cutter, []*sliced) {
	t.Helper()
	c := &cutter{dictionary: shape.NewDictionary(src.Meta().Table()), kinds: src.Meta().Table()}
	batches := encodetest.Batches(t, src)
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
		if s := c.cut(t, n, batches, from, to); len(s.draft.Runs) > 0 {
			all = append(all, s)
		}
	}
}

// statistics builds the statistics that slices share: their models are those of the first n.
func (c *cutter) statistics(n int, all ...*sliced) *Statistics {
	c.dictionary.Prepare()
	var group []*Draft
	for _, s := range all {
		s.draft.Count(c.dictionary.Info())
		group = append(group, &s.draft)
	}
	predictions := choosePredictions(group, c.dictionary.Columns(), c.dictionary.ColumnInfos())
	stats := buildStatistics(group[:n], c.dictionary.Columns(), fitPairs(group[:n], c.dictionary.Columns()), column.InOrder)
	stats.Roster, stats.Periods = newRoster(group), c.periods
	stats.setPredictions(predictions)
	stats.Texts = packTexts(group)
	return stats
}

// statisticsOf builds the statistics of one slice without tick counts.
func statisticsOf(d *shape.Dictionary, s *sliced) *Statistics {
	return (&cutter{dictionary: d}).statistics(1, s)
}

// decodeBlock decodes a slice block into memory of its own, with all values.
func decodeBlock(b []byte, d *shape.Dictionary, t *Statistics, limits format.Limits, ids func(uint32) uint64) (*Events, error) {
	e := &Events{}
	if err := e.Decode(b, d, t, limits, ids); err != nil {
		return nil, err
	}
	_, err := e.Batch(0)
	return e, err
}

func noLocation(uint32) uint64 { return 0 }

// checkSlice decodes a block and compares all that is in it with what went in.
func checkSlice(t *testing.T, b []byte, d *shape.Dictionary, stats *Statistics, want *sliced) {
	t.Helper()
	e, err := decodeBlock(b, d, stats, format.Limits{}, func(l uint32) uint64 { return 1000 + uint64(l) })
	if err != nil {
		t.Fatal(err)
	}
	if again := AppendBlock(nil, draftOf(e), stats, e.Dictionary.ColumnInfos()); !bytes.Equal(b, again) {
		t.Fatal("what was read is written in another way")
	}
	got := e.Block
	if len(got.Runs) != len(want.events) {
		t.Fatalf("%d runs, want %d", len(got.Runs), len(want.events))
	}
	for i, events := range want.events {
		batch, err := e.Batch(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := batch.Check(want.kinds); err != nil {
			t.Fatal(err)
		}
		if batch.Len() != len(events) || batch.Location != 1000+uint64(got.Runs[i].Location) {
			t.Fatalf("run %d: %d events of location %d, want %d", i, batch.Len(), batch.Location, len(events))
		}
		at, _ := e.Span(i)
		for j, r := range events {
			if got := model.RecordOf(batch, j, want.kinds); !reflect.DeepEqual(got, r) {
				t.Fatalf("run %d, event %d is\n%+v, want\n%+v", i, j, got, r)
			}
			if e.Times[at+j] != r.Time {
				t.Fatalf("run %d, event %d: time %d, want %d", i, j, e.Times[at+j], r.Time)
			}
		}
	}
	if len(got.Text) == 0 {
		got.Text, want.draft.Block.Text = nil, nil
	}
	if !reflect.DeepEqual(got, want.draft.Block) {
		t.Fatalf("slice\n%+v, want\n%+v", got, want.draft.Block)
	}
}

func TestSlicesComeBack(t *testing.T) {
	attributes, residuals, texts, ticking, relative := 0, 0, 0, 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		c, all := cutAll(t, r, encodetest.RandomTrace(seed))
		d, built := c.dictionary, c.statistics(len(all), all...)
		stats, err := ParseStatistics(built.Append(nil), format.Limits{})
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
				if len(s.draft.Runs[i].Residuals) > 0 {
					residuals++
				}
				if len(s.draft.Runs[i].Phases) > 0 {
					ticking++
				}
			}
			checkSlice(t, s.block(d, built), d, stats, s)
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
		c, all := cutAll(t, r, encodetest.RandomTrace(seed))
		stats := c.statistics(1, all...)
		for _, s := range all {
			checkSlice(t, s.block(c.dictionary, stats), c.dictionary, stats, s)
		}
	}
}

// Every column may be shared: times and values find theirs when columns have run out.
func TestSlicesWithoutColumnsLeft(t *testing.T) {
	src := encodetest.RandomTrace(2)
	kinds := src.Meta().Table()
	d := shape.NewDictionary(kinds)
	for i := range uint64(column.MaxContexts/2 + 10) {
		if _, err := d.Event(0, trace.KindParameterInt, []uint64{1<<20 + i, 0}, nil); err != nil {
			t.Fatal(err)
		}
	}
	c := cutter{dictionary: d, kinds: kinds}
	batches := encodetest.Batches(t, src)
	from, to := make([]int, len(batches)), make([]int, len(batches))
	for i, b := range batches {
		to[i] = b.Len()
	}
	s := c.cut(t, 0, batches, from, to)
	s.draft.Count(d.Info())
	in := map[uint32]int{}
	for i, key := range s.draft.pairs.keys {
		in[key>>16] += s.draft.pairs.counts[i]
	}
	if in[shape.SharedTimes] < 100 || in[shape.SharedValues] < 100 {
		t.Fatalf("only %d times and %d values in the shared columns", in[shape.SharedTimes], in[shape.SharedValues])
	}
	stats := c.statistics(1, s)
	checkSlice(t, s.block(d, stats), d, stats, s)
}

// Counters of one metric may change their type from event to event, and overflow.
func TestSlicesWithOddCounters(t *testing.T) {
	predicted := 0
	for _, types := range [][]trace.ValueType{
		{trace.ValueUint64}, {trace.ValueUint64, trace.ValueDouble}, {trace.ValueInt32, trace.ValueUint64, trace.ValueNone},
	} {
		r := rand.New(rand.NewPCG(1, 4))
		for name, next := range map[string]func(before uint64, i int) uint64{
			"steady":   func(before uint64, i int) uint64 { return before + 1000 + 10*r.Uint64N(100) },
			"overflow": func(before uint64, i int) uint64 { return before + 1<<63 - 8 + 200*r.Uint64N(100) },
			"falls": func(before uint64, i int) uint64 {
				if i%50 == 49 {
					return before - (1<<63 - 8) // a multiple of 200, as the others
				}
				return before + 200*r.Uint64N(100)
			},
		} {
			c := cutter{dictionary: shape.NewDictionary(trace.Standard), kinds: trace.Standard}
			var b trace.Batch
			v := uint64(0)
			for i := range 400 {
				v = next(v, i)
				b.Append(trace.KindMetric, int64(100*i), 0, 1, uint64(types[i%len(types)]), v)
			}
			s := c.cut(t, 0, []*trace.Batch{&b}, []int{0}, []int{400})
			stats := c.statistics(1, s)
			t.Logf("%s, types %v: %+v", name, types, stats.Predictions)
			checkSlice(t, s.block(c.dictionary, stats), c.dictionary, stats, s)
			predicted += len(stats.Predictions)
		}
	}
	if predicted < 5 {
		t.Errorf("only %d columns have a prediction: this tests little", predicted)
	}
}

// small makes a slice by hand: region 5 entered on two locations, a BufferFlush with its stop time, and an unknown event with
// a text.
func small(t testing.TB) (*shape.Dictionary, *sliced) {
	t.Helper()
	c := cutter{dictionary: shape.NewDictionary(trace.Standard), kinds: trace.Standard}
	var a, b trace.Batch
	a.Append(trace.KindEnter, 100, 5)
	a.Append(trace.KindBufferFlush, 110, 115, 0)
	a.Append(trace.KindLeave, 120, 5)
	b.Append(trace.KindEnter, 105, 5)
	b.Append(trace.KindUnknownEvent, 130, 1, 0, b.PutText("text"))
	return c.dictionary, c.cut(t, 6, []*trace.Batch{&a, &b}, []int{0, 0}, []int{3, 2})
}

func TestSlicesRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(s *Draft)
		want  string
	}{
		"an event behind the end":      {func(s *Draft) { s.End = 130 }, "outside"},
		"times that wrap round":        {func(s *Draft) { s.values[s.counts[0]+1] = 1<<64 - 3 }, "outside"},
		"a slice not in the roster":    {func(s *Draft) { s.Number++ }, "roster"},
		"a shape that is not there":    {func(s *Draft) { s.Runs[0].Tokens[0].Shape = 99 }, "a token of shape 99, of 5"},
		"fewer events than the roster": {func(s *Draft) { s.Runs[1].Tokens = s.Runs[1].Tokens[:1] }, "1 events"},
		"more tokens than events":      {func(s *Draft) { s.Runs[1].Tokens = append(s.Runs[1].Tokens, s.Runs[1].Tokens...) }, "4 tokens"},
		"a run without events":         {func(s *Draft) { s.Runs[0].Tokens = nil }, "0 events"},
		"more values than events need": {func(s *Draft) { s.counts[1]++; s.values = append(s.values, 0) }, ""},
		"a group without its values":   {withoutOthers, ""},
		"times without their values":   {func(s *Draft) { s.counts[1], s.values = 0, s.values[2:] }, ""},
		"an end before the begin":      {func(s *Draft) { s.End = s.Start - 1 }, "out of range"},
		"text that is not used":        {func(s *Draft) { s.packed = text.Plain(append(s.Text, 'x')) }, "1 bytes of text too many"},
		"text that ends early":         {func(s *Draft) { s.packed = text.Plain(s.Text[1:]) }, "text is shorter"},
	} {
		d, s := small(t)
		stats := statisticsOf(d, s)
		d.Prepare()
		checkSlice(t, s.block(d, stats), d, stats, s)
		d, s = small(t)
		s.arrange(d, stats)
		c.spoil(&s.draft)
		d.Prepare()
		_, err := decodeBlock(AppendBlock(nil, &s.draft, stats, d.ColumnInfos()), d, stats, format.Limits{}, noLocation)
		if !format.IsCorrupt(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// withoutOthers takes the values of group 3 away: stop time, its residual, and length of the text.
func withoutOthers(s *Draft) {
	at := 0
	for c, n := range s.counts {
		if c == 5 || c == 6 || c == 11 {
			s.values = slices.Delete(s.values, at, at+n)
			s.counts[c] = 0
			continue
		}
		at += n
	}
}

func TestTruncatedSlices(t *testing.T) {
	d, s := small(t)
	stats := statisticsOf(d, s)
	d.Prepare()
	b := s.block(d, stats)
	for n := range b {
		if _, err := decodeBlock(b[:n], d, stats, format.Limits{}, noLocation); !format.IsCorrupt(err) {
			t.Errorf("%d of %d bytes: %v", n, len(b), err)
		}
	}
	if _, err := decodeBlock(append(b, 0), d, stats, format.Limits{}, noLocation); !format.IsCorrupt(err) {
		t.Errorf("a byte too many: %v", err)
	}
}

// Limits hold before anything is expanded.
func TestSliceLimits(t *testing.T) {
	d, s := small(t)
	stats := statisticsOf(d, s)
	d.Prepare()
	b := s.block(d, stats)
	for limits, ok := range map[format.Limits]bool{
		{LaneEvents: 5}:  true,
		{LaneEvents: 4}:  false,
		{LaneValues: 13}: true, // 5 times, 3 regions, a stop time with its residual, and 3 words of the unknown event
		{LaneValues: 12}: false,
	} {
		if _, err := decodeBlock(b, d, stats, limits, noLocation); (err == nil) != ok || err != nil && !format.IsCorrupt(err) {
			t.Errorf("limits %+v: %v", limits, err)
		}
	}
}

// pretended returns a slice that says it has one event of the first shape, but has other tokens.
func pretended(tokens ...shape.Token) *sliced {
	s := &sliced{}
	s.draft.Reset(Block{End: 1})
	s.draft.BeginRun()
	s.draft.Events([]int64{0})
	s.draft.Runs = []Run{{Events: 1, Tokens: tokens}}
	return s
}

// bomb returns a dictionary whose shape n has 2^n events.
func bomb(n int) *shape.Dictionary {
	d := shape.NewDictionary(trace.Standard)
	id, err := d.Event(0, trace.KindBufferFlush, []uint64{0, 0}, nil)
	if err != nil {
		panic(err)
	}
	for range n {
		id = d.Composite([]shape.Edge{{Shape: id, Count: 2}})
	}
	d.Prepare()
	return d
}

// Shapes with more events than there are atoms are refused by arithmetic.
func TestExpansionBombs(t *testing.T) {
	for _, levels := range []int{25, 60, 64, 100, 3000} {
		d := bomb(levels)
		one := pretended(shape.Token{Shape: uint32(levels), Count: 1})
		stats := statisticsOf(d, one)
		b := AppendBlock(nil, &one.draft, stats, d.ColumnInfos())
		if len(b) > 100 {
			t.Fatalf("%d bytes", len(b))
		}
		spent := testing.AllocsPerRun(1, func() {
			if _, err := decodeBlock(b, d, stats, format.Limits{}, noLocation); !format.IsCorrupt(err) {
				t.Errorf("2^%d events: %v", levels, err)
			}
		})
		if spent > 100 {
			t.Errorf("2^%d events: %v allocations", levels, spent)
		}
	}
	// A leaf with many words, repeated: few events, many values.
	d := shape.NewDictionary(trace.Standard)
	words := make([]uint64, 2+1<<16)
	words[1] = 1 << 16
	id, err := d.Event(0, trace.KindProgramBegin, words, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Prepare()
	many := pretended(shape.Token{Shape: id, Count: 1 << 20})
	stats := statisticsOf(d, many)
	if _, err := decodeBlock(AppendBlock(nil, &many.draft, stats, d.ColumnInfos()), d, stats, format.Limits{}, noLocation); err == nil || !strings.Contains(err.Error(), "words") {
		t.Errorf("2^36 words: %v", err)
	}
}

// Pairs of contexts may be many, and their numbers large: they take no more room than they should.
func TestManyPairs(t *testing.T) {
	const n = column.MaxContexts / 2
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{Column: uint32(i), Before: math.MaxUint16}
	}
	one := pretended(shape.Token{Shape: 0, Count: 1})
	b := buildStatistics([]*Draft{&one.draft}, n, pairs, column.InOrder).Append(nil)
	before := encodetest.Allocated()
	stats, err := ParseStatistics(b, format.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if spent := encodetest.Allocated() - before; spent > 32<<20 {
		t.Errorf("%d bytes took %d", len(b), spent)
	}
	for i := range uint32(n) {
		if got := stats.contexts.of(i, math.MaxUint16); got != n+i {
			t.Fatalf("pair %d has context %d", i, got)
		}
		if got := stats.contexts.of(i, i&math.MaxUint16); got != i {
			t.Fatalf("column %d alone has context %d", i, got)
		}
	}
	if !bytes.Equal(stats.Append(nil), b) {
		t.Error("what was read is written in another way")
	}
}

func TestPairsRefuse(t *testing.T) {
	for name, b := range map[string][]byte{
		"more pairs than bytes":         encodetest.Uvarints(9, 0, 0),
		"a column over 16 bits":         encodetest.Uvarints(2, 1<<15, 0, 1<<15, 0, 0),
		"an event over 16 bits":         encodetest.Uvarints(2, 0, 1<<16-1, 0, 0, 0),
		"a column that the model lacks": append(encodetest.Uvarints(1, 3, 0, 0, 0), buildStatistics(nil, 3, nil, column.InOrder).Append(nil)[3:]...),
	} {
		if _, err := ParseStatistics(b, format.Limits{}); !format.IsCorrupt(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Statistics that do not belong to the dictionary are noticed.
func TestSlicesNeedTheirColumns(t *testing.T) {
	d, s := small(t)
	d.Prepare()
	for columns, ok := range map[int]bool{d.Columns() - 1: false, d.Columns(): true, d.Columns() + 1: false} {
		stats := buildStatistics([]*Draft{&s.draft}, max(columns, d.Columns()), nil, column.InOrder)
		stats.setPredictions(nil)
		block := s.block(d, stats)
		if columns < d.Columns() {
			stats.Values = column.NewBuilder(columns).Build()
			var err error
			if stats, err = ParseStatistics(stats.Append(nil), format.Limits{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := decodeBlock(block, d, stats, format.Limits{}, noLocation); (err == nil) != ok || err != nil && !format.IsCorrupt(err) {
			t.Errorf("%d columns of statistics for %d: %v", columns, d.Columns(), err)
		}
	}
	stats := statisticsOf(d, s)
	stats.Structure = column.NewBuilder(stats.structureContexts() + 1).Build()
	if _, err := ParseStatistics(stats.Append(nil), format.Limits{}); !format.IsCorrupt(err) {
		t.Errorf("a structure model with a context too many: %v", err)
	}
}
