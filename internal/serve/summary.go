package serve

import (
	"errors"
	"io"
	"strings"

	"github.com/pandotrace/pando/internal/report"
)

// summaryParameters are the parameters of a summary.
var summaryParameters = join(windowParameters, regionParameter,
	parameter{"by", "one row for each of these: " + strings.Join(report.SummaryKinds(), ", ") + " (default region)"},
	parameter{"sort", "order by this column, the largest first; names in their order"},
	limitParameter,
	parameter{"depth", "with by=callpath: paths of at most this number of calls"},
	parameter{"min_share", "with by=callpath: paths of at least this part of all time, from 0 to 1"},
	parameter{"format", "json (default) or csv; with by=callpath also the whole call tree as folded, pprof, speedscope, hatchet or svg"})

func (s *Server) summary(r *request) error {
	w, err := s.window(r)
	if err != nil {
		return err
	}
	opt := report.SummaryOptions{Locations: w.locations}
	if opt.By, err = r.text("by"); err != nil {
		return err
	}
	if opt.Sort, err = r.text("sort"); err != nil {
		return err
	}
	limit, err := r.number("limit", 0, 1, 1<<31)
	if err != nil {
		return err
	}
	opt.Top = int(limit)
	write, media, err := r.summaryFormat(opt.By)
	if err != nil {
		return err
	}
	if err := r.callPaths(&opt); err != nil {
		return err
	}
	if len(w.regions) > 0 && !report.SummaryHasCalls(opt.By) {
		return bad("region selects calls, of which by=%s has none", opt.By)
	}
	if err := r.needs(summaryWork(w, opt.By)); err != nil {
		return err
	}
	answer, err := report.NewSummary(r.trace, w.Window, opt)
	var option *report.OptionError
	if errors.As(err, &option) {
		return bad("%s=%s: %s", option.Option, option.Value, option.Reason)
	}
	if err != nil {
		return err
	}
	r.out.Header().Set("Content-Type", media)
	return r.stream(func(to io.Writer) error { return write(answer, to) })
}

// summaryFormat returns what writes a kind of summary in its format, and the format's media type.
func (r *request) summaryFormat(by string) (write func(*report.Summary, io.Writer) error, media string, err error) {
	table := func(f report.Format) func(*report.Summary, io.Writer) error {
		return func(s *report.Summary, to io.Writer) error { return s.Write(to, f) }
	}
	name, err := r.text("format")
	switch {
	case err != nil:
		return nil, "", err
	case name == "csv":
		return table(report.CSV), tableFormats[name].media, nil
	case name == "" || name == "json":
		return table(report.JSON), jsonType, nil
	case by == report.ByCallPath:
		return stackFormat(name)
	}
	return nil, "", bad("format=%s: a summary can be json or csv", name)
}
