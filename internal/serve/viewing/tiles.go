package viewing

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/internal/serve/asked"
	"github.com/pandotrace/pando/internal/serve/tiles"
	"github.com/pandotrace/pando/store"
)

// Bounds of one answer.
const (
	maxTiles   = 256
	maxLines   = 20_000
	maxPixels  = 1024
	usualTiles = 8
	maxSpanned = 100_000 // rows of spans, beyond those of the trace
)

func object(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(v)
	}
}

// RowsOf answers what the rows of the trace are.
func (q *Question) RowsOf() (Answer, error) {
	return Answer{Type: JSON, Write: object(q.Rows)}, nil
}

// tiled is a question for tiles.
type tiled struct {
	*Question
	grid          tiles.Grid
	from, to      int64 // indices
	lanes, groups []uint32
}

// level returns the level at which the trace has few tiles.
func (q *Question) level() (level int64) {
	for level < tiles.MaxLevel && q.Rows.Ticks>>level > usualTiles*tiles.Pixels {
		level++
	}
	return level
}

// tiled reads the parameters of a question for tiles.
func (q *Question) tiled() (t tiled, err error) {
	t.Question = q
	pixels, err := q.Number("pixels", 0, 1, maxTiles*tiles.Pixels/4)
	if err == nil && pixels > 0 {
		err = t.whole(pixels)
	} else if err == nil {
		err = t.some()
	}
	if err != nil {
		return t, err
	}
	if t.lanes, err = q.Numbers("lane"); err != nil {
		return t, err
	}
	few, err := q.Number("few", math.MaxInt64, 1, math.MaxInt64)
	if err != nil {
		return t, err
	}
	if int64(len(t.Rows.Locations)) > few {
		t.lanes = nil
	}
	t.groups, err = q.Numbers("group")
	if n := int64(len(t.lanes)+len(t.groups)) * (t.to - t.from); err == nil && n > maxTiles {
		err = asked.Bad("%d tiles are too many for one answer: %d at most", n, maxTiles)
	}
	return t, err
}

// some reads the level and the indices of tiles that a question names.
func (t *tiled) some() error {
	level, err := t.Number("level", t.level(), 0, tiles.MaxLevel)
	if err != nil {
		return err
	}
	t.grid = tiles.Grid{Level: int(level), First: t.Trace.Info().First}
	if t.from, err = t.Number("from", 0, math.MinInt64/2, math.MaxInt64/2); err != nil {
		return err
	}
	if t.to, err = t.Number("to", t.from+1, t.from+1, t.from+maxTiles); err != nil {
		return err
	}
	for _, i := range []int64{t.from, t.to - 1} {
		if _, _, ok := t.grid.Tile(i); !ok {
			return asked.Bad("tile %d of level %d is beyond all time", i, level)
		}
	}
	return nil
}

// whole chooses all tiles of the trace, for a picture of it that has some pixels.
func (t *tiled) whole(pixels int64) error {
	for _, name := range []string{"level", "from", "to"} {
		if len(t.Query[name]) > 0 {
			return asked.Bad("pixels are those of a picture of all of the trace, without %s", name)
		}
	}
	t.grid = tiles.GridOf(t.Trace.Info().First, t.Rows.Ticks+1, pixels)
	t.from, t.to = 0, t.grid.Index(t.Rows.Ticks)+1
	return nil
}

// answer returns the answer that consists of tiles of lanes and groups.
func (t *tiled) answer(write func(io.Writer) error) (a Answer, err error) {
	rows := 0
	for _, lane := range t.lanes {
		ids, ok := t.Rows.Lane(lane)
		if !ok {
			return a, asked.Bad("there is no lane %d", lane)
		}
		rows += len(ids)
	}
	for _, group := range t.groups {
		ids, ok := t.Rows.InGroup(group)
		if !ok {
			return a, asked.Bad("there is no group %d", group)
		}
		rows += min(1024, len(ids))
	}
	const ends = 4 // slices that are decoded for a tile, as a rule
	n := uint64(t.to - t.from)
	return Answer{Events: min(t.Trace.Info().Events, n*ends*t.sliceEvents()), Bytes: int64(n) * int64(rows) * tiles.Pixels, Type: Tiles, Write: write}, nil
}

// strip makes tiles of some locations.
type strip struct {
	key  tileKey
	ids  []uint64
	tile func(w *store.Window, index int64) ([]byte, error)
}

// each writes the tiles of strips, time by time: what is decoded for one is at hand for the others.
func (t *tiled) each(out io.Writer, strips []strip) error {
	windows := make([]*store.Window, len(strips))
	for i := range strips {
		windows[i] = t.Trace.All().WithLocations(strips[i].ids...)
	}
	for index := t.from; index < t.to; index++ {
		from, to, _ := t.grid.Tile(index)
		for i, s := range strips {
			s.key.state, s.key.level, s.key.index = t.State, t.grid.Level, index
			bytes, err := t.Kept.tile(t.Context, s.key, func() ([]byte, error) { return s.tile(windows[i].Within(from, to), index) })
			if err != nil {
				return err
			}
			if _, err := out.Write(bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bands answers how locations and groups divided their time: without any, all locations together.
func (q *Question) Bands() (Answer, error) {
	t, err := q.tiled()
	if err != nil {
		return Answer{}, err
	}
	if len(t.lanes)+len(t.groups) == 0 {
		t.groups = []uint32{0}
	}
	return t.answer(func(out io.Writer) error { return t.each(out, t.bands()) })
}

// bands returns the strips of lanes and groups that exist.
func (t *tiled) bands() (list []strip) {
	var of []*lately
	for _, lane := range t.lanes {
		ids, _ := t.Rows.Lane(lane)
		l := &lately{ids: ids}
		of = append(of, l)
		list = append(list, strip{tileKey{of: lane}, ids, func(w *store.Window, index int64) ([]byte, error) {
			times, err := w.Timeline(tiles.Pixels)
			if err != nil {
				return nil, err
			}
			l.index, l.times = index, times
			return t.Rows.Band(nil, times, t.grid, index, lane), nil
		}})
	}
	for _, group := range t.groups {
		ids, _ := t.Rows.InGroup(group)
		from := of[:0:0]
		for _, l := range of {
			if isPart(ids, l.ids) {
				from = append(from, l)
			}
		}
		list = append(list, strip{tileKey{of: group, group: true, tree: t.Rows.Tree}, ids, func(w *store.Window, index int64) ([]byte, error) {
			for _, l := range from {
				if l.times != nil && l.index == index {
					return t.Rows.Group(nil, l.some(ids), t.grid, index, group, len(ids)), nil
				}
			}
			times, err := w.TimelineSum(tiles.Pixels)
			if err != nil {
				return nil, err
			}
			return t.Rows.Group(nil, times, t.grid, index, group, len(ids)), nil
		}})
	}
	return list
}

// Calls answers which calls last at least a pixel: without a lane, those of the first one.
func (q *Question) Calls() (Answer, error) {
	t, err := q.tiled()
	if err != nil {
		return Answer{}, err
	}
	if len(t.lanes) == 0 {
		t.lanes = []uint32{0}
	}
	exact, err := q.Truth("exact")
	if err != nil {
		return Answer{}, err
	}
	return t.answer(func(out io.Writer) error {
		var list []strip
		for _, lane := range t.lanes {
			ids, _ := t.Rows.Lane(lane)
			list = append(list, strip{tileKey{of: lane, calls: true, exact: exact}, ids, func(w *store.Window, index int64) ([]byte, error) {
				return t.Rows.Calls(nil, w, t.grid, index, lane, ids, exact)
			}})
		}
		return t.each(out, list)
	})
}

// part returns the part of the trace, which is not empty.
func (q *Question) part() (Part, error) {
	p, err := q.Part()
	if err == nil && p.From >= p.To {
		err = asked.Bad("the window is empty")
	}
	return p, err
}

// Messages answers which messages there are in a window, or how many.
func (q *Question) Messages() (Answer, error) {
	p, err := q.part()
	if err != nil {
		return Answer{}, err
	}
	limit, err := q.Number("limit", 2000, 1, maxLines)
	if err != nil {
		return Answer{}, err
	}
	pixels, err := q.Number("pixels", 64, 1, maxPixels)
	if err != nil {
		return Answer{}, err
	}
	spans, err := q.spans()
	if err != nil {
		return Answer{}, err
	}
	write := func(to io.Writer) error {
		l, err := q.Rows.Lines(p.Window, q.Trace.Info().First, int(limit), pixels, spans)
		if err != nil {
			return err
		}
		return object(l)(to)
	}
	cells := uint64(q.Rows.TrafficCells(pixels))
	return Answer{Events: min(p.Events, cells*q.sliceEvents()), Cells: uint64(p.Rows) * cells, Type: JSON, Write: write}, nil
}

// spans reads which rows are counted together: each by itself if nothing is said.
func (q *Question) spans() (list []tiles.Span, err error) {
	n := len(q.Rows.Locations)
	texts, err := q.List("rows")
	if texts == nil {
		for row := range n {
			list = append(list, tiles.Span{From: row, To: row + 1})
		}
	}
	total := 0
	for _, text := range texts {
		from, last, two := strings.Cut(text, "-")
		a, err := strconv.ParseUint(from, 10, 31)
		b := a
		if two && err == nil {
			b, err = strconv.ParseUint(last, 10, 31)
		}
		if err != nil || b < a || b >= uint64(n) {
			return nil, asked.Bad("rows=%s: the trace has rows 0 to %d: write 3, or 3-5 for some together", text, n-1)
		}
		list = append(list, tiles.Span{From: int(a), To: int(b) + 1})
		if total += int(b-a) + 1; total > maxSpanned+n {
			return nil, asked.Bad("rows: the spans have more than %d rows together", maxSpanned+n)
		}
	}
	return list, err
}

// Counters answers what a counter was, pixel by pixel.
func (q *Question) Counters() (Answer, error) {
	p, err := q.part()
	if err != nil {
		return Answer{}, err
	}
	metric, err := q.ID("metric", 0)
	if err != nil {
		return Answer{}, err
	}
	member, err := q.Number("member", 0, 0, math.MaxInt32)
	if err != nil {
		return Answer{}, err
	}
	pixels, err := q.Number("pixels", tiles.Pixels, 1, maxPixels)
	if err != nil {
		return Answer{}, err
	}
	ticks := max(1, (p.To-p.From+pixels-1)/pixels)
	write := func(to io.Writer) error {
		c, err := q.Rows.Curves(p.Window, q.Trace.Info().First, ticks, int((p.To-p.From+ticks-1)/ticks), metric, uint64(member))
		if err != nil {
			return err
		}
		return object(c)(to)
	}
	return Answer{Events: min(p.Events, uint64(pixels)*q.sliceEvents()), Cells: uint64(p.Rows) * uint64(pixels), Type: JSON, Write: write}, nil
}
