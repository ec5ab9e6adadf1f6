package findings

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// text turns what was found into what people read.
type text struct {
	meta      *trace.Meta
	defs      *trace.Definitions
	perSecond uint64
	first     int64 // time of the trace's first event
	labels    map[uint64]string
}

func newText(m *trace.Meta, x *check.Result) *text {
	t := &text{meta: m, defs: x.Definitions, perSecond: m.Resolution, first: x.First, labels: map[uint64]string{}}
	for _, p := range x.Definitions.Places(x.Locations) {
		t.labels[p.Location] = p.Label
	}
	return t
}

// label returns how people call a location.
func (t *text) label(location uint64) string {
	if label, ok := t.labels[location]; ok {
		return label
	}
	return fmt.Sprintf("location %d", location)
}

func (t *text) duration(ticks int64) string {
	return report.Duration(float64(ticks) / float64(t.perSecond))
}

// name returns the name of a definition, or its number if it has none.
func (t *text) name(space trace.Space, id uint64) string {
	if name := t.defs.Name(space, id); name != "" {
		return name
	}
	return fmt.Sprintf("#%d", id)
}

// region returns the name of a region.
func (t *text) region(id uint64) string {
	if name := t.defs.RegionName(id); name != "" {
		return name
	}
	return trace.RegionNumber(id)
}

// defining returns the name of the first kind of definitions whose ids are in a space.
func (t *text) defining(space trace.Space) string {
	for _, s := range t.meta.Table().All() {
		if slices.ContainsFunc(s.Fields, func(f trace.Field) bool { return f.Type == trace.TypeSelf && f.Ref == space }) {
			return s.Name
		}
	}
	return "definition"
}

// finding turns a finding into that of a report.
func (t *text) finding(f *check.Finding) Finding {
	o := Finding{Rule: f.Code.Rule().String(), Code: f.Code.String(), Severity: f.Severity.String(), Stack: []string{}, Values: []Value{}}
	if f.At.Location != trace.Undefined {
		label := t.label(f.At.Location)
		o.Location, o.LocationID = &label, &f.At.Location
	}
	if f.HasEvent {
		ticks := f.At.Time - t.first
		ns := trace.Nanoseconds(ticks, t.perSecond)
		o.TimeTicks, o.TimeNs = &ticks, &ns
		if f.At.Ordinal != trace.Undefined {
			o.Event = &f.At.Ordinal
		}
	}
	for _, region := range f.Stack {
		o.Stack = append(o.Stack, t.region(region))
	}
	for _, v := range f.Values {
		o.Values = append(o.Values, t.value(&v))
	}
	o.Message = message(f.Code, o.Values)
	return o
}

// value turns a value into that of a report.
func (t *text) value(v *check.Value) Value {
	number := int64(v.Number)
	o := Value{Name: v.Name, Number: &number}
	switch v.Kind {
	case check.Region:
		o.Text = t.region(v.Number)
	case check.Location:
		o.Text = t.label(v.Number)
	case check.Communicator:
		o.Text = t.name(trace.SpaceComm, v.Number)
	case check.Operation:
		o.Text = trace.EnumCollectiveOp.Format(v.Number)
	case check.Rank:
		if o.Text = fmt.Sprintf("rank %d", v.Number); trace.IsUndefined(v.Number) {
			o.Text = "none"
		}
	case check.Instant:
		number -= t.first
		o.Text = t.duration(number)
	case check.Duration:
		o.Text = t.duration(number)
	case check.Bytes:
		o.Text = report.Size(number)
	case check.Kind:
		o.Text = trace.Kind(v.Number).String()
	case check.Space:
		o.Text = t.defining(trace.Space(v.Number))
	default:
		o.Text = fmt.Sprint(v.Number)
	}
	return o
}

// sentences are what is said of a finding, by its code. {name} stands for a value. Without one of its own, the condition is said.
var sentences = map[check.Code]string{
	check.LostLeave:                "{region}, entered at {entered}, is still open when {left} is left",
	check.LostEnter:                "{region} is left, and is not open",
	check.OpenCall:                 "{region} is open at the end of the trace",
	check.TimeDecreases:            "earlier than the event before, which is at {before}",
	check.OutsideClock:             "outside of the time of the trace, {from} to {to}",
	check.OffsetOutOfOrder:         "an offset of its clock was measured at {local} of its own ticks, the one before at {before}",
	check.ClockDrifts:              "the offset of its clock changes by {change} in {elapsed}",
	check.ReceivedBeforeSent:       "message of {other_location} (tag {tag}) is received {early} too early",
	check.TeamOutsideFork:          "a thread works in a team while its process has not forked",
	check.LeftBeforeAll:            "{operation} on {communicator} is left {early} before {waits_for} enters",
	check.UnmatchedSend:            "message to {peer} of {communicator} (tag {tag}, {bytes}) is never received",
	check.UnmatchedReceive:         "message of {peer} of {communicator} (tag {tag}, {bytes}) was never sent",
	check.LongerThanSent:           "message of {other_location} (tag {tag}) has {received}, {sent} were sent",
	check.UnknownPeer:              "{peer} is none of {communicator}",
	check.SendNeverCompleted:       "send of request {request} is never completed",
	check.ReceiveNeverCompleted:    "receive of request {request} is never completed",
	check.CollectiveNeverCompleted: "operation of request {request} is never completed",
	check.UnknownRequest:           "request {request} is not under way",
	check.RequestInUse:             "request {request} is under way since {begun}",
	check.MissingPart:              "{rank} of {communicator} takes no part in {operation}, operation {number} of the communicator",
	check.OtherOperation:           "{operation} where others do {expected}, operation {number} of {communicator}",
	check.OtherRoot:                "{operation} with root {root} where others have {expected}, operation {number} of {communicator}",
	check.NotAMember:               "{operation} on {communicator}, which the location is not in",
	check.LostCollectiveBegin:      "{operation} ends, and was not begun",
	check.BarrierWithData:          "barrier on {communicator} with {sent} sent and {received} received",
	check.BroadcastDiffers:         "broadcast on {communicator} with {sent} sent and {received} received, and {expected} on other ranks",
	check.BytesOffRoot:             "{operation} on {communicator} with {received} received on a rank that is not the root",
	check.RootWithoutNeed:          "{operation} on {communicator} has a root, {root}, and needs none",
	check.NoRoot:                   "{operation} on {communicator} has no root",
	check.RootIsNoRank:             "{operation} on {communicator} has the root {root}, which it does not have",
	check.OtherNumberOfValues:      "metric {metric} has {values} values, its definition {members}",
	check.OtherType:                "member {member} of metric {metric} has a value of another type than its definition says",
	check.CounterDecreases:         "member {member} of metric {metric} adds up, and becomes less",
	check.OtherRecorder:            "metric {metric} is recorded here, its definition says by {recorder}",
	check.ScopeElsewhere:           "metric {metric} is about {scope_kind} {scope}, which {recorder} is no part of",
	check.Undefined:                "{space} {id} is not defined",
	check.DefinedTwice:             "{space} {id} is defined twice",
	check.LostOpening:              "{kind} without what it ends",
	check.NoCoordinates:            "{rank} of topology {topology} has no coordinates",
	check.OutsideGrid:              "coordinates of {rank} are not in topology {topology}",
	check.CoordinatesTwice:         "{rank} has the coordinates of {other} in topology {topology}",
}

// message returns the sentence of a finding.
func message(c check.Code, values []Value) string {
	sentence, ok := sentences[c]
	if !ok {
		return c.What()
	}
	var pairs []string
	for i := range values {
		pairs = append(pairs, "{"+values[i].Name+"}", values[i].Text)
	}
	return strings.NewReplacer(pairs...).Replace(sentence)
}

func (r *Report) writeText(to io.Writer) error {
	w := &report.Printer{To: to}
	fmt.Fprintf(w, "%s: %s on %s; ", report.Printable(r.Trace), report.Plural(r.Events, "event", "events"), report.Plural(r.Locations, "location", "locations"))
	fmt.Fprintln(w, r.verdict())
	if len(r.codes) > 0 {
		r.codesText(w)
		r.findingsText(w)
	}
	return w.Err
}

// verdict says in a few words what was found.
func (r *Report) verdict() string {
	var list []string
	for _, n := range []struct {
		count     uint64
		one, many string
	}{{r.Errors, "error", "errors"}, {r.Warnings, "warning", "warnings"}, {r.Notes, "note", "notes"}, {r.Known, "known finding", "known findings"}} {
		if n.count > 0 {
			list = append(list, report.Plural(n.count, n.one, n.many))
		}
	}
	if len(list) == 0 {
		return "nothing is wrong"
	}
	return strings.Join(list, ", ")
}

// codesText writes how often each condition is broken.
func (r *Report) codesText(w io.Writer) {
	fmt.Fprintln(w)
	report.WriteTable(w, []string{"count", "severity", "rule", "code", "where", "what"}, []bool{true, false, false, false, false, false}, func(yield func([]string) bool) {
		for i := range r.codes {
			c := &r.codes[i]
			where := "definitions"
			if c.rule == UserRule {
				where = "-"
			}
			if c.onLocation != "" {
				where = c.onLocation
			}
			if c.locations > 1 {
				where = report.Plural(c.locations, "location", "locations")
			}
			if !yield([]string{report.Grouped(c.count), c.severity, c.rule, report.Cell(c.code), report.Cell(where), report.Printable(c.what)}) {
				return
			}
		}
	})
}

// findingsText writes the first findings of each condition.
func (r *Report) findingsText(w io.Writer) {
	fmt.Fprintln(w, "\nthe first of each")
	report.WriteTable(w, []string{"at", "event", "location", "code", "what", "in"}, []bool{true, true, false, false, false, false}, func(yield func([]string) bool) {
		for i := range r.Findings {
			f := &r.Findings[i]
			at, event, location := "-", "-", "-"
			if f.TimeTicks != nil {
				at = report.Duration(float64(*f.TimeTicks) / float64(r.TicksPerSecond))
			}
			if f.Location != nil {
				location = report.Cell(*f.Location)
			}
			if f.Event != nil {
				event = report.Grouped(*f.Event)
			}
			if !yield([]string{at, event, location, report.Cell(f.Code), report.Printable(f.Message), report.Cell(strings.Join(f.Stack, " > "))}) {
				return
			}
		}
	})
}
