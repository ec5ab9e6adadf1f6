package contrast

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// run is the times of both sides, which are read in step.
type run struct {
	sources  [2]*source
	through  []bool // by name: its calls are transparent
	spread   bool
	levels   int // of calls that are compared
	paths    *paths
	pairs    []*pairing
	passes   int
	all      [2]map[uint64]*lane // by location
	lanes    [2]map[uint64]*lane // those of a pass
	memory   int64               // left
	budget   int64
	progress trace.Progress
	done     int64       // events
	sink     sink        // nil unless calls are wanted one by one
	pause    func() bool // nil, or called after each step; false ends the run
}

// sink takes calls one by one.
type sink interface {
	together(p *pairing, a, b *call)
	alone(l *lane, c *call)
}

// together counts two calls that belong together.
func (r *run) together(p *pairing, a, b *call) {
	d := b.exclusive - a.exclusive
	r.paths.list[a.path].pair(d)
	r.side(0, a)
	r.side(1, b)
	n := p.cell(a.path)
	n.ticks += a.exclusive
	n.add(d, a.start, a.ordinal)
	if r.sink != nil {
		r.sink.together(p, a, b)
	}
}

// side counts a call of a side.
func (r *run) side(side int, c *call) *Tally {
	t := &r.paths.list[c.path].Tally
	t.Calls[side]++
	t.Ticks[side] += c.exclusive
	t.Inclusive[side] += c.inclusive
	return t
}

// alone counts a call that one side alone has.
func (r *run) alone(l *lane, c *call) {
	t := r.side(l.side, c)
	t.LoneCalls[l.side]++
	t.LoneTicks[l.side] += c.exclusive
	if r.sink != nil {
		r.sink.alone(l, c)
	}
	p := l.pair
	if p == nil {
		return
	}
	n := p.cell(c.path)
	n.alone(l.side, c.start)
	if l.side == 0 {
		n.net, n.ticks = n.net-c.exclusive, n.ticks+c.exclusive
		p.skew.lone(c.start)
	} else {
		n.net += c.exclusive
		p.skew.lone(l.other().last)
	}
}

// cell returns what the calls of a path add up to.
func (p *pairing) cell(path uint32) *cell {
	for int(path) >= len(p.cells) {
		p.cells = append(p.cells, cell{})
	}
	return &p.cells[path]
}

// begin enters the calls that are open when the window of a side begins.
func (r *run) begin(side int) error {
	src := r.sources[side]
	open, err := src.Window.OpenCalls()
	if err != nil {
		return err
	}
	for i := range open {
		l := r.lanes[side][open[i].Location]
		if l == nil {
			continue
		}
		e := src.events.OfCall(&open[i])
		if l.pair != nil && l.pair.zip != nil {
			l.pair.zip.tracks[side].enter(side, &e, l.last)
		} else {
			l.enter(&e, l.last)
		}
	}
	return nil
}

// feed is the runs of a side.
type feed struct {
	next func() (*calltree.EventRun, error, bool)
	stop func()
	left bool
	done uint64 // events of locations with a partner
}

func newFeed(runs iter.Seq2[*calltree.EventRun, error]) *feed {
	next, stop := iter.Pull2(runs)
	return &feed{next: next, stop: stop, left: true}
}

// follow reads the times of both sides, in some passes.
func (r *run) follow(ctx context.Context) error {
	for n := range r.passes {
		for side, lanes := range r.all {
			r.lanes[side] = map[uint64]*lane{}
			for id, l := range lanes {
				if l.turn%r.passes == n {
					r.lanes[side][id] = l
				}
			}
		}
		if err := r.pass(ctx); err != nil {
			return err
		}
		for side, lanes := range r.lanes {
			for id, l := range lanes {
				r.memory += l.memory()
				delete(r.all[side], id)
			}
		}
	}
	return nil
}

// pass reads the times of the locations of a pass. The side of which less is done goes on, so that little has to wait for the other.
func (r *run) pass(ctx context.Context) error {
	var feeds [2]*feed
	for side := range feeds {
		if err := r.begin(side); err != nil {
			return err
		}
		w := r.sources[side].Window
		if r.passes > 1 {
			w = w.WithLocations(slices.Collect(maps.Keys(r.lanes[side]))...)
		}
		feeds[side] = newFeed(r.sources[side].events.Runs(w))
		defer feeds[side].stop()
	}
	for feeds[0].left || feeds[1].left {
		side := 0
		if !feeds[0].left || feeds[1].left && feeds[1].done < feeds[0].done {
			side = 1
		}
		if err := r.step(side, feeds[side]); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	r.end()
	return nil
}

// step follows the next run of a side.
func (r *run) step(side int, f *feed) error {
	t, err, ok := f.next()
	if f.left = ok; err != nil || !ok {
		return err
	}
	n := int64(len(t.Leaves))
	r.done += n
	r.progress.Report(r.done, 0)
	l := r.lanes[side][t.Location]
	if l == nil {
		return nil
	}
	before := l.memory()
	r.runOf(l, side, t)
	if l.pair != nil {
		f.done += uint64(n)
	}
	if err := r.grew(l.memory() - before); err != nil {
		return err
	}
	if r.pause != nil && !r.pause() {
		return errEnough
	}
	return nil
}

// errWaiting says that what waits for the other side takes too much memory.
var errWaiting = errors.New("calls of one side are too far ahead of those of the other")

// grew takes bytes of what is left of the memory, or gives them back.
func (r *run) grew(bytes int64) error {
	if r.memory -= bytes; r.memory < 0 {
		return fmt.Errorf("%w: %w", errWaiting, &calltree.MemoryError{Bytes: r.budget})
	}
	return nil
}

// runOf follows a run of a location.
func (r *run) runOf(l *lane, side int, t *calltree.EventRun) {
	src := r.sources[side]
	if l.pair != nil && l.pair.zip != nil {
		l.pair.zip.note(side, t, src.scale)
		l.pair.zip.meet(r, l.pair)
		return
	}
	l.follow(t, src.scale)
	if l.pair != nil {
		l.pair.meet(false)
	}
}

// end closes the calls that are open, and gives up those that wait for a partner.
func (r *run) end() {
	for side, src := range r.sources {
		end := src.scaled(src.to)
		for i := range src.locations {
			l := r.lanes[side][src.locations[i].ID]
			if l == nil {
				continue
			}
			if l.pair != nil && l.pair.zip != nil {
				l.pair.zip.end(side, end)
				continue
			}
			now := max(l.last, end)
			l.tick(now)
			l.closeTo(0, now)
		}
	}
	for _, p := range r.pairs {
		switch {
		case r.lanes[0][p.lanes[0].location] == nil:
		case p.zip != nil:
			p.zip.meet(r, p)
			p.zip.count(r, p)
		default:
			p.meet(true)
		}
	}
}

// scaled returns a time in units of the comparison.
func (s *source) scaled(t int64) int64 {
	if s.scale != nil {
		return s.scale(t)
	}
	return t
}
