package waits

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// text turns what was found into what people read.
type text struct {
	trace       *report.Trace
	definitions *trace.Definitions
	result      *waits.Result
	perSecond   uint64
	first       int64   // time of the trace's first event
	whole       float64 // the time of all locations in the window, in ticks
}

func newText(q *Question, x *waits.Result) text {
	return text{q.Trace, x.Paths.Definitions(), x, q.Trace.Meta().Resolution, q.Trace.Info().First, float64(x.To-x.From) * float64(len(x.Locations))}
}

func (t *text) label(location uint64) string { return t.trace.Label(location) }

func (t *text) ns(ticks int64) int64 { return trace.Nanoseconds(ticks, t.perSecond) }

// since returns a time since the first event.
func (t *text) since(ticks int64) (ns, since int64) { return t.ns(ticks - t.first), ticks - t.first }

func (t *text) duration(ticks int64) string {
	return report.Duration(float64(ticks) / float64(t.perSecond))
}

func (t *text) span() Span {
	s := Span{Trace: t.trace.Path, TicksPerSecond: t.perSecond}
	s.FromNs, s.FromTicks = t.since(t.result.From)
	s.ToNs, s.ToTicks = t.since(t.result.To)
	return s
}

func (t *text) sum(x *waits.Tally) Sum {
	s := Sum{Count: x.Waits, Ns: t.ns(x.Ticks), Ticks: x.Ticks, LongestNs: t.ns(x.Longest), LongestTicks: x.Longest}
	if t.whole > 0 {
		s.Share = Share(float64(x.Ticks) / t.whole)
	}
	if x.Waits > 0 {
		s.LongestAtNs, s.LongestAtTicks = t.since(x.LongestAt)
	}
	return s
}

// String returns the share in percent.
func (s Share) String() string { return strconv.FormatFloat(100*float64(s), 'f', 1, 64) + " %" }

// notes are the sentences about what is odd or not known; some are of waits alone.
func (t *text) notes(ofWaits bool) []string {
	notes := []string{}
	say := func(so bool, format string, args ...any) {
		if so {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	c, info := &t.result.Counts, t.trace.Info()
	messages := info.Has(trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv)
	operations := info.Has(trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveComplete)
	switch {
	case info.Events == 0:
		say(true, "the trace has no events")
	case len(t.result.Locations) == 1:
		say(true, "the trace has one location: there is none that it could wait for")
	case !messages && !operations:
		say(true, "the trace records no messages and no collective operations: nothing is known of who waited for whom")
	case c.Messages+c.Operations == 0:
		say(true, "no message and no collective operation lies in the window")
	case !operations:
		say(ofWaits, "the trace records no collective operations: waits at them are not known")
	case !messages:
		say(ofWaits, "the trace records no messages: late senders and receivers are not known")
	}
	say(info.Has(trace.KindThreadFork, trace.KindOmpFork, trace.KindThreadTeamBegin), "waits of threads at barriers and locks are not looked for")
	say(c.Backward > 0, "%s received before being sent, by up to %s: the clocks of locations disagree", be(c.Backward, "message is", "messages are"), t.duration(c.WorstBackward))
	say(c.Clamped > 0, "%s after the call that waited had been left, which cannot be: the clocks disagree, and the time of the wait is an upper bound", be(c.Clamped, "partner came", "partners came"))
	say(c.UnmatchedSends > 0, "%s no receive: how long they waited is not known", be(c.UnmatchedSends, "send has", "sends have"))
	say(c.UnmatchedReceives > 0, "%s no send", be(c.UnmatchedReceives, "receive has", "receives have"))
	say(c.Bare > 0, "%s outside of calls of communication: whether they waited is not known", be(c.Bare, "end of a message lies", "ends of messages lie"))
	say(c.MixedRoots > 0, "%s different roots on different locations: each waits for the one that it names", be(c.MixedRoots, "collective operation has", "collective operations have"))
	say(c.MixedKinds > 0, "%s not the same on all locations: no wait is known of them", be(c.MixedKinds, "collective operation is", "collective operations are"))
	say(c.Incomplete > 0, "in %s some ranks take no part that was recorded: they may be who came last", report.Plural(c.Incomplete, "collective operation", "collective operations"))
	return notes
}

func be(n uint64, one, many string) string { return report.Plural(n, one, many) }

func (r *Report) writeText(to io.Writer) error {
	w := &report.Printer{To: to}
	t := &r.text
	fmt.Fprintf(w, "%s: %s, %s; ", report.Printable(r.Trace), report.Plural(r.Locations, "location", "locations"), t.duration(r.ToTicks-r.FromTicks))
	if r.Waits.Count == 0 {
		fmt.Fprintln(w, "no waits")
	} else {
		fmt.Fprintf(w, "they wait for each other %s of %s, %s\n", t.duration(r.Waits.Ticks), report.Duration(t.whole/float64(t.perSecond)), r.Waits.Share)
	}
	r.kindsText(w)
	r.rowsText(w)
	r.lateText(w)
	if r.OmittedRows > 0 {
		fmt.Fprintf(w, "\nleft out by --limit: %s\n", report.Plural(r.OmittedRows, "row", "rows"))
	}
	writeNotes(w, r.Notes)
	return w.Err
}

func (r *Report) kindsText(w io.Writer) {
	if len(r.Kinds) < 2 {
		return
	}
	var list []string
	for i := range r.Kinds {
		k := &r.Kinds[i]
		list = append(list, fmt.Sprintf("%s %s", k.Kind, r.text.duration(k.Ticks)))
	}
	fmt.Fprintf(w, "  %s\n", strings.Join(list, ", "))
}

func (r *Report) rowsText(w io.Writer) {
	if len(r.Rows) == 0 {
		return
	}
	fmt.Fprintln(w, "\nwaits by call path")
	report.WriteTable(w, []string{"time", "share", "waits", "longest", "at", "kind", "waiting", "for", "call path"},
		[]bool{true, true, true, true, true, false, false, false, false}, func(yield func([]string) bool) {
			for i := range r.Rows {
				x := &r.Rows[i]
				if !yield(append(r.cells(&x.Sum), x.Kind, most(x.On, x.Ticks), most(x.For, x.Ticks), report.Cell(joined(x.Path)))) {
					return
				}
			}
		})
}

// cells are those of a sum.
func (r *Report) cells(s *Sum) []string {
	t := &r.text
	return []string{t.duration(s.Ticks), s.Share.String(), report.Grouped(s.Count), t.duration(s.LongestTicks), t.duration(s.LongestAtTicks)}
}

// most names the locations with the largest parts of a time.
func most(parts []Part, whole int64) string {
	const named, small = 2, 0.1
	sums := map[string]int64{}
	var order []string
	for i := range parts {
		if sums[parts[i].Location] == 0 {
			order = append(order, parts[i].Location)
		}
		sums[parts[i].Location] += parts[i].Ticks
	}
	slices.SortStableFunc(order, func(a, b string) int { return int(max(-1, min(1, sums[b]-sums[a]))) })
	var list []string
	for i, name := range order {
		share := float64(sums[name]) / float64(whole)
		if i > 0 && (i == named || share < small) {
			return strings.Join(list, ", ") + fmt.Sprintf(", %d more", len(order)-i)
		}
		list = append(list, fmt.Sprintf("%s %.0f %%", report.Cell(name), 100*share))
	}
	return strings.Join(list, ", ")
}

// lateText writes who came late.
func (r *Report) lateText(w io.Writer) {
	if len(r.Late) == 0 {
		return
	}
	fmt.Fprintln(w, "\nwho came late, for each message or operation")
	report.WriteTable(w, []string{"late by", "times", "longest", "at", "location", "kind"}, []bool{true, true, true, true, false, false}, func(yield func([]string) bool) {
		for i := range r.Late {
			l := &r.Late[i]
			var kinds []Part
			for _, k := range l.Kinds {
				kinds = append(kinds, Part{Location: k.Kind, Sum: k.Sum})
			}
			c := r.cells(&l.Sum)
			if !yield([]string{c[0], c[2], c[3], c[4], report.Cell(l.Location), most(kinds, l.Ticks)}) {
				return
			}
		}
	})
}

func writeNotes(w io.Writer, notes []string) {
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, n := range notes {
		fmt.Fprintf(w, "note: %s\n", report.Printable(n))
	}
}
