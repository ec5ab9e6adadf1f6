package serve

import (
	"errors"
	"io"
	"strings"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/summary"
)

// summaryParameters are the parameters of a summary.
var summaryParameters = join(windowParameters, regionParameter,
	parameter{"by", "one row for each of these: " + strings.Join(summary.Kinds(), "; ") + " (default region)"},
	parameter{"times", "true adds how long messages and collective operations took, for which each of them is read"},
	parameter{"every", "make a series: the rows for each interval of this time"},
	parameter{"sort", "order by this column, the largest first; names in their order"},
	columnsParameter, limitParameter,
	parameter{"depth", "with by=callpath: paths of at most this number of calls"},
	parameter{"min_share", "with by=callpath: paths of at least this part of all time, from 0 to 1"},
	parameter{"format", "json (default) or csv; with by=callpath also the whole call tree as folded, pprof, speedscope, hatchet or svg"})

func (s *Server) summary(r *request) error {
	w, err := s.window(r)
	if err != nil {
		return err
	}
	opt := summary.Options{Locations: w.locations}
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
	opt.Limit = int(limit)
	if opt.Columns, err = r.list("columns"); err != nil {
		return err
	}
	write, media, err := r.summaryFormat(opt.By)
	if err != nil {
		return err
	}
	if len(w.regions) > 0 && !summary.HasCalls(opt.By) {
		return bad("region selects calls, of which by=%s has none", opt.By)
	}
	if err := r.callPaths(&opt.PathOptions); err != nil {
		return err
	}
	if err := r.series(w, &opt); err != nil {
		return err
	}
	answer, err := summary.New(r.trace, w.Window, opt)
	var option *summary.OptionError
	if errors.As(err, &option) {
		return bad("%s=%s: %s", option.Option, option.Value, option.Reason)
	}
	if err != nil {
		return err
	}
	r.out.Header().Set("Content-Type", media)
	return r.stream(func(to io.Writer) error { return write(answer, to) })
}

// series reads the parameters times and every, and asks for the work of the summary.
func (r *request) series(w window, opt *summary.Options) error {
	var err error
	if opt.Times, err = r.truth("times"); err != nil {
		return err
	}
	every, err := r.text("every")
	if err != nil {
		return err
	}
	need := summaryWork(w, opt.By)
	if opt.Times {
		need.events = w.events
	}
	if every != "" {
		axis := r.trace.TimeAxis()
		if opt.Every, err = axis.ParseDuration(every); err != nil {
			return bad("every: %s", err)
		}
		if opt.Every <= 0 {
			return bad("every=%s: an interval lasts at least a tick", every)
		}
		from, to := w.Bounds()
		n := uint64(max(to-from, 0))/uint64(opt.Every) + 1
		need.events, need.cells = min(w.events, need.events*min(n, 1<<20)), need.cells*min(n, 1<<20)
	}
	return r.needs(need)
}

// summaryFormat returns what writes a kind of summary in its format, and the format's media type.
func (r *request) summaryFormat(by string) (write func(*summary.Summary, io.Writer) error, media string, err error) {
	table := func(f report.Format) func(*summary.Summary, io.Writer) error {
		return func(s *summary.Summary, to io.Writer) error { return s.Write(to, f) }
	}
	name, err := r.text("format")
	switch {
	case err != nil:
		return nil, "", err
	case name == "csv":
		return table(report.CSV), tableFormats[name].media, nil
	case name == "" || name == "json":
		return table(report.JSON), jsonType, nil
	case by == summary.ByCallPath:
		return stackFormat(name)
	}
	return nil, "", bad("format=%s: a summary can be json or csv", name)
}
