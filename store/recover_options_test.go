package store_test

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// What is saved of a file, with or without its directory, is divided like the file.
func TestSavedLikeWritten(t *testing.T) {
	t.Parallel()
	k := tracegen.Knobs{Processes: 6, Threads: 2, Length: 400, Regions: 4, Messages: 100, Talk: 0.2, Step: 100, Lattice: 1, Repeat: 4, SameTime: 0.01}
	for _, opt := range []store.Options{
		{}, {SliceEvents: 150, Fanout: 2, EpochSlices: 4, LaneLocations: 2}, {SliceEvents: 300, Fanout: 5, LaneLocations: 4},
		{SliceEvents: 77, Fanout: 16, EpochSlices: 16}, {SliceEvents: 500, Fanout: 3, EpochSlices: 6, LaneLocations: 1},
		{SliceEvents: 150, Fanout: 4, GroupSlices: 2, EpochSlices: 4, LaneLocations: 2}, {SliceEvents: 60, Fanout: 3, GroupSlices: 9, EpochSlices: 18},
	} {
		file := write(t, tracegen.Random(1, k), opt)
		blocks := damage.Blocks(file)
		want := shape(t, file)
		for name, damaged := range map[string][]byte{"whole": file, "without totals and directory": file[:blocks[len(blocks)-4].Offset]} {
			got := shape(t, saved(t, damaged, (*store.Recovery).Options))
			if got.Division != want.Division || got.lanes > want.lanes+1 || want.lanes > got.lanes+1 || got.epochs != want.epochs || !near(got.slices, want.slices) {
				t.Errorf("%s, %s: saved as %+v, was %+v", optionsName(opt), name, got, want)
			}
		}
	}
}

// near reports whether two numbers of slices differ by little: how many events a slice had to have is not known for certain.
func near(a, b uint64) bool { return 20*max(a, b) <= 23*min(a, b) }

type division struct {
	slices, lanes, epochs uint64
	index.Division
}

func shape(t *testing.T, file []byte) division {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	i := r.Info()
	return division{i.Slices, i.Lanes, i.Epochs, store.DivisionOf(r)}
}

// saved saves what is intact of a file, with options that depend on it.
func saved(t *testing.T, file []byte, options func(*store.Recovery) store.Options) []byte {
	t.Helper()
	s, err := store.OpenRecovery(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := store.NewWriter(t.Context(), &out, s.Meta(), options(s))
	if err == nil {
		_, err = s.Copy(t.Context(), w, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
