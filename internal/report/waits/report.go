package waits

import (
	"cmp"
	"context"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Question is a window of a trace.
type Question struct {
	Trace    *report.Trace
	Window   *store.Window
	Memory   int64 // in bytes; 0 means 256 MiB
	Progress trace.Progress
}

// ask asks a question.
func (q *Question) ask(ctx context.Context, opt waits.Options) (*waits.Result, error) {
	opt.Memory, opt.Progress = q.Memory, q.Progress
	return waits.Of(ctx, q.Trace.Reader, q.Window, opt)
}

// Report says where locations wait for each other. Times that end in _ticks are in ticks, of which there are ticks_per_second; those of instants are since
// the trace's first event.
type Report struct {
	Span
	// Locations is the number of locations.
	Locations int `json:"locations"`
	// Waits is what all waits add up to, and Kinds what those of a kind do. Shares are of the time of all locations in the window.
	Waits Sum    `json:"waits"`
	Kinds []Kind `json:"kinds"`
	// Rows are the call paths of calls that wait, by kind, those of the most time first.
	Rows []Row `json:"rows"`
	// Late are the locations that others waited for, those of the most time first.
	Late []Late `json:"late"`
	// OmittedRows is the number of rows and late locations that a limit leaves out.
	OmittedRows int `json:"omitted_rows"`
	// Notes are sentences about what is odd or not known.
	Notes []string `json:"notes"`

	text text
}

// Span is the time that a report is about.
type Span struct {
	Trace          string `json:"trace"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	FromNs         int64  `json:"from_ns"`
	FromTicks      int64  `json:"from_ticks"`
	ToNs           int64  `json:"to_ns"`
	ToTicks        int64  `json:"to_ticks"`
}

// Sum is a number of waits, and their time.
type Sum struct {
	Count uint64 `json:"count"`
	Ns    int64  `json:"ns"`
	Ticks int64  `json:"ticks"`
	Share Share  `json:"share"`
	// Longest is the longest wait, and when it begins.
	LongestNs      int64 `json:"longest_ns"`
	LongestTicks   int64 `json:"longest_ticks"`
	LongestAtNs    int64 `json:"longest_start_ns"`
	LongestAtTicks int64 `json:"longest_start_ticks"`
}

// Share is a part of a whole, from 0 to 1.
type Share float64

// Kind is what the waits of a kind add up to.
type Kind struct {
	Kind string `json:"kind"`
	Sum
}

// Row is what the waits of a kind on a call path add up to.
type Row struct {
	Kind string `json:"kind"`
	// Path are the names of regions, the outermost call first.
	Path []string `json:"path"`
	Sum
	// On are the locations that wait, For those that they wait for: which come last of all that a call waits for.
	On  []Part `json:"on"`
	For []Part `json:"for"`
}

// Part is the part of a location in a row.
type Part struct {
	Location string   `json:"location_label"`
	Path     []string `json:"path"` // of the calls with which the location comes late; empty for locations that wait
	Sum
}

// Late is a location that others waited for: it came late, counted for each message or operation that a call waited for. A call that ends several messages
// counts for each of them, so that this may be more than the time that calls waited.
type Late struct {
	Location string `json:"location_label"`
	Sum
	Kinds []Kind `json:"kinds"`
}

// Find finds the waits of a window.
func Find(ctx context.Context, q *Question) (*Report, error) {
	x, err := q.ask(ctx, waits.Options{})
	if err != nil {
		return nil, err
	}
	r := &Report{Locations: len(x.Locations), Kinds: []Kind{}, Rows: []Row{}, Late: []Late{}}
	r.text = newText(q, x)
	r.Span, r.Notes = r.text.span(), r.text.notes(true)
	r.kinds(x)
	r.rows(x)
	r.late(x)
	return r, nil
}

// late adds up who came late.
func (r *Report) late(x *waits.Result) {
	places := map[uint64]int{}
	var sums []waits.Tally
	for i := range x.Late {
		l := &x.Late[i]
		at, ok := places[l.Location]
		if !ok {
			at = len(sums)
			places[l.Location] = at
			sums, r.Late = append(sums, waits.Tally{}), append(r.Late, Late{Location: r.text.label(l.Location)})
		}
		merge(&sums[at], &l.Tally)
		r.Late[at].Kinds = append(r.Late[at].Kinds, Kind{l.Kind.String(), r.text.sum(&l.Tally)})
	}
	for i := range r.Late {
		r.Late[i].Sum = r.text.sum(&sums[i])
	}
	slices.SortStableFunc(r.Late, func(a, b Late) int { return cmp.Compare(b.Ticks, a.Ticks) })
}

// kinds adds up kinds.
func (r *Report) kinds(x *waits.Result) {
	var all waits.Tally
	var kinds [waits.Kinds]waits.Tally
	for i := range x.Groups {
		g := &x.Groups[i]
		merge(&all, &g.Tally)
		merge(&kinds[g.Kind], &g.Tally)
	}
	r.Waits = r.text.sum(&all)
	for k := range kinds {
		if kinds[k].Waits > 0 {
			r.Kinds = append(r.Kinds, Kind{waits.Kind(k).String(), r.text.sum(&kinds[k])})
		}
	}
	slices.SortStableFunc(r.Kinds, func(a, b Kind) int { return cmp.Compare(b.Ticks, a.Ticks) })
}

// merge adds a tally to another one.
func merge(t, o *waits.Tally) {
	if t.Waits == 0 || o.Longest > t.Longest || o.Longest == t.Longest && o.LongestAt < t.LongestAt {
		t.Longest, t.LongestAt = o.Longest, o.LongestAt
	}
	t.Waits += o.Waits
	t.Ticks += o.Ticks
}

// rows makes a row for each kind and path.
func (r *Report) rows(x *waits.Result) {
	type key struct {
		kind waits.Kind
		path waits.PathID
	}
	places := map[key]int{}
	var sums []waits.Tally
	row := func(k waits.Kind, p waits.PathID) int {
		at, ok := places[key{k, p}]
		if !ok {
			at = len(r.Rows)
			places[key{k, p}] = at
			r.Rows = append(r.Rows, Row{Kind: k.String(), Path: x.Paths.Names(p), On: []Part{}, For: []Part{}})
			sums = append(sums, waits.Tally{})
		}
		return at
	}
	for i := range x.Waiting {
		w := &x.Waiting[i]
		at := row(w.Kind, w.Path)
		merge(&sums[at], &w.Tally)
		r.Rows[at].On = append(r.Rows[at].On, Part{r.text.label(w.Location), []string{}, r.text.sum(&w.Tally)})
	}
	for i := range x.Groups {
		g := &x.Groups[i]
		at := row(g.Kind, g.Path)
		r.Rows[at].For = append(r.Rows[at].For, Part{r.text.label(g.Cause), x.Paths.Names(g.CausePath), r.text.sum(&g.Tally)})
	}
	for i := range r.Rows {
		r.Rows[i].Sum = r.text.sum(&sums[i])
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Ticks, a.Ticks), cmp.Compare(a.Kind, b.Kind), slices.Compare(a.Path, b.Path))
	})
}

// Limit leaves out rows and late locations beyond a number, those of the least time.
func (r *Report) Limit(rows int) {
	if rows <= 0 {
		return
	}
	r.OmittedRows += max(0, len(r.Rows)-rows) + max(0, len(r.Late)-rows)
	r.Rows, r.Late = r.Rows[:min(rows, len(r.Rows))], r.Late[:min(rows, len(r.Late))]
}

// Write writes the report as text or JSON.
func (r *Report) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	return r.writeText(w)
}

// joined returns a call path as one text, the innermost calls if it is long.
func joined(path []string) string {
	const most = 60 // letters
	if len(path) == 0 {
		return "outside of calls"
	}
	text := path[len(path)-1]
	for i := len(path) - 2; i >= 0; i-- {
		longer := path[i] + " > " + text
		if utf8.RuneCountInString(longer) > most {
			return "… > " + text
		}
		text = longer
	}
	return text
}
