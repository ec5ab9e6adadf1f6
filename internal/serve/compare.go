package serve

import (
	"io"
	"strings"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/comparison/tables"
)

// compareParameters are the parameters of comparisons.
var compareParameters = []parameter{
	{"from", "begin of the window of both; of each, as in a:10s,b:12s"},
	{"to", "end of the window of both, or of each"},
	{"location", windowParameters[2].doc},
	{"match", "which locations belong together: by rank (default), name or cluster"},
	{"level", "how calls are aligned: " + strings.Join(comparison.Levels(), ", ") + " (default tree)"},
	{"through", "a transparent region: what it calls stands in its place; may be repeated"},
	{"rename", "OLD=NEW gives a region another name; may be repeated"},
	{"counter", "compare the growth of this counter in calls, too; may be repeated"},
	{"with", "messages compares sends and receives, too, by the distance to the peer"},
	{"nested", "true leaves recursions as they are"},
	{"structure", "true compares no times"},
}

// compareMemory bounds the memory of a comparison, in bytes.
const compareMemory = 64 << 20

// compare sends what differs between two traces.
func (s *Server) compare(r *request) error {
	limit, err := r.number("limit", 0, 1, 1<<31)
	if err != nil {
		return err
	}
	return s.comparing(r, func(q *comparison.Question) error {
		c, err := q.Compare(r.Context())
		if err != nil {
			return refused(err)
		}
		answer := comparison.New(c)
		answer.Limit(int(limit))
		return r.stream(func(to io.Writer) error { return answer.Write(to, report.JSON) })
	})
}

// comparedTable sends a table of what differs between two traces.
func (s *Server) comparedTable(r *request) error {
	name := r.PathValue("table")
	if err := tables.Check([]string{name}); err != nil {
		return notFound("%v", err)
	}
	opt, err := s.rowOptions(r)
	if err != nil {
		return err
	}
	return s.comparing(r, func(q *comparison.Question) error {
		set, err := tables.Of(r.Context(), q, []string{name})
		if err != nil {
			return refused(err)
		}
		return r.sendTable(set, opt)
	})
}

// refused is the error about a comparison that cannot be made.
func refused(err error) error {
	if option, ok := comparison.OptionOf(err); ok {
		return bad("%s=%s: %s", option.Option, option.Value, option.Reason)
	}
	return tooLarge(err)
}

// comparing opens the other trace for a question, as long as answer needs it.
func (s *Server) comparing(r *request, answer func(*comparison.Question) error) error {
	with := r.PathValue("with")
	flags, err := r.comparisonFlags()
	if err != nil {
		return err
	}
	other, err := s.library.take(with)
	if err != nil {
		return err
	}
	defer s.library.giveBack(other)
	q := comparison.Question{Flags: flags, Memory: compareMemory}
	need := work{bytes: compareMemory}
	for side, b := range []*book{r.book, other} {
		w, err := s.side(r, b, side, [2]string{r.PathValue("name"), with}[side], &q)
		if err != nil {
			return err
		}
		need.events += w.events
	}
	if err := r.needs(need); err != nil {
		return err
	}
	return answer(&q)
}

// side makes the part of a trace that is a side of a comparison.
func (s *Server) side(r *request, b *book, side int, name string, q *comparison.Question) (w window, err error) {
	t, err := report.NewTrace(b.reader.WithContext(r.Context()), name)
	if err != nil {
		return w, err
	}
	p, err := r.part()
	if err != nil {
		return w, err
	}
	p.from, p.to = comparison.PartOf(p.from, side), comparison.PartOf(p.to, side)
	if w, err = s.windowOf(r, t, p); err == nil {
		q.Sides[side] = comparison.Side{Name: name, Reader: t.Reader, Window: w.Window}
	}
	return w, err
}

// comparisonFlags reads the parameters that are flags of the verb.
func (r *request) comparisonFlags() (f comparison.Flags, err error) {
	f = comparison.Flags{Match: "rank", Level: "tree", Through: r.query["through"], Rename: r.query["rename"], Counters: r.query["counter"], With: r.query["with"]}
	for name, into := range map[string]*string{"match": &f.Match, "level": &f.Level} {
		text, err := r.text(name)
		if err != nil {
			return f, err
		}
		if text != "" {
			*into = text
		}
	}
	for name, into := range map[string]*bool{"nested": &f.Nested, "structure": &f.Structure} {
		if *into, err = r.truth(name); err != nil {
			return f, err
		}
	}
	if _, _, err := f.Parse(); err != nil {
		return f, bad("%v", err)
	}
	return f, nil
}
