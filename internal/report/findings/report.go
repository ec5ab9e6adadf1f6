package findings

import (
	"context"
	"io"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// Question is a trace that is to be checked.
type Question struct {
	// Name is the path of the trace.
	Name    string
	Source  trace.Source
	Options check.Options
	// Known is what an earlier report found, nil for nothing.
	Known *Known
}

// Report says what is wrong in a trace. Times that end in _ticks are in ticks, of which there are ticks_per_second; instants are since the trace's first
// event.
type Report struct {
	Trace          string `json:"trace"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	Events         uint64 `json:"events"`
	Locations      int    `json:"locations"`
	// Errors, Warnings and Notes are the numbers of findings of each severity that are not known.
	Errors   uint64 `json:"errors"`
	Warnings uint64 `json:"warnings"`
	Notes    uint64 `json:"notes"`
	// Known is the number of findings that were left out because they are known.
	Known uint64 `json:"known"`
	// Counts are the numbers of all findings that are not known, by condition and location.
	Counts []Count `json:"counts"`
	// Findings are the first ones of each condition.
	Findings []Finding `json:"findings"`

	codes []codeCount
}

// Count is how often a condition is broken on a location.
type Count struct {
	Rule     string `json:"rule"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	// Location is what people call the location, null for definitions; LocationID is its id.
	Location   *string `json:"location"`
	LocationID *uint64 `json:"location_id"`
	Count      uint64  `json:"count"`
}

// Finding is one place where a condition is broken.
type Finding struct {
	Rule     string `json:"rule"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	// Location, LocationID, Event and the times are those of the event; null for definitions. Event is the number that pando cat takes; it is null where
	// something is missing behind all events of the location.
	Location   *string `json:"location"`
	LocationID *uint64 `json:"location_id"`
	Event      *uint64 `json:"event"`
	TimeNs     *int64  `json:"time_ns"`
	TimeTicks  *int64  `json:"time_ticks"`
	// Stack are the regions that are open at the event, the outermost one first.
	Stack []string `json:"stack"`
	// Message is a sentence for people.
	Message string `json:"message"`
	// Values are what the sentence is made of.
	Values []Value `json:"values"`
}

// Value is something that is known of a finding.
type Value struct {
	Name string `json:"name"`
	// Number is the number itself: an id, a rank, an instant since the trace's first event in ticks, a duration in ticks, bytes.
	Number int64 `json:"number"`
	// Text is how people write it: a name, or a time with its unit.
	Text string `json:"text"`
}

// codeCount is how often a condition is broken.
type codeCount struct {
	code       check.Code
	severity   check.Severity
	count      uint64
	locations  int
	onLocation string // of one
}

// Find checks a trace.
func Find(ctx context.Context, q *Question) (*Report, error) {
	x, err := check.Of(ctx, q.Source, q.Options)
	if err != nil {
		return nil, err
	}
	t := newText(q.Source.Meta(), x)
	r := &Report{Trace: q.Name, TicksPerSecond: t.perSecond, Events: x.Events, Locations: len(x.Locations), Counts: []Count{}, Findings: []Finding{}}
	known := q.Known.match(x, t)
	r.Known = known.findings
	for i := range x.Counts {
		if c := &x.Counts[i]; !known.has(c.Code, c.Location) {
			r.count(c, t)
		}
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		if at := t.locationOf(f); !known.has(f.Code, at) {
			r.Findings = append(r.Findings, t.finding(f))
		}
	}
	return r, nil
}

// count adds a count.
func (r *Report) count(c *check.Count, t *text) {
	e := Count{Rule: c.Code.Rule().String(), Code: c.Code.String(), Severity: c.Severity.String(), Count: c.N}
	if c.Location != trace.Undefined {
		label := t.label(c.Location)
		e.Location, e.LocationID = &label, &c.Location
	}
	r.Counts = append(r.Counts, e)
	*map[check.Severity]*uint64{check.Error: &r.Errors, check.Warning: &r.Warnings, check.Note: &r.Notes}[c.Severity] += c.N
	if n := len(r.codes); n == 0 || r.codes[n-1].code != c.Code || r.codes[n-1].severity != c.Severity {
		r.codes = append(r.codes, codeCount{code: c.Code, severity: c.Severity})
	}
	of := &r.codes[len(r.codes)-1]
	of.count += c.N
	if of.locations++; e.Location != nil {
		of.onLocation = *e.Location
	}
}

// Write writes the report as text, JSON or SARIF.
func (r *Report) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	return r.writeText(w)
}
