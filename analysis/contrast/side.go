package contrast

import (
	"cmp"
	"context"
	"errors"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Side is a window of a file. Of the window's filters, only that of locations counts.
type Side struct {
	Name   string
	Reader *store.Reader
	Window *store.Window
}

// source is a side that is being compared.
type source struct {
	Side
	defs      *trace.Definitions
	events    *calltree.Events
	locations []calltree.Location // those with calls
	raw       []calltree.Node     // of these, before they were made normal
	places    []trace.Place       // of these
	from, to  int64               // the window, to at most behind the last event
	scale     func(int64) int64   // ticks to units of the comparison
}

// withLevels calls work with all levels of calls, and with fewer where these take too much memory.
func withLevels(opt Options, work func(*Comparison) error) (*Comparison, error) {
	for levels := 0; ; {
		c := &Comparison{Forest: calltree.NewForest(), Levels: levels, opt: opt}
		err := work(c)
		var memory *calltree.MemoryError
		if !errors.As(err, &memory) {
			return c, err
		}
		memory.Bytes = opt.Memory
		if levels == 1 {
			return nil, err
		}
		levels = max(1, min(deepestPath, 3*cmp.Or(levels, c.Forest.Deepest())/4))
	}
}

// read reads the structure of both sides. A missing one is that of A.
func (c *Comparison) read(ctx context.Context, sides []Side) error {
	all, err := c.openAll(ctx, sides)
	if err != nil {
		return err
	}
	c.sources = [2]*source{all[0], all[len(all)-1]}
	return c.simplify(ctx)
}

// openAll reads the structure of sides into the forest.
func (c *Comparison) openAll(ctx context.Context, sides []Side) (all []*source, err error) {
	done := int64(0) // events
	for _, s := range sides {
		src, err := c.open(ctx, s, done)
		if err != nil {
			return nil, err // which names the file
		}
		all = append(all, src)
		done += int64(s.Reader.Info().Events)
	}
	return all, nil
}

// simplify makes regions transparent that stand in the way, and the structure of both sides normal.
func (c *Comparison) simplify(ctx context.Context) error {
	c.findRegions()
	return c.normalise(ctx)
}

// open reads the structure of a side; done is the number of events before, for the progress.
func (c *Comparison) open(ctx context.Context, s Side, done int64) (*source, error) {
	opt, r := &c.opt, s.Reader.WithContext(ctx)
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	src := &source{Side: s, defs: defs, events: c.Forest.Events(defs, opt.Rename)}
	if opt.Messages {
		src.events.AddMessages()
	}
	src.from, src.to = s.Window.Bounds()
	src.to = min(src.to, r.Info().Last)
	src.Window = s.Window.WithContext(ctx)
	read := calltree.ReadOptions{Events: src.events, Memory: opt.part(forestEighths), Levels: c.Levels}
	if opt.Progress != nil {
		read.Progress = func(n, _ int64) { opt.Progress(done+n, 0) }
	}
	if src.locations, err = c.Forest.Read(ctx, r, src.Window, read); err != nil {
		return nil, err
	}
	ids := make([]uint64, len(src.locations))
	for i, l := range src.locations {
		ids[i] = l.ID
	}
	src.places = defs.Places(ids)
	return src, nil
}

// resolution returns the number of ticks per second.
func (s *source) resolution() uint64 { return s.Reader.Meta().Resolution }

// setScale makes the ticks of a side those of the comparison, with a number of units per second.
func (s *source) setScale(units uint64) {
	if r := s.resolution(); r != units {
		s.scale = func(t int64) int64 { return trace.Nanoseconds(t, r) }
	}
}

// unitsOf returns the number of units per second in which sides are compared: their ticks if these are equal, else nanoseconds.
func unitsOf(all ...*source) uint64 {
	for _, s := range all {
		if s.resolution() != all[0].resolution() {
			return 1e9
		}
	}
	return all[0].resolution()
}
