package merged

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/paths"
	"github.com/pandotrace/pando/internal/report/ranges"
	"github.com/pandotrace/pando/trace"
)

// Report is a merged call tree. Times that end in _ticks are in units, of which there are ticks_per_second: ticks of the traces, or
// nanoseconds if their clocks have different resolutions.
type Report struct {
	Files          []File `json:"files"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	// Locations is the number of locations that have calls, Structures that of different call trees among them.
	Locations  int `json:"locations"`
	Structures int `json:"structures"`
	// Calls is the number of calls of all locations.
	Calls uint64 `json:"calls"`
	// Time is that in calls, of all locations.
	TimeNs    uint64 `json:"time_ns"`
	TimeTicks uint64 `json:"time_ticks"`
	// Depth is the number of levels that have nodes; Cut says that there are calls further in, whose time is that of the call around them.
	Depth int  `json:"depth"`
	Cut   bool `json:"cut"`
	// ByName says that all calls of a name inside of a call are one node.
	ByName bool `json:"by_name"`
	// Nodes are the tree: each stands behind the one around it. OmittedNodes is the number of those that limits leave out.
	Nodes        []Node `json:"nodes"`
	OmittedNodes int    `json:"omitted_nodes"`
	// Outliers are locations that are far from the median of a node, those with the most time beyond it first.
	Outliers []Outlier `json:"outliers"`

	tree   *merge.Tree
	names  []string // of members
	labels *ranges.Labels
	total  trace.Sum
}

// File is a file, with the part of it that was merged. Times are since its first event.
type File struct {
	File      string `json:"file"`
	FromNs    int64  `json:"from_ns"`
	FromTicks int64  `json:"from_ticks"`
	ToNs      int64  `json:"to_ns"`
	ToTicks   int64  `json:"to_ticks"`

	name    string // by which its locations are called
	whole   bool
	members int // locations that have calls
}

// Node is calls that stand at one place of the program.
type Node struct {
	Node       int    `json:"node"`
	Parent     *int   `json:"parent"`
	Depth      int    `json:"depth"`
	RegionName string `json:"region_name"`
	Activity   string `json:"activity"`
	// State is all, some or one: how many locations have the node.
	State     string `json:"state"`
	Locations int    `json:"locations"`
	// On are the locations, as text.
	On string `json:"on"`
	// Ordered says that the nodes below stand in the order of the calls.
	Ordered bool `json:"ordered"`
	// Count is the number of calls of all locations; FewestCount and MostCount are those of a location that has the node.
	Count       uint64 `json:"count"`
	FewestCount uint64 `json:"fewest_count"`
	MostCount   uint64 `json:"most_count"`
	// Inclusive is the time of locations in calls of the node, Exclusive the same without the nodes below. Without times both are null.
	Inclusive *Times `json:"inclusive"`
	Exclusive *Times `json:"exclusive"`

	share float64
}

// Times are how much time locations spend.
type Times struct {
	SumNs          uint64 `json:"sum_ns"`
	SumTicks       uint64 `json:"sum_ticks"`
	LeastNs        int64  `json:"least_ns"`
	LeastTicks     int64  `json:"least_ticks"`
	LeastLocation  string `json:"least_location_label"`
	MedianNs       int64  `json:"median_ns"`
	MedianTicks    int64  `json:"median_ticks"`
	MostNs         int64  `json:"most_ns"`
	MostTicks      int64  `json:"most_ticks"`
	MostLocation   string `json:"most_location_label"`
	DeviationNs    int64  `json:"median_deviation_ns"`
	DeviationTicks int64  `json:"median_deviation_ticks"`
}

// Place implements [paths.Row].
func (n Node) Place() (path, parent int) {
	if n.Parent == nil {
		return n.Node, -1
	}
	return n.Node, *n.Parent
}

// New makes a report.
func New(t *merge.Tree) *Report {
	r := &Report{
		TicksPerSecond: t.Units, Locations: len(t.Members), Structures: t.Structures, Depth: t.Depth, Cut: t.Cut, ByName: t.ByName,
		Nodes: make([]Node, len(t.Nodes)), Outliers: []Outlier{}, tree: t,
	}
	r.addFiles()
	for _, m := range t.Members {
		f, name := &r.Files[m.Source], m.Label
		if f.members++; len(r.Files) > 1 {
			name = f.name + " " + name
		}
		r.names = append(r.names, name)
	}
	r.labels = ranges.New(r.names)
	for i := range t.Nodes {
		r.total = r.total.Plus(t.Nodes[i].Exclusive.Sum)
		r.Calls += min(t.Nodes[i].Calls, math.MaxUint64-r.Calls)
	}
	r.TimeNs, r.TimeTicks = r.sum(r.total)
	for i := range t.Nodes {
		r.Nodes[i] = r.node(i)
	}
	for i := range t.Outliers {
		r.Outliers = append(r.Outliers, r.outlier(&t.Outliers[i]))
	}
	return r
}

// addFiles names the files: without their folders, unless that makes some equal.
func (r *Report) addFiles() {
	short := func(path string) string { return strings.TrimSuffix(filepath.Base(path), report.Extension) }
	count := map[string]int{}
	for _, p := range r.tree.Parts() {
		count[short(p.Name)]++
		r.Files = append(r.Files, File{File: p.Name, FromNs: r.ns(p.From), FromTicks: p.From, ToNs: r.ns(p.To), ToTicks: p.To, name: short(p.Name), whole: p.Whole})
	}
	for i := range r.Files {
		if f := &r.Files[i]; count[f.name] > 1 {
			f.name = strings.TrimSuffix(f.File, report.Extension)
		}
	}
}

func (r *Report) node(i int) Node {
	n := &r.tree.Nodes[i]
	out := Node{
		Node: i, Depth: n.Depth, RegionName: r.region(i), Activity: r.activity(i).String(), State: "some", Locations: n.Members,
		Ordered: n.Ordered, Count: n.Calls, FewestCount: n.FewestCalls, MostCount: n.MostCalls,
	}
	if n.Parent >= 0 {
		out.Parent = &n.Parent
	}
	switch n.Members {
	case r.Locations:
		out.State = "all"
	case 1:
		out.State = "one"
	}
	if r.tree.Timed {
		out.Inclusive, out.Exclusive = r.times(&n.Inclusive), r.times(&n.Exclusive)
		out.share = part(n.Inclusive.Sum, r.total)
	}
	return out
}

// part returns a sum as a part of another one.
func part(s, of trace.Sum) float64 {
	if of == (trace.Sum{}) {
		return 0
	}
	return s.Float() / of.Float()
}

func (r *Report) region(node int) string {
	return strings.ToValidUTF8(r.tree.Forest.NameOf(r.tree.Nodes[node].Name), "\ufffd")
}

// activity returns what the region of a node is for.
func (r *Report) activity(node int) trace.Activity {
	if defs, region, ok := r.tree.Region(node); ok {
		return defs.RegionClass(region).Activity
	}
	return trace.ActivityComputation
}

// on returns the locations of a node: all, or those of each file.
func (r *Report) on(node int) string {
	t := r.tree
	if t.Nodes[node].Members == len(t.Members) {
		return "all"
	}
	own := make([][]int, len(r.Files))
	for m := range t.MembersOf(node) {
		source := t.Members[m].Source
		own[source] = append(own[source], m)
	}
	var parts []string
	for i, members := range own {
		switch {
		case len(members) == 0:
		case len(members) == r.Files[i].members && len(r.Files) > 1:
			parts = append(parts, "all of "+r.Files[i].name)
		default:
			parts = append(parts, r.labels.Of(members, 0))
		}
	}
	return strings.Join(parts, ", ")
}

// fillOn fills in the locations of all nodes, which may be long lists.
func (r *Report) fillOn() {
	for i := range r.Nodes {
		r.Nodes[i].On = r.on(r.Nodes[i].Node)
	}
}

func (r *Report) times(t *merge.Times) *Times {
	out := &Times{
		LeastNs: r.ns(t.Least), LeastTicks: t.Least, LeastLocation: r.names[t.LeastMember], MedianNs: r.ns(t.Median), MedianTicks: t.Median,
		MostNs: r.ns(t.Most), MostTicks: t.Most, MostLocation: r.names[t.MostMember],
		DeviationNs: r.ns(t.MedianDeviation), DeviationTicks: t.MedianDeviation,
	}
	out.SumNs, out.SumTicks = r.sum(t.Sum)
	return out
}

func (r *Report) ns(units int64) int64 { return trace.Nanoseconds(units, r.TicksPerSecond) }

// sum returns a sum in nanoseconds and in units. Both saturate.
func (r *Report) sum(s trace.Sum) (ns, units uint64) {
	saturated := func(s trace.Sum) uint64 {
		if s.Hi != 0 {
			return math.MaxUint64
		}
		return s.Lo
	}
	return saturated(s.Nanoseconds(r.TicksPerSecond)), saturated(s)
}

// Limits say which nodes are left out of the tree. Of a zero value, none is.
type Limits struct {
	// Depth is the largest number of levels, Nodes that of nodes: those with the most time. MinShare is the least share of the time of all.
	Depth, Nodes int
	MinShare     float64
}

// Limit leaves nodes out.
func (r *Report) Limit(l Limits) {
	all := len(r.Nodes)
	r.Nodes = paths.Without(r.Nodes, func(n Node) bool {
		return l.Depth > 0 && n.Depth >= l.Depth || r.tree.Timed && n.share < l.MinShare
	})
	if l.Nodes > 0 {
		r.Nodes = paths.Largest(r.Nodes, l.Nodes, func(a, b Node) int { return r.compare(&a, &b) })
	}
	r.OmittedNodes += all - len(r.Nodes)
}

// compare compares nodes by time; without times, by their places.
func (r *Report) compare(a, b *Node) int {
	return r.tree.Nodes[a.Node].Inclusive.Sum.Cmp(r.tree.Nodes[b.Node].Inclusive.Sum)
}

// Write writes the report as text or JSON. With outliers, the text is of these.
func (r *Report) Write(w io.Writer, f report.Format, outliers bool) error {
	if f == report.JSON {
		r.fillOn()
		return report.WriteJSON(w, r)
	}
	p := &report.Printer{To: w}
	r.head(p)
	if outliers {
		r.outlierTables(p)
	} else {
		r.writeTree(p)
	}
	return p.Err
}

// path returns the names on the way to a node, the outermost first.
func (r *Report) path(node int) (names []string) {
	for ; node >= 0; node = r.tree.Nodes[node].Parent {
		names = append(names, r.region(node))
	}
	slices.Reverse(names)
	return names
}
