package viewing

import (
	"bufio"
	"io"
	"iter"
	"slices"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/serve/asked"
	"github.com/pandotrace/pando/trace"
)

// findBytes is the memory for the longest calls, and for what is put in order, in bytes.
const findBytes = 8 << 20

// maxFound is the largest number of calls or events that one answer has.
const maxFound = 10_000

// Orders are those in which calls and events can be found.
var Orders = []string{"after", "before", "longest", "unmatched"}

// At answers which calls are open on a location at a time: what `pando stack --json` prints.
func (q *Question) At() (Answer, error) {
	ids, err := q.Trace.Reader.LocationIDs()
	if err != nil {
		return Answer{}, err
	}
	if len(ids) == 0 {
		return Answer{}, asked.Bad("the trace has no locations")
	}
	location, err := q.ID("location", ids[0])
	if err != nil {
		return Answer{}, err
	}
	if !slices.Contains(ids, location) {
		return Answer{}, asked.Bad("location=%d: there is none", location)
	}
	text, err := q.Text("t")
	if err != nil {
		return Answer{}, err
	}
	axis := q.Trace.Reader.TimeAxis()
	t := axis.First()
	if text != "" {
		if t, err = axis.ParseTime(text); err != nil {
			return Answer{}, asked.Bad("t: %v", err)
		}
	}
	return q.listing(Answer{Events: q.sliceEvents()}, nil, func(l *report.Listing) error {
		calls, err := q.Trace.Reader.CallStack(location, t)
		if err != nil {
			return err
		}
		return l.Stack(calls)
	}), nil
}

// listing returns the answer that consists of lines.
func (q *Question) listing(a Answer, p *Part, list func(*report.Listing) error) Answer {
	a.Type = Lines
	a.Write = func(to io.Writer) error {
		out, opt := bufio.NewWriter(to), report.ListOptions{Format: report.JSON}
		if p != nil {
			opt.Window = p.Window
		}
		if err := list(report.NewListing(out, q.Trace, opt)); err != nil {
			return err
		}
		return out.Flush()
	}
	return a
}

// Find answers which calls or events come next, came before, or are the longest: what `pando find --json` prints.
func (q *Question) Find() (Answer, error) {
	p, err := q.Part()
	if err != nil {
		return Answer{}, err
	}
	limit, err := q.Number("limit", 1, 1, maxFound)
	if err != nil {
		return Answer{}, err
	}
	order, err := q.OneOf("order", Orders...)
	if err != nil {
		return Answer{}, err
	}
	if err := q.longEnough(&p); err != nil {
		return Answer{}, err
	}
	list := q.calls(&p, order, int(limit))
	if len(q.Query["kind"]) > 0 {
		if list, err = q.events(&p, order, int(limit)); err != nil {
			return Answer{}, err
		}
	}
	return q.listing(Answer{Events: p.Events, Bytes: findBytes}, &p, list), nil
}

// longEnough narrows the window to calls of a least duration.
func (q *Question) longEnough(p *Part) error {
	ticks, text, err := q.duration("min_duration")
	if text != "" && err == nil {
		p.Window = p.WithMinDuration(ticks)
	}
	return err
}

// duration returns a parameter that is a duration, in ticks and as it was given: "" if it was not.
func (q *Question) duration(name string) (ticks int64, text string, err error) {
	if text, err = q.Text(name); err != nil || text == "" {
		return 0, "", err
	}
	axis := q.Trace.Reader.TimeAxis()
	if ticks, err = axis.ParseDuration(text); err != nil {
		err = asked.Bad("%s: %v", name, err)
	}
	return ticks, text, err
}

// firstOf yields the first n of a list.
func firstOf[T any](all iter.Seq2[T, error], n int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		left := n
		for v, err := range all {
			if left--; !yield(v, err) || err != nil || left == 0 {
				return
			}
		}
	}
}

func (q *Question) calls(p *Part, order string, limit int) func(*report.Listing) error {
	return func(l *report.Listing) error {
		switch order {
		case "before":
			return l.Calls(firstOf(p.CallsByStartBackward(), limit))
		case "longest":
			longest, err := p.LongestCalls(limit)
			if err != nil {
				return err
			}
			return l.Calls(func(yield func(trace.Call, error) bool) {
				for i := 0; i < len(longest) && yield(longest[i], nil); i++ {
				}
			})
		case "unmatched":
			return l.Events("unmatched ends of messages", firstOf(p.UnmatchedMessageEnds(), limit))
		}
		return l.Calls(firstOf(p.CallsByStart(), limit))
	}
}

func (q *Question) events(p *Part, order string, limit int) (func(*report.Listing) error, error) {
	kind, err := q.Text("kind")
	if err != nil {
		return nil, err
	}
	all := q.Trace.Meta().Table().All()
	at := slices.IndexFunc(all, func(s *trace.Spec) bool { return s.Name == kind })
	if at < 0 {
		return nil, asked.Bad("kind=%s: there are no such events", kind)
	}
	w := p.WithKinds(all[at].ID)
	switch order {
	case "after":
		return func(l *report.Listing) error { return l.Events("events", firstOf(w.Events(), limit)) }, nil
	case "before":
		return func(l *report.Listing) error { return l.Events("events", firstOf(w.EventsBackward(), limit)) }, nil
	}
	return nil, asked.Bad("order=%s: events are found after or before a time", order)
}
