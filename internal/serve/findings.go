package serve

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/clusters"
	"github.com/pandotrace/pando/internal/report/folding"
	"github.com/pandotrace/pando/internal/report/hotspots"
	"github.com/pandotrace/pando/internal/report/merged"
	"github.com/pandotrace/pando/internal/report/waits"
)

// Parameters of analyses. They are the flags of the program's verbs.
var (
	byParameter       = parameter{"by", "what locations of a group have in common: " + strings.Join(clusters.Ways(), ", ") + " (default pairs); a lattice is of one of the first three"}
	findingsParameter = parameter{"limit", "at most this number of findings, or of rows of each list (default " + strconv.Itoa(hotspots.UsualFindings) + ")"}
	treeParameters    = []parameter{
		{"level", "pair calls of one region by their order (names), or by what they have inside (tree, the default)"},
		{"through", "a transparent region: what it calls stands in its place; may be repeated"},
		{"rename", "OLD=NEW gives a region another name; may be repeated"},
		{"nested", "true leaves recursions as they are"},
		{"structure", "true reads no times"},
		{"depth", "only this number of levels of calls"},
		{"min_share", "only places that take at least this part of the time, from 0 to 1"},
		{"limit", "at most this number of places, those with the most time"},
	}
	foldParameters = []parameter{
		regionParameter,
		{"by", "what is folded to a row: " + strings.Join(folding.Bys(), ", ") + " (default the first of process, node and all that folds any)"},
		{"select", "what a row shows of a pixel: " + strings.Join(folding.Selects(), ", ") + " (default idle)"},
		{"pixels", "parts that the window is divided into (default 1000)"},
		{"exact", "true reads all events of the window"},
		{"quick", "true tells bounds where only events tell when any location is in a call"},
	}
	hotspotParameters = []parameter{
		{"region", "segments are the calls of the region of this name"},
		{"group", "segments are rounds of the loop whose first call is of this region; any for any loop"},
		{"finer", "go this number of levels further inside"},
		findingsParameter,
	}
)

// analyse reads the part of the trace that an analysis is of, and waits until there is memory for it.
func (s *Server) analyse(r *request, p part) (window, error) {
	w, err := s.windowOf(r, r.trace, p)
	if err == nil {
		err = r.needs(work{events: w.events, bytes: analysisMemory})
	}
	return w, err
}

// sendReport sends an answer as JSON.
func (r *request) sendReport(answer interface {
	Write(io.Writer, report.Format) error
}) error {
	return r.stream(func(to io.Writer) error { return answer.Write(to, report.JSON) })
}

// clustering reads a question about groups of locations, or about a lattice.
func (s *Server) clustering(r *request, lattice bool) (q clusters.Question, err error) {
	p, err := r.part()
	if err != nil {
		return q, err
	}
	q.Memory = analysisMemory
	if q.By, err = r.text("by"); err != nil {
		return q, err
	}
	if q.Threshold, err = r.asked().Share("threshold"); err != nil {
		return q, err
	}
	if err := q.Parse(lattice); err != nil {
		return q, bad("%v", err)
	}
	w, err := s.analyse(r, p)
	q.From = []clusters.Source{{Trace: r.trace, Window: w.Window}}
	return q, err
}

func (s *Server) cluster(r *request) error {
	q, err := s.clustering(r, false)
	if err != nil {
		return err
	}
	answer, err := q.Groups(r.Context())
	if err != nil {
		return tooLarge(err)
	}
	return r.sendReport(answer)
}

func (s *Server) lattice(r *request) error {
	q, err := s.clustering(r, true)
	if err != nil {
		return err
	}
	answer, err := q.Lattice(r.Context())
	if err != nil {
		return tooLarge(err)
	}
	return r.sendReport(answer)
}

// callTree reads a question about a call tree, and what of the tree is wanted.
func (r *request) callTree() (q merged.Question, limits merged.Limits, err error) {
	q = merged.Question{Through: r.query["through"], Rename: r.query["rename"], Memory: analysisMemory}
	if q.Level, err = r.text("level"); err != nil {
		return q, limits, err
	}
	for name, into := range map[string]*bool{"nested": &q.Nested, "structure": &q.Structure} {
		if *into, err = r.truth(name); err != nil {
			return q, limits, err
		}
	}
	for name, into := range map[string]*int{"depth": &limits.Depth, "limit": &limits.Nodes} {
		n, err := r.number(name, 0, 1, math.MaxInt32)
		if err != nil {
			return q, limits, err
		}
		*into = int(n)
	}
	if limits.MinShare, err = r.asked().Share("min_share"); err != nil {
		return q, limits, err
	}
	if q.Structure && limits.MinShare > 0 {
		return q, limits, bad("structure=true reads no times, which min_share is of")
	}
	if err := q.Parse(); err != nil {
		return q, limits, bad("%v", err)
	}
	return q, limits, nil
}

func (s *Server) tree(r *request) error {
	q, limits, err := r.callTree()
	if err != nil {
		return err
	}
	p, err := r.part()
	if err != nil {
		return err
	}
	w, err := s.analyse(r, p)
	if err != nil {
		return err
	}
	q.Add(r.trace, r.book.name, w.Window)
	answer, err := q.Answer(r.Context())
	if unknown, ok := errors.AsType[*merged.RegionError](err); ok {
		return bad("through=%s: %v", unknown.Name, err)
	}
	if err != nil {
		return tooLarge(err)
	}
	answer.Limit(limits)
	return r.stream(func(to io.Writer) error { return answer.Write(to, report.JSON, false) })
}

func (s *Server) fold(r *request) error {
	p, err := r.part()
	if err != nil {
		return err
	}
	by, err := r.text("by")
	if err != nil {
		return err
	}
	how, err := r.text("select")
	if err != nil {
		return err
	}
	q, err := folding.Ask(r.trace, nil, by, how)
	if err != nil {
		return bad("%v", err)
	}
	pixels, err := r.number("pixels", int64(q.Pixels), 1, maxPixels)
	if err != nil {
		return err
	}
	for name, into := range map[string]*bool{"exact": &q.Exact, "quick": &q.Quick} {
		if *into, err = r.truth(name); err != nil {
			return err
		}
	}
	w, err := s.analyse(r, p)
	if err != nil {
		return err
	}
	q.Window, q.Pixels, q.Memory, r.held = w.Window, int(pixels), analysisMemory, heldBytes
	return r.stream(func(to io.Writer) error {
		err := tooLarge(q.JSON(r.Context(), to))
		if folding.IsUsage(err) {
			return bad("%v", err)
		}
		return err
	})
}

func (s *Server) hotspots(r *request) error {
	p, err := r.part()
	if err != nil {
		return err
	}
	p.regions = nil // the parameter is the name of one
	q := hotspots.Question{Trace: r.trace, Memory: analysisMemory}
	for name, into := range map[string]*string{"region": &q.Region, "group": &q.Group} {
		if *into, err = r.text(name); err != nil {
			return err
		}
	}
	finer, err := r.number("finer", 0, 1, math.MaxInt32)
	if err != nil {
		return err
	}
	limit, err := r.number("limit", hotspots.UsualFindings, 1, math.MaxInt32)
	if err != nil {
		return err
	}
	w, err := s.analyse(r, p)
	if err != nil {
		return err
	}
	q.Window, q.Finer, q.Limit = w.Window, int(finer), int(limit)
	answer, err := q.Answer(r.Context())
	if hotspots.IsUsage(err) {
		return bad("%v", err)
	}
	if err != nil {
		return tooLarge(err)
	}
	return r.sendReport(answer)
}

// waiting reads a question about waits, and the number of rows that are wanted.
func (s *Server) waiting(r *request) (q *waits.Question, limit int, err error) {
	p, err := r.part()
	if err != nil {
		return nil, 0, err
	}
	n, err := r.number("limit", hotspots.UsualFindings, 1, math.MaxInt32)
	if err != nil {
		return nil, 0, err
	}
	w, err := s.analyse(r, p)
	return &waits.Question{Trace: r.trace, Window: w.Window, Memory: analysisMemory}, int(n), err
}

func (s *Server) waits(r *request) error {
	q, limit, err := s.waiting(r)
	if err != nil {
		return err
	}
	answer, err := waits.Find(r.Context(), q)
	if err != nil {
		return tooLarge(err)
	}
	answer.Limit(limit)
	return r.sendReport(answer)
}

func (s *Server) criticalPath(r *request) error {
	q, limit, err := s.waiting(r)
	if err != nil {
		return err
	}
	answer, err := waits.Critical(r.Context(), q)
	if err != nil {
		return tooLarge(err)
	}
	answer.Limit(limit)
	return r.sendReport(answer)
}
