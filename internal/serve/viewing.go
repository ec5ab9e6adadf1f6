package serve

import (
	"fmt"
	"io"
	"strings"

	"github.com/pandotrace/pando/internal/serve/tiles"
	"github.com/pandotrace/pando/internal/serve/viewing"
)

// treeParameter says what the groups of rows are, by which groups and rows are numbered.
var treeParameter = parameter{"tree", "what groups of rows are: " + strings.Join(tiles.TreeNames, ", ") + "; numbers of rows and groups are those of rows with the same tree"}

var tileParameters = []parameter{
	{"level", "a pixel has 2^level ticks (default: the whole trace has a few tiles)"},
	{"from", "index of the first tile of 256 pixels; 0 is the tile with the trace's first event (default 0)"},
	{"to", "index behind the last tile (default the one behind from)"},
	{"pixels", "in place of level, from and to: all tiles of the trace, for a picture of it with this number of pixels, which are not shorter than those of the tiles"},
	{"few", "no lanes are answered if the trace has more than this number of locations (default any)"},
	{"lane", "numbers of lanes of locations, as rows has them, with commas between them"},
}

var findParameters = join(windowParameters, regionParameter,
	parameter{"order", strings.Join(viewing.Orders, ", ") + ": what begins in the window, the first one first (default) or the last one; the longest calls; sends and receives without a partner"},
	parameter{"min_duration", "only calls that last at least this time"},
	parameter{"kind", "events of this kind in the place of calls"},
	parameter{"limit", "this number at most (default 1)"})

var (
	patternParameters = join(windowParameters, parameter{"by", "phase: look at each loop of the program by itself, and at what is between"}, parameter{"period", "look at each part of the window of this length by itself"}, parameter{"limit", "list this number of templates of each part (default all)"})
	shapeParameters   = join(windowParameters, regionParameter, parameter{"unusual", "list this number of unusual calls (default 100)"})
)

// viewer returns what answers a question of the viewer.
func viewer(ask func(*viewing.Question) (viewing.Answer, error)) func(*Server, *request) error {
	return func(s *Server, r *request) error {
		b := r.book
		b.viewing.Do(func() { b.state = s.states.Add(1) })
		tree, err := r.asked().OneOf("tree", tiles.TreeNames...)
		if err != nil {
			return err
		}
		rows, err := b.trees.Rows(b.reader, tiles.Tree(tree))
		if err != nil {
			return err
		}
		a, err := ask(&viewing.Question{Query: r.asked(), Context: r.Context(), Trace: r.trace, Rows: rows, State: b.state, Kept: &s.kept, Part: func() (viewing.Part, error) {
			w, err := s.window(r)
			return viewing.Part{Window: w.Window, From: w.from, To: w.to, Locations: w.locations, Regions: w.regions, Rows: w.lines, Events: w.events}, err
		}})
		if err != nil {
			return err
		}
		if err := r.needs(work{events: a.Events, cells: a.Cells, bytes: a.Bytes}); err != nil {
			return err
		}
		r.out.Header().Set("Content-Type", a.Type)
		if a.Name != "" {
			r.out.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", a.Name))
		}
		return r.stream(func(to io.Writer) error { return tooLarge(a.Write(to)) })
	}
}
