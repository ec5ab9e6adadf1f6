package tiles

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// readers are traces of several lanes, and a real one.
func readers(t *testing.T) map[string]*store.Reader {
	return map[string]*store.Reader{
		"ring": stored.Source(t, tracegen.Ring(9, 300, 1), store.Options{SliceEvents: 500, LaneLocations: 4}),
		"mg":   stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark")),
	}
}

// decoded is a tile as a reader who knows only the document of the package sees it.
type decoded struct {
	kind, level  byte
	index, least int64
	of           uint32
	rows         int
	regions      []uint32
	cells        map[[3]int]int // row, pixel, place in /rows: share
	sums         map[[2]int]int
	blur         []byte
	calls        [][6]int // row, depth, place, begin, end, flags
	length       int
}

func decode(t *testing.T, b []byte) (d decoded) {
	t.Helper()
	if string(b[:4]) != "PTL\x01" || binary.LittleEndian.Uint16(b[22:]) != 256 {
		t.Fatalf("a tile begins with % x", b[:24])
	}
	d.kind, d.level, d.of = b[4], b[5], binary.LittleEndian.Uint32(b[16:])
	d.index, d.least = int64(binary.LittleEndian.Uint64(b[8:])), int64(binary.LittleEndian.Uint64(b[32:]))
	flags, regions, n := binary.LittleEndian.Uint16(b[6:]), int(binary.LittleEndian.Uint32(b[24:])), int(binary.LittleEndian.Uint32(b[28:]))
	d.rows = int(binary.LittleEndian.Uint16(b[20:]))
	at := 40
	take := func(width int) int {
		v := 0
		for i := range width {
			v |= int(b[at+i]) << (8 * i)
		}
		at += width
		return v
	}
	for range regions {
		d.regions = append(d.regions, uint32(take(4)))
	}
	if d.kind == 2 {
		d.calls = make([][6]int, n)
		for column := range 5 {
			for i := range d.calls {
				d.calls[i][column] = take(2)
			}
		}
		for i := range d.calls {
			d.calls[i][5] = take(1)
			d.calls[i][2] = int(d.regions[d.calls[i][2]])
		}
	} else {
		d.bands(take, n, 1+int(flags&1), flags&2 != 0)
	}
	d.length = (at + 3) / 4 * 4
	return d
}

func (d *decoded) bands(take func(int) int, n, width int, blurred bool) {
	counts, regions := make([]int, d.rows*256), make([]int, n)
	for i := range counts {
		counts[i] = take(1)
	}
	for i := range regions {
		regions[i] = int(d.regions[take(width)])
	}
	d.cells, d.sums = map[[3]int]int{}, map[[2]int]int{}
	cell := 0
	for i, count := range counts {
		for range count {
			s := take(1)
			d.cells[[3]int{i / 256, i % 256, regions[cell]}] = s
			d.sums[[2]int{i / 256, i % 256}] += s
			cell++
		}
	}
	for range 256 {
		if blurred {
			d.blur = append(d.blur, byte(take(1)))
		}
	}
}

// shares rounds the parts of a whole to 255ths, the naive way: one unit after the other goes to the part that lacks most.
func shares(parts []int64, whole int64) []int64 {
	list, left := make([]int64, len(parts)), int64(255)
	for i, p := range parts {
		list[i] = p * 255 / whole
		left -= list[i]
	}
	for ; left > 0; left-- {
		most := 0
		for i, p := range parts {
			if p*255-list[i]*whole > parts[most]*255-list[most]*whole {
				most = i
			}
		}
		list[most]++
	}
	return list
}

// expect compares the cells of a row with a timeline's.
func (d *decoded) expect(t *testing.T, v *Rows, row int, ticks []map[uint64]int64, whole int64) {
	t.Helper()
	for pixel, of := range ticks {
		var ids []uint64
		for id := range of {
			ids = append(ids, id)
		}
		slices.SortFunc(ids, func(a, b uint64) int { return int(v.place(a)) - int(v.place(b)) })
		parts, idle := []int64{}, whole
		for _, id := range ids {
			parts, idle = append(parts, of[id]), idle-of[id]
		}
		for i, want := range shares(append(parts, idle), whole)[:len(ids)] {
			if got := d.cells[[3]int{row, pixel, int(v.place(ids[i]))}]; int64(got) != want {
				t.Fatalf("row %d, pixel %d, region %d: %d, want %d of %v", row, pixel, ids[i], got, want, of)
			}
		}
	}
}

// TestTiles compares tiles of random levels with timelines and calls of their windows.
func TestTiles(t *testing.T) {
	for name, r := range readers(t) {
		random := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			g := Grid{Level: random.IntN(30), First: r.Info().First}
			last := (r.Info().Last - r.Info().First) / g.Ticks()
			index := random.Int64N(last+3) - 1
			v, err := NewRows(r, Tree(TreeNames[random.IntN(len(TreeNames))]))
			if err != nil {
				t.Fatal(err)
			}
			lane := uint32(random.IntN(len(v.lanes)))
			t.Run(fmt.Sprintf("%s/%d/%d/%d", name, g.Level, index, lane), func(t *testing.T) { checkTile(t, r, v, g, index, lane) })
		}
	}
}

func checkTile(t *testing.T, r *store.Reader, v *Rows, g Grid, index int64, lane uint32) {
	from, to, ok := g.Tile(index)
	if !ok || from%(1<<g.Level) != 0 || to-from != 256<<g.Level || index == 0 && (from > g.First || to <= g.First) {
		t.Fatalf("tile %d: %d to %d", index, from, to)
	}
	ids, _ := v.Lane(lane)
	w := r.Window(from, to).WithLocations(ids...)
	line, err := w.Timeline(256)
	if err != nil {
		t.Fatal(err)
	}
	tile := v.Band([]byte("before"), line, g, index, lane)
	d := decode(t, tile[6:])
	if d.length != len(tile)-6 || d.index != index || int(d.level) != g.Level || d.of != lane || d.rows != len(ids) || (d.blur == nil) != (slices.Max(line.Errors) == 0) {
		t.Fatalf("%d bytes: %+v", len(tile)-6, d)
	}
	for row := range line.Locations {
		of := emptyPixels()
		for _, c := range line.Cells[line.Starts[row]:line.Starts[row+1]] {
			of[c.Pixel][line.Regions[c.Region]] += int64(c.Ticks)
		}
		if line.Locations[row] != ids[row] {
			t.Fatalf("row %d is of location %d, not %d", row, line.Locations[row], ids[row])
		}
		d.expect(t, v, row, of, 1<<g.Level)
	}
	sum, err := w.TimelineSum(256)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(v.Group(nil, sum, g, index, 0, len(ids)), v.Group(nil, line, g, index, 0, len(ids))) {
		t.Fatal("the band of a group depends on whether its lane was asked for, too")
	}
	checkGroup(t, r, v, g, index)
	checkCalls(t, v, w, g, index, lane, ids, false)
}

func emptyPixels() []map[uint64]int64 {
	list := make([]map[uint64]int64, 256)
	for i := range list {
		list[i] = map[uint64]int64{}
	}
	return list
}

func checkGroup(t *testing.T, r *store.Reader, v *Rows, g Grid, index int64) {
	from, to, _ := g.Tile(index)
	group := len(v.Groups) - 1
	ids, _ := v.InGroup(uint32(group))
	w := r.Window(from, to).WithLocations(ids...)
	sum, err := w.TimelineSum(256)
	if err != nil {
		t.Fatal(err)
	}
	tile := v.Group(nil, sum, g, index, uint32(group), len(ids))
	line, err := w.Timeline(256)
	if err != nil {
		t.Fatal(err)
	}
	of := emptyPixels()
	for _, c := range line.Cells {
		of[c.Pixel][line.Regions[c.Region]] += int64(c.Ticks)
	}
	d := decode(t, tile)
	if d.rows != 1 || d.of != uint32(group) || d.kind != 1 {
		t.Fatalf("%+v", d)
	}
	if slices.Max(line.Errors) == 0 && d.blur == nil { // lane by lane, bins may be finer
		d.expect(t, v, 0, of, int64(len(ids))<<g.Level)
	}
}

func checkCalls(t *testing.T, v *Rows, w *store.Window, g Grid, index int64, lane uint32, ids []uint64, exact bool) *decoded {
	t.Helper()
	tile, err := v.Calls(nil, w, g, index, lane, ids, exact)
	if err != nil {
		t.Fatal(err)
	}
	d := decode(t, tile)
	if d.least < 1<<g.Level || d.kind != 2 {
		t.Fatalf("%+v", d)
	}
	var want [][6]int
	from, to := w.Bounds()
	for c, err := range w.Calls() {
		if err != nil {
			t.Fatal(err)
		}
		if c.Duration() < d.least {
			continue
		}
		place := func(at int64) int {
			return int(math.Floor(float64(min(max(at, from), to)-from) * 64 / float64(int64(1)<<g.Level)))
		}
		flags := 0
		if c.Start < from {
			flags |= 1
		}
		if c.End > to {
			flags |= 2
		}
		if c.Flags&trace.CallOpen != 0 {
			flags |= 4
		}
		want = append(want, [6]int{slices.Index(ids, c.Location), c.Depth, int(v.place(c.Region)), place(c.Start), place(c.End), flags})
	}
	order := func(a, b [6]int) int {
		return slices.Compare([]int{a[0], a[1], a[3], a[4], a[2]}, []int{b[0], b[1], b[3], b[4], b[2]})
	}
	slices.SortFunc(want, order)
	slices.SortFunc(d.calls, order)
	if !slices.Equal(want, d.calls) {
		t.Fatalf("%d calls of at least %d ticks, want %d", len(d.calls), d.least, len(want))
	}
	return &d
}

// TestFullTile: a tile of all calls of at least a pixel that would have too many has the longer ones and says from which length on.
func TestFullTile(t *testing.T) {
	const level, depth, locations = 10, 8, 30
	src := tracegen.New(trace.Meta{Resolution: 1e9})
	region, dice := src.Region("work"), rand.New(rand.NewPCG(1, 2))
	process := src.Process("process")
	for id := range uint64(locations) {
		src.Define(trace.KindLocation, id, src.String("thread"), 1, 0, process)
		b := src.Events(id)
		for now := int64(0); now < 256<<level; {
			for range depth {
				b.Append(trace.KindEnter, now, region)
			}
			now += (1 + dice.Int64N(2)) << level
			for range depth {
				b.Append(trace.KindLeave, now, region)
			}
		}
	}
	r := stored.Source(t, src, store.Options{SliceEvents: 2000})
	v, err := NewRows(r, "system")
	if err != nil {
		t.Fatal(err)
	}
	ids, _ := v.Lane(0)
	g := Grid{Level: level, First: r.Info().First}
	from, to, _ := g.Tile(0)
	for _, few := range []int{locations, 3} {
		d := checkCalls(t, v, r.Window(from, to).WithLocations(ids[:few]...), g, 0, 0, ids[:few], true)
		if want := int64(1 + few/locations); d.least != want<<level || len(d.calls) == 0 || len(d.calls) > maxCalls {
			t.Errorf("%d locations: %d calls of at least %d ticks, want those of %d pixels", few, len(d.calls), d.least, want)
		}
	}
}

// TestRows: in each tree, each location is there once, below groups that cover their children's locations, and where its lane says.
func TestRows(t *testing.T) {
	all := readers(t)
	for seed := range uint64(10) {
		all[fmt.Sprint("random ", seed)] = stored.Source(t, tracegen.Random(seed, tracegen.RandomKnobs(seed)), store.Options{SliceEvents: 500, LaneLocations: 4})
	}
	for name, r := range all {
		for _, tree := range TreeNames {
			v, err := NewRows(r, Tree(tree))
			if err != nil {
				t.Fatal(err)
			}
			checkRows(t, name+", "+tree, r, v)
		}
	}
}

func checkRows(t *testing.T, name string, r *store.Reader, v *Rows) {
	if n := int(r.Info().Locations); len(v.Locations) != n || v.Groups[0].From != 0 || v.Groups[0].To != n || v.Groups[0].Parent != -1 {
		t.Errorf("%s: %d locations, %+v", name, len(v.Locations), v.Groups[0])
	}
	seen := map[string]bool{}
	for i, l := range v.Locations {
		ids, ok := v.Lane(l.Lane)
		if !ok || number(ids[l.Place]) != l.ID || seen[l.ID] || v.Row(ids[l.Place]) != i {
			t.Errorf("%s: row %d: %+v", name, i, l)
		}
		seen[l.ID] = true
		for g := l.Group; g >= 0; g = v.Groups[g].Parent {
			if i < v.Groups[g].From || i >= v.Groups[g].To {
				t.Errorf("%s: row %d is not in group %d", name, i, g)
			}
		}
	}
}

// TestLines compares messages, and their numbers, with the engine's.
func TestLines(t *testing.T) {
	for name, r := range readers(t) {
		v, err := NewRows(r, BySystem)
		if err != nil {
			t.Fatal(err)
		}
		first, w := r.Info().First, r.All()
		var messages []trace.Message
		for m, err := range w.Messages() {
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, m)
		}
		l, err := v.Lines(w, first, len(messages), 64, nil)
		if err != nil || len(messages) == 0 || len(l.Send) != len(messages) || l.Count != int64(len(messages)) {
			t.Fatalf("%s: %d of %d messages, %v", name, len(l.Send), len(messages), err)
		}
		for i, m := range messages {
			if l.Send[i] != m.SendTime-first || l.Receive[i] != m.ReceiveTime-first || l.Sender[i] != v.Row(m.SendLocation) || l.Receiver[i] != v.Row(m.ReceiveLocation) || l.Bytes[i] != m.SendLength {
				t.Fatalf("%s: message %d: %+v", name, i, m)
			}
		}
		n := len(v.Locations)
		spans := []Span{{0, n}, {0, 1}, {n - 1, n}, {1, n / 2}, {0, n / 2}}
		for _, pixels := range []int64{1, 64, 777} {
			l, err = v.Lines(w, first, len(messages)-1, pixels, spans)
			if err != nil || len(l.Send) != 0 || len(l.Cells) != len(spans) {
				t.Fatal(len(l.Cells), err)
			}
			if from, to := w.Bounds(); l.Pixel != (to-from+pixels-1)/pixels || int64(len(l.Cells[0].Sent)) != pixels {
				t.Errorf("%s: %d cells of %d ticks for %d pixels", name, len(l.Cells[0].Sent), l.Pixel, pixels)
			}
			checkTraffic(t, v, w, first, l, messages)
		}
	}
}

// TestTrafficCells: where locations are many, messages are counted in fewer cells.
func TestTrafficCells(t *testing.T) {
	for locations, want := range map[int]int64{0: 1000, 8: 1000, 300: 873, 4096: 64, 100_000: 64} {
		if got := (&Rows{Locations: make([]Location, locations)}).TrafficCells(1000); got != want {
			t.Errorf("%d locations: %d cells, want %d", locations, got, want)
		}
	}
	if got := (&Rows{Locations: make([]Location, 100_000)}).TrafficCells(3); got != 3 {
		t.Errorf("%d cells for 3 pixels", got)
	}
}

func checkTraffic(t *testing.T, v *Rows, w *store.Window, first int64, l *Lines, messages []trace.Message) {
	from, to := w.Bounds()
	for _, row := range l.Cells {
		for cell := range row.Sent {
			begin := from + int64(cell)*l.Pixel
			sent, received := uint64(0), uint64(0)
			for i := range messages {
				m := &messages[i]
				if begin >= to || !m.Overlaps(begin, min(to, begin+l.Pixel)) {
					continue
				}
				if at := v.Row(m.SendLocation); at >= row.Row && at < row.To {
					sent++
				}
				if at := v.Row(m.ReceiveLocation); at >= row.Row && at < row.To {
					received++
				}
			}
			if sent != row.Sent[cell] || received != row.Received[cell] {
				t.Fatalf("row %d, cell %d: %d and %d, want %d and %d", row.Row, cell, row.Sent[cell], row.Received[cell], sent, received)
			}
		}
	}
}

// TestGrid: no tile of any level leaves the range of time.
func TestGrid(t *testing.T) {
	for _, first := range []int64{math.MinInt64, -1, 0, 12345, math.MaxInt64} {
		for level := range MaxLevel + 1 {
			for _, index := range []int64{math.MinInt64, math.MinInt64 / 2, -1, 0, 1, math.MaxInt64 / 2, math.MaxInt64} {
				from, to, ok := Grid{level, first}.Tile(index)
				if ok && (to <= from || to-from != 256<<level || from%(256<<level) != 0) {
					t.Fatalf("tile %d of level %d, first %d: %d to %d", index, level, first, from, to)
				}
			}
			if from, to, ok := (Grid{level, first}).Tile(0); ok && (from > first || to <= first) {
				t.Fatalf("tile 0 of level %d: %d to %d has not %d", level, from, to, first)
			}
		}
	}
}
