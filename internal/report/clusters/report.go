package clusters

import (
	"context"
	"io"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// Source is a trace with a window of it.
type Source struct {
	Trace  *report.Trace
	Window *store.Window
}

// Find clusters the locations of one trace or several.
func Find(ctx context.Context, from []Source, opt cluster.Options) (*cluster.Clusters, error) {
	var sides []cluster.Side
	for i := range from {
		sides = append(sides, cluster.Side{Name: from[i].Trace.Path, Reader: from[i].Trace.Reader, Window: from[i].Window})
	}
	return cluster.Find(ctx, sides, opt)
}

// Report is which locations are alike.
type Report struct {
	Traces []string `json:"traces"`
	// By is what locations are alike by: functions, pairs, contexts, calls, tree or messages.
	By string `json:"by"`
	// Threshold is how similar any two locations of a group are at least; null if locations of a group are not told apart at all.
	Threshold *float64 `json:"threshold"`
	// Locations is the number of locations with calls.
	Locations int     `json:"locations"`
	Groups    []Group `json:"groups"`
	// WithoutCalls are locations that have events and no calls. They are in no group.
	WithoutCalls []Member `json:"without_calls"`
	// Untold says that memory did not suffice to find out what one group alone has.
	Untold bool `json:"untold,omitempty"`

	of   *cluster.Clusters
	from []Source
	// Limit is the number of groups that text shows at most. 0 means 40.
	Limit int `json:"-"`
	// Representatives makes text one of representatives.
	Representatives bool `json:"-"`
}

// Group is locations that are alike.
type Group struct {
	// Number is from 1; the selector @group:BY:NUMBER selects the group.
	Number int `json:"number"`
	// Name is a rule that holds for the members alone.
	Name           string `json:"name"`
	Rule           []Rule `json:"rule"`
	Representative Member `json:"representative"`
	// Calls is how many calls the representative makes; null if locations are alike by less than that.
	Calls *uint64 `json:"calls"`
	// Only is what all members have, and no location of another group; Lacks what all locations of other groups have, and no member.
	Only    Features `json:"only"`
	Lacks   Features `json:"lacks"`
	Members []Member `json:"members"`
}

// Member is a location.
type Member struct {
	Trace         string `json:"trace"`
	Location      uint64 `json:"location"`
	LocationLabel string `json:"location_label"`
	Rank          *int64 `json:"rank"`
	Thread        *int64 `json:"thread"`
}

// Rule is one of the parts of which a group is made: the locations that fulfil all of its conditions.
type Rule struct {
	// Traces and Places (what the name of a location has behind the rank) are null if any will do.
	Traces []string `json:"traces"`
	Places []string `json:"places"`
	Ranks  Ranks    `json:"ranks"`
}

// Ranks is a condition on ranks. What the kind does not need is left out.
type Ranks struct {
	// Kind is none (no rank), all, range (first to last), modulo (every step-th from first on), ends (first and last), grid, or list.
	Kind  string  `json:"kind"`
	Not   bool    `json:"not,omitempty"`
	First *int64  `json:"first,omitempty"`
	Last  *int64  `json:"last,omitempty"`
	Step  *int64  `json:"step,omitempty"`
	List  []int64 `json:"list,omitempty"`
	Grid  *Grid   `json:"grid,omitempty"`
}

// Grid is a position on a grid of ranks.
type Grid struct {
	Sizes []int64 `json:"sizes"`
	// Topology is the name of the topology that the program has defined; null if ranks are taken to be laid out, the last coordinate fastest.
	Topology *string `json:"topology"`
	// Position is corner, edge, face, boundary or inner, or along: those with a coordinate in a dimension.
	Position   string `json:"position"`
	Dimension  *int   `json:"dimension,omitempty"`
	Coordinate *int64 `json:"coordinate,omitempty"`
}

// Features are what locations call.
type Features struct {
	Functions []string   `json:"functions"`
	Pairs     []Pair     `json:"pairs"`
	Contexts  [][]string `json:"contexts"`
	Counts    []Count    `json:"counts"`
}

// Pair is a region and what it calls; the caller is null if nothing is around the call.
type Pair struct {
	Caller *string `json:"caller"`
	Callee string  `json:"callee"`
}

// Count is how often a region is called.
type Count struct {
	RegionName string `json:"region_name"`
	Calls      uint64 `json:"calls"`
}

// New makes a report of clusters of some sources.
func New(c *cluster.Clusters, from []Source) *Report {
	r := &Report{By: c.By.String(), Locations: len(c.Members), Groups: []Group{}, WithoutCalls: []Member{}, Untold: c.Untold, of: c, from: from}
	for i := range from {
		r.Traces = append(r.Traces, from[i].Trace.Path)
	}
	if c.Threshold > 0 {
		r.Threshold = &c.Threshold
	}
	for i := range c.Groups {
		r.Groups = append(r.Groups, r.group(i))
	}
	for _, m := range c.Empty {
		r.WithoutCalls = append(r.WithoutCalls, r.member(m))
	}
	return r
}

func (r *Report) group(i int) Group {
	g := &r.of.Groups[i]
	out := Group{
		Number: i + 1, Name: g.Rule.String(), Rule: r.rule(&g.Rule), Representative: r.member(r.of.Members[g.Representative]),
		Only: features(&g.Only), Lacks: features(&g.Lacks),
	}
	if r.of.By >= cluster.Calls {
		out.Calls = &g.Calls
	}
	for _, m := range g.Members {
		out.Members = append(out.Members, r.member(r.of.Members[m]))
	}
	return out
}

// member returns a location.
func (r *Report) member(m cluster.Member) Member {
	t := r.from[m.Side].Trace
	out := Member{Trace: t.Path, Location: m.Location, LocationLabel: t.Label(m.Location)}
	if p := t.Names().Place(m.Location); p != nil {
		if p.Rank >= 0 {
			out.Rank = &p.Rank
		}
		if p.Thread >= 0 {
			out.Thread = &p.Thread
		}
	}
	return out
}

func (r *Report) rule(of *cluster.Rule) (list []Rule) {
	for i := range of.Parts {
		p := &of.Parts[i]
		out := Rule{Places: p.Places, Ranks: ranks(&p.Ranks)}
		for _, s := range p.Sides {
			out.Traces = append(out.Traces, r.from[s].Trace.Path)
		}
		list = append(list, out)
	}
	return list
}

func ranks(of *cluster.Ranks) Ranks {
	out := Ranks{Kind: of.Kind.String(), Not: of.Not}
	switch of.Kind {
	case cluster.RankRange, cluster.Ends:
		out.First, out.Last = &of.First, &of.Last
	case cluster.EveryNth:
		out.First, out.Step = &of.First, &of.Step
	case cluster.RankList:
		out.List = of.List
	case cluster.OnGrid:
		g := of.Grid
		out.Grid = &Grid{Sizes: g.Sizes, Position: g.Position}
		if !g.Guessed {
			out.Grid.Topology = &g.Name
		}
		if g.Position == cluster.Along {
			out.Grid.Dimension, out.Grid.Coordinate = &g.Dimension, &g.Coordinate
		}
	}
	return out
}

func features(of *cluster.Features) Features {
	out := Features{Functions: []string{}, Pairs: []Pair{}, Contexts: [][]string{}, Counts: []Count{}}
	out.Functions = append(out.Functions, of.Functions...)
	out.Contexts = append(out.Contexts, of.Contexts...)
	for _, p := range of.Pairs {
		pair := Pair{Callee: p.Callee}
		if p.Caller != "" {
			pair.Caller = &p.Caller
		}
		out.Pairs = append(out.Pairs, pair)
	}
	for _, c := range of.Counts {
		out.Counts = append(out.Counts, Count{c.Region, c.Calls})
	}
	return out
}

// Write writes the report as text or JSON.
func (r *Report) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	p := &report.Printer{To: w}
	r.writeText(p)
	return p.Err
}
