package comparison

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// Report is the outcome of comparing two windows. Times that end in _ticks are in units, of which there are ticks_per_second: ticks of the
// traces, or nanoseconds if their clocks have different resolutions.
type Report struct {
	A              string `json:"a"`
	B              string `json:"b"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	// Locations are those with calls.
	Locations Locations `json:"locations"`
	Regions   Regions   `json:"regions"`
	Structure Structure `json:"structure"`
	// Time is that in calls, of all locations.
	Time Span `json:"time"`
	// Rows are the regions, by how much longer they take in B on locations that have a partner.
	Rows []Row `json:"rows"`
	// OmittedRows is the number of regions that a limit leaves out.
	OmittedRows int `json:"omitted_rows"`
	// Pairs are the pairs of locations.
	Pairs []Pair `json:"pairs"`

	comparison *contrast.Comparison
}

// Locations tells which locations were compared.
type Locations struct {
	A     int      `json:"a"`
	B     int      `json:"b"`
	Pairs int      `json:"pairs"`
	OnlyA []string `json:"only_a"`
	OnlyB []string `json:"only_b"`
}

// Regions tells which regions both sides have.
type Regions struct {
	Both  int          `json:"both"`
	OnlyA []LoneRegion `json:"only_a"`
	OnlyB []LoneRegion `json:"only_b"`
}

// LoneRegion is a region that one side alone has. A wrapper stands around calls that the other side has without it.
type LoneRegion struct {
	RegionName string `json:"region_name"`
	Count      uint64 `json:"count"`
	Wrapper    bool   `json:"wrapper"`
}

// Structure says how alike the calls are, from 0 to 1, times left aside. Where the alignment is not proven to be the best one, the similarity lies
// between lowest and highest.
type Structure struct {
	Equal      bool    `json:"equal"`
	EqualPairs int     `json:"equal_pairs"`
	Lowest     float64 `json:"lowest_similarity"`
	Highest    float64 `json:"highest_similarity"`
	Proven     bool    `json:"proven"`
}

// Span is a time on both sides.
type Span struct {
	ANs             int64 `json:"a_ns"`
	ATicks          int64 `json:"a_ticks"`
	BNs             int64 `json:"b_ns"`
	BTicks          int64 `json:"b_ticks"`
	DifferenceNs    int64 `json:"difference_ns"`
	DifferenceTicks int64 `json:"difference_ticks"`
}

// Row is a region. Times are exclusive. The difference of all calls is that of pairs (plus less minus), and of calls that only B has, less those
// that only A has.
type Row struct {
	RegionName string `json:"region_name"`
	Activity   string `json:"activity"`
	// Path is the call path with the largest part, the outermost call first.
	Path []string `json:"path"`
	// Judged is why the difference is more than noise: shift, apart or absent; or noise.
	Judged string `json:"judged"`
	// Over is by how much B takes longer on locations that have a partner.
	OverNs    int64 `json:"over_ns"`
	OverTicks int64 `json:"over_ticks"`
	Span
	CountA      uint64   `json:"count_a"`
	CountB      uint64   `json:"count_b"`
	Pairs       uint64   `json:"pairs"`
	Slower      uint64   `json:"slower"`
	Faster      uint64   `json:"faster"`
	PlusTicks   int64    `json:"plus_ticks"`
	MinusTicks  int64    `json:"minus_ticks"`
	OnlyACount  uint64   `json:"only_a_count"`
	OnlyATicks  int64    `json:"only_a_ticks"`
	OnlyBCount  uint64   `json:"only_b_count"`
	OnlyBTicks  int64    `json:"only_b_ticks"`
	LeastTicks  int64    `json:"least_ticks"`
	LowerTicks  int64    `json:"lower_quartile_ticks"`
	MedianTicks int64    `json:"median_ticks"`
	UpperTicks  int64    `json:"upper_quartile_ticks"`
	MostTicks   int64    `json:"most_ticks"`
	Inclusive   Span     `json:"inclusive"`
	SignTest    float64  `json:"sign_test"`
	On          []string `json:"on"`
	Since       *Since   `json:"since"`

	finding *contrast.Finding
}

// Since is where most of a difference begins and ends, on the location that has the largest part.
type Since struct {
	Location string `json:"location"`
	// Iteration is the number of the outermost call on the path of which there are several, from 0; Of is its region.
	Of        string `json:"of"`
	Iteration uint64 `json:"iteration"`
	// Call is the number of the region's first call on the path, and Calls how many there are to the last one.
	Call       uint64 `json:"call"`
	Calls      uint64 `json:"calls"`
	StartNs    int64  `json:"start_ns"`
	StartTicks int64  `json:"start_ticks"`
	EndNs      int64  `json:"end_ns"`
	EndTicks   int64  `json:"end_ticks"`
}

// Pair is two locations that belong together.
type Pair struct {
	A       string  `json:"a"`
	B       string  `json:"b"`
	EventsA uint64  `json:"events_a"`
	EventsB uint64  `json:"events_b"`
	Equal   bool    `json:"equal"`
	Lowest  float64 `json:"lowest_similarity"`
	Highest float64 `json:"highest_similarity"`
	Proven  bool    `json:"proven"`
}

// New makes a report of a comparison.
func New(c *contrast.Comparison) *Report {
	r := &Report{A: c.Names[0], B: c.Names[1], TicksPerSecond: c.Units, comparison: c, Rows: []Row{}, Pairs: []Pair{}}
	r.Locations = Locations{c.Locations[0], c.Locations[1], len(c.Pairs), labels(c.Lone[0]), labels(c.Lone[1])}
	r.Regions = Regions{c.Regions, r.lone(0), r.lone(1)}
	r.structure()
	if c.Timed {
		var all contrast.Tally
		for i := range c.Paths {
			all.Ticks[0] += c.Paths[i].Ticks[0]
			all.Ticks[1] += c.Paths[i].Ticks[1]
		}
		r.Time = r.span(all.Ticks)
		findings := c.Findings()
		for i := range findings {
			r.Rows = append(r.Rows, r.row(&findings[i]))
		}
	}
	return r
}

func labels(places []trace.Place) []string {
	list := make([]string, len(places))
	for i := range places {
		list[i] = places[i].Label
	}
	return list
}

func (r *Report) lone(side int) []LoneRegion {
	list := []LoneRegion{}
	for _, l := range r.comparison.LoneRegions[side] {
		list = append(list, LoneRegion{r.comparison.Forest.NameOf(l.Name), l.Calls, l.Wrapper})
	}
	return list
}

// structure adds up the pairs: the similarity of all is that of their events in a row.
func (r *Report) structure() {
	s, weight := &r.Structure, 0.0
	s.Proven = true
	for i := range r.comparison.Pairs {
		p := &r.comparison.Pairs[i]
		r.Pairs = append(r.Pairs, Pair{p.A.Label, p.B.Label, p.Events[0], p.Events[1], p.Equal(), p.Similarity.Lowest, p.Similarity.Highest, p.Cost.Proven()})
		if p.Equal() {
			s.EqualPairs++
		}
		s.Proven = s.Proven && p.Cost.Proven()
		w := float64(max(p.Events[0], p.Events[1]))
		weight += w
		s.Lowest += w * p.Similarity.Lowest
		s.Highest += w * p.Similarity.Highest
	}
	if weight > 0 {
		s.Lowest, s.Highest = s.Lowest/weight, s.Highest/weight
	}
	l := &r.Locations
	s.Equal = l.Pairs > 0 && s.EqualPairs == l.Pairs && len(l.OnlyA)+len(l.OnlyB) == 0
}

func (r *Report) ns(units int64) int64 { return trace.Nanoseconds(units, r.TicksPerSecond) }

func (r *Report) span(t [2]int64) Span {
	return Span{r.ns(t[0]), t[0], r.ns(t[1]), t[1], r.ns(t[1] - t[0]), t[1] - t[0]}
}

func (r *Report) row(f *contrast.Finding) Row {
	c := r.comparison
	row := Row{
		RegionName: c.Forest.NameOf(f.Name), Activity: f.Activity.String(), Path: c.PathNames(f.Path), Judged: f.Judged.String(),
		OverNs: r.ns(f.Over), OverTicks: f.Over, Span: r.span(f.Ticks), CountA: f.Calls[0], CountB: f.Calls[1],
		Pairs: f.Pairs, Slower: f.Slower, Faster: f.Faster, PlusTicks: f.Plus, MinusTicks: f.Minus,
		OnlyACount: f.LoneCalls[0], OnlyATicks: f.LoneTicks[0], OnlyBCount: f.LoneCalls[1], OnlyBTicks: f.LoneTicks[1],
		LeastTicks: f.Spread.Quantile(0), LowerTicks: f.Spread.Quantile(0.25), MedianTicks: f.Spread.Quantile(0.5),
		UpperTicks: f.Spread.Quantile(0.75), MostTicks: f.Spread.Quantile(1),
		Inclusive: r.span(f.Inclusive), SignTest: f.P, On: []string{}, finding: f,
	}
	for _, i := range f.On {
		row.On = append(row.On, c.Pairs[i].A.Label)
	}
	if f.Since != nil {
		row.Since = r.since(f.Since)
	}
	return row
}

func (r *Report) since(s *contrast.Since) *Since {
	c := r.comparison
	last := len(s.Place.Path) - 1
	level, ok := s.Place.Iteration()
	if !ok {
		level = last
	}
	return &Since{
		Location: c.Pairs[s.Pair].A.Label, Of: c.Forest.NameOf(s.Place.Path[level]), Iteration: s.Place.Before[level],
		Call: s.Place.Before[last], Calls: s.Calls, StartNs: r.ns(s.Start), StartTicks: s.Start, EndNs: r.ns(s.End), EndTicks: s.End,
	}
}

// Limit leaves out rows beyond a number, those with the least difference.
func (r *Report) Limit(rows int) {
	if rows <= 0 || len(r.Rows) <= rows {
		return
	}
	least := slices.SortedFunc(slices.Values(r.Rows), func(x, y Row) int { return cmp.Compare(magnitude(y.OverTicks), magnitude(x.OverTicks)) })
	bar := magnitude(least[rows-1].OverTicks)
	kept := r.Rows[:0:0]
	for _, row := range r.Rows {
		if len(kept) < rows && magnitude(row.OverTicks) >= bar {
			kept = append(kept, row)
		}
	}
	r.OmittedRows += len(r.Rows) - len(kept)
	r.Rows = kept
}

func magnitude(d int64) int64 { return max(d, -d) }

// Write writes the report as text or JSON.
func (r *Report) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.writeText(w)
}

// pathText returns a call path as one text.
func pathText(path []string) string { return strings.Join(path, " > ") }
