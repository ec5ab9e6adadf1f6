package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// comparing is a case: two files, and what is done with them.
type comparing struct {
	name, goal, weber string
	files             [2]file
	do                func(ctx context.Context, o *order) (string, error)
}

// file is a Pando file in the folder for work, and how it is made.
type file struct {
	name string
	open func(o *order) (trace.Source, error)
}

var (
	amg       = file{"amg.8", archive("amg.8")}
	lu        = file{"lu.W.8", archive("lu.W.8")}
	redrawnLU = file{"lu.W.8.redrawn", redrawn(archive("lu.W.8"), 1)}
	mg        = file{"mg.W.64", archive("mg.W.64")}
	ring22    = file{"ring.22M.each", ring(820_000, 1)}
	ring20    = file{"ring.20M.each", ring(746_000, 2)}
	ring100   = file{"ring.100M", ring(1_870_000, 3)}
	ring100b  = file{"ring.100M.redrawn", redrawn(ring(1_870_000, 3), 1)}
	refined   = file{"adaptive.a", adaptiveRun(1)}
	refined2  = file{"adaptive.b", adaptiveRun(2)}
)

var cases []comparing

// The cases refer to files, whose makers refer to cases: so they are set here.
func init() {
	cases = []comparing{
		{"LU, ranks 0 and 1, alignment", "100 ms", "11.3 s, 12 % off", [2]file{lu, lu}, pairOf(lu, lu, 0, 1, true)},
		{"adaptive refinement of 2 M events, alignment", "1 s", "11.3 s, 12 % off", [2]file{refined, refined2}, pairOf(refined, refined2, 0, 0, true)},
		{"AMG, ranks 0 and 1, recursions as they are", "50 ms", "35 ms for 87 k events, 10.3 % off", [2]file{amg, amg}, pairOf(amg, amg, 0, 1, false)},
		{"AMG, ranks 0 and 1, recursions spread", "", "", [2]file{amg, amg}, pairOf(amg, amg, 0, 1, true)},
		{"22 M and 20 M events of a location, alignment", "500 ms", "22.4 s", [2]file{ring22, ring20}, pairOf(ring22, ring20, 0, 0, true)},
		{"all pairs of MG's 64 ranks", "1 s", "", [2]file{mg, mg}, allPairs(mg)},
		{"LU and a copy with redrawn times, all differences", "1 s", "", [2]file{lu, redrawnLU}, whole(lu, redrawnLU)},
		{"two runs of 10⁸ events, all differences", "3 s", "", [2]file{ring100, ring100b}, whole(ring100, ring100b)},
	}
}

func caseNamed(name string) *comparing {
	for i := range cases {
		if cases[i].name == name {
			return &cases[i]
		}
	}
	return nil
}

func (f file) path(o *order) string { return filepath.Join(o.work, f.name+".pando") }

// prepare makes the files that are not there.
func (c *comparing) prepare(ctx context.Context, o *order, log io.Writer) error {
	for _, f := range c.files {
		if _, err := os.Stat(f.path(o)); err == nil {
			continue
		}
		fmt.Fprintf(log, "making %s\n", f.name)
		src, err := f.open(o)
		if err != nil {
			return err
		}
		w, err := store.Create(ctx, f.path(o), src.Meta(), store.Options{})
		if err == nil {
			if err = store.Copy(ctx, w, src, nil); err == nil {
				err = w.Close()
			} else {
				err = errors.Join(err, w.Abort())
			}
		}
		if err := errors.Join(err, src.Close()); err != nil {
			return err
		}
	}
	return nil
}

// archive opens an OTF2 archive of the folder of traces.
func archive(name string) func(*order) (trace.Source, error) {
	return func(o *order) (trace.Source, error) {
		found, err := filepath.Glob(filepath.Join(o.traces, name, "*", "*.otf2"))
		if err == nil && len(found) == 0 {
			found, err = filepath.Glob(filepath.Join(o.traces, name, "*.otf2"))
		}
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("no archive %s in %s", name, o.traces)
		}
		return otf2.Open(found[0], otf2.Options{})
	}
}

func ring(iterations int, seed uint64) func(*order) (trace.Source, error) {
	return func(*order) (trace.Source, error) { return tracegen.Ring(2, iterations, seed), nil }
}

// Memory as the program has it: for blocks of all files, and for the heap with its garbage.
const (
	cacheBytes = 32 << 20
	heapBytes  = 208 << 20
	garbage    = 300 // percent of what is in use
)

// side opens a file as a side.
func side(ctx context.Context, o *order, f file) (contrast.Side, error) {
	r, err := store.Open(ctx, f.path(o), store.ReadOptions{Cache: o.cache})
	if err != nil {
		return contrast.Side{}, err
	}
	return contrast.Side{Name: f.name, Reader: r, Window: r.Window(r.Info().First, r.Info().Last+1)}, nil
}

// whole compares two files.
func whole(a, b file) func(context.Context, *order) (string, error) {
	return func(ctx context.Context, o *order) (string, error) {
		x, err := side(ctx, o, a)
		if err != nil {
			return "", err
		}
		defer x.Reader.Close()
		y, err := side(ctx, o, b)
		if err != nil {
			return "", err
		}
		defer y.Reader.Close()
		c, err := contrast.Compare(ctx, x, y, contrast.Options{Level: align.Tree})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d and %d events: %d pairs of locations, %d regions", x.Reader.Info().Events, y.Reader.Info().Events, len(c.Pairs), len(c.Findings())), nil
	}
}

func costText(c align.Cost) string {
	if c.Proven() {
		return fmt.Sprintf("cost %d, proven", c.High)
	}
	return fmt.Sprintf("cost %d to %d", c.Low, c.High)
}

// pairOf aligns two locations.
func pairOf(a, b file, i, j int, spread bool) func(context.Context, *order) (string, error) {
	return func(ctx context.Context, o *order) (string, error) {
		forest := calltree.NewForest()
		roots, err := rootsOf(ctx, o, forest, a, b, i, j)
		if err != nil {
			return "", err
		}
		roots, err = forest.Normalise(ctx, roots, calltree.Normal{Spread: spread})
		if err != nil {
			return "", err
		}
		c, err := align.New(forest, align.Options{Level: align.Tree}).Cost(ctx, roots[0], roots[1])
		return fmt.Sprintf("%d and %d events: %s", 2*forest.Size(roots[0]), 2*forest.Size(roots[1]), costText(c)), err
	}
}

// rootsOf adds two locations to a forest: of one file, which is opened once as the program does, or of two.
func rootsOf(ctx context.Context, o *order, forest *calltree.Forest, a, b file, i, j int) ([]calltree.Node, error) {
	if a.name == b.name {
		return addRoots(ctx, o, forest, a, i, j)
	}
	first, err := addRoots(ctx, o, forest, a, i)
	if err != nil {
		return nil, err
	}
	second, err := addRoots(ctx, o, forest, b, j)
	return append(first, second...), err
}

// addRoots adds locations of a file to a forest, by their places among all, which rise.
func addRoots(ctx context.Context, o *order, forest *calltree.Forest, f file, places ...int) (roots []calltree.Node, err error) {
	s, err := side(ctx, o, f)
	if err != nil {
		return nil, err
	}
	defer s.Reader.Close()
	all, err := s.Reader.LocationIDs()
	if err != nil {
		return nil, err
	}
	ids := make([]uint64, len(places))
	for k, at := range places {
		ids[k] = all[at]
	}
	found, err := forest.Read(ctx, s.Reader, s.Window.WithLocations(ids...), calltree.ReadOptions{})
	for _, l := range found {
		roots = append(roots, l.Root)
	}
	return roots, err
}

// allPairs aligns all pairs of locations of a file.
func allPairs(f file) func(context.Context, *order) (string, error) {
	return func(ctx context.Context, o *order) (string, error) {
		s, err := side(ctx, o, f)
		if err != nil {
			return "", err
		}
		defer s.Reader.Close()
		l, err := contrast.Alike(ctx, []contrast.Side{s}, contrast.Options{Level: align.Tree})
		if err != nil {
			return "", err
		}
		pairs, proven := 0, 0
		for i := range l.Locations[0] {
			for j := range i {
				_, c := l.At(j, i)
				if pairs++; c.Proven() {
					proven++
				}
			}
		}
		return fmt.Sprintf("%d pairs, %d proven", pairs, proven), nil
	}
}
