package comparison

import (
	"cmp"
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
	// WindowA and WindowB are what was compared of each side.
	WindowA Window `json:"a_window"`
	WindowB Window `json:"b_window"`
	// Locations are those with calls.
	Locations Locations `json:"locations"`
	Regions   Regions   `json:"regions"`
	// Messages is null unless messages were compared.
	Messages  *Messages `json:"messages"`
	Structure Structure `json:"structure"`
	// Time is that in calls, of all locations; Program the same without the regions that start and end MPI.
	Time    Span `json:"time"`
	Program Span `json:"program"`
	// Rows are the regions, by how much longer they take in B on locations that have a partner.
	Rows []Row `json:"rows"`
	// OmittedRows is the number of regions that a limit leaves out.
	OmittedRows int `json:"omitted_rows"`
	// Pairs are the pairs of locations.
	Pairs []Pair `json:"pairs"`
	// Counters are those that were asked for.
	Counters []Counter `json:"counters"`

	comparison *contrast.Comparison
	bases      []*contrast.Comparison // with each base run
	noise      noise
}

// Window is a part of the time of a side.
type Window struct {
	FromNs    int64 `json:"from_ns"`
	FromTicks int64 `json:"from_ticks"`
	ToNs      int64 `json:"to_ns"`
	ToTicks   int64 `json:"to_ticks"`
}

// noise is what all regions add up to whose differences are no more than that. Messages are not counted among the regions: they take no time.
type noise struct {
	rows    int
	regions int
	ticks   int64
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

// Messages tells which messages both sides have. All sends of one distance have one name, and all receives.
type Messages struct {
	Both  int           `json:"both"`
	OnlyA []LoneMessage `json:"only_a"`
	OnlyB []LoneMessage `json:"only_b"`
}

// LoneMessage is messages that one side alone has.
type LoneMessage struct {
	MessageName string `json:"message_name"`
	Count       uint64 `json:"count"`
}

// Structure says how alike the calls are, from 0 to 1, times left aside. Where the alignment is not proven to be the best one, the similarity lies
// between lowest and highest.
type Structure struct {
	Equal      bool    `json:"equal"`
	EqualPairs int     `json:"equal_pairs"`
	Lowest     float64 `json:"lowest_similarity"`
	Highest    float64 `json:"highest_similarity"`
	Proven     bool    `json:"proven"`
	// Levels is the number of levels of calls that were compared, 0 for all. The time of calls further in is that of the calls around them.
	Levels int `json:"levels"`
	// First is where the calls of the locations that are least alike first differ; null if all are equal.
	First *Departure `json:"first"`
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
	// Over is by how much B takes longer on locations that have a partner; with several base runs, than the median of each call. Runs are the differences from
	// each of them.
	OverNs    int64   `json:"over_ns"`
	OverTicks int64   `json:"over_ticks"`
	RunsTicks []int64 `json:"runs_ticks"`
	// Speedup is how many times as much time a location takes in A as in B, in the mean; Efficiency how many times as much all of them take.
	Speedup    *float64 `json:"speedup"`
	Efficiency *float64 `json:"efficiency"`
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

// Tally returns what the region's calls add up to.
func (row *Row) Tally() contrast.Tally { return row.finding.Tally }

// Since is where most of a difference begins and ends, on the location that has the largest part.
type Since struct {
	Location string `json:"location_label"`
	// Side is that of the calls: a, unless B alone has calls of the region.
	Side string `json:"side"`
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

	repeated bool // the location has several such calls
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
	return NewSeveral(&contrast.Several{Runs: []*contrast.Comparison{c}, Median: c})
}

// NewSeveral makes a report of a comparison with the median of several base runs.
func NewSeveral(s *contrast.Several) *Report {
	c := s.Median
	r := &Report{A: c.Names[0], B: c.Names[1], TicksPerSecond: c.Units, comparison: c, bases: s.Runs, Rows: []Row{}, Pairs: []Pair{}, Counters: []Counter{}}
	r.Locations = Locations{c.Locations[0], c.Locations[1], len(c.Pairs), labels(c.Lone[0]), labels(c.Lone[1])}
	r.Regions = Regions{c.Regions, r.lone(0), r.lone(1)}
	if c.HasMessages() {
		r.Messages = &Messages{c.Messages, r.loneMessages(0), r.loneMessages(1)}
	}
	r.WindowA, r.WindowB = r.window(c.Windows[0]), r.window(c.Windows[1])
	r.structure()
	if c.Timed {
		r.rows(s.Runs)
		r.counters(c)
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.finding.Judged != contrast.Noise {
				continue
			}
			if r.noise.rows++; !c.Forest.IsMessage(row.finding.Name) {
				r.noise.regions++
				r.noise.ticks += row.OverTicks
			}
		}
	}
	return r
}

// rows makes the rows.
func (r *Report) rows(runs []*contrast.Comparison) {
	var time, program [2]int64
	findings := r.comparison.Findings()
	for i := range findings {
		f := &findings[i]
		for side := range 2 {
			time[side] += f.Ticks[side]
			if !f.StartsMPI {
				program[side] += f.Ticks[side]
			}
		}
		r.Rows = append(r.Rows, r.row(f))
	}
	r.Time, r.Program = r.span(time), r.span(program)
	if len(runs) > 1 {
		r.runs(runs)
	}
}

// runs gives rows the differences from each base run.
func (r *Report) runs(runs []*contrast.Comparison) {
	overs := map[string][]int64{}
	for i, c := range runs {
		for _, f := range c.Findings() {
			name := c.Forest.NameOf(f.Name)
			if overs[name] == nil {
				overs[name] = make([]int64, len(runs))
			}
			overs[name][i] = f.Over
		}
	}
	for i := range r.Rows {
		r.Rows[i].RunsTicks = overs[r.Rows[i].RegionName]
	}
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

func (r *Report) loneMessages(side int) []LoneMessage {
	list := []LoneMessage{}
	for _, l := range r.comparison.LoneMessages[side] {
		list = append(list, LoneMessage{r.comparison.Forest.NameOf(l.Name), l.Calls})
	}
	return list
}

// structure adds up the pairs: the similarity of all is that of their events in a row.
func (r *Report) structure() {
	s, weight := &r.Structure, 0.0
	s.Proven, s.Levels = true, r.comparison.Levels
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
	if at := r.comparison.LeastAlike(); at >= 0 {
		if d, ok := r.comparison.Departure(at); ok {
			s.First = newDeparture(r.comparison, &d)
		}
	}
	l := &r.Locations
	s.Equal = l.Pairs > 0 && s.EqualPairs == l.Pairs && len(l.OnlyA)+len(l.OnlyB) == 0
}

func (r *Report) window(w [2]int64) Window { return Window{r.ns(w[0]), w[0], r.ns(w[1]), w[1]} }

func (r *Report) ns(units int64) int64 { return trace.Nanoseconds(units, r.TicksPerSecond) }

func (r *Report) span(t [2]int64) Span {
	return Span{r.ns(t[0]), t[0], r.ns(t[1]), t[1], r.ns(t[1] - t[0]), t[1] - t[0]}
}

func (r *Report) row(f *contrast.Finding) Row {
	c := r.comparison
	row := Row{
		RegionName: c.Forest.NameOf(f.Name), Activity: f.Activity.String(), Path: c.PathNames(f.Path), Judged: f.Judged.String(),
		OverNs: r.ns(f.Over), OverTicks: f.Over, RunsTicks: []int64{f.Over}, Span: r.span(f.Ticks), CountA: f.Calls[0], CountB: f.Calls[1],
		Pairs: f.Pairs, Slower: f.Slower, Faster: f.Faster, PlusTicks: f.Plus, MinusTicks: f.Minus,
		OnlyACount: f.LoneCalls[0], OnlyATicks: f.LoneTicks[0], OnlyBCount: f.LoneCalls[1], OnlyBTicks: f.LoneTicks[1],
		LeastTicks: f.Spread.Quantile(0), LowerTicks: f.Spread.Quantile(0.25), MedianTicks: f.Spread.Quantile(0.5),
		UpperTicks: f.Spread.Quantile(0.75), MostTicks: f.Spread.Quantile(1),
		Inclusive: r.span(f.Inclusive), SignTest: f.P, On: []string{}, finding: f,
	}
	if f.Ticks[0] > 0 && f.Ticks[1] > 0 {
		efficiency := float64(f.Ticks[0]) / float64(f.Ticks[1])
		speedup := efficiency * float64(r.Locations.B) / float64(r.Locations.A)
		row.Speedup, row.Efficiency = &speedup, &efficiency
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
		Location: c.Pairs[s.Pair].A.Label, Side: sideNames[s.Side], Of: c.Forest.NameOf(s.Place.Path[level]), Iteration: s.Place.Before[level],
		Call: s.Place.Before[last], Calls: s.Calls, repeated: ok, StartNs: r.ns(s.Start), StartTicks: s.Start, EndNs: r.ns(s.End), EndTicks: s.End,
	}
}

// Limit leaves out rows beyond a number: noise first, then communication and waiting, of each those with the least difference.
func (r *Report) Limit(rows int) {
	if rows <= 0 || len(r.Rows) <= rows {
		return
	}
	order := slices.Clone(r.Rows)
	slices.SortStableFunc(order, func(x, y Row) int {
		return cmp.Or(cmp.Compare(y.rank(), x.rank()), cmp.Compare(magnitude(y.OverTicks), magnitude(x.OverTicks)))
	})
	kept := order[:rows]
	slices.SortStableFunc(kept, func(x, y Row) int { return cmp.Compare(y.OverTicks, x.OverTicks) })
	r.OmittedRows += len(r.Rows) - len(kept)
	r.Rows = kept
}

// rank says how much a row matters: own work that differs most, noise least.
func (row *Row) rank() int {
	switch f := row.finding; {
	case f.Judged == contrast.Noise:
		return 0
	case !f.Own():
		return 1
	}
	return 2
}

func magnitude(d int64) int64 { return max(d, -d) }

// Write writes the report as text or JSON.
func (r *Report) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	return r.writeText(w)
}

// pathText returns a call path as one text.
func pathText(path []string) string { return strings.Join(path, " > ") }
