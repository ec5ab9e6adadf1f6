package summary

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// Summary is the sums of a window of time: exact, with one row for each region, location or other thing.
// As JSON it is an object with from and to, ticks_per_second, by, rows, total and omitted_rows; see [Schema].
type Summary struct {
	by    string
	in    interval
	every int64 // length of the intervals of a series in ticks; 0 for a summary of the whole window
	width int
	trace *report.Trace
	rows  rows
	names *report.Names
	// locations is the number of those that the summary is about.
	locations int
	loss      *lossOfSums
}

// Options select the rows of a Summary.
type Options struct {
	// By is the kind of rows, one of [Kinds]; empty for region.
	By string
	// Sort is the column to order by, Limit the largest number of rows; empty and 0 for the usual order and all.
	Sort  string
	Limit int
	// Columns are the names of the columns wanted, in their order; nil for all. A series has the bounds of its intervals before them.
	Columns []string
	// Locations are the ids of the locations that the window is about, nil for all. A message of one of them with another location counts
	// for the one only.
	Locations []uint64
	// Times adds how long messages and collective operations took, for which each of them is read.
	Times bool
	// Measure is what a matrix shows in text; empty for bytes.
	Measure report.Measure
	// Every, if it is not 0, makes a series: the rows for each of the intervals of this length, in ticks, that the window is divided into.
	Every int64
	// Width is how wide text may be, in characters; 0 for any width.
	Width int
	PathOptions
}

// kind is a kind of rows.
type kind struct {
	by    string
	parts []store.SummaryPart
	rows  func(*summed) (rows, error)
	times bool // Options.Times adds something
}

// kinds are the kinds of rows, with the parts of a summary that each needs.
var kinds = []kind{
	{"region", []store.SummaryPart{store.SummaryCalls}, plain(regionRows), false},
	{"definition", []store.SummaryPart{store.SummaryCalls}, plain(definitionRows), false},
	{"location", []store.SummaryPart{store.SummaryCalls, store.SummaryMessages}, plain(locationRows), false},
	{"process", []store.SummaryPart{store.SummaryCalls, store.SummaryMessages}, plain(processRows), false},
	{"region,location", []store.SummaryPart{store.SummaryCalls}, plain(crossRows), false},
	{"pair", nil, pairRows, true},
	{"matrix", nil, matrixRows, true},
	{"collective", []store.SummaryPart{store.SummaryCollectives}, collectiveRows, true},
	{"metric", []store.SummaryPart{store.SummaryMetrics}, plain(metricRows), false},
	{ByCallPath, nil, callPaths, false},
}

func plain(make func(*summed) rows) func(*summed) (rows, error) {
	return func(s *summed) (rows, error) { return make(s), nil }
}

// Kinds returns the values of Options.By.
func Kinds() (names []string) {
	for _, k := range kinds {
		names = append(names, k.by)
	}
	return names
}

// HasCalls reports whether a kind of rows adds up calls. Only such a summary can be of some regions.
func HasCalls(by string) bool {
	i := slices.Index(Kinds(), by)
	return by == "" || i >= 0 && slices.Contains(kinds[i].parts, store.SummaryCalls)
}

// Columns returns the columns of a kind of rows, also those that need an option; nil for an unknown kind.
func Columns(by string) []Column {
	empty := summed{names: report.NamesOf(trace.NewDefinitions(nil)), Summary: &trace.Summary{}, timed: true, groups: newRegionGroups(), none: true}
	empty.places = empty.place
	for _, k := range kinds {
		if k.by == by {
			r, err := k.rows(&empty)
			if err != nil {
				panic(err) // nothing is read
			}
			return r.schema()
		}
	}
	return nil
}

// summed is a trace with the sums of a window.
type summed struct {
	*trace.Summary
	trace     *report.Trace
	window    *store.Window
	names     *report.Names
	clock     clock
	locations []uint64        // all of them, in their order
	chosen    map[uint64]bool // locations; nil for all
	groups    *regionGroups
	timed     bool
	measure   report.Measure
	paths     PathOptions
	places    func() *topology.Places // nil if there is no topology
	none      bool                    // there is no trace: only the columns matter
}

// has reports whether the summary is about a location.
func (s *summed) has(location uint64) bool { return s.chosen == nil || s.chosen[location] }

// length returns the length of the window in ticks.
func (s *summed) length() trace.Sum {
	if s.none {
		return trace.Sum{}
	}
	from, to := s.window.Bounds()
	return trace.SumOf(to).Minus(trace.SumOf(from))
}

// check finds fault with the options, and returns the kind of rows.
func (o *Options) check() (*kind, error) {
	at := max(slices.Index(Kinds(), o.By), 0)
	k := &kinds[at]
	switch {
	case o.By != "" && k.by != o.By:
		return nil, &OptionError{"by", o.By, "there are lines by " + strings.Join(Kinds(), "; ")}
	case o.Limit < 0:
		return nil, &OptionError{"limit", strconv.Itoa(o.Limit), "the number is negative"}
	case o.Times && !k.times:
		return nil, &OptionError{"times", "true", "lines by " + k.by + " have all their times anyway"}
	case o.Measure != "" && !slices.Contains(report.Measures(), o.Measure):
		return nil, &OptionError{"measure", string(o.Measure), "a matrix shows count, bytes, time or latency"}
	case o.Measure != "" && k.by != "matrix":
		return nil, &OptionError{"measure", string(o.Measure), "only a matrix has a measure"}
	case o.Every < 0:
		return nil, &OptionError{"every", strconv.FormatInt(o.Every, 10), "the interval is negative"}
	case o.Every > 0 && k.by == ByCallPath:
		return nil, &OptionError{"every", strconv.FormatInt(o.Every, 10), "there is no series of call paths: choose one window after the other"}
	}
	return k, o.PathOptions.check(k.by)
}

// New adds up a window of a trace.
func New(t *report.Trace, window *store.Window, opt Options) (*Summary, error) {
	k, err := opt.check()
	if err != nil {
		return nil, err
	}
	ids, err := t.LocationIDs()
	if err != nil {
		return nil, err
	}
	all := summed{
		trace: t, names: t.Names(), locations: ids, groups: newRegionGroups(), measure: opt.Measure,
		timed: opt.Times || opt.Measure.Timed(), paths: opt.PathOptions,
	}
	all.places = sync.OnceValue(all.place)
	axis := t.TimeAxis()
	all.clock = clock(axis.Resolution())
	if opt.Locations != nil {
		all.chosen = map[uint64]bool{}
		for _, id := range opt.Locations {
			all.chosen[id] = true
		}
	}
	r, err := all.in(k, window)
	if err != nil {
		return nil, err
	}
	if err := r.sortBy(opt.Sort); err != nil {
		return nil, &OptionError{"sort", opt.Sort, err.Error()}
	}
	r.cut(opt.Limit)
	if err := r.choose(opt.Columns); err != nil {
		return nil, &OptionError{"columns", strings.Join(opt.Columns, ","), err.Error()}
	}
	from, to := window.Bounds()
	s := &Summary{by: k.by, in: interval{from - axis.First(), to - axis.First(), all.clock}, every: opt.Every, width: opt.Width, trace: t, rows: r, names: all.names, locations: len(all.locations)}
	if all.chosen != nil {
		s.locations = len(all.chosen)
	}
	if s.loss = lossOf(&all, k.by, window); opt.Every > 0 {
		if s.loss != nil {
			s.loss.exact = false
		}
		err = s.follow(&all, k, window)
	}
	return s, err
}

// in returns the rows of a window.
func (s *summed) in(k *kind, window *store.Window) (rows, error) {
	part := *s
	part.window, part.Summary = window, &trace.Summary{}
	if len(k.parts) > 0 {
		var err error
		if part.Summary, err = window.Summary(k.parts...); err != nil {
			return nil, err
		}
	}
	return k.rows(&part)
}

// follow adds the intervals of the series.
func (s *Summary) follow(all *summed, k *kind, window *store.Window) error {
	from, to := window.Bounds()
	n := 0
	if to > from {
		n = int(min((uint64(to)-uint64(from)-1)/uint64(s.every)+1, maxIntervals+1))
	}
	if n > maxIntervals || n*s.rows.size() > maxSeriesRows {
		return &OptionError{"every", strconv.FormatInt(s.every, 10), fmt.Sprintf("a series has at most %d intervals, and %d lines in all", maxIntervals, maxSeriesRows)}
	}
	first := from - s.in.from
	return s.rows.follow(n, func(i int) (rows, interval, error) {
		begin := from + int64(i)*s.every
		end := to
		if to-begin > s.every {
			end = begin + s.every
		}
		r, err := all.in(k, window.Within(begin, end))
		return r, interval{begin - first, end - first, all.clock}, err
	})
}

// OptionError is an error about the value of an option.
type OptionError struct{ Option, Value, Reason string }

// Error implements error.
func (e *OptionError) Error() string { return e.Option + " " + e.Value + ": " + e.Reason }

// Write writes the summary in a format.
func (s *Summary) Write(to io.Writer, f report.Format) error {
	w := bufio.NewWriter(to)
	if err := s.write(w, f); err != nil {
		return err
	}
	return w.Flush()
}

func (s *Summary) write(w *bufio.Writer, f report.Format) error {
	switch f {
	case report.JSON:
		before := byte('{')
		for i, v := range s.in.bounds() {
			fmt.Fprintf(w, `%c"%s":%s`, before, seriesNames[i].Name, v.appendText(nil))
			before = ','
		}
		fmt.Fprintf(w, `,"ticks_per_second":%d,"by":"%s",`, s.in.clock, s.by)
		if s.every > 0 {
			fmt.Fprintf(w, `"every_ns":%d,"every_ticks":%d,`, trace.Nanoseconds(s.every, uint64(s.in.clock)), s.every)
		}
		s.loss.writeJSON(w)
		if err := s.rows.writeJSON(w); err != nil {
			return err
		}
		_, err := io.WriteString(w, "}\n")
		return err
	case report.CSV:
		return s.rows.writeCSV(w)
	}
	s.rows.writeText(w, s.by, s.width)
	s.loss.writeText(w, s.in.clock)
	return nil
}

// sums has a sum for each key, in the order in which keys come first.
type sums[K comparable, S any] struct {
	list  []S
	at    map[K]int
	begin func(K) S
}

// newSums returns no sums yet, with room for n; begin returns the sum of a new key.
func newSums[K comparable, S any](n int, begin func(K) S) *sums[K, S] {
	return &sums[K, S]{list: make([]S, 0, n), at: make(map[K]int, n), begin: begin}
}

// of returns the sum of a key. It is valid until the next call.
func (s *sums[K, S]) of(k K) *S {
	at, ok := s.at[k]
	if !ok {
		at = len(s.list)
		s.at[k] = at
		s.list = append(s.list, s.begin(k))
	}
	return &s.list[at]
}
