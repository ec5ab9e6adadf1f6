package merge

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Source is a window of a file. Of the window's filters, only that of locations counts.
type Source struct {
	Name   string
	Reader *store.Reader
	Window *store.Window
}

// Options of [Of]. The zero value of each field means its default.
type Options struct {
	// Level says how calls that have the same name more than once around them are paired: by their order alone (align.Names), or so that what
	// is inside of them has a say (align.Tree).
	Level align.Level
	// Rename gives other names to regions.
	Rename map[string]string
	// Through are names of transparent regions: what they call stands in their place, and their time is that of their callers.
	Through []string
	// Nested leaves recursions as they are. Otherwise a call directly inside of one of the same region is put before what it has inside.
	Nested bool
	// StructureOnly reads no times.
	StructureOnly bool
	// Depth is the number of levels of calls that have nodes (default and at most [MostDepth]). The time of calls further in is that of the call around
	// them.
	Depth int
	// Memory bounds what the tree takes, in bytes (default 256 MiB).
	Memory int64
	// Outliers says which members are far from the others.
	Outliers OutlierOptions
	// Progress counts events: those of all sources once for structure, and once for times.
	Progress trace.Progress
}

// forestEighths of the memory are for the structure of all locations.
const forestEighths = 5

// MostDepth is the largest number of levels of calls that have nodes.
const MostDepth = 1024

// input is a source that is being merged.
type input struct {
	Source
	defs      *trace.Definitions
	events    *calltree.Events
	locations []calltree.Location
	places    []trace.Place
	first     int   // of its members
	from, to  int64 // the window, within the trace
	scale     func(int64) int64
}

// open reads the structure of a source; done is the number of events before, for the progress.
func (t *Tree) open(ctx context.Context, s Source, done int64) (*input, error) {
	f, opt := t.Forest, &t.opt
	r := s.Reader.WithContext(ctx)
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	in := &input{Source: s, defs: defs, events: f.Events(defs, opt.Rename)}
	in.Window = s.Window.WithContext(ctx)
	in.from, in.to = s.Window.Bounds()
	in.from, in.to = max(in.from, r.Info().First), min(in.to, r.Info().Last)
	read := calltree.ReadOptions{Events: in.events, Memory: opt.Memory / 8 * forestEighths, Levels: t.levels}
	if opt.Progress != nil {
		read.Progress = func(n, _ int64) { opt.Progress(done+n, 0) }
	}
	if in.locations, err = f.Read(ctx, r, in.Window, read); err != nil {
		return nil, err
	}
	ids := make([]uint64, len(in.locations))
	for i, l := range in.locations {
		ids[i] = l.ID
	}
	in.places = defs.Places(ids)
	return in, nil
}

// openAll reads the structure of all sources.
func (t *Tree) openAll(ctx context.Context, sources []Source) error {
	done := int64(0) // events
	for _, s := range sources {
		in, err := t.open(ctx, s, done)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		in.first = len(t.Members)
		for _, p := range in.places {
			t.Members = append(t.Members, Member{Source: len(t.inputs), Place: p})
		}
		t.inputs = append(t.inputs, in)
		done += int64(s.Reader.Info().Events)
	}
	for i, in := range t.inputs {
		r := in.Reader.Meta().Resolution
		if i == 0 {
			t.Units = r
		} else if r != t.Units {
			t.Units = 1e9
		}
	}
	for _, in := range t.inputs {
		if r := in.Reader.Meta().Resolution; r != t.Units {
			in.scale = func(n int64) int64 { return trace.Nanoseconds(n, r) }
		}
	}
	return nil
}

// roots returns the locations of all inputs as calls in their normal form.
func (t *Tree) roots(ctx context.Context) ([]calltree.Node, error) {
	var raw []calltree.Node
	for _, in := range t.inputs {
		for _, l := range in.locations {
			raw = append(raw, l.Root)
		}
	}
	t.through = map[calltree.Name]bool{}
	for _, name := range t.opt.Through {
		t.through[t.Forest.Named(name)] = true
	}
	return t.Forest.Normalise(ctx, raw, calltree.Normal{Through: t.through, Spread: !t.opt.Nested, Memory: t.opt.Memory / 8 * forestEighths})
}

// withDefaults returns options without zero values.
func (o Options) withDefaults() Options {
	o.Memory = cmp.Or(o.Memory, memory.Usual)
	if o.Depth <= 0 || o.Depth > MostDepth {
		o.Depth = MostDepth
	}
	o.Outliers.Score = cmp.Or(o.Outliers.Score, defaultScore)
	o.Outliers.Share = cmp.Or(o.Outliers.Share, defaultShare)
	o.Outliers.Members = cmp.Or(o.Outliers.Members, OutlierMembers)
	return o
}
