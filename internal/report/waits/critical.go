package waits

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// Path is the critical path of a window. Shares are of its length.
type Path struct {
	Span
	// Found says whether there is one; if not, Notes say why.
	Found bool `json:"found"`
	// Ns and Ticks are its length.
	Ns    int64 `json:"ns"`
	Ticks int64 `json:"ticks"`
	// Last is the location with the last event, where the path ends. Steps is the number of its pieces on one location.
	Last  string `json:"last_location_label"`
	Steps uint64 `json:"steps"`
	// Locations is the number of all locations, On that of those on the path.
	Locations int `json:"locations"`
	On        int `json:"locations_on_path"`
	// Reasons are the kinds of waits at which it changes its location.
	Reasons []Reason `json:"reasons"`
	// Activities, Regions, Ranks and Rows are what lies on the path by activity, by region, by location, and by location and call path, those of the most time
	// first.
	Activities []PathActivity `json:"activities"`
	Regions    []PathRegion   `json:"regions"`
	Ranks      []PathLocation `json:"on"`
	Rows       []PathRow      `json:"rows"`
	// OmittedRows is the number of rows that a limit leaves out.
	OmittedRows int      `json:"omitted_rows"`
	Notes       []string `json:"notes"`

	text    text
	omitted int // rows of the lists that text has
}

// Reason is a kind of waits.
type Reason struct {
	Kind  string `json:"kind"`
	Count uint64 `json:"count"`
}

// PathSum is a part of the critical path.
type PathSum struct {
	Ns    int64 `json:"ns"`
	Ticks int64 `json:"ticks"`
	Share Share `json:"share"`
	// Stretches is the number of pieces.
	Stretches uint64 `json:"stretches"`
}

// PathActivity is what of the path is of an activity: computation, MPI, ...
type PathActivity struct {
	Activity string `json:"activity"`
	PathSum
}

// PathRegion is what of the path lies in calls of a region, and not in calls further in. Location is the one with the largest part of it.
type PathRegion struct {
	RegionName string `json:"region_name"` // empty outside of calls
	Activity   string `json:"activity"`
	PathSum
	Location      string `json:"location_label"`
	LocationTicks int64  `json:"location_ticks"`
}

// PathLocation is what of the path lies on a location. RegionName is the region with the largest part of it.
type PathLocation struct {
	Location string `json:"location_label"`
	PathSum
	RegionName  string `json:"region_name"`
	RegionTicks int64  `json:"region_ticks"`
}

// PathRow is what of the path lies in a call path of a location.
type PathRow struct {
	Location string   `json:"location_label"`
	Path     []string `json:"path"`
	PathSum
}

// Critical finds the critical path of a window.
func Critical(ctx context.Context, q *Question) (*Path, error) {
	x, err := q.ask(ctx, waits.Options{Critical: true})
	if err != nil {
		return nil, err
	}
	p := &Path{
		Locations: len(x.Locations), Reasons: []Reason{}, Activities: []PathActivity{}, Regions: []PathRegion{}, Ranks: []PathLocation{}, Rows: []PathRow{},
		text: newText(q, x),
	}
	p.Span, p.Notes = p.text.span(), p.text.notes(false)
	c := x.Critical
	if c == nil {
		p.Notes = append(p.Notes, "no event lies in the window: there is none from which a critical path could be followed back")
		return p, nil
	}
	p.Found, p.Ticks, p.Ns, p.Steps, p.Last = true, c.Ticks(), p.text.ns(c.Ticks()), c.Steps, p.text.label(c.Last)
	for k, n := range c.Reasons {
		if n > 0 {
			p.Reasons = append(p.Reasons, Reason{waits.Kind(k).String(), n})
		}
	}
	slices.SortStableFunc(p.Reasons, func(a, b Reason) int { return cmp.Compare(b.Count, a.Count) })
	p.shares(x)
	return p, nil
}

// shares adds up what lies on the path.
func (p *Path) shares(x *waits.Result) {
	regions, places, activities := newSums(), newSums(), newSums()
	for i := range x.Critical.Shares {
		s := &x.Critical.Shares[i]
		label, region := p.text.label(s.Location), x.Paths.Name(s.Path)
		activity := p.activity(x.Paths.Region(s.Path), s.Path)
		p.Rows = append(p.Rows, PathRow{label, x.Paths.Names(s.Path), p.sum(s.Ticks, s.Stretches)})
		regions.add(region, label, s)
		places.add(label, region, s)
		activities.add(activity, region, s)
		regions.of[region].activity = activity
	}
	p.On = len(places.order)
	for _, x := range activities.sorted() {
		p.Activities = append(p.Activities, PathActivity{x.name, p.sum(x.ticks, x.stretches)})
	}
	for _, x := range regions.sorted() {
		part, ticks := x.largest()
		p.Regions = append(p.Regions, PathRegion{x.name, x.activity, p.sum(x.ticks, x.stretches), part, ticks})
	}
	for _, x := range places.sorted() {
		part, ticks := x.largest()
		p.Ranks = append(p.Ranks, PathLocation{x.name, p.sum(x.ticks, x.stretches), part, ticks})
	}
}

func (p *Path) activity(region uint64, path waits.PathID) string {
	if path == waits.Outside {
		return trace.ActivityIdle.String()
	}
	return p.text.definitions.RegionClass(region).Activity.String()
}

func (p *Path) sum(ticks int64, stretches uint64) PathSum {
	s := PathSum{Ns: p.text.ns(ticks), Ticks: ticks, Stretches: stretches}
	if p.Ticks > 0 {
		s.Share = Share(float64(ticks) / float64(p.Ticks))
	}
	return s
}

// sums add up parts of the path by name.
type sums struct {
	of    map[string]*named
	order []string
}

// named is what the path has of a name, and of what else by another name.
type named struct {
	name, activity string
	ticks          int64
	stretches      uint64
	parts          map[string]int64
	first          []string // names of parts, in order
}

func newSums() *sums { return &sums{of: map[string]*named{}} }

func (s *sums) add(name, part string, x *waits.Share) {
	n := s.of[name]
	if n == nil {
		n = &named{name: name, parts: map[string]int64{}}
		s.of[name] = n
		s.order = append(s.order, name)
	}
	n.ticks += x.Ticks
	n.stretches += x.Stretches
	if _, ok := n.parts[part]; !ok {
		n.first = append(n.first, part)
	}
	n.parts[part] += x.Ticks
}

// sorted returns the names with the most time first, those of equal time in the order in which they came.
func (s *sums) sorted() (list []*named) {
	for _, name := range s.order {
		list = append(list, s.of[name])
	}
	slices.SortStableFunc(list, func(a, b *named) int { return cmp.Compare(b.ticks, a.ticks) })
	return list
}

// largest returns the largest part, of equal ones the first.
func (n *named) largest() (name string, ticks int64) {
	for _, part := range n.first {
		if n.parts[part] > ticks {
			name, ticks = part, n.parts[part]
		}
	}
	return name, ticks
}

// Limit leaves out rows beyond a number, in each list those of the least time.
func (p *Path) Limit(rows int) {
	if rows <= 0 {
		return
	}
	p.omitted += max(0, len(p.Regions)-rows) + max(0, len(p.Ranks)-rows)
	p.OmittedRows += max(0, len(p.Regions)-rows) + max(0, len(p.Ranks)-rows) + max(0, len(p.Rows)-rows)
	p.Regions, p.Ranks, p.Rows = p.Regions[:min(rows, len(p.Regions))], p.Ranks[:min(rows, len(p.Ranks))], p.Rows[:min(rows, len(p.Rows))]
}

// Write writes the path as text or JSON.
func (p *Path) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, p)
	}
	return p.writeText(w)
}

func (p *Path) writeText(to io.Writer) error {
	w := &report.Printer{To: to}
	t := &p.text
	fmt.Fprintf(w, "%s: ", report.Printable(p.Trace))
	if !p.Found {
		fmt.Fprintln(w, "no critical path")
		writeNotes(w, p.Notes)
		return w.Err
	}
	fmt.Fprintf(w, "critical path of %s, on %d of %s, in %s; it ends on %s\n", t.duration(p.Ticks), p.On,
		report.Plural(p.Locations, "location", "locations"), report.Plural(p.Steps, "step", "steps"), report.Cell(p.Last))
	p.headText(w)
	regions := func(yield func([]string) bool) {
		for i := range p.Regions {
			x := &p.Regions[i]
			if !yield(append(p.cells(&x.PathSum), part(x.Location, x.LocationTicks, x.Ticks), x.Activity, region(x.RegionName))) {
				return
			}
		}
	}
	fmt.Fprintln(w, "\nby region")
	right := []bool{true, true, true, false, false, false}
	report.WriteTable(w, []string{"time", "share", "stretches", "most on", "activity", "region"}, right, regions)
	fmt.Fprintln(w, "\nby location")
	report.WriteTable(w, []string{"time", "share", "stretches", "location", "mostly in"}, []bool{true, true, true, false, false}, func(yield func([]string) bool) {
		for i := range p.Ranks {
			x := &p.Ranks[i]
			if !yield(append(p.cells(&x.PathSum), report.Cell(x.Location), part(region(x.RegionName), x.RegionTicks, x.Ticks))) {
				return
			}
		}
	})
	if p.omitted > 0 {
		fmt.Fprintf(w, "\nleft out by --limit: %s\n", report.Plural(p.omitted, "row", "rows"))
	}
	writeNotes(w, p.Notes)
	return w.Err
}

// headText says what the path is made of, and why it changes its location.
func (p *Path) headText(w io.Writer) {
	var list []string
	for _, a := range p.Activities {
		list = append(list, fmt.Sprintf("%s %s", a.Activity, a.Share))
	}
	fmt.Fprintf(w, "  %s\n", strings.Join(list, ", "))
	list = nil
	for _, r := range p.Reasons {
		list = append(list, fmt.Sprintf("%s %s", r.Kind, report.Grouped(r.Count)))
	}
	if len(list) > 0 {
		fmt.Fprintf(w, "  changes of location: %s\n", strings.Join(list, ", "))
	}
}

func (p *Path) cells(s *PathSum) []string {
	return []string{p.text.duration(s.Ticks), s.Share.String(), report.Grouped(s.Stretches)}
}

func region(name string) string {
	if name == "" {
		return "outside of calls"
	}
	return report.Cell(name)
}

// part names the largest part of something.
func part(name string, ticks, whole int64) string {
	return fmt.Sprintf("%s %.0f %%", report.Cell(name), 100*float64(ticks)/float64(max(whole, 1)))
}
