package serve

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/serve/asked"
	"github.com/pandotrace/pando/store"
)

// parse reads the query. A parameter that is not allowed is an error.
func (r *request) parse(allowed []parameter) (err error) {
	if r.query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return bad("the query cannot be read: %v", err)
	}
	for name := range r.query {
		if !slices.ContainsFunc(allowed, func(p parameter) bool { return p.name == name }) {
			return bad("there is no parameter %q", name)
		}
	}
	return nil
}

func (r *request) asked() asked.Query { return r.query }

func (r *request) text(name string) (string, error) { return r.asked().Text(name) }

func (r *request) list(name string) ([]string, error) { return r.asked().List(name) }

func (r *request) number(name string, none, least, most int64) (int64, error) {
	return r.asked().Number(name, none, least, most)
}

func (r *request) truth(name string) (bool, error) { return r.asked().Truth(name) }

// window is the part of a trace that a question is about.
type window struct {
	*store.Window
	from, to           int64
	locations, regions []uint64 // nil for all
	lines              int      // locations
	sliceEvents        uint64   // events of a slice, on average
	events             uint64   // of the slices that the window touches
}

// part is what parameters say of a part of a trace.
type part struct {
	from, to           string
	locations, regions []string // selectors, none for all
}

// part reads the parameters that select a part of the trace.
func (r *request) part() (p part, err error) {
	if p.from, err = r.text("from"); err != nil {
		return p, err
	}
	p.to, err = r.text("to")
	p.locations, p.regions = r.query["location"], r.query["region"]
	return p, err
}

// window returns the part of the trace that the parameters select.
func (s *Server) window(r *request) (window, error) {
	p, err := r.part()
	if err != nil {
		return window{}, err
	}
	return s.windowOf(r, r.trace, p)
}

// windowOf returns a part of a trace.
func (s *Server) windowOf(r *request, t *report.Trace, p part) (w window, err error) {
	if err := w.times(t, p); err != nil {
		return w, err
	}
	resolution := float64(max(t.Meta().Resolution, 1))
	if seconds := float64(w.to-w.from) / resolution; s.options.MaxWindow > 0 && seconds > s.options.MaxWindow {
		return w, &failure{413, "the window is too long: this server answers for " + strconv.FormatFloat(s.options.MaxWindow, 'g', -1, 64) + " s at most"}
	}
	w.Window = t.Reader.Window(w.from, w.to)
	if len(p.locations) > 0 {
		if w.locations, err = r.findLocations(t, p.locations); err != nil {
			return w, err
		}
	}
	if len(p.regions) > 0 {
		if w.regions, err = t.FindRegions(p.regions); err != nil {
			return w, bad("%v", err)
		}
	}
	if w.locations != nil {
		w.Window = w.WithLocations(w.locations...)
	}
	if w.regions != nil {
		w.Window = w.WithRegions(w.regions...)
	}
	return w, w.measure(t)
}

// findLocations returns the locations of a trace that selectors select.
func (r *request) findLocations(t *report.Trace, selectors []string) ([]uint64, error) {
	if slices.ContainsFunc(selectors, report.NamesGroup) {
		if err := r.needs(work{events: t.Info().Events, bytes: analysisMemory}); err != nil {
			return nil, err
		}
	}
	ids, err := t.FindLocationsContext(r.Context(), selectors)
	switch {
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	case errors.Is(err, memory.ErrExceeded):
		return nil, tooLarge(err)
	case err != nil:
		return nil, bad("%v", err)
	}
	return ids, nil
}

// measure counts the locations and the events of the window.
func (w *window) measure(t *report.Trace) (err error) {
	i := t.Info()
	if w.lines = int(i.Locations); w.locations != nil {
		w.lines = len(w.locations)
	}
	w.sliceEvents = i.Events / max(i.Slices, 1)
	w.events, err = w.TouchedEvents()
	return err
}

// times reads the window's bounds; those of the trace are the default.
func (w *window) times(t *report.Trace, p part) (err error) {
	if relative, ok := strings.CutPrefix(p.to, " "); ok { // a + in a query that was not escaped
		p.to = "+" + relative
	}
	axis := t.Reader.TimeAxis()
	if w.from, w.to, err = axis.ParseWindow(p.from, p.to); err != nil {
		return bad("%v", err)
	}
	return nil
}
