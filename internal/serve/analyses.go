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
	"github.com/pandotrace/pando/internal/report/tables"
)

// analysisTable sends a table of an analysis of a window.
func (s *Server) analysisTable(r *request, a *tables.Analysis) error {
	name := r.PathValue("table")
	w, err := s.window(r)
	if err != nil {
		return err
	}
	opt, err := s.rowOptions(r)
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

// allTables lists all tables of a trace: those of the file, and those of analyses.
func allTables() (list []table.Schema) {
	list = columnar.Tables()
	for _, a := range catalogue.Analyses {
		list = append(list, a.Schemas()...)
	}
	return list
}
