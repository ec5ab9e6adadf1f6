package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Summary is the sums of a window of time: exact, with one row for each region, location or other thing.
// As JSON it is an object with from_ticks, to_ticks, ticks_per_second, by, rows, total and omitted_rows.
type Summary struct {
	by    string
	from  int64 // ticks since the first event
	to    int64
	clock *clock
	rows  rows
}

// SummaryOptions select the rows of a Summary.
type SummaryOptions struct {
	// By is the kind of rows, one of [SummaryKinds]; empty for region.
	By string
	// Sort is the column to order by, Limit the largest number of rows; empty and 0 for the usual order and all.
	Sort  string
	Limit int
	// Columns are the names of the columns wanted, in their order; nil for all.
	Columns []string
	// Locations are the ids of the locations that the window is about, nil for all. A message of one of them with another location counts
	// for the one only.
	Locations []uint64
}

// summaryKinds are the kinds of rows, with the parts of a summary that each needs.
var summaryKinds = []struct {
	by    string
	parts []store.SummaryPart
	rows  func(*summed) rows
}{
	{"region", []store.SummaryPart{store.SummaryCalls}, regionRows},
	{"location", []store.SummaryPart{store.SummaryCalls, store.SummaryMessages}, locationRows},
	{"process", []store.SummaryPart{store.SummaryCalls, store.SummaryMessages}, processRows},
	{"location-region", []store.SummaryPart{store.SummaryCalls}, callRows},
	{"pair", []store.SummaryPart{store.SummaryMessages}, pairRows},
	{"collective", []store.SummaryPart{store.SummaryCollectives}, collectiveRows},
	{"metric", []store.SummaryPart{store.SummaryMetrics}, metricRows},
}

// SummaryKinds returns the values of SummaryOptions.By.
func SummaryKinds() (names []string) {
	for _, k := range summaryKinds {
		names = append(names, k.by)
	}
	return names
}

// SummaryHasCalls reports whether a kind of rows adds up calls. Only such a summary can be of some regions.
func SummaryHasCalls(by string) bool {
	return slices.Contains([]string{"", "region", "location", "process", "location-region"}, by)
}

// SummaryColumns returns the columns of a kind of rows, nil for an unknown one.
func SummaryColumns(by string) []Column {
	empty := summed{Trace: &Trace{names: newNames(trace.NewDefinitions(nil), nil)}, Summary: &trace.Summary{}}
	for _, k := range summaryKinds {
		if k.by == by {
			return k.rows(&empty).schema()
		}
	}
	return nil
}

// summed is a trace with the sums of a window.
type summed struct {
	*Trace
	*trace.Summary
	locations []uint64        // all of them, in their order
	chosen    map[uint64]bool // locations; nil for all
}

// NewSummary adds up a window of a trace.
func NewSummary(t *Trace, window *store.Window, opt SummaryOptions) (*Summary, error) {
	by := opt.By
	if by == "" {
		by = summaryKinds[0].by
	}
	at := slices.Index(SummaryKinds(), by)
	switch {
	case at < 0:
		return nil, &OptionError{"by", by, "there are lines by " + strings.Join(SummaryKinds(), ", ")}
	case opt.Limit < 0:
		return nil, &OptionError{"limit", strconv.Itoa(opt.Limit), "the number is negative"}
	}
	found, err := window.Summary(summaryKinds[at].parts...)
	if err != nil {
		return nil, err
	}
	s := summed{Trace: t, Summary: found, locations: t.Info().LocationIDs()}
	if opt.Locations != nil {
		s.chosen = map[uint64]bool{}
		for _, id := range opt.Locations {
			s.chosen[id] = true
		}
	}
	r := summaryKinds[at].rows(&s)
	if err := r.sortBy(opt.Sort); err != nil {
		return nil, &OptionError{"sort", opt.Sort, err.Error()}
	}
	r.cut(opt.Limit)
	if err := r.choose(opt.Columns); err != nil {
		return nil, &OptionError{"columns", strings.Join(opt.Columns, ","), err.Error()}
	}
	from, to := window.Bounds()
	return &Summary{by: by, from: from - t.clock.First(), to: to - t.clock.First(), clock: &t.clock, rows: r}, nil
}

// OptionError is an error about the value of an option.
type OptionError struct{ Option, Value, Reason string }

// Error implements error.
func (e *OptionError) Error() string { return e.Option + " " + e.Value + ": " + e.Reason }

// Write writes the summary in a format.
func (s *Summary) Write(to io.Writer, f Format) error {
	w := bufio.NewWriter(to)
	if err := s.write(w, f); err != nil {
		return err
	}
	return w.Flush()
}

func (s *Summary) write(w *bufio.Writer, f Format) error {
	switch f {
	case JSON:
		fmt.Fprintf(w, `{"from_ticks":%d,"to_ticks":%d,"ticks_per_second":%d,"by":"%s",`, s.from, s.to, s.clock.Resolution(), s.by)
		if err := s.rows.writeJSON(w); err != nil {
			return err
		}
		_, err := io.WriteString(w, "}\n")
		return err
	case CSV:
		return s.rows.writeCSV(w)
	}
	s.rows.writeText(w, s.by)
	return nil
}

// knownRegion makes one of all references to no region.
func knownRegion(id uint64) uint64 {
	if undefined(id) {
		return trace.Undefined
	}
	return id
}

// callSum is a sum of calls.
type callSum struct {
	count                      uint64
	inclusive, exclusive, busy trace.Sum
}

func (s *callSum) add(c *trace.CallTotals) {
	s.count += c.Count
	s.inclusive, s.exclusive, s.busy = s.inclusive.Plus(c.Inclusive), s.exclusive.Plus(c.Exclusive), s.busy.Plus(c.Busy)
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
