package model

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// FoldedPixel is what some locations did in a pixel of a window, tick by tick.
type FoldedPixel struct {
	// Ticks are the ticks that each location spent in each state: a region as the innermost call, or no call.
	Ticks []map[FoldState]int64
	// Busy are the ticks that each location spent in calls, Union those in which at least one of them was in a call.
	Busy  []int64
	Union int64
}

// FoldState is the region of the innermost call, or no call.
type FoldState struct {
	Called bool
	Region uint64
}

// Fold follows the ticks of a window, pixel by pixel, for some of its locations. calls are all those of the trace. Ticks of regions that the
// window does not have are without call. Between two neighbouring instants of calls and pixels nothing changes, so that one tick there stands for all.
func (t *Trace) Fold(w *Window, calls []trace.Call, locations []uint64, pixels int) []FoldedPixel {
	instants := []int64{}
	for p := range pixels + 1 {
		instants = append(instants, w.Border(p, pixels))
	}
	for i := range calls {
		for _, at := range []int64{calls[i].Start, calls[i].End} {
			if w.From < at && at < w.To {
				instants = append(instants, at)
			}
		}
	}
	slices.Sort(instants)
	instants = slices.Compact(instants)
	states := make([][]FoldState, len(locations)) // by location and instant
	for m, location := range locations {
		states[m] = painted(w, calls, location, instants)
	}
	folded := make([]FoldedPixel, pixels)
	for p := range folded {
		f := &folded[p]
		f.Busy = make([]int64, len(locations))
		for range locations {
			f.Ticks = append(f.Ticks, map[FoldState]int64{})
		}
		for i := 0; i+1 < len(instants); i++ {
			if instants[i] < w.Border(p, pixels) || instants[i] >= w.Border(p+1, pixels) {
				continue
			}
			ticks, any := instants[i+1]-instants[i], false
			for m := range locations {
				state := states[m][i]
				f.Ticks[m][state] += ticks
				if state.Called {
					f.Busy[m] += ticks
					any = true
				}
			}
			if any {
				f.Union += ticks
			}
		}
	}
	return folded
}

// painted returns the state of a location from each instant to the next one. Inner calls come after those around them, and paint over them.
func painted(w *Window, calls []trace.Call, location uint64, instants []int64) []FoldState {
	states := make([]FoldState, len(instants))
	for c := range calls {
		if calls[c].Location != location {
			continue
		}
		first, _ := slices.BinarySearch(instants, calls[c].Start)
		for i := first; i < len(instants) && instants[i] < calls[c].End; i++ {
			if states[i] = (FoldState{}); passes(w.Regions, calls[c].Region) {
				states[i] = FoldState{true, calls[c].Region}
			}
		}
	}
	return states
}

// Shown returns the state that a row shows of a pixel, if it shows any, by the name of a way to choose it: max, min, diff or idle.
func (f *FoldedPixel) Shown(how string) (shown FoldState, ok bool) {
	all, differ := map[FoldState]int64{}, map[FoldState]bool{}
	for _, of := range f.Ticks {
		for s, ticks := range of {
			all[s] += ticks
		}
	}
	for s := range all {
		for _, of := range f.Ticks {
			if of[s] != f.Ticks[0][s] {
				differ[s] = true
			}
		}
	}
	var list []FoldState
	for s := range all {
		if how != "diff" || differ[s] {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b FoldState) int {
		if a.Called != b.Called {
			return map[bool]int{true: -1, false: 1}[a.Called]
		}
		return map[bool]int{true: -1, false: 1}[a.Region < b.Region]
	})
	for _, s := range list {
		better := all[s] > all[shown]
		if how == "min" || how == "diff" {
			better = all[s] < all[shown]
		}
		if how == "idle" && ok && !s.Called {
			continue // any region is shown before
		}
		if !ok || better {
			shown, ok = s, true
		}
	}
	return shown, ok
}

// Apart returns the ticks of the pixel less those that all locations spent in each state, at least.
func (f *FoldedPixel) Apart(length int64) int64 {
	for s := range f.Ticks[0] {
		least := f.Ticks[0][s]
		for _, of := range f.Ticks {
			least = min(least, of[s])
		}
		length -= least
	}
	return length
}
