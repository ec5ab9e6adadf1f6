package serve

import (
	"math/big"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// parse reads the query, which may have no other parameters than those.
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

// text returns a parameter that may be given once; "" if it is not there.
func (r *request) text(name string) (string, error) {
	switch list := r.query[name]; len(list) {
	case 0:
		return "", nil
	case 1:
		return list[0], nil
	}
	return "", bad("%s is given twice", name)
}

// number returns a parameter between two bounds.
func (r *request) number(name string, none, least, most int64) (int64, error) {
	text, err := r.text(name)
	if err != nil || text == "" {
		return none, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, bad("%s=%s is no number between %d and %d", name, text, least, most)
	}
	return n, nil
}

// window is the part of a trace that is asked about.
type window struct {
	*store.Window
	from, to           int64
	locations, regions []uint64 // nil for all
}

// window reads the parameters that select a part of the trace.
func (s *Server) window(r *request) (w window, err error) {
	if err := w.times(r); err != nil {
		return w, err
	}
	resolution := float64(max(r.book.reader.Meta().Resolution, 1))
	if seconds := float64(w.to-w.from) / resolution; s.options.MaxWindow > 0 && seconds > s.options.MaxWindow {
		return w, &failure{413, "the window is too long: this server answers for " + strconv.FormatFloat(s.options.MaxWindow, 'g', -1, 64) + " s at most"}
	}
	w.Window = r.book.reader.Window(w.from, w.to)
	d, err := r.book.reader.Definitions()
	if err != nil {
		return w, err
	}
	if w.locations, err = choose(r.query["location"], "location", locationNames(r.book.reader.Info(), d)); err != nil {
		return w, err
	}
	if w.regions, err = choose(r.query["region"], "region", regionNames(d)); err != nil {
		return w, err
	}
	if w.locations != nil {
		w.Window = w.WithLocations(w.locations...)
	}
	if w.regions != nil {
		w.Window = w.WithRegions(w.regions...)
	}
	return w, nil
}

// times reads the window's bounds, which are those of the trace if they are not given.
func (w *window) times(r *request) error {
	info, meta := r.book.reader.Info(), r.book.reader.Meta()
	span := info.Last + 1 - info.First
	from, err := r.text("from")
	if err != nil {
		return err
	}
	to, err := r.text("to")
	if err != nil {
		return err
	}
	w.from, w.to = info.First, info.First+span
	if from != "" {
		t, plus, err := ticks(from, meta.Resolution, span)
		if err != nil {
			return err
		}
		if plus {
			return bad("from=%s: only the end of a window can be relative to its begin", from)
		}
		w.from = info.First + t
	}
	if to != "" {
		t, plus, err := ticks(to, meta.Resolution, span)
		if err != nil {
			return err
		}
		if w.to = info.First + t; plus {
			w.to = w.from + t
		}
	}
	if w.to < w.from {
		return bad("the window ends before it begins")
	}
	return nil
}

var (
	timeForm = regexp.MustCompile(`^(\+|%2B| )?(-?[0-9]{1,20}(?:\.[0-9]{1,20})?)(ns|us|ms|s|min|h|%)?$`)
	units    = map[string]int64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
)

// ticks reads a time; plus says that it had a + before it, which a query that was not escaped shows as a space.
func ticks(text string, resolution uint64, span int64) (t int64, plus bool, err error) {
	m := timeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, false, bad("%q is no time: write 1.5s, 20ms, 40%% or a number of ticks", text)
	}
	v, ok := new(big.Rat).SetString(m[2])
	switch unit := m[3]; {
	case !ok:
		return 0, false, bad("%q is no time", text)
	case unit == "%":
		v.Mul(v, big.NewRat(span, 100))
	case unit != "":
		v.Mul(v, big.NewRat(units[unit], 1e9)).Mul(v, new(big.Rat).SetInt(new(big.Int).SetUint64(max(resolution, 1))))
	case !v.IsInt():
		return 0, false, bad("%q: ticks are whole numbers; is the unit missing?", text)
	}
	n, _ := new(big.Int).SetString(v.FloatString(0), 10)
	if !n.IsInt64() || n.Int64() > store.MaxTime || n.Int64() < -store.MaxTime {
		return 0, false, bad("%q is too long a time", text)
	}
	return n.Int64(), m[1] != "", nil
}

// named is something with an id and names.
type named struct {
	id    uint64
	names []string
}

func locationNames(info *store.Info, d *trace.Definitions) (list []named) {
	for _, l := range info.Locations {
		process, _ := d.Process(l.ID)
		list = append(list, named{l.ID, []string{d.Name(trace.SpaceLocation, l.ID), d.Name(trace.SpaceLocationGroup, process)}})
	}
	return list
}

func regionNames(d *trace.Definitions) (list []named) {
	for id, r := range d.Regions {
		list = append(list, named{id, []string{d.Strings[r.Name], d.Strings[r.CanonicalName]}})
	}
	slices.SortFunc(list, func(a, b named) int {
		return strings.Compare(strconv.FormatUint(a.id, 10), strconv.FormatUint(b.id, 10))
	})
	return list
}

// choose returns the ids of what patterns fit; nil without patterns. Each of them must fit something.
func choose(patterns []string, what string, all []named) (ids []uint64, err error) {
	for _, p := range patterns {
		found := false
		for _, n := range all {
			if n.fits(p) {
				ids, found = append(ids, n.id), true
			}
		}
		if !found {
			return nil, bad("no %s is called %q", what, p)
		}
	}
	return ids, nil
}

// fits reports whether a pattern is the id, or fits one of the names.
func (n *named) fits(pattern string) bool {
	if pattern == strconv.FormatUint(n.id, 10) {
		return true
	}
	return slices.ContainsFunc(n.names, func(name string) bool {
		if name == "" {
			return false
		}
		ok, err := path.Match(strings.NewReplacer("/", "\x00", `\`, `\\`, "[", `\[`).Replace(pattern), strings.ReplaceAll(name, "/", "\x00"))
		return name == pattern || ok && err == nil
	})
}
