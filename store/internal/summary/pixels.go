package summary

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/trace"
)

const (
	maxPixels   = 1 << 16
	blockPixels = 16 // whose sum tells first whether anything changes in them
)

// MetricPixels tells what a member of a metric was in each pixel of the window.
func MetricPixels(w *query.Window, pixels int, metric, member uint64) ([]trace.MetricPixels, error) {
	if pixels < 1 || pixels > maxPixels {
		return nil, layout.Invalidf("store: %d pixels are not between 1 and %d", pixels, maxPixels)
	}
	m := metricPixels{w: w, raster: trace.Raster{From: w.From, Length: uint64(max(w.To, w.From) - w.From), Pixels: pixels}, metric: metric, member: member, at: map[metricLine]int{}}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for first := 0; first < pixels; first += blockPixels {
		group.Go(func() error { return m.block(first, min(first+blockPixels, pixels)) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return m.ordered()
}

// metricPixels are pixels that are being filled in.
type metricPixels struct {
	w              *query.Window
	raster         trace.Raster
	metric, member uint64

	mu  sync.Mutex
	at  map[metricLine]int // places in all
	all []trace.MetricPixels
}

type metricLine struct {
	location uint64
	typ      trace.ValueType
}

// block fills in some pixels: all at once if nothing changes there.
func (m *metricPixels) block(first, end int) error {
	quiet, err := m.sum(first, end, false)
	for p := first; p < end && err == nil && !quiet; p++ {
		_, err = m.sum(p, p+1, true)
	}
	return err
}

// sum fills in pixels if they are alike, or if it must, and reports whether they are.
func (m *metricPixels) sum(first, end int, must bool) (alike bool, err error) {
	from, to := m.raster.Border(first), m.raster.Border(end)
	if from == to {
		return true, nil
	}
	s, err := Summarize(m.w.Within(from, to), SummaryMetrics)
	if err != nil {
		return false, err
	}
	its := slices.DeleteFunc(s.Metrics, func(t trace.MetricTotals) bool { return t.Metric != m.metric || t.Member != m.member })
	if alike = !slices.ContainsFunc(its, func(t trace.MetricTotals) bool { return t.Count > 0 }); !alike && !must {
		return false, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range its {
		m.fill(&its[i], first, end)
	}
	return alike, nil
}

func (m *metricPixels) fill(t *trace.MetricTotals, first, end int) {
	key := metricLine{t.Location, t.Type}
	at, ok := m.at[key]
	if !ok {
		at = len(m.all)
		m.at[key] = at
		m.all = append(m.all, trace.MetricPixels{Location: t.Location, Type: t.Type, Pixels: make([]trace.MetricPixel, m.raster.Pixels)})
	}
	is := trace.MetricPixel{Known: true, Count: t.Count, Min: t.Last, Max: t.Last, Last: t.Last}
	if t.Count > 0 {
		is.Min, is.Max = t.Min, t.Max
	}
	for p := first; p < end; p++ {
		if m.raster.Border(p) < m.raster.Border(p+1) {
			m.all[at].Pixels[p] = is
		}
	}
}

// ordered returns the lines in order of locations.
func (m *metricPixels) ordered() ([]trace.MetricPixels, error) {
	ids, err := m.w.LocationIDs()
	place := make(map[uint64]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	slices.SortFunc(m.all, func(a, b trace.MetricPixels) int {
		return cmp.Or(cmp.Compare(place[a.Location], place[b.Location]), cmp.Compare(a.Type, b.Type))
	})
	return m.all, err
}
