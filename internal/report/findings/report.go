package findings

import (
	"context"
	"io"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Question is a trace that is to be checked.
type Question struct {
	// Name is the path of the trace.
	Name string
	// Source is what the rules of package check read, nil for none of them.
	Source  trace.Source
	Options check.Options
	// Rules are those of who asks, for the rows of a window of a file.
	Rules  []*rules.Rule
	Reader *store.Reader
	Window *store.Window
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
	rules []*rules.Rule
}

// Count is how often a condition is broken on a location.
type Count struct {
	Rule     string `json:"rule"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	// Location is what people call the location, null for definitions; LocationID is its id.
	Location   *string `json:"location_label"`
	LocationID *uint64 `json:"location"`
	Count      uint64  `json:"count"`
}

// Finding is one place where a condition is broken.
type Finding struct {
	Rule     string `json:"rule"`
	Code     string `json:"code"`
	Severity string `json:"severity"`
	// Location, LocationID, Event and the times are those of the event; null for definitions. Event is the number that pando cat takes; it is null where
	// something is missing behind all events of the location.
	Location   *string `json:"location_label"`
	LocationID *uint64 `json:"location"`
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
	// Number is the number itself: an id, a rank, an instant since the trace's first event in ticks, a duration in ticks, bytes. What a column of a table
	// has is in the column's unit. It is null for texts, for fractions, and where a column has nothing.
	Number *int64 `json:"number"`
	// Text is how people write it: a name, or a time with its unit.
	Text string `json:"text"`
}

// codeCount is how often a condition is broken.
type codeCount struct {
	rule, code, severity, what string
	count                      uint64
	locations                  int
	onLocation                 string // of one
}

// Find checks a trace.
func Find(ctx context.Context, q *Question) (*Report, error) {
	x, err := q.check(ctx)
	if err != nil {
		return nil, err
	}
	t := newText(q.meta(), x)
	r := &Report{Trace: q.Name, TicksPerSecond: t.perSecond, Events: x.Events, Locations: len(x.Locations), Counts: []Count{}, Findings: []Finding{}, rules: q.Rules}
	var all found
	all.add(x, t)
	if len(q.Rules) > 0 {
		broken, err := rules.Find(ctx, q.Reader, q.Window, q.Rules, rules.Options{Limit: q.Options.Limit, Progress: q.Options.Progress})
		if err != nil {
			return nil, err
		}
		all.addBroken(broken, t)
	}
	r.take(&all, q.Known)
	return r, nil
}

// check asks package check. If it is asked nothing, the answer says only what the trace has.
func (q *Question) check(ctx context.Context) (*check.Result, error) {
	if q.Source != nil {
		return check.Of(ctx, q.Source, q.Options)
	}
	ids, err := q.Reader.LocationIDs()
	if err != nil {
		return nil, err
	}
	defs, err := q.Reader.Definitions()
	info := q.Reader.Info()
	return &check.Result{Events: info.Events, Locations: ids, First: info.First, Last: info.Last, Definitions: defs}, err
}

func (q *Question) meta() *trace.Meta {
	if q.Source != nil {
		return q.Source.Meta()
	}
	return q.Reader.Meta()
}

// take takes up what was found and is not known.
func (r *Report) take(all *found, k *Known) {
	known := k.match(all)
	r.Known = known.findings
	for i := range all.counts {
		if c := &all.counts[i]; !known.has(c.Code, c.Location) {
			r.count(c, all.what[i])
		}
	}
	for i := range all.findings {
		if f := &all.findings[i]; !known.has(f.Code, f.Location) {
			r.Findings = append(r.Findings, *f)
		}
	}
}

// count adds a count. what says what the condition is.
func (r *Report) count(c *Count, what string) {
	r.Counts = append(r.Counts, *c)
	*map[string]*uint64{check.Error.String(): &r.Errors, check.Warning.String(): &r.Warnings, check.Note.String(): &r.Notes}[c.Severity] += c.Count
	if n := len(r.codes); n == 0 || r.codes[n-1].code != c.Code || r.codes[n-1].severity != c.Severity {
		r.codes = append(r.codes, codeCount{rule: c.Rule, code: c.Code, severity: c.Severity, what: what})
	}
	of := &r.codes[len(r.codes)-1]
	of.count += c.Count
	if of.locations++; c.Location != nil {
		of.onLocation = *c.Location
	}
}

// Write writes the report as text, JSON or SARIF.
func (r *Report) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	return r.writeText(w)
}
