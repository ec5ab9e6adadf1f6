package calltree

import "github.com/pandotrace/pando/store"

// extent is a window of a file, whose structure is followed.
type extent struct {
	info     *store.Info
	window   *store.Window
	from, to int64
}

func newExtent(r *store.Reader, w *store.Window) extent {
	from, to := w.Bounds()
	return extent{r.Info(), w, from, to}
}

// follow gives the structure of the slices that lie in the window to one function, and the events of those that the window cuts to another one.
// Locations get theirs in order.
func (x *extent) follow(structure func(*store.LaneStructure) error, events func(*store.TimeRun) error) error {
	cut := map[uint64]bool{}
	for s, err := range x.window.Structure() {
		switch {
		case err != nil:
			return err
		case x.whole(s):
			err = structure(s)
		case !cut[s.Slice]:
			cut[s.Slice] = true
			err = x.cutSlice(s, events)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether all events of a slice lie in the window.
func (x *extent) whole(s *store.LaneStructure) bool {
	return (s.Start >= x.from || x.info.First >= x.from) && (s.End <= x.to || x.info.Last < x.to)
}

// cutSlice follows the events of a slice that lie in the window, in all lanes.
func (x *extent) cutSlice(s *store.LaneStructure, events func(*store.TimeRun) error) error {
	for run, err := range x.window.Within(max(x.from, s.Start), min(x.to, s.End)).Times() {
		if err != nil {
			return err
		}
		if run.Slice != s.Slice { // where one instant fills several
			continue
		}
		if err := events(run); err != nil {
			return err
		}
	}
	return nil
}
