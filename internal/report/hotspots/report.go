package hotspots

import (
	"context"
	"io"
	"math"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// Report is where a window loses time. Instants count from the trace's first event. Times that end in _ticks are in ticks of the trace's clock, of
// which there are ticks_per_second.
type Report struct {
	Name           string `json:"name"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	// Why says why there is nothing to compare; empty if there is.
	Why string `json:"why"`
	// Segments are what was compared.
	Segments Segments `json:"segments"`
	// Finer are the levels inside of it, each inside of the one before.
	Finer []Level `json:"finer"`
	// Candidates are what the window can be cut into, that with most SOS time first.
	Candidates []Level `json:"candidates"`
	// Findings are the losses, the largest first; OmittedFindings is the number of those that a limit leaves out.
	Findings        []Finding `json:"findings"`
	OmittedFindings int       `json:"omitted_findings"`

	analysis *segment.Analysis
	columns  *segment.Columns // of its level
	trace    *report.Trace
}

// Level is what a window can be cut into: the calls of a region, or a group of calls, which is the body of a loop.
type Level struct {
	Title string `json:"title"`
	// Region is that of the calls, null for a group; FirstCall is the region of the first call of a group, Around that in whose calls the group
	// stands, empty for outermost calls; both are null for a region. Body are the regions of the calls of a group.
	Region    *string  `json:"region_name"`
	FirstCall *string  `json:"first_call"`
	Around    *string  `json:"around"`
	Body      []string `json:"body"`
	Locations int      `json:"locations"`
	Count     uint64   `json:"count"`
	// Covered is the SOS time of all its segments.
	CoveredNs    float64   `json:"covered_ns"`
	CoveredTicks trace.Sum `json:"covered_ticks"`
}

// Segments are those of one level.
type Segments struct {
	Level
	// Numbers is how many numbers of segments there are, Stride how many neighbouring segments are one.
	Numbers int   `json:"numbers"`
	Stride  int64 `json:"stride"`
	// Fewest and Most are the least and the greatest number of segments that a location has.
	Fewest int `json:"fewest"`
	Most   int `json:"most"`
	// Synchronises says that there are calls that do. Without them SOS times are durations.
	Synchronises bool `json:"synchronises"`
	// Waste is what the locations would lose if all waited for the slowest of each segment: p·max - Σ. WasteShare is its part of that and the SOS
	// times.
	WasteNs    float64   `json:"waste_ns"`
	WasteTicks trace.Sum `json:"waste_ticks"`
	WasteShare float64   `json:"waste_share"`
	// Slowest is the location that is the slowest in most segments, SlowestShare the share of segments in which it is.
	Slowest      string  `json:"slowest_location_label"`
	SlowestShare float64 `json:"slowest_share"`
}

// Finding is a place where time is lost.
type Finding struct {
	// Kind is interruption (one segment of one location), imbalance (a location that is late again and again) or slow (a segment that takes long on
	// all locations).
	Kind string `json:"kind"`
	// Location is the one that is late; of a slow segment, one in the middle.
	Location      uint64 `json:"location"`
	LocationLabel string `json:"location_label"`
	Rank          *int64 `json:"rank"`
	Segments      string `json:"segments"`
	First         int64  `json:"first_segment"`
	Last          int64  `json:"last_segment"`
	Late          int    `json:"late_segments"`
	// Shown is the segment whose times these are, with its begin and length.
	Shown         int64 `json:"shown_segment"`
	StartNs       int64 `json:"start_ns"`
	StartTicks    int64 `json:"start_ticks"`
	DurationNs    int64 `json:"duration_ns"`
	DurationTicks int64 `json:"duration_ticks"`
	SosNs         int64 `json:"sos_ns"`
	SosTicks      int64 `json:"sos_ticks"`
	// Median is the median of the other locations, of a slow segment that of other segments.
	MedianNs    int64 `json:"median_ns"`
	MedianTicks int64 `json:"median_ticks"`
	// Excess is by how much all late segments exceed what is usual.
	ExcessNs    int64 `json:"excess_ns"`
	ExcessTicks int64 `json:"excess_ticks"`
	// Z is by how many standard deviations the shown segment differs from those of other locations, null if that is infinite or nobody knows.
	Z *float64 `json:"z"`
	// Where are the call paths in which the shown segment is longer than what it is compared with.
	Where []Part `json:"where"`
}

// Part is a call path with its exclusive time, the outermost call first.
type Part struct {
	Path       []string `json:"path"`
	OwnNs      int64    `json:"own_ns"`
	OwnTicks   int64    `json:"own_ticks"`
	UsualNs    int64    `json:"usual_ns"`
	UsualTicks int64    `json:"usual_ticks"`
}

// mostParts is the number of call paths of a finding.
const mostParts = 3

// New makes the report of an analysis with at most limit findings, 0 for all. It ends with the context.
func New(ctx context.Context, f *report.Trace, a *segment.Analysis, limit int) (*Report, error) {
	r := &Report{
		Name: f.Name, TicksPerSecond: a.Resolution, Finer: []Level{}, Candidates: []Level{}, Findings: []Finding{}, analysis: a,
		columns: a.Level.Columns(), trace: f,
	}
	for i := range a.Candidates {
		r.Candidates = append(r.Candidates, r.level(&a.Candidates[i]))
	}
	after := false
	for _, c := range a.Chain {
		if after {
			r.Finer = append(r.Finer, r.Candidates[c])
		}
		after = after || c == a.Chosen
	}
	r.segments()
	found := a.Judge()
	for i := range found {
		if limit > 0 && i == limit {
			r.OmittedFindings = len(found) - i
			break
		}
		entry, err := r.finding(ctx, &found[i])
		if err != nil {
			return nil, err
		}
		r.Findings = append(r.Findings, entry)
	}
	return r, nil
}

// NewNone makes the report of a window in which there is nothing to compare.
func NewNone(f *report.Trace, why *segment.NoneError) *Report {
	return &Report{
		Name: f.Name, TicksPerSecond: f.Meta().Resolution, Why: why.Why, Segments: Segments{Level: Level{Body: []string{}}}, Finer: []Level{},
		Candidates: []Level{}, Findings: []Finding{}, trace: f,
	}
}

// level describes a candidate.
func (r *Report) level(c *segment.Candidate) Level {
	l := Level{Title: c.Title(), Locations: c.Locations, Count: c.Segments, CoveredNs: r.sumNs(c.Covered), CoveredTicks: c.Covered, Body: []string{}}
	if c.Group {
		l.FirstCall, l.Around, l.Body = &c.Name, &c.Around, c.Body
	} else {
		l.Region = &c.Name
	}
	return l
}

// sumNs converts a sum of ticks to whole nanoseconds.
func (r *Report) sumNs(s trace.Sum) float64 {
	return math.Round(s.Float() * 1e9 / float64(r.TicksPerSecond))
}

// segments describes the segments that were compared.
func (r *Report) segments() {
	a := r.analysis
	s := &r.Segments
	columns := r.columns
	*s = Segments{Level: r.Candidates[a.Chosen], Numbers: len(columns.List), Stride: a.Level.Stride, Synchronises: a.Waits}
	for i := range a.Level.Lines {
		n := len(a.Level.Lines[i].Own)
		if s.Most = max(s.Most, n); i == 0 || n < s.Fewest {
			s.Fewest = n
		}
	}
	waste, of := columns.Waste()
	s.WasteNs, s.WasteTicks = r.sumNs(waste), waste
	if all := waste.Float() + of.Float(); all > 0 {
		s.WasteShare = waste.Float() / all
	}
	if len(a.Level.Lines) > 0 {
		line, share := columns.Recurrence()
		s.Slowest, s.SlowestShare = a.Level.Lines[line].Place.Label, share
	}
}

// finding describes a finding, and reads in which calls its time went.
func (r *Report) finding(ctx context.Context, f *segment.Finding) (out Finding, err error) {
	l := &f.Level.Lines[f.Line]
	at, _ := l.At(f.Shown)
	out = Finding{
		Kind: f.Kind.String(), Location: l.Place.Location, LocationLabel: l.Place.Label, Segments: r.Candidates[f.Level.Candidate].Title,
		First: f.First, Last: f.Last, Late: f.Late, Shown: f.Shown, Where: []Part{},
		StartTicks: l.Starts[at] - r.trace.Info().First, DurationTicks: l.Durations[at], SosTicks: f.Own, MedianTicks: f.Usual, ExcessTicks: f.Excess,
	}
	out.StartNs, out.DurationNs, out.SosNs = r.ns(out.StartTicks), r.ns(out.DurationTicks), r.ns(f.Own)
	out.MedianNs, out.ExcessNs = r.ns(f.Usual), r.ns(f.Excess)
	if l.Place.Rank >= 0 {
		out.Rank = &l.Place.Rank
	}
	if !math.IsNaN(f.Z) && !math.IsInf(f.Z, 0) {
		out.Z = &f.Z
	}
	parts, err := r.analysis.Where(ctx, f, mostParts)
	for _, p := range parts {
		out.Where = append(out.Where, Part{Path: p.Path, OwnNs: r.ns(p.Own), OwnTicks: p.Own, UsualNs: r.ns(p.Usual), UsualTicks: p.Usual})
	}
	return out, err
}

// Write writes the report as text or JSON.
func (r *Report) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	return r.writeText(w)
}
