package findings

import (
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/trace"
)

// UserRule is what findings have as their rule that break one of who asks. Their code is the name of that rule, or its text.
const UserRule = "user"

// found is all that was found, before what is known is left out. what says what the condition of each count is.
type found struct {
	counts   []Count
	what     []string
	findings []Finding
}

// add adds what package check found.
func (a *found) add(x *check.Result, t *text) {
	for i := range x.Counts {
		c := &x.Counts[i]
		a.count(Count{Rule: c.Code.Rule().String(), Code: c.Code.String(), Severity: c.Severity.String(), Count: c.N}, c.Location, c.Code.What(), t)
	}
	for i := range x.Findings {
		a.findings = append(a.findings, t.finding(&x.Findings[i]))
	}
}

// addBroken adds what breaks rules of who asks.
func (a *found) addBroken(x *rules.Result, t *text) {
	for i := range x.Counts {
		c := &x.Counts[i]
		a.count(Count{Rule: UserRule, Code: c.Rule.Code(), Severity: c.Rule.Severity.String(), Count: c.N}, c.Location, whatOf(c.Rule), t)
	}
	for i := range x.Findings {
		a.findings = append(a.findings, t.broken(&x.Findings[i]))
	}
}

// count adds a count on a location, trace.Undefined for none.
func (a *found) count(c Count, location uint64, what string, t *text) {
	if location != trace.Undefined {
		label := t.label(location)
		c.Location, c.LocationID = &label, &location
	}
	a.counts, a.what = append(a.counts, c), append(a.what, what)
}

// whatOf says what a rule wants. One without a name is called so already.
func whatOf(r *rules.Rule) string {
	if r.Name == "" {
		return "the condition is false"
	}
	return r.Text()
}

// broken turns a row that breaks a rule into a finding of a report.
func (t *text) broken(f *rules.Finding) Finding {
	o := Finding{Rule: UserRule, Code: f.Rule.Code(), Severity: f.Rule.Severity.String(), Stack: []string{}, Values: []Value{}}
	if f.Location != trace.Undefined {
		label := t.label(f.Location)
		o.Location, o.LocationID = &label, &f.Location
	}
	if f.HasTime {
		ticks := f.Time - t.first
		ns := trace.Nanoseconds(ticks, t.perSecond)
		o.TimeTicks, o.TimeNs = &ticks, &ns
	}
	if f.Event != trace.Undefined {
		o.Event = &f.Event
	}
	for _, region := range f.Stack {
		o.Stack = append(o.Stack, t.region(region))
	}
	var parts []string
	for i := range f.Values {
		v := columnValue(&f.Values[i])
		o.Values = append(o.Values, v)
		parts = append(parts, strings.TrimSuffix(v.Name, "_ns")+" "+v.Text)
	}
	o.Message = strings.Join(parts, ", ")
	return o
}

// columnValue turns what a row has in a column into a value of a report.
func columnValue(v *rules.Value) Value {
	o := Value{Name: v.Column.Name}
	switch {
	case v.Null:
		o.Text = "null"
		return o
	case v.Type == rule.Text:
		o.Text = v.Text
		return o
	case v.Type == rule.Float:
		o.Text = strconv.FormatFloat(v.Float, 'g', -1, 64)
		return o
	case v.Type == rule.Bool:
		o.Text = strconv.FormatBool(v.Int != 0)
	case v.Column.Unit == "ns":
		o.Text = report.Duration(float64(v.Int) / 1e9)
	case v.Column.Unit == "bytes":
		o.Text = report.Size(v.Int)
	default:
		o.Text = strconv.FormatInt(v.Int, 10)
	}
	n := v.Int
	o.Number = &n
	return o
}
