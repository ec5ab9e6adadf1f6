package contrast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/trace"
)

// Options of [Compare]. The zero value of each field means its default.
type Options struct {
	Level align.Level
	Match Match
	// Pairs are the ids of the locations that belong together, of A and of B. They replace Match.
	Pairs [][2]uint64
	// Rename gives other names to regions, on both sides.
	Rename map[string]string
	// Through are names of transparent regions: what they call stands in their place.
	Through []string
	// Nested leaves recursions as they are. Otherwise a call directly inside of one of the same region is put before what it has inside.
	Nested bool
	// Messages makes each send and each receive a call: one of no time, named by the distance to its peer.
	Messages bool
	// StructureOnly compares no times.
	StructureOnly bool
	// Counters are names of counters whose values in calls are compared, see [Counter].
	Counters []string
	// Bins is the number of parts of the time of each pair of locations (default 400), see [Pair.Series].
	Bins int
	// Memory bounds what the comparison takes, in bytes (default 256 MiB).
	Memory int64
	// Progress counts events: those of both sides once for structure, and once for times.
	Progress trace.Progress
}

const defaultBins = 400

// What takes the memory of a comparison, in eighths: the structure, the costs of pairs while calls are aligned, segments, and what waits for the other
// side when times are read, later. The rest is for decoded events, for sums and for garbage.
const (
	forestEighths   = 3
	costsEighths    = 2
	segmentsEighths = 1
	waitingEighths  = 2
)

// part returns some eighths of the memory.
func (o *Options) part(eighths int64) int64 { return o.Memory / 8 * eighths }

// Comparison is what two windows have in common, and in what they differ. Units are ticks, or nanoseconds if the clocks of the sides have
// different resolutions.
type Comparison struct {
	Forest *calltree.Forest
	Units  uint64 // per second
	Names  [2]string
	// Windows are what was compared of each side: from, to, within the trace.
	Windows [2][2]int64
	// Locations with calls on each side, and those of them that have no partner.
	Locations [2]int
	Lone      [2][]trace.Place
	// Regions is the number of names that both sides have, LoneRegions those that one side alone has.
	Regions     int
	LoneRegions [2][]LoneRegion
	// Messages and LoneMessages are the same of messages, with the option of that name: all sends, or receives, of one distance have one name.
	Messages     int
	LoneMessages [2][]LoneRegion
	Pairs        []Pair
	// Paths are in the order of their first calls; the first one is around all others. Timed says that they have tallies.
	Paths []Path
	Timed bool
	// Counters are those of the options.
	Counters []Counter
	// Origins are the times of the first events of both traces.
	Origins [2]int64
	// Levels is the number of levels of calls that were compared, 0 for all: fewer where the structure of all would take too much memory. The time of
	// calls further in is that of the calls around them.
	Levels int

	opt     Options
	sources [2]*source
	through map[calltree.Name]bool // names that are transparent
	twins   []twins                // of each pair
	passes  int                    // in which times are read
	shared  int64                  // bytes that the forest may take, if other comparisons have it as well
	between *between               // of the median of several runs; else nil
	found   []Finding
}

// HasMessages reports whether messages are calls.
func (c *Comparison) HasMessages() bool { return c.opt.Messages }

// LoneRegion is a region that one side alone has.
type LoneRegion struct {
	Name  calltree.Name
	Calls uint64
	// Wrapper says that it stands around calls that the other side has without it: then it is transparent in the comparison.
	Wrapper bool
}

// Pair is two locations that belong together.
type Pair struct {
	A, B trace.Place
	// Events are enters and leaves on each side, the location's own included, of the structure that was aligned.
	Events     [2]uint64
	Cost       align.Cost
	Similarity align.Similarity
	// Segments say which events belong together.
	Segments []align.Segment
	// Series is the time of A in equal parts.
	Series []SkewBin

	cells []cell
}

// Equal reports whether both locations have the same calls.
func (p *Pair) Equal() bool { return p.Cost.High == 0 }

// Compare compares two windows.
func Compare(ctx context.Context, a, b Side, opt Options) (*Comparison, error) {
	opt.Bins = cmp.Or(opt.Bins, defaultBins)
	opt.Memory = cmp.Or(opt.Memory, memory.Usual)
	return withLevels(opt, func(c *Comparison) error { return c.compare(ctx, []Side{a, b}) })
}

func (c *Comparison) compare(ctx context.Context, sides []Side) error {
	if err := c.read(ctx, sides); err != nil {
		return err
	}
	if err := c.pairUp(ctx, unitsOf(c.sources[:]...)); err != nil || c.opt.StructureOnly {
		return err
	}
	if err := c.times(ctx); err != nil {
		return err
	}
	return c.addCounters(ctx)
}

// pairUp finds the locations that belong together, and aligns their calls.
func (c *Comparison) pairUp(ctx context.Context, units uint64) error {
	for i, s := range c.sources {
		c.Names[i], c.Locations[i] = s.Name, len(s.locations)
	}
	if err := c.checkNames(); err != nil {
		return err
	}
	c.Units = units
	for _, s := range c.sources {
		s.setScale(c.Units)
	}
	for i, s := range c.sources {
		c.Windows[i] = [2]int64{s.scaled(max(s.from, s.Reader.Info().First)), s.scaled(s.to)}
		c.Origins[i] = s.scaled(s.Reader.Info().First)
	}
	if err := c.match(); err != nil {
		return err
	}
	return c.align(ctx)
}

// roots returns the locations of a side as calls.
func (s *source) roots() []calltree.Node {
	list := make([]calltree.Node, len(s.locations))
	for i := range list {
		list[i] = s.locations[i].Root
	}
	return list
}

// findRegions finds the regions that one side alone has, and the names that are transparent.
func (c *Comparison) findRegions() {
	c.through = map[calltree.Name]bool{}
	for _, name := range c.opt.Through {
		c.through[c.Forest.Named(name)] = true
	}
	var sides [2]structure
	for i, s := range c.sources {
		sides[i] = structureOf(c.Forest, s.roots())
	}
	for i := range sides {
		p := sides[i].partners(sides[1-i], c.Forest)
		c.LoneRegions[i], c.LoneMessages[i] = p.lone[0], p.lone[1]
		c.Regions, c.Messages = p.both[0], p.both[1]
		for n := range p.around {
			c.through[n] = true
		}
	}
}

func (c *Comparison) normalise(ctx context.Context) error {
	for _, s := range c.sources {
		s.raw = s.roots()
		roots, err := c.Forest.Normalise(ctx, s.raw, calltree.Normal{Through: c.through, Spread: !c.opt.Nested, Memory: cmp.Or(c.shared, c.opt.part(forestEighths))})
		if err != nil {
			return err
		}
		for i := range roots {
			s.locations[i].Root = roots[i]
		}
	}
	return nil
}

// match finds the locations that belong together, and those that have no partner.
func (c *Comparison) match() error {
	a, b := c.sources[0], c.sources[1]
	c.twins = matchLocations(c.Forest, a, b, c.opt.Match)
	if c.opt.Pairs != nil {
		c.twins = nil
		for _, ids := range c.opt.Pairs {
			t := twins{a.place(ids[0]), b.place(ids[1])}
			if t.a < 0 || t.b < 0 {
				return fmt.Errorf("a location without calls has nothing to be compared: %d and %d", ids[0], ids[1])
			}
			c.twins = append(c.twins, t)
		}
	}
	for side, s := range c.sources {
		has := make([]bool, len(s.locations))
		for _, t := range c.twins {
			has[[2]int{t.a, t.b}[side]] = true
		}
		for i, p := range s.places {
			if !has[i] {
				c.Lone[side] = append(c.Lone[side], p)
			}
		}
	}
	return nil
}

// place returns the place of a location among those with calls, -1 if it has none.
func (s *source) place(id uint64) int {
	return slices.IndexFunc(s.locations, func(l calltree.Location) bool { return l.ID == id })
}

// align aligns all pairs.
func (c *Comparison) align(ctx context.Context) error {
	aligner := align.New(c.Forest, align.Options{Level: c.opt.Level, Memory: c.opt.part(costsEighths)})
	left := int(c.opt.part(segmentsEighths) / align.SegmentBytes)
	for i, t := range c.twins {
		x, y := c.sources[0].locations[t.a].Root, c.sources[1].locations[t.b].Root
		p := Pair{A: c.sources[0].places[t.a], B: c.sources[1].places[t.b]}
		p.Events = [2]uint64{2 * c.Forest.Size(x), 2 * c.Forest.Size(y)}
		var err error
		if p.Cost, err = aligner.Cost(ctx, x, y); err != nil {
			return err
		}
		if p.Segments, err = aligner.Segments(ctx, x, y, max(1, left/(len(c.twins)-i))); err != nil {
			return fmt.Errorf("%s: %w", p.A.Label, err)
		}
		left = max(0, left-len(p.Segments))
		p.Cost.High = max(p.Cost.High, align.CostOf(p.Segments))
		p.Similarity = align.SimilarityOf(p.Cost, p.Events[0], p.Events[1])
		c.Pairs = append(c.Pairs, p)
	}
	return nil
}

// times reads the times of both sides: of all locations at once, or of some after the others where calls that wait for their partner take too much
// memory.
func (c *Comparison) times(ctx context.Context) error {
	return inPasses(max(1, c.passes), len(c.Pairs), func(passes int) error {
		c.passes = passes
		r, err := c.newTimes()
		if err != nil {
			return err
		}
		if err = r.follow(ctx); err == nil {
			c.take(r)
		}
		return err
	})
}

// inPasses calls work with a number of passes, and with twice as many where calls that wait for their partner take too much memory, unless there were
// most passes.
func inPasses(first, most int, work func(passes int) error) error {
	for passes := first; ; passes *= 2 {
		if err := work(passes); !errors.Is(err, errWaiting) || passes >= most {
			return err
		}
	}
}

// take takes what a run has found.
func (c *Comparison) take(r *run) {
	c.Paths, c.Timed = r.paths.list, true
	for i, p := range r.pairs {
		c.Pairs[i].Series, c.Pairs[i].cells = p.skew.bins, p.cells
	}
}

// newTimes prepares to read the times of both sides.
func (c *Comparison) newTimes() (*run, error) {
	r, err := c.newRun()
	for i, t := range c.twins {
		if err == nil && len(c.through) == 0 && c.sources[0].raw[t.a] == c.sources[1].raw[t.b] {
			r.pairs[i].zip = newZip(r.levels)
		}
	}
	return r, err
}

// newRun prepares to follow the locations of both sides.
func (c *Comparison) newRun() (*run, error) {
	r := &run{
		sources: c.sources, passes: c.passes, through: make([]bool, c.Forest.Names()), spread: !c.opt.Nested, levels: cmp.Or(c.Levels, math.MaxInt), paths: newPaths(),
		memory: c.opt.part(waitingEighths), budget: c.opt.Memory, progress: c.opt.Progress, done: int64(c.sources[0].Reader.Info().Events + c.sources[1].Reader.Info().Events),
	}
	for n := range c.through {
		r.through[n] = true
	}
	for side, s := range c.sources {
		r.all[side] = map[uint64]*lane{}
		for i, l := range s.locations {
			r.all[side][l.ID] = newLane(side, r, l.ID, &s.places[i], s.scaled(s.from))
			r.all[side][l.ID].turn = i
		}
	}
	for i, t := range c.twins {
		p := &pairing{index: i, segments: c.Pairs[i].Segments}
		p.skew = skew{from: c.Windows[0][0], to: c.Windows[0][1], bins: make([]SkewBin, c.opt.Bins)}
		for side, at := range [2]int{t.a, t.b} {
			l := r.all[side][c.sources[side].locations[at].ID]
			if l.pair != nil {
				return nil, fmt.Errorf("%s belongs to two locations", c.sources[side].places[at].Label)
			}
			p.lanes[side] = l
			l.pair = p
		}
		p.lanes[0].turn = t.b
		r.pairs = append(r.pairs, p)
	}
	return r, nil
}
