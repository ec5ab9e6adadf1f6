package summary

import (
	"slices"
	"sort"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
)

// SmallDirectory is the size in bytes of the pages up to which a summary reads all of them.
var SmallDirectory int64 = read.SpareBytes

// fetch reads what adding up some lanes needs.
func (q *SummaryQuery) fetch(lanes []uint32) {
	for range read.PlanRounds {
		p := summaryPlan{SummaryQuery: q, Plan: read.Plan{R: q.File, Noted: map[uint64]bool{}, Spare: read.SpareBytes}}
		for _, lane := range lanes {
			p.lane(lane)
		}
		if p.Err != nil || len(p.Refs) == 0 {
			return // the query that needs these blocks gets the error
		}
		for refs := p.Refs; len(refs) > 0; {
			refs = refs[p.LoadSome(refs):]
		}
	}
}

// summaryPlan collects the blocks that a summary needs and that are not at hand.
type summaryPlan struct {
	*SummaryQuery
	read.Plan
}

func (p *summaryPlan) lane(lane uint32) {
	p.Lanes = []uint32{lane}
	if p.wanted[tables.Calls] {
		p.calls(lane)
	}
	for _, part := range []tables.Part{tables.Messages, tables.Collectives, tables.Metrics} {
		if p.wanted[part] {
			p.part(p.SummaryQuery, lane, part)
		}
	}
	if p.earlier != nil {
		p.part(p.earlier, lane, tables.Metrics)
	}
}

// calls notes what the sums up to both ends of the window need.
func (p *summaryPlan) calls(lane uint32) {
	from, marksFrom := p.edge(p.path.First, p.w.From)
	to, marksTo := p.edge(p.path.End-1, p.w.To)
	if marksFrom {
		p.marks(lane, p.path.First)
	}
	if marksTo {
		p.marks(lane, p.path.End-1)
	}
	if from == to {
		return
	}
	for _, slice := range []uint64{from, to} {
		if !p.Cache().Has(cache.Key{What: cache.CallSums, Offset: slice, Lane: lane}) {
			p.part(ContainedQuery(p.SummaryQuery.File, read.SliceRange{First: 0, End: slice}), lane, tables.Calls)
		}
	}
}

func (p *summaryPlan) marks(lane uint32, slice uint64) {
	if !p.Cache().Has(cache.Key{What: cache.CallMarks, Offset: slice, Lane: lane}) {
		p.Slice(slice, read.Needs{Calls: true}, true)
	}
}

// part notes what a part of a lane is added up from, as far as that is known.
func (p *summaryPlan) part(q *SummaryQuery, lane uint32, part tables.Part) {
	c := Coverer{SummaryQuery: q, Lane: lane, Part: part, Cover: &Cover{}, plan: &p.Plan}
	if err := c.node(q.Top()); err != nil {
		p.Err = err
		return
	}
	for i := range c.Nodes {
		p.items(c.Nodes[i].Node, lane, part)
	}
	for _, slice := range c.Cover.slices {
		p.ofSlice(q, slice, lane, part)
	}
}

// items notes the spanning items of a node. Messages of a lane stand with the lanes that receive them.
func (p *summaryPlan) items(n index.Node, lane uint32, part tables.Part) {
	switch part {
	case tables.Calls:
		if ref, ok, err := p.R.NodeRef(format.BlockCalls, n, lane); err != nil || ok && !p.R.Cache().Has(cache.Key{What: cache.Spans, Offset: ref.Offset}) {
			p.Node(format.BlockCalls, n, []uint32{lane}, cache.Calls)
		}
	case tables.Messages:
		p.Node(format.BlockMessages, n, p.everyLane(), cache.Messages)
	}
}

func (p *summaryPlan) everyLane() []uint32 { return p.R.AllLanes() }

// ofSlice notes what a slice is added up from, unless what it comes to is kept.
func (p *summaryPlan) ofSlice(q *SummaryQuery, slice uint64, lane uint32, part tables.Part) {
	k := read.SliceKey(slice, lane)
	_, ok, err := p.R.Ref(slice, k)
	if err != nil {
		p.Err = err
		return
	}
	kept := func(what cache.What) bool { return p.R.Cache().Has(k.Made(what)) }
	switch {
	case part == tables.Messages:
		if !p.R.Cache().Has(cache.Key{What: cache.Paired, Offset: slice}) && !p.R.Cache().Has(cache.Key{What: cache.CachedMessageCells, Offset: slice, Lane: lane}) {
			p.Lanes = p.everyLane()
			p.Slice(slice, read.Needs{Events: true, Ends: true}, true)
			p.Lanes = []uint32{lane}
		}
	case !ok:
	case part == tables.Calls:
		if !kept(cache.SliceSums) {
			p.Slice(slice, read.Needs{Calls: true}, true)
		}
	case !kept(cache.Points) && !kept(cache.PointEvents):
		p.Slice(slice, read.Needs{Events: true}, true)
	}
}

// noteTable reports whether the table of a node is at hand, or that there is none. Otherwise it is noted.
func (c *Coverer) noteTable(n index.Node) bool {
	ref, ok, err := c.NodeRef(format.BlockSummary, n, c.Lane)
	if err != nil || !ok || c.AtHand(ref, cache.Summary) {
		return true
	}
	c.plan.AddRef(ref, cache.Summary)
	return false
}

// guess goes through a node whose table is not at hand, as if that had a vector for each child; or none, if its neighbours at the ends of the
// window have none.
func (c *Coverer) guess(n index.Node, all read.SliceRange) error {
	covered := CoveredNode{Node: n, Width: c.Tree().Width(n.Level - 1)}
	_, children := c.Children(n)
	if first, last := c.runsWithin(all, covered.Width, children); first < last && !c.bare(n.Level) {
		covered.Done = read.SliceRange{First: all.First + first*covered.Width, End: min(all.First+last*covered.Width, all.End)}
	}
	c.Nodes = append(c.Nodes, covered)
	err := c.Rest(n, all, covered.Done)
	for level := n.Level - 1; level >= 1 && (level > layout.PageLevel || n.Level <= edgeLevel(c.SummaryQuery.File)); level-- {
		c.noteTables(covered.Done, level)
	}
	return err
}

// noteTables notes tables of the nodes of a level that have some slices, as far as the plan can spare the bytes, and as pages at hand tell
// where they are: to read a page for a table that may not be needed takes a round of its own.
func (c *Coverer) noteTables(of read.SliceRange, level int) {
	for slice := of.First; slice < of.End && c.plan.Spare > 0; slice += c.Tree().Width(level) {
		n := c.File.Node(level, slice)
		if level <= layout.PageLevel && !hasPage(c.SummaryQuery.File, n) {
			continue
		}
		before := c.plan.Size
		c.noteTable(n)
		c.plan.Spare -= c.plan.Size - before
	}
}

// hasPage reports whether the page that lists the blocks of a node is at hand.
func hasPage(r *read.File, n index.Node) bool {
	pages, last := r.Root().Pages, min((n.Index+1)*r.Tree().Width(n.Level), r.Root().Slices)-1
	i := sort.Search(len(pages), func(i int) bool { return pages[i].First+pages[i].Slices > last })
	return i < len(pages) && r.AtHand(pages[i].Ref, cache.Page)
}

// bare reports whether a node of a level at an end of the window is known to have no table of the part.
func (c *Coverer) bare(level int) bool {
	return slices.ContainsFunc([]uint64{c.path.First, c.path.End - 1}, func(slice uint64) bool {
		n := c.File.Node(level, slice)
		ref, ok, err := c.NodeRef(format.BlockSummary, n, c.Lane)
		if err != nil || !ok {
			return err == nil
		}
		if !c.AtHand(ref, cache.Summary) {
			return false
		}
		t, err := c.Table(n, c.Lane, c.Part)
		return err == nil && t == nil
	})
}

// edgeLevel is the level of the nodes at the ends of a window of which all pages are read: those between the ends are passed over.
func edgeLevel(r *read.File) int {
	level := layout.PageLevel + 1
	for level < r.Tree().Levels(r.Root().Slices) && r.Tree().Width(level+1) <= layout.MinPageSlices {
		level++
	}
	return level
}

// loadEdgePages reads the pages of the directory that describe the ends of the window and what is about them, and the definitions. Of a
// file on a server it reads the pages up to the window's end, too, if they are small: nodes between the ends may have no tables, so that
// those of their children are needed.
func (q *SummaryQuery) loadEdgePages() {
	p := read.Plan{R: q.File}
	for _, t := range [...]int64{q.Info().First, q.w.From, q.w.To} {
		p.Pages(aroundTime(q.File, t))
	}
	if q.Far {
		between := read.Plan{R: q.File}
		between.Pages(read.SliceRange{First: 0, End: aroundTime(q.File, q.w.To).End})
		if between.Size <= SmallDirectory {
			p.Refs = between.Refs
		}
	}
	p.Definitions(read.Links)
	q.Load(p.Refs)
}

// aroundTime returns the slices of the pages next to a time, and those of the nodes that these belong to if the time is none of the trace's ends.
func aroundTime(r *read.File, t int64) (s read.SliceRange) {
	pages := r.Root().Pages
	next := sort.Search(len(pages), func(i int) bool { return pages[i].Start > t })
	if next == len(pages) {
		next--
	}
	if next < 0 {
		return s
	}
	before := max(next-1, 0)
	s = read.SliceRange{First: pages[before].First, End: pages[next].First + max(pages[next].Slices, 1)}
	level := edgeLevel(r)
	if t <= r.Info().First || t > r.Info().Last || r.Tree().Levels(r.Root().Slices) < level {
		return s
	}
	first, _ := r.Children(r.Node(level, s.First))
	last, _ := r.Children(r.Node(level, s.End-1))
	return read.SliceRange{First: first.First, End: last.End}
}
