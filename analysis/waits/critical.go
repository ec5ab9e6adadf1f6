package waits

import (
	"cmp"
	"context"
	"slices"
)

// Critical is the critical path of a window: the chain of work that ended last. At each instant it is on one location. It is followed backwards
// from the last event: where the location waited, the path goes on with the one that was waited for.
type Critical struct {
	// From and To are the time that it covers: that of the window.
	From, To int64
	// Steps is how often it changes the location, plus 1. Reasons counts the waits that made it do so, by kind.
	Steps   uint64
	Reasons [Kinds]uint64
	// Last is the location with the last event, where the path ends.
	Last uint64
	// Shares are what lies on the path, by location and call path, the longest first.
	Shares []Share
}

// Share is what of the critical path lies in the calls of a path on one location, and not in calls further in.
type Share struct {
	Location uint64
	Path     PathID
	// Stretches is the number of pieces in a row, Ticks their time.
	Stretches uint64
	Ticks     int64
}

// Ticks returns the length of the path.
func (c *Critical) Ticks() int64 { return c.To - c.From }

// Stretch is a piece of the critical path in one call.
type Stretch struct {
	Location   uint64
	Path       PathID // of the innermost call that is open; Outside if none is
	Start, End int64
	// Reason is that of the step, if the stretch is the first one of it, else [Kinds].
	Reason Kind
}

// keepLink keeps what the critical path needs of a wait.
func keepLink(to *spool[link, *link], w *Wait) error {
	return to.add(&link{start: w.Start, end: w.End, known: w.known.time, call: w.Call, place: w.place, cause: w.causePlace, kind: w.Kind})
}

// critical follows the path back, and then forward through the calls that it lies in. It is nil if the window has no events.
func (s *search) critical(ctx context.Context, f *flow, waits *spool[link, *link]) (*Critical, error) {
	if !f.latest.known {
		return nil, nil
	}
	steps := newSpool[Step](s.memory / 4)
	defer steps.close()
	c := &Critical{From: s.from, To: min(s.to, s.reader.Info().Last), Last: f.places[f.latest.place].id}
	if err := waits.seal(); err != nil {
		return nil, err
	}
	b := backward{ctx: ctx, waits: waits, places: make([]queue, len(f.places))}
	err := b.steps(f.latest.place, c.From, c.To, func(x *Step) error {
		c.Steps++
		if x.Reason < Kinds {
			c.Reasons[x.Reason]++
		}
		return steps.add(x)
	})
	if err == nil {
		err = steps.seal()
	}
	if err != nil {
		return nil, err
	}
	w := newWalk(f, steps, s.opt.EachStretch)
	if err := s.walk(ctx, w); err != nil {
		return nil, err
	}
	c.Shares = w.shares()
	return c, nil
}

// walk goes along the path through the calls of the window.
func (s *search) walk(ctx context.Context, w *walk) error {
	window := s.reader.Window(s.from, s.to).WithContext(ctx)
	open, err := window.OpenCalls()
	if err != nil {
		return err
	}
	for i := range open {
		w.open(&open[i])
	}
	slice := uint64(0)
	for run, err := range window.Times() {
		if err == nil && run.Slice != slice {
			slice = run.Slice
			err = w.flush()
		}
		if err == nil {
			err = w.follow(run)
		}
		if err != nil {
			return err
		}
		s.done += int64(len(run.Times))
		s.opt.Progress.Report(s.done, 0)
	}
	return w.end()
}

// shares returns the sums of the walk.
func (w *walk) shares() (list []Share) {
	for k, t := range w.ticks {
		list = append(list, Share{w.flow.places[k.place].id, k.path, t.stretches, t.ticks})
	}
	slices.SortFunc(list, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Ticks, a.Ticks), cmp.Compare(w.flow.byID[a.Location].index, w.flow.byID[b.Location].index),
			w.flow.paths.compare(a.Path, b.Path))
	})
	return list
}

// latest is the location with the last event of the window.
type latest struct {
	known bool
	time  int64
	place int32
}

// see notes an event: the latest one counts, of equal times that of the first location.
func (l *latest) see(time int64, place int32) {
	if !l.known || time > l.time || time == l.time && place < l.place {
		*l = latest{true, time, place}
	}
}
