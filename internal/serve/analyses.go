package serve

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/catalogue"
	"github.com/pandotrace/pando/internal/report/queries"
	"github.com/pandotrace/pando/internal/report/tables"
)

// analysisTable sends a table of an analysis of a window.
func (s *Server) analysisTable(r *request, a *tables.Analysis) error {
	name := r.PathValue("table")
	w, opt, err := s.rows(r)
	if err != nil {
		return err
	}
	if err := r.needs(work{events: w.events, bytes: analysisMemory}); err != nil {
		return err
	}
	r.held = heldBytes
	set, err := a.Make(r.Context(), tables.Question{Trace: r.trace, Window: w.Window, Memory: analysisMemory}, []string{name})
	if err != nil {
		return tooLarge(err)
	}
	return r.sendTable(set, opt)
}

// tooLarge is the error about an answer that takes more memory than a question may have; other errors stay as they are.
func tooLarge(err error) error {
	if errors.Is(err, memory.ErrExceeded) {
		return &failure{413, err.Error() + ": ask for a shorter window, or fewer locations"}
	}
	return err
}

// sendTable sends the only table of a set.
func (r *request) sendTable(set *tables.Set, opt columnar.Options) error {
	t := set.Tables[0]
	if opt.Columns != nil {
		if _, err := t.Choose(opt.Columns); err != nil {
			return bad("columns=%s: %v", strings.Join(opt.Columns, ","), err)
		}
	}
	r.describeTable(t.Name, &opt)
	return r.stream(func(out io.Writer) error {
		f, err := set.Write(r.Context(), out, t, opt)
		if err == nil && opt.Limit > 0 {
			r.out.Header().Set(moreRows, strconv.FormatBool(f.More))
		}
		return tooLarge(err)
	})
}

// rows reads the parameters that select the part of the trace and the form of a table.
func (s *Server) rows(r *request) (w window, opt columnar.Options, err error) {
	if w, err = s.window(r); err == nil {
		opt, err = s.rowOptions(r)
	}
	return w, opt, err
}

// rowOptions reads the parameters that select the form of a table.
func (s *Server) rowOptions(r *request) (opt columnar.Options, err error) {
	format, err := r.text("format")
	if err != nil {
		return opt, err
	}
	if opt.Format, err = tableFormat(format); err != nil {
		return opt, err
	}
	if opt.MaxRows, err = r.number("max_rows", s.options.MaxRows, 1, s.options.MaxRows); err != nil {
		return opt, err
	}
	if opt.Limit, err = r.number("limit", 0, 1, math.MaxInt64); err != nil {
		return opt, err
	}
	opt.Columns, err = r.list("columns")
	return opt, err
}

// queryParameters are the flags of pando query.
var queryParameters = []parameter{
	{"table", "the table that is asked (default calls)"},
	{"where", "a condition: duration > 1ms && name startsWith \"MPI_\""},
	{"by", "group rows by these expressions, with commas between them"},
	{"show", "what is shown of rows, or of groups: count(), sum(x), mean(x), min(x), max(x), median(x), p99(x)"},
	{"sort", "columns of the answer to sort by, with commas between them; -COLUMN falls"},
	rowParameters[0], limitParameter, rowParameters[3],
}

// ask answers a query of a table.
func (s *Server) ask(r *request) error {
	w, opt, err := s.rows(r)
	if err != nil {
		return err
	}
	q := queries.Question{Limit: opt.Limit, Memory: analysisMemory}
	opt.Limit = 0 // the query has it
	for name, into := range map[string]*string{"table": &q.Table, "where": &q.Where, "by": &q.By, "show": &q.Show, "sort": &q.Sort} {
		if *into, err = r.text(name); err != nil {
			return err
		}
	}
	if q.Table == "" {
		q.Table = "calls"
	}
	p, err := q.Plan(r.Context(), r.trace, w.Window)
	if err != nil {
		return wrongQuery(err)
	}
	events, keeps, err := p.Touches()
	if err != nil {
		return err
	}
	w.events = events
	need := tableWork(w, &opt)
	if keeps {
		need.bytes += analysisMemory
	}
	if err := r.needs(need); err != nil {
		return err
	}
	r.describeTable(q.Table, &opt)
	r.held = heldBytes
	return r.stream(func(out io.Writer) error {
		return wrongQuery(queries.WriteTable(r.Context(), out, p, r.trace.Meta(), opt.Format, opt.MaxRows))
	})
}

// wrongQuery gives errors of queries their statuses.
func wrongQuery(err error) error {
	switch {
	case queries.IsUsage(err):
		return bad("%v", err)
	case queries.IsTooLarge(err):
		return &failure{413, err.Error()}
	}
	return err
}

// allTables lists all tables of a trace: those of the file, and those of analyses.
func allTables() (list []table.Schema) {
	list = columnar.Tables()
	for _, a := range catalogue.Analyses {
		list = append(list, a.Schemas()...)
	}
	return list
}
