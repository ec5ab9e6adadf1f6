package summary

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// naive is a trace in plain slices, with all its calls and messages.
type naive struct {
	*model.Trace
	calls    []trace.Call
	messages []trace.Message
}

func naiveOf(t *testing.T, name string) *naive {
	t.Helper()
	src, err := convert.Open(t.Context(), tracetest.Anchor(t, name), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return &naive{m, m.Calls(), m.Match().Messages}
}

// parts are windows in percent of the trace.
var parts = [][2]int64{{0, 100}, {20, 45}, {97, 99}, {50, 50}}

// eachPart asks about some windows of a trace.
func eachPart(t *testing.T, name string, do func(t *testing.T, m *naive, f *report.Trace, w *store.Window, own *model.Window)) {
	m, f := naiveOf(t, name), opened(t, name)
	first, last, _ := m.Span()
	for _, p := range parts {
		own := model.Window{From: first + (last-first)*p[0]/100, To: first + (last-first)*p[1]/100 + 1}
		t.Run(fmt.Sprint(p[0], "-", p[1]), func(t *testing.T) { do(t, m, f, f.Window(own.From, own.To), &own) })
	}
}

// answerOf returns the JSON of a summary of a window.
func answerOf(t *testing.T, f *report.Trace, w *store.Window, opt Options) (a summaryAnswer) {
	t.Helper()
	s, err := New(f, w, opt)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, s)
}

// integerIn returns an integer of any size.
func integerIn(t *testing.T, row map[string]any, name string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(fmt.Sprint(row[name]), 10)
	if !ok {
		t.Fatalf("%s is %v", name, row[name])
	}
	return n
}

// TestModel compares summaries of windows with those of the naive model.
func TestModel(t *testing.T) {
	for _, name := range []string{"otf2.amg.8.piece", "otf2.mg.S.16.skew", "otf2.ez.hello.4.io", "otf2.ep.S.4.metric", "otf2.ep.S.32"} {
		eachPart(t, name, func(t *testing.T, m *naive, f *report.Trace, w *store.Window, own *model.Window) {
			modelDefinitions(t, m, f, w, own)
			modelLocations(t, m, f, w, own)
			modelMessages(t, m, f, w, own)
		})
	}
}

// modelDefinitions: rows by definition are what the naive model adds up, with recursion, and those by region have the same sums.
func modelDefinitions(t *testing.T, m *naive, f *report.Trace, w *store.Window, own *model.Window) {
	t.Helper()
	want := model.Profile(m.calls, own.From, own.To)
	rows := answerOf(t, f, w, Options{By: "definition"}).Rows
	for _, row := range rows {
		s := want[integerIn(t, row, "region").Uint64()]
		if integerIn(t, row, "count").Uint64() != s.Calls || integerIn(t, row, "inclusive_ticks").Cmp(s.Inclusive) != 0 || integerIn(t, row, "exclusive_ticks").Cmp(s.Exclusive) != 0 {
			t.Errorf("%v, want %+v", row, s)
		}
	}
	if len(rows) != len(want) || len(rows) == 0 {
		t.Errorf("%d regions, want %d", len(rows), len(want))
	}
	byRegion := 0
	for _, row := range answerOf(t, f, w, Options{}).Rows {
		sum := new(big.Int)
		for _, id := range row["definitions"].([]any) {
			n, _ := id.(json.Number).Int64()
			sum.Add(sum, want[uint64(n)].Exclusive)
			byRegion++
		}
		if integerIn(t, row, "exclusive_ticks").Cmp(sum) != 0 {
			t.Errorf("%v, want %s", row, sum)
		}
	}
	if byRegion != len(want) {
		t.Errorf("%d definitions are in regions, want %d", byRegion, len(want))
	}
}

// modelLocations: the activities of each location add up to the window, and idle time is where no call is open.
func modelLocations(t *testing.T, m *naive, f *report.Trace, w *store.Window, own *model.Window) {
	t.Helper()
	busy := map[uint64]*big.Int{}
	for _, c := range m.Summary(own, m.calls, m.messages).Calls {
		if busy[c.Location] == nil {
			busy[c.Location] = new(big.Int)
		}
		busy[c.Location].Add(busy[c.Location], c.Exclusive)
	}
	rows := answerOf(t, f, w, Options{By: "location"}).Rows
	for _, row := range rows {
		all := new(big.Int)
		for _, activity := range []string{"computation", "mpi", "pgas", "openmp", "threads", "io", "gpu", "measurement", "idle"} {
			all.Add(all, integerIn(t, row, activity+"_ticks"))
		}
		window := big.NewInt(own.To - own.From)
		if open := busy[integerIn(t, row, "location").Uint64()]; open != nil {
			if idle := new(big.Int).Sub(window, open); integerIn(t, row, "idle_ticks").Cmp(idle) != 0 {
				t.Errorf("%v: idle for %s", row, idle)
			}
		}
		if all.Cmp(window) != 0 {
			t.Errorf("%v: activities add up to %s, the window is %s", row, all, window)
		}
	}
	if len(rows) < 4 {
		t.Errorf("%d locations", len(rows))
	}
}

// latencySum is what the latencies of some messages come to.
type latencySum struct{ count, bytes, sum, least, most int64 }

func (l *latencySum) add(m *trace.Message) {
	took := m.ReceiveTime - m.SendTime
	if l.count == 0 {
		l.least, l.most = took, took
	}
	l.count, l.bytes, l.sum = l.count+1, l.bytes+int64(m.SendLength), l.sum+took
	l.least, l.most = min(l.least, took), max(l.most, took)
}

// modelMessages: pairs and the matrix have the numbers, bytes and times of the messages of the naive model.
func modelMessages(t *testing.T, m *naive, f *report.Trace, w *store.Window, own *model.Window) {
	t.Helper()
	want := map[[2]uint64]*latencySum{}
	for _, x := range own.Messages(m.messages) {
		key := [2]uint64{x.SendLocation, x.ReceiveLocation}
		if want[key] == nil {
			want[key] = &latencySum{}
		}
		want[key].add(&x)
	}
	for _, opt := range []Options{{By: "pair", Times: true}, {By: "matrix", Times: true}} { // each rank has one location
		rows := answerOf(t, f, w, opt).Rows
		for _, row := range rows {
			s := want[[2]uint64{integerIn(t, row, "send_location").Uint64(), integerIn(t, row, "receive_location").Uint64()}]
			for column, value := range map[string]int64{"count": s.count, "send_bytes": s.bytes, "latency_ticks": s.sum, "min_latency_ticks": s.least, "max_latency_ticks": s.most} {
				if got := integerIn(t, row, column).Int64(); got != value {
					t.Errorf("by %s: %v: %s is %d, want %d", opt.By, row, column, got, value)
				}
			}
		}
		if len(rows) != len(want) {
			t.Errorf("by %s: %d rows, want %d", opt.By, len(rows), len(want))
		}
	}
}

// TestModelCollectives: the times of collective operations are those of their begins and ends. The n-th end of each location on a communicator
// belongs to the n-th operation.
func TestModelCollectives(t *testing.T) {
	const name = "otf2.mg.S.8.snapmark"
	m, f := naiveOf(t, name), opened(t, name)
	type span struct{ operation, communicator, begin, end uint64 }
	type number struct {
		communicator uint64
		n            int
	}
	spans, members := map[number]*span{}, map[uint64]int64{} // members: time by operation
	for _, l := range m.Locations {
		begin, done := uint64(0), map[uint64]int{}
		for _, e := range l.Events {
			switch e.Kind {
			case trace.KindMpiCollectiveBegin:
				begin = uint64(e.Time)
			case trace.KindMpiCollectiveEnd:
				key := number{e.Words[1], done[e.Words[1]]}
				done[e.Words[1]]++
				s := spans[key]
				if s == nil {
					s = &span{e.Words[0], e.Words[1], begin, uint64(e.Time)}
					spans[key] = s
				}
				s.begin, s.end = min(s.begin, begin), max(s.end, uint64(e.Time))
				members[e.Words[0]] += e.Time - int64(begin)
			}
		}
	}
	want := map[string]*latencySum{}
	for _, s := range spans {
		operation := trace.EnumCollectiveOp.Format(s.operation)
		if want[operation] == nil {
			want[operation] = &latencySum{}
		}
		want[operation].add(&trace.Message{SendTime: int64(s.begin), ReceiveTime: int64(s.end)})
	}
	rows := answerOf(t, f, f.All(), Options{By: "collective", Times: true}).Rows
	for _, row := range rows {
		s := want[row["operation"].(string)]
		for column, value := range map[string]int64{"operations": s.count, "duration_ticks": s.sum, "min_duration_ticks": s.least, "max_duration_ticks": s.most} {
			if got := integerIn(t, row, column).Int64(); got != value {
				t.Errorf("%v: %s is %d, want %d", row, column, got, value)
			}
		}
		for operation, ticks := range members {
			if trace.EnumCollectiveOp.Format(operation) == row["operation"] && integerIn(t, row, "member_ticks").Int64() != ticks {
				t.Errorf("%v: the members take %d", row, ticks)
			}
		}
	}
	if len(rows) != len(want) || len(rows) < 4 {
		t.Errorf("%d operations, want %d", len(rows), len(want))
	}
}

// TestSeries: each interval of a series has the rows of a summary of that interval alone, and the intervals are the window.
func TestSeries(t *testing.T) {
	f := opened(t, "otf2.amg.8.piece")
	w, err := f.ParseWindow("10%", "73%")
	if err != nil {
		t.Fatal(err)
	}
	from, to := w.Bounds()
	every, first := (to-from)/7-1, f.Info().First
	for _, by := range Kinds() {
		if by == ByCallPath {
			continue // it has no series
		}
		all := answerOf(t, f, w, Options{By: by, Every: every, Limit: 5})
		chosen := answerOf(t, f, w, Options{By: by, Limit: 5}).Rows
		for i := 0; i < len(all.Rows); i += len(chosen) {
			begin := from + int64(i/len(chosen))*every
			end := min(begin+every, to)
			alone := map[string]map[string]any{}
			for _, row := range answerOf(t, f, w.Within(begin, end), Options{By: by}).Rows {
				alone[nameOf(row)] = row
			}
			for _, row := range all.Rows[i : i+len(chosen)] {
				if integerIn(t, row, "from_ticks").Int64() != begin-first || integerIn(t, row, "to_ticks").Int64() != end-first {
					t.Fatalf("by %s: row %d: %v", by, i, row)
				}
				one := alone[nameOf(row)]
				for column, v := range row {
					if got := fmt.Sprint(v); one != nil && one[column] != nil && column != "region" && column != "definitions" && got != fmt.Sprint(one[column]) {
						t.Errorf("by %s: %s of %s from %d is %s, want %v", by, column, nameOf(row), begin, got, one[column])
					}
				}
				if one == nil && row["count"] != nil && integerIn(t, row, "count").Sign() != 0 {
					t.Errorf("by %s: %v is not in the interval", by, row)
				}
			}
		}
		if len(chosen) > 0 && len(all.Rows) != 8*len(chosen) {
			t.Errorf("by %s: %d rows, want 8 times %d", by, len(all.Rows), len(chosen))
		}
	}
}

// nameOf returns what tells a row from the others.
func nameOf(row map[string]any) string {
	text := ""
	for _, column := range []string{"region_name", "source_file", "source_line", "location", "process", "send_location", "receive_location", "operation", "communicator", "metric", "position"} {
		text += fmt.Sprint(row[column], " ")
	}
	if row["definitions"] == nil {
		text += fmt.Sprint(row["region"])
	}
	return text
}

// TestGroups: definitions of one function are one region; functions of one name in two files, or of one name and two mangled ones, are two.
func TestGroups(t *testing.T) {
	const none = trace.Undefined >> 32
	var log []trace.Record
	for id, s := range []string{"f", "a.c", "b.c", "_Z1fi", "_Z1fd", "g", ""} {
		r := trace.Record{Kind: trace.KindString, Words: []uint64{uint64(id), 0}}
		r.Words[1] = r.PutText(s)
		log = append(log, r)
	}
	region := func(id, name, canonical, file, line uint64) {
		log = append(log, trace.Record{Kind: trace.KindRegion, Words: []uint64{id, name, none, file, line, 0, canonical, 0, 0, 0}})
	}
	region(10, 0, none, 1, 5)
	region(11, 0, none, 1, 5) // the same once more
	region(12, 0, none, 2, 5) // in another file
	region(13, 0, none, 1, 9) // at another line
	region(14, 0, 3, none, 0)
	region(15, 0, 4, none, 0) // overloaded
	region(16, 0, 3, none, 0) // as 14
	region(17, 5, 6, none, 0) // an empty canonical name
	region(18, 5, none, none, 0)
	region(19, 99, none, none, 0) // no names
	region(20, 99, none, none, 0)
	names, groups := report.NamesOf(trace.NewDefinitions(log)), newRegionGroups()
	var got [][]uint64
	for id := uint64(10); id <= 21; id++ {
		groups.of(names, id)
		groups.of(names, id)
	}
	for _, g := range groups.list {
		got = append(got, g.ids)
	}
	want := [][]uint64{{10, 11}, {12}, {13}, {14, 16}, {15}, {17, 18}, {19}, {20}, {21}}
	if !slices.EqualFunc(got, want, func(a, b []uint64) bool { return slices.Equal(a, b) }) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestQuantity: people read values in their unit.
func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		base     uint64
		exponent int64
		unit     string
		typ      trace.ValueType
		word     uint64
		want     string
	}{
		{1, -9, "s", trace.ValueUint64, 65317669, "65.32 ms"},
		{1, 0, "s", trace.ValueInt64, 3, "3.000 s"},
		{0, 20, "B", trace.ValueUint64, 3, "3 MiB"},
		{0, 10, "bytes", trace.ValueUint64, 1536, "1.5 MiB"},
		{0, 0, "B", trace.ValueUint64, 2500, "2.5 kB"},
		{1, 0, "#", trace.ValueUint64, 1234567, "1,234,567"},
		{1, 0, "cycles", trace.ValueUint64, 1234567, "1,234,567 cycles"},
		{1, -3, "J", trace.ValueInt64, 12, "12 mJ"},
		{1, 3, "W", trace.ValueInt64, 12, "12 kW"},
		{1, -6, "J", trace.ValueUint64, 12345678, "12.35 J"},
		{1, 2, "pages", trace.ValueInt64, 5, "500 pages"},
		{1, 0, "%", trace.ValueUint8, 50, "50 %"},
	} {
		v := metricOf(c.typ, c.word)
		if got := quantity(&trace.MetricMember{Base: c.base, Exponent: c.exponent}, c.unit, &v); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestWidth: text keeps to the width of a terminal, by leaving out columns.
func TestWidth(t *testing.T) {
	f := opened(t, "otf2.mg.S.8.snapmark")
	last := 1000
	for _, width := range []int{0, 110, 90, 80} {
		s, err := New(f, f.All(), Options{Width: width})
		if err != nil {
			t.Fatal(err)
		}
		widest := 0
		for _, line := range linesOf(t, s) {
			widest = max(widest, len([]rune(line)))
		}
		if width > 0 && widest > width+2 || widest >= last && width > 0 {
			t.Errorf("width %d: %d characters, before %d", width, widest, last)
		}
		last = widest
	}
}
